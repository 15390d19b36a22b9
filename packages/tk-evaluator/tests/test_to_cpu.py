from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from tk_evaluator import to_cpu as module
from tk_evaluator.to_cpu import results_to_cpu, to_cpu


class Box(NamedTuple):
    corners: Any
    score: Any


class OnDevice:
    """A data container of somebody, on a device."""

    def __init__(self, device: str = "accelerator") -> None:
        self.device = device

    def to(self, device: str) -> OnDevice:
        return OnDevice(device)


@pytest.fixture
def with_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "holds_only_cpu_memory", lambda: False)


def test_what_is_on_the_cpu_comes_back_as_the_same_object() -> None:
    data = {"a": [torch.zeros(2), 1], "b": (None, "text", np.zeros(3))}

    assert to_cpu(data) is data


def test_containers_keep_their_types_around_what_is_moved() -> None:
    moved = to_cpu(OrderedDict(box=Box(OnDevice(), 0.5), rest=[OnDevice(), (OnDevice(),)]))

    assert type(moved) is OrderedDict
    assert type(moved["box"]) is Box
    assert moved["box"].corners.device == "cpu"
    assert moved["rest"][1][0].device == "cpu"


def test_the_original_is_left_as_it_was() -> None:
    data = {"a": [OnDevice()]}

    to_cpu(data)

    assert data["a"][0].device == "accelerator"


@pytest.mark.parametrize(
    "results",
    [
        [1.0, 2, None],
        [{"pred": 1, "label": np.float32(2)}] * 3,
        [(1, 2.0), [3, "x"]],
    ],
    ids=["numbers", "dicts", "tuples"],
)
@pytest.mark.usefixtures("with_accelerator")
def test_plain_results_are_not_walked(results: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "to_cpu", None)  # calling it would raise

    assert results_to_cpu(results) is results


def test_nothing_is_walked_where_no_accelerator_is_in_use() -> None:
    results = [OnDevice()]

    assert results_to_cpu(results) is results


@pytest.mark.usefixtures("with_accelerator")
@pytest.mark.parametrize(
    "wrap",
    [list, lambda x: {"a": x[0]}, lambda x: {"a": x}],
    ids=["list", "dict", "dict of a list"],
)
def test_results_on_a_device_are_moved(wrap: Any) -> None:
    (moved,) = results_to_cpu([wrap([OnDevice()])])

    inner = moved["a"] if isinstance(moved, dict) else moved
    assert (inner[0] if isinstance(inner, list) else inner).device == "cpu"


@pytest.mark.cuda
def test_tensors_of_a_device_are_moved() -> None:
    (moved,) = results_to_cpu([{"a": torch.ones(2, device="cuda")}])

    assert moved["a"].device.type == "cpu"
