from __future__ import annotations

import itertools
import os
import random
import signal
import time
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

from tk_runner.data import StatefulDataLoader, worker_init_fn
from tk_runner.data.sample_seed import kept_generators
from tk_runner.data.workers import end_workers_of


class Pids(Dataset[Any]):
    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> int:
        assert get_worker_info() is not None
        return os.getpid()


@pytest.mark.parametrize("times", [1, 2], ids=["once", "and again by a launcher"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1], ids=str)
def test_a_worker_serves_on_when_the_whole_group_is_asked_to_stop(number: int, times: int) -> None:
    batches = iter(StatefulDataLoader(Pids(), batch_size=2, num_workers=1))
    pid = int(next(batches)[0])
    for _ in range(times):
        os.kill(pid, number)

    assert len(list(batches)) == 19


def test_a_worker_that_was_asked_to_stop_leaves_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.data.workers.GRACE_S", 0.1)
    loader = StatefulDataLoader(Pids(), batch_size=1, num_workers=1, prefetch_factor=1)
    batches = iter(loader)
    pid = int(next(batches)[0])
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if _is_gone(pid):
            break
        time.sleep(0.05)

    assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class Hanging(Pids):
    def __init__(self) -> None:
        self.begun = torch.zeros(2).share_memory_()

    def __getitem__(self, index: int) -> int:
        self.begun[get_worker_info().id] = 1
        time.sleep(60)
        return index


def test_workers_that_hang_in_a_sample_are_killed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.data.workers.LEAVE_S", 0.1)
    data = Hanging()
    batches: Any = iter(DataLoader(data, num_workers=2))
    while not data.begun.all():
        time.sleep(0.01)

    end_workers_of(batches)

    assert [worker.exitcode for worker in batches._workers] == [-signal.SIGKILL] * 2


def test_idle_workers_leave_by_themselves() -> None:
    batches: Any = iter(DataLoader(Pids(), num_workers=2))
    list(itertools.islice(batches, 40))

    end_workers_of(batches)

    assert [worker.exitcode for worker in batches._workers] == [0, 0]


def test_the_users_initialiser_still_runs() -> None:
    seen = StatefulDataLoader(Environ(), batch_size=1, num_workers=1, worker_init_fn=_mark)

    assert next(iter(seen)) == ["0"]


class Environ(Pids):
    def __getitem__(self, index: int) -> Any:
        return os.environ.get("MARKED")


def _mark(worker_id: int) -> None:
    os.environ["MARKED"] = str(worker_id)


def test_a_worker_is_seeded_with_its_own_number() -> None:
    with kept_generators():
        worker_init_fn(worker_id=1, num_workers=4, rank=2, seed=10)
        drawn = random.random(), np.random.rand(), torch.rand(())
        random.seed(19)
        np.random.seed(19)
        torch.manual_seed(19)

        assert drawn == (random.random(), np.random.rand(), torch.rand(()))


@pytest.mark.parametrize(("worker_id", "shown"), [(0, True), (1, False)])
def test_warnings_of_all_workers_but_the_first_can_be_silenced(worker_id: int, shown: bool) -> None:
    with kept_generators(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        worker_init_fn(worker_id, 2, 0, 0, disable_subprocess_warning=True)
        warnings.warn("x", stacklevel=1)

    assert bool(caught) is shown
