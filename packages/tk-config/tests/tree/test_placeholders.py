from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from tk_config import (
    Config,
    LazyAttr,
    LazyObject,
)


def test_foreign_imports_become_placeholders_built_on_reading(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tkc_toy.py").write_text("class Toy: pass\nclass Box:\n    inner = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = write(a_py="import tkc_toy\nfrom tkc_toy import Toy as T, Box\n"
                 "m = dict(type=T, n=Box.inner, mod=tkc_toy, cls=tkc_toy.Box)\n")  # fmt: skip

    cfg = Config.fromfile(path)
    assert "tkc_toy" not in sys.modules
    assert cfg.to_dict() == {
        "m": {
            "type": "tkc_toy.Toy",
            "n": "tkc_toy.Box.inner",
            "mod": "tkc_toy",
            "cls": "tkc_toy.Box",
        }
    }

    toy = cfg.m.type
    assert toy is sys.modules["tkc_toy"].Toy
    assert cfg.m.type is toy
    assert cfg.m.n == 5
    assert cfg.m.mod is sys.modules["tkc_toy"]
    del sys.modules["tkc_toy"]


def test_a_placeholder_of_a_submodule_is_built(write: Any) -> None:
    lazy = LazyObject(["email.mime", "email.header"])

    assert lazy.build().__name__ == "email"
    assert LazyAttr("mime", LazyObject("email")).build().__name__ == "email.mime"


def test_calling_a_placeholder_says_why_it_cannot_be(write: Any) -> None:
    path = write(a_py="import tkc_np as np\na = np.float32(1)\n")

    with pytest.raises(RuntimeError, match=r"tkc_np\.float32 is only named .*a\.py:1.*dict\(type="):
        Config.fromfile(path)


def test_a_placeholder_that_cannot_be_imported_names_the_line(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="import os\nfrom tkc_nowhere import X\na = dict(type=X)\n"))

    with pytest.raises(ImportError, match=r"tkc_nowhere\.X.*a\.py:2"):
        cfg.a.type


def test_copies_and_pickles_keep_placeholders(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="from tkc_nowhere import X\na = dict(type=X, b=X.c)\n"))

    for other in (copy.deepcopy(cfg), copy.copy(cfg), pickle.loads(pickle.dumps(cfg))):
        assert other == cfg
        assert other.to_dict() == cfg.to_dict()


@pytest.mark.parametrize(("args", "error"), [((5,), "dotted name"), (("a", 5), "name or None")])
def test_a_placeholder_checks_what_it_is_made_of(args: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        LazyObject(*args)
    with pytest.raises(TypeError, match="a name and a placeholder"):
        LazyAttr("a", "b")  # type: ignore[arg-type]


def test_placeholders_show_their_names() -> None:
    lazy = LazyObject("a.b", "C")

    assert (str(lazy), lazy.module, lazy.dotted_name) == ("C", "a.b", "a.b.C")
    assert (str(lazy.d), lazy.d.module) == ("d", "a.b.C")
    assert LazyObject("a.b", "C") == lazy
    assert lazy != LazyObject("a.b", "D")
