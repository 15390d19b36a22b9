from __future__ import annotations

from typing import Any

import pytest

import tk_fileio
from tk_fileio.formats.builtin_values import builtin_value, culprit

np = pytest.importorskip("numpy")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.arange(4).reshape(2, 2), "[[0, 1], [2, 3]]"),
        (np.float32(1.5), "1.5"),
        (np.float64(0.1), "0.1"),
        (np.int64(3), "3"),
        (np.bool_(True), "true"),
        ([np.array(7)], "[7]"),
        ({"a": np.float64(0.5), "b": [np.int32(2)]}, '{"a": 0.5, "b": [2]}'),
    ],
    ids=str,
)
def test_numpy_values_are_written_as_builtins(value: Any, text: str) -> None:
    assert tk_fileio.dump(value, file_format="json") == text


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.arange(3), [0, 1, 2]),
        ({"a": np.float64(0.5), "b": np.int32(2)}, {"a": 0.5, "b": 2}),
        ([np.bool_(True)], [True]),
    ],
    ids=str,
)
def test_numpy_values_are_written_to_yaml(value: Any, plain: Any) -> None:
    yaml = pytest.importorskip("yaml")

    assert yaml.safe_load(tk_fileio.dump(value, file_format="yaml")) == plain


def test_sets_are_written_in_one_order() -> None:
    assert builtin_value({"b", "a", "c"}) == ["a", "b", "c"]
    assert sorted(builtin_value({1, "a"}), key=str) == [1, "a"]


def test_the_culprit_is_the_innermost_part() -> None:
    bad = object()

    assert culprit({"a": [1, {"b": bad}]}, lambda part: "object" not in repr(part)) == (
        "['a'][1]['b']",
        bad,
    )
    assert culprit(3, lambda part: False) == ("", 3)
