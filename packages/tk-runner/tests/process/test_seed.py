"""Seeds and the states of random generators."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from tk_dist import get_rank, launch
from tk_runner import set_random_seed
from tk_runner.process.seed import capture_random_state, restore_random_state


@pytest.fixture(autouse=True)
def keep_generators() -> Iterator[None]:
    state = capture_random_state()
    yield
    restore_random_state(state)


def draws() -> tuple[float, float, float, float]:
    return random.random(), float(np.random.rand()), float(np.random.randn()), float(torch.rand(()))


def test_a_seed_repeats_every_generator() -> None:
    assert set_random_seed(7) == 7
    first = draws()
    set_random_seed(7)

    assert draws() == first
    set_random_seed(8)
    assert draws() != first


def test_without_a_seed_one_is_drawn_and_told() -> None:
    seed = set_random_seed()
    first = draws()
    set_random_seed(seed)

    assert draws() == first


def test_ranks_may_draw_different_numbers_under_one_seed() -> None:
    def on_a_rank(differ: bool) -> tuple[int, float]:
        seed = set_random_seed(5, diff_rank_seed=differ)
        return seed, draws()[3] if get_rank() >= 0 else 0.0

    same = launch(on_a_rank, 2, False, start_method="fork", timeout_s=60)
    different = launch(on_a_rank, 2, True, start_method="fork", timeout_s=60)

    assert same[0] == same[1]
    assert [seed for seed, _ in different] == [5, 5]
    assert different[0] != different[1]


def test_a_captured_state_repeats_what_follows_after_a_safe_loader_read_it() -> None:
    set_random_seed(3)
    draws()  # leaves a cached normal number behind in NumPy
    buffer = io.BytesIO()
    torch.save(capture_random_state(), buffer)
    first = draws()
    buffer.seek(0)
    restore_random_state(torch.load(buffer, weights_only=True))

    assert draws() == first


def test_determinism_is_switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.are_deterministic_algorithms_enabled()
    benchmark = torch.backends.cudnn.benchmark
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    try:
        set_random_seed(1, deterministic=True)

        assert torch.are_deterministic_algorithms_enabled()
        assert torch.backends.cudnn.deterministic
    finally:
        torch.use_deterministic_algorithms(before)
        torch.backends.cudnn.deterministic = False
        torch.backends.cudnn.benchmark = benchmark


def test_determinism_on_cuda_needs_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    try:
        with pytest.raises(RuntimeError, match="CUBLAS_WORKSPACE_CONFIG=:4096:8"):
            set_random_seed(1, deterministic=True)
    finally:
        monkeypatch.undo()
