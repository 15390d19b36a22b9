"""Names of arguments against signatures."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from tk_registry.signatures import argument_problems


def train(model: Any, /, data: Any, lr: float = 0.1, *, steps: int) -> None: ...


def accept(first: Any, *rest: Any, **more: Any) -> None: ...


@pytest.mark.parametrize(
    ("factory", "given", "wrong"),
    [
        (train, ["data", "steps"], []),
        (train, ["data"], ["steps"]),
        (train, ["data", "steps", "model"], ["model"]),
        (train, ["dat", "steps"], ["dat", "data"]),
        (accept, ["first", "anything"], []),
        (accept, [], ["first"]),
        (functools.partial(train, 1, data=2), ["steps"], []),
        (dict, ["anything"], []),
        (train, ["data", "steps", 3], ["3"]),
    ],
)
def test_every_unknown_and_missing_argument_is_named(
    factory: Any, given: list[Any], wrong: list[str]
) -> None:
    assert [problem.argument for problem in argument_problems(factory, given)] == wrong


def test_what_somebody_else_supplies_is_not_missing() -> None:
    assert argument_problems(train, ["data"], supplied=["steps"]) == []


def test_without_a_near_name_all_are_listed() -> None:
    (problem,) = argument_problems(train, ["data", "steps", "zzz"])

    assert problem.message == "there is no argument 'zzz'; it takes: data, lr, steps"
    assert not problem.is_missing
