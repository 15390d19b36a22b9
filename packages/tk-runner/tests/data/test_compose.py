from __future__ import annotations

from collections.abc import Iterator

import pytest

from tk_registry import TRANSFORMS
from tk_runner.data import Compose


class Add:
    def __init__(self, by: int, is_random: bool | None = None) -> None:
        self.by = by
        if is_random is not None:
            self.is_random = is_random

    def __call__(self, data: dict) -> dict:
        return {**data, "x": data["x"] + self.by}

    def __repr__(self) -> str:
        return f"Add({self.by})"


@pytest.fixture
def registered() -> Iterator[None]:
    TRANSFORMS.register_module(name="AddForTest", module=Add)
    yield
    TRANSFORMS.module_dict.pop("AddForTest", None)


def test_transforms_run_one_after_another() -> None:
    chain = Compose([Add(1), Add(2)])

    assert chain({"x": 1}) == {"x": 4}


def test_configs_are_built_from_the_registry(registered: None) -> None:
    assert Compose([{"type": "AddForTest", "by": 5}, Add(1)])({"x": 0}) == {"x": 6}


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_an_empty_chain_changes_nothing(nothing: object) -> None:
    data = {"x": 1}

    assert Compose(nothing)(data) is data  # type: ignore[arg-type]


def test_the_chain_ends_where_a_transform_returns_none() -> None:
    chain = Compose([lambda data: None, Add(1)])

    assert chain({"x": 1}) is None


@pytest.mark.parametrize("entry", [1, "AddForTest", None])
def test_what_cannot_be_called_is_refused(entry: object) -> None:
    with pytest.raises(TypeError, match=r"transform 1 is .*cannot be called"):
        Compose([Add(1), entry])  # type: ignore[list-item]


def test_repr_has_a_line_for_each_transform() -> None:
    assert repr(Compose([Add(1), Add(2)])) == "Compose(\n    Add(1)\n    Add(2)\n)"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [([], False), ([False], False), ([None], None), ([False, None], None), ([None, True], True)],
)
def test_randomness_is_what_the_transforms_declare(declared: list, expected: object) -> None:
    assert Compose([Add(1, is_random) for is_random in declared]).is_random is expected
