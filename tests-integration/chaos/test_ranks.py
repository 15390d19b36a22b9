"""Ranks that are killed or frozen at any moment: named soon, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training
from run_comparison import differences
from whole_runs import last_checkpoint

from tk_dist import RankFailedError, get_rank, launch

NUM_RANKS = 3
NOTICED_WITHIN_S = 60
ATTEMPTS = 6


def train(work_dir: Path, *, resume: bool = False) -> None:
    torch.manual_seed(1)
    with toy_training.runner(work_dir, resume=resume) as run:
        run.train()


def train_and_send(number: int, rank: int, after_s: float, work_dir: Path) -> None:
    """Train; some time after the start, one rank gets a signal."""
    if get_rank() == rank:
        process = os.getpid()

        def send() -> None:
            time.sleep(after_s)
            os.kill(process, number)

        threading.Thread(target=send, daemon=True).start()
    train(work_dir)


def ended(number: int, rank: int, after_s: float, work_dir: Path) -> tuple[str, float]:
    """What a run says of the rank that got a signal, empty where it was done, and its seconds."""
    began = time.monotonic()
    try:
        launch(
            train_and_send, NUM_RANKS, number, rank, after_s, work_dir,
            timeout_s=2 * NOTICED_WITHIN_S,
        )  # fmt: skip
    except RankFailedError as error:
        return str(error), time.monotonic() - began
    return "", time.monotonic() - began


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("straight")
    launch(train, NUM_RANKS, folder, timeout_s=120)
    return last_checkpoint(folder)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("rank", range(NUM_RANKS))
def test_a_rank_that_is_gone_is_named_and_the_run_resumes(
    rank: int, number: signal.Signals, expected: dict[str, Any], tmp_path: Path
) -> None:
    moments = random.Random(rank)
    num_failed = 0

    for attempt in range(ATTEMPTS if number == signal.SIGKILL else 1):
        work_dir = tmp_path / str(attempt)
        error, seconds = ended(number, rank, moments.uniform(0.1, 0.8), work_dir)
        if error:
            num_failed += 1
            assert f"rank {rank}" in error
            assert seconds < NOTICED_WITHIN_S
        launch(partial(train, resume=True), NUM_RANKS, work_dir, timeout_s=120)
        assert differences(expected, last_checkpoint(work_dir)) == [], f"attempt {attempt}"

    assert num_failed > 0
