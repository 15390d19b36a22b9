"""A log line costs one read of the device, a step none, with every hook that looks at losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from doubling import Doubler, Numbers
from torch.utils._python_dispatch import TorchDispatchMode

from tk_runner import Hook
from tk_runner.hooks import EMAHook

NUM_ITERS = 100


class _Operators(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += str(func).startswith(("aten._local_scalar_dense", "aten.is_nonzero"))
        return func(*args, **(kwargs or {}))


@contextmanager
def counted_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Counts values that are asked for, and tensors that are brought over."""
    brought = []
    for name in ("tolist", "numpy", "cpu"):
        original = getattr(torch.Tensor, name)

        def read(tensor: Any, *args: Any, _original: Any = original, **kwargs: Any) -> Any:
            brought.append(1)
            return _original(tensor, *args, **kwargs)

        monkeypatch.setattr(torch.Tensor, name, read)
    with _Operators() as operators:
        yield lambda: operators.count + len(brought)


def ready_batches() -> Any:
    """A loader whose batches are there already, so that no read is the data's."""
    data = Numbers()
    batch = {key: torch.stack([data[n][key] for n in range(8)]) for key in ("x", "y")}

    class Ready:
        dataset = data

        def __iter__(self) -> Iterator[Any]:
            return iter([batch] * NUM_ITERS)

        def __len__(self) -> int:
            return NUM_ITERS

    return Ready()


class Steps(Hook):
    """What was read when the first step began, and when the last one was done."""

    reads: Callable[[], int]

    def __init__(self) -> None:
        self.seen: list[int] = []

    def before_train_epoch(self, runner: Any) -> None:
        self.seen.append(self.reads())

    def after_train_epoch(self, runner: Any) -> None:
        self.seen.append(self.reads())


@pytest.mark.parametrize("num_losses", [1, 5, 20])
@pytest.mark.parametrize("interval", [10, 50])
def test_a_log_line_costs_one_read(
    make_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, num_losses: int, interval: int
) -> None:
    steps = Steps()
    runner = make_run(
        epochs=1,
        train=ready_batches(),
        model=Doubler(num_losses=num_losses),
        hooks=[EMAHook(), steps],
        default_hooks={
            "logger": {"type": "LoggerHook", "interval": interval},
            "checkpoint": None,
        },
        optim_wrapper={
            "optimizer": {"type": "SGD", "lr": 0.01, "momentum": 0.9},
            "clip_grad": {"max_norm": 1.0},
            "accumulative_counts": 2,
        },
        param_scheduler={"type": "LinearLR", "by_epoch": False, "end": 20, "start_factor": 0.1},
    )

    with counted_reads(monkeypatch) as steps.reads:
        runner.train()

    assert steps.seen[1] - steps.seen[0] == NUM_ITERS // interval
