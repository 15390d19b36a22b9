"""When the allocator's cache is emptied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubling import loader, scripted

from tk_runner.hooks import EmptyCacheHook
from tk_runner.hooks.empty_cache import empty_cache


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 2),
        ({"before_epoch": True}, 4),
        ({"after_epoch": False, "after_iter": True}, 4),
        ({"after_epoch": False}, 0),
    ],
)
def test_it_is_emptied_at_the_chosen_points_of_training_and_validation(
    make_run: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, bool],
    expected: int,
) -> None:
    calls: list[int] = []
    monkeypatch.setattr("tk_runner.hooks.empty_cache.empty_cache", lambda: calls.append(1))
    make_run(
        epochs=1,
        train=loader(4),
        val=scripted("acc", 0.5),
        val_dataloader=loader(4),
        hooks=[EmptyCacheHook(**settings)],
    ).train()

    assert len(calls) == expected


def test_without_an_accelerator_nothing_happens() -> None:
    empty_cache()
