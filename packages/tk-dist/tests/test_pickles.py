"""Objects as bytes, with large memory left where it lies."""

from __future__ import annotations

import threading

import torch

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
