"""Ranks from Python, and the rank that failed named first."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import torch

import tk_dist
from tk_dist import LauncherError, PeerFailedError, RankFailedError, launch
from tk_dist.spawn import _context


@pytest.mark.parametrize("nproc", [1, 2, 3, 4])
def test_values_come_back_by_rank(nproc: int) -> None:
    assert launch(tk_dist.get_dist_info, nproc) == [(rank, nproc) for rank in range(nproc)]


def test_arguments_reach_every_rank() -> None:
    def scaled(factor: int, offset: int) -> int:
        return factor * tk_dist.get_rank() + offset

    assert launch(scaled, 3, 10, 5) == [5, 15, 25]


def test_every_rank_is_local_to_its_node() -> None:
    def local() -> tuple[int, int, int]:
        return (
            tk_dist.get_local_rank(),
            tk_dist.get_local_size(),
            tk_dist.get_world_size(tk_dist.get_local_group()),
        )

    assert launch(local, 2) == [(0, 2, 2), (1, 2, 2)]


def test_the_traceback_of_the_failing_rank_is_raised() -> None:
    def fails_on_1() -> None:
        if tk_dist.get_rank() == 1:
            raise ValueError("bad batch")
        tk_dist.barrier()

    with pytest.raises(RankFailedError, match=r"(?s)^rank 1 of 3.*bad batch") as seen:
        launch(fails_on_1, 3)
    assert seen.value.rank == 1
    assert "in fails_on_1" in seen.value.traceback_text
    assert isinstance(seen.value.__cause__, ValueError)


def test_the_other_ranks_are_ended_within_seconds_of_a_raise() -> None:
    def raises_while_others_sleep() -> None:
        if tk_dist.get_rank() == 0:
            raise ValueError("first")
        signal.pause()

    start = time.monotonic()
    with pytest.raises(RankFailedError, match="rank 0 of 3 failed first"):
        launch(raises_while_others_sleep, 3)

    assert time.monotonic() - start < 10


def test_a_killed_rank_is_named_before_the_errors_it_causes() -> None:
    def dies() -> None:
        if tk_dist.get_rank() == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        tk_dist.barrier()

    with pytest.raises(RankFailedError, match="rank 2 of 3 failed first: it was killed by SIGKILL"):
        launch(dies, 3)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux only")
def test_a_frozen_rank_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_dist.spawn.STOPPED_AFTER_S", 0.2)
    monkeypatch.setattr("tk_dist.spawn._LOOK_S", 0.1)

    def freezes() -> None:
        if tk_dist.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        tk_dist.barrier()

    with pytest.raises(RankFailedError, match="rank 1 of 2 failed first: its process is frozen"):
        launch(freezes, 2)


def test_the_rank_that_others_name_is_the_first() -> None:
    def reports() -> None:
        if tk_dist.get_rank() == 0:
            raise PeerFailedError("rank 0 of 2 stops because rank 1 failed first: frozen", rank=1)
        signal.pause()

    with pytest.raises(RankFailedError, match="rank 1 failed first: frozen") as seen:
        launch(reports, 2)
    assert seen.value.rank == 1


def test_a_rank_that_exits_is_named_with_its_code() -> None:
    def leaves() -> None:
        if tk_dist.get_rank() == 1:
            os._exit(7)
        tk_dist.barrier()

    with pytest.raises(RankFailedError, match=r"rank 1 of 2 failed first.*exit code 7"):
        launch(leaves, 2)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="stacks need signals")
def test_when_the_time_is_up_the_stacks_of_all_ranks_are_shown() -> None:
    def waits_for_ever() -> None:
        if tk_dist.get_rank() == 1:
            signal.pause()
        tk_dist.barrier()

    with pytest.raises(RankFailedError, match=r"(?s)rank 0:.*barrier.*rank 1:.*waits_for_ever"):
        launch(waits_for_ever, 2, timeout_s=0.5)


def test_a_value_that_cannot_be_sent_is_said() -> None:
    with pytest.raises(RankFailedError, match="return value cannot be sent"):
        launch(lambda: lambda: None, 1)


def test_tensors_come_back() -> None:
    assert launch(lambda: torch.ones(3), 2)[1].tolist() == [1, 1, 1]


def test_no_rank_is_an_error() -> None:
    with pytest.raises(LauncherError, match="nproc=0 starts no rank"):
        launch(tk_dist.get_rank, 0)


def test_an_unknown_start_method_is_named() -> None:
    with pytest.raises(LauncherError, match="start_method='forked' does not exist"):
        launch(tk_dist.get_rank, 1, start_method="forked")


@pytest.mark.parametrize(("kind", "method"), [("cuda", "spawn"), ("xpu", "spawn"), ("cpu", "fork")])
def test_ranks_are_spawned_where_there_is_an_accelerator(
    kind: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tk_dist.spawn.get_device", lambda: kind)

    assert _context(None, "gloo").get_start_method() == method


@pytest.mark.slow
def test_spawned_ranks_do_the_same() -> None:
    assert launch(tk_dist.get_dist_info, 2, start_method="spawn") == [(0, 2), (1, 2)]


def test_a_closure_cannot_be_spawned_and_the_remedy_is_said() -> None:
    with pytest.raises(LauncherError, match="use a function of a module"):
        launch(lambda: None, 1, start_method="spawn")
