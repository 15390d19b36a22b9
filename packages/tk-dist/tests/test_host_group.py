"""Objects and barriers over a group on the CPU. Gloo stands for a backend of an accelerator."""

from __future__ import annotations

import time

import pytest
import torch
import torch.distributed as torch_dist

import tk_dist
from tk_dist import LauncherError, host_group, launch


@pytest.fixture
def as_on_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_group, "accelerator_of", lambda backend: "cuda")


def test_on_the_cpu_the_group_itself_is_used() -> None:
    def job() -> bool:
        return host_group.host_group(None) is None

    assert launch(job, 2) == [True, True]


@pytest.mark.usefixtures("as_on_an_accelerator")
def test_waiting_for_rank_0_is_not_limited_by_the_group_of_the_training() -> None:
    def job() -> object:
        if tk_dist.get_rank() == 0:
            time.sleep(1.5)  # computes metrics for longer than a collective may wait
        tk_dist.barrier()
        if tk_dist.get_rank() == 0:
            time.sleep(1.5)
        return tk_dist.all_gather_object(tk_dist.get_rank())

    assert launch(job, 2, group_timeout_s=1.0) == [[0, 1], [0, 1]]


@pytest.mark.usefixtures("as_on_an_accelerator")
def test_the_group_is_made_once_and_a_group_of_the_caller_is_left_alone() -> None:
    def job() -> tuple[bool, bool, bool]:
        pair = torch_dist.new_group([0, 1])
        made = host_group.host_group(None)
        again = host_group.host_group(tk_dist.get_default_group())
        return (
            made is again,
            made is tk_dist.get_default_group(),
            host_group.host_group(pair) is pair,
        )

    assert launch(job, 2) == [(True, False, True)] * 2


@pytest.mark.usefixtures("as_on_an_accelerator")
def test_bits_are_reduced_there_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def job() -> tuple[int, bool, bool]:
        groups: list[object] = []
        reduce = torch_dist.all_reduce

        def watched(tensor: torch.Tensor, op: object, group: object) -> None:
            groups.append(group)
            reduce(tensor, op, group)

        monkeypatch.setattr(torch_dist, "all_reduce", watched)
        bits = torch.tensor(1 << tk_dist.get_rank())
        tk_dist.all_reduce(bits, "bor")
        made = host_group.host_group(None)
        tk_dist.all_reduce(torch.ones(1))
        return int(bits), groups[1] is made, groups[-1] is made

    assert launch(job, 2) == [(3, True, False)] * 2


@pytest.mark.usefixtures("as_on_an_accelerator")
def test_a_limit_that_is_no_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKIT_HOST_TIMEOUT_S", "-1")

    def job() -> None:
        with pytest.raises(LauncherError, match="TKIT_HOST_TIMEOUT_S=-1 is not a time"):
            tk_dist.barrier()

    launch(job, 1)


def test_without_a_group_a_barrier_does_nothing() -> None:
    tk_dist.barrier()

    assert not tk_dist.is_distributed()
