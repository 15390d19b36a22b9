"""Arrays and tensors arrive as they were, whatever their size, and can be written to."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
import torch

import tk_dist
from tk_dist import ResultsError, launch
from tk_dist.object_messages import PIECE_BYTES

SIZES = [0, 1, 63, 64, 65, 1023, 1024, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 65]


def from_rank_1(make: Any) -> Any:
    def sent() -> Any:
        gathered = tk_dist.gather_object(make() if tk_dist.get_rank() else None)
        return gathered[1] if gathered else None

    return launch(sent, 2)[0]


def test_tensors_of_any_size_arrive() -> None:
    def check() -> None:
        tensors = [torch.arange(size).to(torch.uint8) for size in SIZES]
        gathered = tk_dist.gather_object(tensors if tk_dist.get_rank() else None)
        if gathered:
            assert all(map(torch.equal, gathered[1], tensors))
            for tensor in gathered[1]:
                tensor += 1  # writable

    launch(check, 2)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.tensor(1.5),
        torch.arange(6).reshape(2, 3).t(),
        torch.ones(1000, dtype=torch.bfloat16),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j]).conj(),
        torch.zeros(0, 3),
        torch.eye(3).to_sparse(),
        torch.ones(2, requires_grad=True),
        torch.nn.Parameter(torch.ones(2)),
    ],
    ids=["0-d", "strided", "bfloat16", "bool", "conjugate", "empty", "sparse", "grad", "parameter"],
)
def test_every_kind_of_tensor_arrives_as_it_was(tensor: torch.Tensor) -> None:
    arrived = from_rank_1(lambda: tensor)

    assert type(arrived) is type(tensor)
    assert (arrived.dtype, arrived.shape) == (tensor.dtype, tensor.shape)
    assert arrived.requires_grad == tensor.requires_grad
    assert torch.equal(arrived.to_dense(), tensor.to_dense())


def test_arrays_arrive_as_they_were() -> None:
    numpy = pytest.importorskip("numpy")
    frozen = numpy.arange(5000)
    frozen.flags.writeable = False
    arrays = [numpy.ones((3, 0)), numpy.arange(12.0).reshape(3, 4).T, numpy.arange(5000), frozen]

    arrived = from_rank_1(lambda: {"arrays": arrays})["arrays"]

    for one, other in zip(arrays, arrived, strict=True):
        numpy.testing.assert_array_equal(one, other)
    arrived[2] += 1  # writable, as a list of arrays of one's own would be


def test_what_was_one_object_stays_one_object() -> None:
    shared = torch.ones(5000)

    first, second = from_rank_1(lambda: [shared, shared])

    assert first is second


def test_what_cannot_be_pickled_is_said_on_every_rank() -> None:
    def unsendable() -> str:
        data = threading.Lock() if tk_dist.get_rank() == 1 else 0
        with pytest.raises(ResultsError, match="rank 1: TypeError: cannot pickle") as seen:
            tk_dist.gather_object(data)
        return str(seen.value)

    assert len(set(launch(unsendable, 3))) == 1


@pytest.mark.parametrize("call", [tk_dist.all_gather_object, lambda x: tk_dist.gather_object(x, 1)])
def test_another_call_says_it_too(call: Any) -> None:
    def unsendable() -> None:
        with pytest.raises(ResultsError, match="rank 0: TypeError: cannot pickle"):
            call(threading.Lock() if tk_dist.get_rank() == 0 else 0)

    launch(unsendable, 2)


def test_a_broadcast_of_what_cannot_be_pickled_is_said_on_every_rank() -> None:
    def unsendable() -> None:
        with pytest.raises(ResultsError, match="rank 1: TypeError: cannot pickle"):
            tk_dist.broadcast_object_list([threading.Lock()], src=1)

    launch(unsendable, 2)


def test_numpy_is_not_needed() -> None:
    code = """
import sys, warnings
warnings.simplefilter("ignore")  # torch says that it found none
sys.modules["numpy"] = None
import torch, tk_dist
def exchanged():
    rank = tk_dist.get_rank()
    data = [rank]
    tk_dist.broadcast_object_list(data, src=1)
    results = tk_dist.collect_results([torch.ones(5000) * rank], 2)
    return data, tk_dist.all_gather_object(rank), results and [int(r[0]) for r in results]
assert tk_dist.launch(exchanged, 2) == [([1], [0, 1], [0, 1]), ([1], [0, 1], None)]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
