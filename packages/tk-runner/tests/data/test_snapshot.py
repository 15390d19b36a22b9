from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tk_runner.data.snapshot import Snapshot


def dataset() -> Any:
    return SimpleNamespace(
        stage=0,
        scale=1.5,
        pipeline=SimpleNamespace(transforms=[len, {"size": (4, 4)}]),
        weights=torch.zeros(2),
        records=list(range(1000)),
    )


def _longer(data: Any) -> None:
    data.records.append(1)


def _in_place(data: Any) -> None:
    data.weights += 1


CHANGES: dict[str, Callable[[Any], Any]] = {
    "an attribute": lambda data: setattr(data, "stage", 1),
    "a new attribute": lambda data: setattr(data, "skip", ("mosaic",)),
    "another pipeline": lambda data: setattr(data, "pipeline", SimpleNamespace(transforms=[len])),
    "a transform less": lambda data: data.pipeline.transforms.pop(),
    "a value of a transform": lambda data: data.pipeline.transforms[1].update(size=(8, 8)),
    "a tensor in place": _in_place,
    "a longer list": _longer,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(change: Callable[[Any], Any]) -> None:
    data = dataset()
    before = Snapshot(data)
    change(data)

    assert before.differs(Snapshot(data))


def test_values_that_are_set_again_are_no_change() -> None:
    data = dataset()
    before = Snapshot(data)
    data.scale = float("1.5")
    data.pipeline.transforms[1]["size"] = tuple(map(int, "44"))

    assert not before.differs(Snapshot(data))


def test_what_refers_to_itself_is_looked_at_once() -> None:
    data = dataset()
    data.me = data

    assert not Snapshot(data).differs(Snapshot(data))
