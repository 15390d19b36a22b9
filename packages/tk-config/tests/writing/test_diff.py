from __future__ import annotations

from typing import Any

import pytest

from tk_config import Config
from tk_config.writing.diff import Change, changes, same


def kinds(old: Any, new: Any) -> list[tuple[Any, ...]]:
    return [
        (c.kind, c.old_path, c.path) if c.kind == "moved" else (c.kind, c.path, c.old, c.new)
        for c in changes(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, [("added", "b", None, 2)]),
        ({"a": 1, "b": 2}, {"a": 1}, [("removed", "b", 2, None)]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("changed", "a.b", 1, 2)]),
        ({"a": [1, {"b": 1}]}, {"a": [1, {"b": 2}]}, [("changed", "a.1.b", 1, 2)]),
        ({"a": [1]}, {"a": [1, 2]}, [("changed", "a", [1], [1, 2])]),
        ({"a": {"x": 1, "y": 2}}, {"b": {"x": 1, "y": 2}}, [("moved", "a", "b")]),
        ({"a": {"m": [1, 2]}}, {"a": {}, "n": [1, 2]}, [("moved", "a.m", "n")]),
        ({"a": 1}, {"b": 1}, [("removed", "a", 1, None), ("added", "b", None, 1)]),
        ({"a": 1}, {"a": True}, [("changed", "a", 1, True)]),
        ({"a": (1,)}, {"a": [1]}, [("changed", "a", (1,), [1])]),
        ({"a": float("nan")}, {"a": float("nan")}, []),
    ],
    ids=[
        "added", "removed", "changed", "in a list", "another length", "moved", "moved up",
        "too small to have moved", "bool is no int", "tuple is no list", "nan is nan",
    ],
)  # fmt: skip
def test_changes_are_listed_by_kind(old: Any, new: Any, expected: Any) -> None:
    assert sorted(kinds(old, new)) == sorted(expected)


def test_equal_configs_have_no_changes() -> None:
    assert changes(Config({"a": [1]}), Config({"a": [1]})) == []
    assert Change("added", "a").old_path is None


def test_what_cannot_be_compared_is_not_the_same() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("no")

        __hash__ = None  # type: ignore[assignment]

    assert not same(Odd(), Odd())


def test_the_text_diff_shows_both_sides(write: Any) -> None:
    one, two = write(a_py="a = 1\nb = 2\n"), write(b_py="a = 1\nb = 3\n")

    text = Config.diff(str(one), Config.fromfile(two))

    assert "-b = 2" in text
    assert "+b = 3" in text
    assert " a = 1" in text
