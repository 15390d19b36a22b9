from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tk_runner.data import MetainfoError
from tk_runner.data.metainfo import difference, read_metainfo


def test_the_argument_wins_over_the_class_and_neither_is_changed() -> None:
    of_class, argument = {"a": [1], "b": 2}, {"a": [3]}
    found = read_metainfo(argument, of_class)
    found["a"].append(4)

    assert found == {"a": [3, 4], "b": 2}
    assert (of_class, argument) == ({"a": [1], "b": 2}, {"a": [3]})


def test_only_a_mapping_is_metainfo() -> None:
    with pytest.raises(TypeError, match="must be a mapping of names and values, not list"):
        read_metainfo([1], {})  # type: ignore[arg-type]


def test_a_text_file_becomes_its_lines(tmp_path: Path) -> None:
    (tmp_path / "classes.txt").write_text("cat\ndog\n")
    (tmp_path / "plain").write_text("a\nb\n")

    found = read_metainfo(
        {"classes": str(tmp_path / "classes.txt"), "other": str(tmp_path / "plain")}, {}
    )

    assert found == {"classes": ["cat", "dog"], "other": ["a", "b"]}


def test_a_text_file_that_is_not_there_is_not_taken_for_a_value() -> None:
    with pytest.raises(
        FileNotFoundError, match=r"metainfo classes='no/such.txt' names a text file"
    ):
        read_metainfo({"classes": "no/such.txt"}, {})


@pytest.mark.parametrize("value", ["coco", "a sentence, with 1/2", "s3://bucket/x", "", "a\nb.txt"])
def test_other_strings_are_values(value: str, recwarn: pytest.WarningsRecorder) -> None:
    assert read_metainfo({"name": value}, {}) == {"name": value}
    assert not recwarn.list


def test_a_folder_is_a_value(tmp_path: Path) -> None:
    assert read_metainfo({"root": str(tmp_path)}, {}) == {"root": str(tmp_path)}


def test_a_file_of_the_working_folder_does_not_replace_a_word(tmp_path, monkeypatch) -> None:
    (tmp_path / "coco").write_text("not this\n")
    monkeypatch.chdir(tmp_path)

    assert read_metainfo({"name": "coco"}, {}) == {"name": "coco"}


EQUAL = [
    (1, 1),
    ([np.arange(3)], [np.arange(3)]),
    ({"a": [torch.arange(3), "x"]}, {"a": [torch.arange(3), "x"]}),
    ((1, (2, 3)), (1, (2, 3))),
    (float("nan"), None),
]


@pytest.mark.parametrize(("one", "other"), EQUAL[:-1])
def test_equal_values_have_no_difference(one: object, other: object) -> None:
    assert difference(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ({"a": 1}, {"a": 2}, "a is 1 in one, 2 in the other"),
        ({"a": 1}, {}, "a=1 is in one only"),
        ({}, {"a": 1}, "a=1 is in the other only"),
        ({"a": 1}, {"a": "1"}, "a is of type int in one, str in the other (1; '1')"),
        ({"a": {"b": [1, np.ones(1)]}}, {"a": {"b": [1, np.zeros(1)]}}, "a.b[1] is array([1.])"),
        ({"a": torch.ones(2)}, {"a": torch.ones(3)}, "a is tensor([1., 1.]) in one"),
        ({"a": [1]}, {"a": [1, 2]}, "a is [1] in one, [1, 2] in the other"),
        ({"a": np.ones(1)}, {"a": np.ones(1, dtype=np.int64)}, "a is array([1.]) in one"),
    ],
)
def test_a_difference_names_key_and_values(one: object, other: object, text: str) -> None:
    assert text in (difference(one, other) or "")


def test_the_error_is_a_value_error_and_a_type_error() -> None:
    assert issubclass(MetainfoError, (ValueError))
    assert issubclass(MetainfoError, TypeError)
