"""Nested data: on which device it is, and moving it."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import torch

from tk_dist import DataTypeError, DeviceError, cast_data_device, get_data_device

ONE = torch.ones(1)
ELSEWHERE = torch.ones(1, device="meta")


class Pair(NamedTuple):
    first: Any
    second: Any


@pytest.mark.parametrize(
    "data", [ONE, [ONE, ONE], {"a": ONE, "b": [ONE, (ONE,)]}, Pair(ONE, [ONE]), {ONE}]
)
def test_the_device_of_a_nest_is_that_of_its_tensors(data: Any) -> None:
    assert get_data_device(data) == torch.device("cpu")


def test_a_nest_on_several_devices_is_refused() -> None:
    with pytest.raises(DeviceError, match="several devices: cpu, meta"):
        get_data_device({"a": ONE, "b": [ELSEWHERE]})


@pytest.mark.parametrize("data", [[], {}, (), [[]]])
def test_an_empty_nest_is_refused(data: Any) -> None:
    with pytest.raises(DeviceError, match="check that it is filled"):
        get_data_device(data)
    with pytest.raises(DeviceError, match="check that it is filled"):
        cast_data_device(data, "cpu")


@pytest.mark.parametrize("leaf", ["text", 1, None, b"x", 2.5])
def test_a_leaf_that_is_no_tensor_is_refused(leaf: Any) -> None:
    for data in (leaf, [ONE, leaf], {"a": leaf}):
        with pytest.raises(DataTypeError, match="neither a tensor nor a container"):
            get_data_device(data)
        with pytest.raises(DataTypeError, match="neither a tensor nor a container"):
            cast_data_device(data, "cpu")


def test_an_array_is_refused() -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(DataTypeError, match="ndarray is neither a tensor"):
        cast_data_device([numpy.ones(2)], "cpu")


@pytest.mark.parametrize(
    "data",
    [
        ONE,
        [ONE, (ONE,)],
        {"a": ONE, "b": [ONE]},
        Pair(ONE, (ONE,)),
        OrderedDict(a=ONE),
        defaultdict(list, a=ONE),
    ],
    ids=lambda data: type(data).__name__,
)
def test_a_nest_is_rebuilt_by_its_types_on_the_device(data: Any) -> None:
    moved = cast_data_device(data, "meta")

    assert get_data_device(moved) == torch.device("meta")
    assert get_data_device(data) == torch.device("cpu")
    assert type(moved) is type(data)


def test_a_default_factory_is_kept() -> None:
    assert cast_data_device(defaultdict(list, a=ONE), "meta")["new"] == []


def test_a_mapping_that_cannot_be_changed_is_rebuilt() -> None:
    moved = cast_data_device(MappingProxyType({"a": ONE}), "meta")

    assert type(moved) is MappingProxyType
    assert moved["a"].device == torch.device("meta")


def test_with_out_the_values_are_written_in_place() -> None:
    out = {"a": torch.zeros(1), "b": [torch.zeros(1)]}
    target = out["a"]

    assert cast_data_device({"b": [ONE], "a": ONE}, "cpu", out=out) is out
    assert target is out["a"]
    assert float(out["b"][0]) == 1


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        ((torch.zeros(1),), DataTypeError, "out is a tuple, but the data is a list"),
        ([torch.zeros(1)] * 2, DeviceError, "out holds 2 entries, but the data 1"),
        ([[torch.zeros(1)]], DataTypeError, "out is a list, but the data is a Tensor"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        cast_data_device([ONE], "cpu", out=out)


def test_an_out_with_other_keys_or_without_order_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"out has the keys \['b'\]"):
        cast_data_device({"a": ONE}, "cpu", out={"b": ONE})
    with pytest.raises(DataTypeError, match="set has no order"):
        cast_data_device({ONE}, "cpu", out={torch.zeros(1)})
    with pytest.raises(DeviceError, match="nothing to copy"):
        cast_data_device([], "cpu", out=[])
