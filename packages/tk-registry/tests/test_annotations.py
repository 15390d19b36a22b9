"""Simple values against simple annotations."""

# ruff: noqa: UP007, UP045  # the older spellings of unions are part of what is tested
from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Optional, Union

import pytest

from tk_registry.annotations import fits, misfit

FITTING = [
    (1, int),
    (True, int),
    (1, float),
    (1.5, float),
    ("a", str),
    (False, bool),
    (None, None),
    ([1, 2], list),
    ([1, 2], list[int]),
    ((1, 2), list[int]),
    ([1, 2], tuple[int, int]),
    ([1, 2, 3], tuple[int, ...]),
    ({"a": 1}, dict),
    ([{"a": 1}], dict),  # several where one is annotated
    (types.MappingProxyType({"a": 1}), dict[str, int]),
    ({"a": 1}, Mapping[str, float]),
    ("text", Sequence[str]),
    ("a", Literal["a", "b"]),
    (None, Optional[int]),
    (1, Optional[int]),
    ("x", Union[int, str]),
    ([1], int | list[int]),
    (3, Any),
    ({"type": "Net"}, object),
    ("folder", Path),
    pytest.param(object(), int, id="an object of no plain type"),
    ([{"a": None}], list[dict[str, Optional[int]]]),
    (3, typing.TypeVar("T")),
]
WRONG = [
    ("1", int),
    (1.0, int),
    (None, int),
    ("1.0", float),
    (1, str),
    (1, bool),
    (1, None),
    (1, list),
    ("ab", list),
    ([1, "2"], list[int]),
    ([1, 2, 3], tuple[int, int]),
    ([1, "2"], tuple[int, ...]),
    ([1], dict),
    ({"a": "1"}, dict[str, int]),
    ({1: 1}, dict[str, int]),
    (3, Sequence[str]),
    ("c", Literal["a", "b"]),
    (True, Literal[1]),
    ("x", Optional[int]),
    (1.5, int | str),
    ({"type": "Net"}, int),
]


@pytest.mark.parametrize(("value", "hint"), FITTING, ids=str)
def test_it_fits(value: Any, hint: Any) -> None:
    assert fits(value, hint)


@pytest.mark.parametrize(("value", "hint"), WRONG, ids=str)
def test_it_does_not_fit(value: Any, hint: Any) -> None:
    assert not fits(value, hint)


def told(function: Any, **values: Any) -> list[str | None]:
    parameters = inspect.signature(function).parameters
    return [misfit(value, parameters[name], function) for name, value in values.items()]


def test_the_message_names_argument_annotation_and_value() -> None:
    def train(lr: float, mode: Literal["a", "b"], size: list[int] | None) -> None: ...

    assert told(train, lr="fast", mode="c", size=3) == [
        "the argument 'lr' must be float, got str 'fast'",
        "the argument 'mode' must be Literal['a', 'b'], got str 'c'",
        "the argument 'size' must be list[int] | None, got int 3",
    ]


def test_the_default_always_fits() -> None:
    def train(lr: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013  # as older code writes it

    assert told(train, lr=None) == [None]


def test_what_cannot_be_evaluated_fits() -> None:
    def train(lr: NoSuchName, steps) -> None: ...  # type: ignore[name-defined,no-untyped-def]  # noqa: F821

    assert told(train, lr=3, steps="x") == [None, None]


def test_names_are_looked_up_where_a_class_is_defined() -> None:
    class Plain:
        def __init__(self, path: Path, mode: Literal["a"]) -> None: ...

    class Made:
        def __new__(cls, mode: Literal["a"]) -> Made:
            return super().__new__(cls)

    assert told(Plain, mode="b") == told(Made, mode="b")
    assert told(Plain, path="x", mode="a") == [None, None]
