from __future__ import annotations

from collections import UserDict, deque, namedtuple
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from tk_runner.model import BaseDataPreprocessor
from tk_runner.structures import InstanceData

Pair = namedtuple("Pair", "x y")


def kinds(data: Any) -> Any:
    if isinstance(data, torch.Tensor):
        return data.device.type
    if isinstance(data, dict):
        return {key: kinds(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [kinds(one) for one in data]
    return data


@pytest.fixture
def to_meta() -> BaseDataPreprocessor:
    return BaseDataPreprocessor().to("meta")


def test_nested_tensors_are_moved_and_the_rest_is_kept(to_meta: BaseDataPreprocessor) -> None:
    one = torch.ones(1)
    data = {"a": [one, (one,), Pair(one, 3)], "b": {"c": one, "d": "x"}, "e": None, "f": b"y"}

    moved = to_meta(data)

    assert kinds(moved) == {
        "a": ["meta", ["meta"], ["meta", 3]], "b": {"c": "meta", "d": "x"}, "e": None, "f": b"y",
    }  # fmt: skip
    assert isinstance(moved["a"][2], Pair)
    assert data["a"][0].device.type == "cpu"


def test_data_elements_are_moved(to_meta: BaseDataPreprocessor) -> None:
    found = to_meta([InstanceData(boxes=torch.ones(2, 4))])

    assert found[0].boxes.device.type == "meta"


@pytest.mark.parametrize("empty", [{}, [], (), "", None, {"a": []}])
def test_empty_things_stay_empty(to_meta: BaseDataPreprocessor, empty: Any) -> None:
    assert to_meta(empty) == empty


def test_a_subclass_of_dict_becomes_a_dict_and_sequences_keep_their_kind(
    to_meta: BaseDataPreprocessor,
) -> None:
    assert type(to_meta(UserDict(a=torch.ones(1)))) is dict
    assert type(to_meta(deque([torch.ones(1)]))) is deque


def test_what_cannot_hold_a_tensor_comes_back_as_it_is(to_meta: BaseDataPreprocessor) -> None:
    names, array = ["a"] * 3, np.ones(3)

    moved = to_meta({"names": names, "array": array, "range": range(3)})

    assert moved["names"] is names
    assert moved["array"] is array


def test_a_tensor_that_is_there_is_not_copied_and_the_batch_may_be_changed() -> None:
    one = torch.ones(1)
    data = {"x": [one]}

    moved = BaseDataPreprocessor()(data)
    moved["x"].append(2)

    assert moved["x"][0] is one
    assert data == {"x": [one]}


def test_a_packed_sequence_keeps_its_sizes_on_the_host() -> None:
    packed = pack_sequence([torch.ones(2), torch.ones(1)])

    found = BaseDataPreprocessor()([packed])[0]

    assert torch.equal(found.data, packed.data)


def test_objects_that_can_be_moved_are_moved(to_meta: BaseDataPreprocessor) -> None:
    class Own:
        def to(self, device: Any) -> str:
            return f"on {device}"

    assert to_meta([Own()]) == ["on meta"]


def test_copies_wait_only_where_they_must(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        torch.Tensor, "to", lambda self, device, non_blocking: seen.append(non_blocking)
    )
    away = torch.ones(1, device="meta")

    BaseDataPreprocessor().cast_data(away)  # to the host: its values are used at once

    assert seen == [False]


@pytest.mark.parametrize("given", [True, False, None])
def test_waiting_can_be_asked_for(given: Any) -> None:
    assert BaseDataPreprocessor(given).non_blocking is bool(given)


@pytest.mark.cuda
def test_batches_go_to_the_gpu_of_the_model_without_waiting() -> None:
    moved = BaseDataPreprocessor().cuda()({"x": torch.ones(2).pin_memory()})

    assert moved["x"].is_cuda
