from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tk_logging import rank


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    for name in (*rank._RANK_VARIABLES, *rank._SIZE_VARIABLES, "MUSA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)


def test_one_process_is_rank_0_of_1() -> None:
    assert (rank.current_rank(), rank.world_size(), rank.device_id()) == (0, 1, "0")


@pytest.mark.parametrize(
    ("rank_name", "size_name"), list(zip(rank._RANK_VARIABLES, rank._SIZE_VARIABLES, strict=True))
)
def test_the_launcher_s_word_counts(
    monkeypatch: pytest.MonkeyPatch, rank_name: str, size_name: str
) -> None:
    monkeypatch.setenv(rank_name, "3")
    monkeypatch.setenv(size_name, "4")

    assert (rank.current_rank(), rank.world_size()) == (3, 4)


def test_a_process_group_that_is_there_counts_more(monkeypatch: pytest.MonkeyPatch) -> None:
    group = SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        get_rank=lambda: 5,
        get_world_size=lambda: 8,
    )
    monkeypatch.setitem(sys.modules, "torch.distributed", group)  # type: ignore[arg-type]
    monkeypatch.setenv("RANK", "3")

    assert (rank.current_rank(), rank.world_size()) == (5, 8)


def test_a_variable_that_is_no_number_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "")

    assert rank.current_rank() == 0


@pytest.mark.parametrize(
    ("visible", "local_rank", "expected"),
    [("", "2", "2"), ("4,5,6", "2", "6"), ("GPU-a, GPU-b", "1", "GPU-b"), ("7", "2", "2")],
)
def test_the_device_is_looked_up_among_the_visible_ones(
    monkeypatch: pytest.MonkeyPatch, visible: str, local_rank: str, expected: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    monkeypatch.setenv("LOCAL_RANK", local_rank)

    assert rank.device_id() == expected
