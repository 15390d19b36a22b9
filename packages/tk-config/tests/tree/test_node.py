from __future__ import annotations

import copy
import pickle
from typing import Any

from tk_config import Config
from tk_config.tree.node import origin_of


def test_a_change_of_a_copy_leaves_the_origins_of_the_original(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="a = dict(\n    b=1)\n"))
    for other in (copy.copy(cfg.a), copy.deepcopy(cfg.a), pickle.loads(pickle.dumps(cfg.a))):
        other.b = 2

        assert origin_of(other, "b").kind == "code"  # type: ignore[union-attr]
        assert str(origin_of(cfg.a, "b")).endswith("a.py:2")


def test_what_is_no_node_knows_no_origin() -> None:
    assert origin_of({"a": 1}, "a") is None
    assert origin_of(None, "a") is None
