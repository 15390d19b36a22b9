from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config, ConfigDict, MergeError


def over(write: Any, base: str, child: str) -> Config:
    write(base_py=base)
    return Config.fromfile(write(child_py=f"_base_ = './base.py'\n{child}"))


@pytest.mark.parametrize(
    ("base", "child", "expected"),
    [
        ("a = dict(x=1, y=dict(z=2))", "a = dict(y=dict(w=3))", {"x": 1, "y": {"z": 2, "w": 3}}),
        ("a = [1, 2, 3]", "a = [4]", [4]),
        ("a = 1", "a = 'text'", "text"),
        ("a = dict(x=1)", "a = None", None),
        ("a = dict(x=1)", "a = [dict(y=2)]", [{"y": 2}]),
        ("a = dict(x=1)", "a = dict(_delete_=True, y=2)", {"y": 2}),
        ("a = dict(x=1)", "a = dict(_delete_=False, y=2)", {"x": 1, "y": 2}),
        ("a = 1", "a = dict(_delete_=True, y=2)", {"y": 2}),
        (
            "a = dict(b=dict(x=1))",
            "a = dict(b=dict(_delete_=True, c=dict(_delete_=True, d=1)))",
            {"b": {"c": {"d": 1}}},
        ),
        ("a = dict(x=1)", "a = dict(new=dict(_delete_=True, d=1))", {"x": 1, "new": {"d": 1}}),
    ],
    ids=[
        "dict over dict merges deeply", "a list is replaced", "a value is replaced",
        "None over a dict", "a list over a dict", "delete replaces", "delete=False merges",
        "delete over a value", "delete within delete", "delete of nothing leaves no marker",
    ],
)  # fmt: skip
def test_the_child_wins_key_by_key(write: Any, base: str, child: str, expected: Any) -> None:
    assert over(write, base, child).a == expected


def test_a_dict_over_a_value_names_both_places(write: Any) -> None:
    with pytest.raises(MergeError, match=r"a\.b: a dict \(.*child\.py:2\).*into 1 .*base\.py:1"):
        over(write, "a = dict(b=1)", "a = dict(b=dict(c=1))")


def test_an_intermediate_variable_is_a_value(write: Any) -> None:
    base = "v = dict(x=1)\na = dict(v=v)\nb = dict(v=v)\n"
    with pytest.warns(UserWarning, match="'v' is overridden"):
        cfg = over(write, base, "v = dict(x=2)")

    assert cfg.v.x == 2
    assert cfg.a.v.x == cfg.b.v.x == 1


def test_values_built_from_one_variable_are_independent(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="v = dict(x=[1])\na = v\nb = dict(v=v)\n"))
    cfg.merge_from_dict({"a.x.0": 9})

    assert cfg.v.x == cfg.b.v.x == [1]


def test_merging_does_not_change_the_other_side() -> None:
    other = {"a": {"_delete_": True, "b": [1]}}
    node = ConfigDict(a={"x": 1})
    node.merge(other)
    node.a.b.append(2)

    assert other == {"a": {"_delete_": True, "b": [1]}}
