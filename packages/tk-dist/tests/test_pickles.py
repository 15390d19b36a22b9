"""Objects as bytes, with large memory left where it lies."""

from __future__ import annotations

import threading

import pytest
import torch

from tk_dist import pickles
from tk_dist.pickles import memory_of, pack, unpack


def test_large_memory_stays_outside_and_is_not_copied() -> None:
    large, small = torch.zeros(10_000), torch.ones(2)
    pickled = pack([large, small], keep_buffers=True)
    large += 7  # seen through the buffers: it is the same memory

    first, second = unpack(pickled.stream, pickled.buffers)

    assert len(pickled.buffers) == 1
    assert pickled.stream.nbytes < 1000
    assert float(first[0]) == 7
    assert second.tolist() == [1, 1]


def test_without_keeping_all_is_in_the_pickle() -> None:
    pickled = pack(torch.zeros(10_000))

    assert pickled.buffers == []
    assert torch.equal(unpack(pickled.stream, []), torch.zeros(10_000))


def test_a_problem_is_told_not_raised() -> None:
    assert pack(threading.Lock()).problem.startswith("TypeError: cannot pickle")


def test_the_memory_keeps_its_tensor() -> None:
    memory = memory_of(torch.full((1000,), 3, dtype=torch.uint8))

    assert bytes(memory[:4]) == b"\x03" * 4


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("to_cpu", [True, False])
def test_tensors_of_a_device_arrive_on_the_cpu_where_that_is_asked(
    to_cpu: bool, requires_grad: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradient = torch.ones(4, requires_grad=requires_grad)  # stands for one on a device
    copy = gradient.detach().clone().requires_grad_(requires_grad)
    copied: list[torch.Tensor] = []
    monkeypatch.setattr(
        pickles, "device_kind", lambda tensor: "cuda" if tensor is gradient else "cpu"
    )
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: copied.append(self) or copy)
    monkeypatch.setattr(torch.Tensor, "to", lambda self, kind: self * 2)

    arrived = unpack(pack({"gradient": gradient}, to_cpu=to_cpu).stream, [])["gradient"]

    is_moved_back = not to_cpu and not requires_grad
    assert arrived.tolist() == [2.0 if is_moved_back else 1.0] * 4
    assert arrived.requires_grad == requires_grad
    assert copied[:1] == ([gradient] if to_cpu or not requires_grad else [])
