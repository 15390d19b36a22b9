from __future__ import annotations

import copy
from typing import Any

from tk_config import ConfigDict, LazyObject


def test_a_deep_copy_shares_no_container_and_keeps_what_is_no_container() -> None:
    thing: Any = object()
    node = ConfigDict(a=[{"b": (1, [2])}], c={3}, t=thing)
    other = copy.deepcopy(node)

    other.a[0].b[1].append(4)
    other.c.add(5)

    assert node == {"a": [{"b": (1, [2])}], "c": {3}, "t": thing}


def test_a_plain_copy_holds_builtin_containers_only() -> None:
    plain = ConfigDict(a=[{"b": ({"c": 1},)}], lazy=LazyObject("math", "pi")).to_dict()

    assert plain == {"a": [{"b": ({"c": 1},)}], "lazy": "math.pi"}
    assert type(plain["a"][0]) is type(plain["a"][0]["b"][0]) is dict
