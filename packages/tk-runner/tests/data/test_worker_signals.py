from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest
from torch.utils.data import Dataset, get_worker_info

from tk_runner.data import PositionedLoader


class Pids(Dataset[Any]):
    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> int:
        assert get_worker_info() is not None
        return os.getpid()


@pytest.mark.parametrize("times", [1, 2], ids=["once", "and again by a launcher"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1], ids=str)
def test_a_worker_serves_on_when_the_whole_group_is_asked_to_stop(number: int, times: int) -> None:
    batches = iter(PositionedLoader(Pids(), batch_size=2, num_workers=1))
    pid = int(next(batches)[0])
    for _ in range(times):
        os.kill(pid, number)

    assert len(list(batches)) == 19


def test_a_worker_that_was_asked_to_stop_leaves_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.data.worker_signals.GRACE_S", 0.1)
    loader = PositionedLoader(Pids(), batch_size=1, num_workers=1, prefetch_factor=1)
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


def test_the_users_initialiser_still_runs() -> None:
    seen = PositionedLoader(Environ(), batch_size=1, num_workers=1, worker_init_fn=_mark)

    assert next(iter(seen)) == ["0"]


class Environ(Pids):
    def __getitem__(self, index: int) -> Any:
        return os.environ.get("MARKED")


def _mark(worker_id: int) -> None:
    os.environ["MARKED"] = str(worker_id)
