"""Buffers of several ranks, averaged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from tk_dist import get_rank, launch
from tk_runner.hooks import SyncBuffersHook


def model() -> nn.Module:
    net = nn.Module()
    net.register_buffer("mean", torch.full((2,), float(get_rank())))
    net.register_buffer("count", torch.tensor(7 + get_rank()))
    return net


def buffers_after(*points: str, trains: bool = True) -> tuple[list[float], int]:
    runner: Any = SimpleNamespace(model=model(), train_loop=object() if trains else None)
    hook = SyncBuffersHook()
    for point in points:
        getattr(hook, point)(runner)
    return runner.model.mean.tolist(), int(runner.model.count)


def on_two(*points: str, trains: bool = True) -> list[Any]:
    return launch(
        lambda: buffers_after(*points, trains=trains), 2, start_method="fork", timeout_s=60
    )


def test_floating_point_buffers_are_averaged_and_counters_stay() -> None:
    assert on_two("after_train_epoch") == [([0.5, 0.5], 7), ([0.5, 0.5], 8)]


def test_a_validation_inside_an_epoch_averages_before() -> None:
    assert on_two("before_val_epoch") == [([0.5, 0.5], 7), ([0.5, 0.5], 8)]


def test_a_validation_alone_leaves_them() -> None:
    assert on_two("before_val_epoch", trains=False) == [([0.0, 0.0], 7), ([1.0, 1.0], 8)]


def test_one_process_has_nothing_to_average() -> None:
    assert buffers_after("after_train_epoch", "before_val_epoch") == ([0.0, 0.0], 7)
