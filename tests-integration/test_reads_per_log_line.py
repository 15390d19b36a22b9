"""However many losses there are, a log line costs one read from the device, and a step none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training
from run_comparison import records
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tk_runner import Hook

NUM_ITERS, INTERVAL = 100, 10
ASKS_FOR_A_VALUE = ("aten._local_scalar_dense", "aten.is_nonzero", "aten.equal", "aten.nonzero")
BRINGS_OVER = ("cpu", "numpy", "tolist")  # ways to a value that are no operator of torch's

WRAPPERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clipping": {"clip_grad": {"max_norm": 1.0}},
    "clipping by value": {"clip_grad": {"type": "value", "clip_value": 0.2}},
    "accumulation": {"accumulative_counts": 3},
    "bf16, clipping, accumulation": {
        "type": "AmpOptimWrapper",
        "dtype": "bfloat16",
        "clip_grad": {"max_norm": 1.0},
        "accumulative_counts": 2,
    },
}


class Reads(TorchDispatchMode):
    """Counts what waits for the device: a value asked for, or a tensor brought over."""

    def __init__(self) -> None:
        super().__init__()
        self.counted: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        if name.startswith(ASKS_FOR_A_VALUE):
            self.counted[name] += 1
        return func(*args, **(kwargs or {}))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    mode = Reads()
    for name in BRINGS_OVER:
        monkeypatch.setattr(Tensor, name, counting(mode, name))
    return mode


def counting(mode: Reads, name: str) -> Any:
    original = getattr(Tensor, name)

    def read(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        mode.counted[name] += 1
        return original(tensor, *args, **kwargs)

    return read


class CountFromHere(Hook):
    """What initialisation reads, once before the first step, is not the steps'."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads

    def before_train(self, runner: Any) -> None:
        self.reads.counted.clear()


class Batches:
    """A loader of batches that are there already, so that no read is the data's."""

    def __init__(self) -> None:
        self.dataset = toy_training.Points()
        points = self.dataset.points
        labels = (points.sum(1) > 0).long()
        self._batches = list(zip(points.split(8), labels.split(8), strict=True))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)


@pytest.mark.parametrize("num_losses", [1, 5, 20])
@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_a_log_line_costs_one_read_and_a_step_none(
    wrapper: dict[str, Any], num_losses: int, reads: Reads, tmp_path: Path
) -> None:
    with (
        toy_training.runner(
            tmp_path,
            by_epoch=False,
            model=toy_training.Classifier(num_losses),
            train_dataloader=Batches(),
            train_cfg={"by_epoch": False, "max_iters": NUM_ITERS},
            optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.01, "momentum": 0.9}, **wrapper},
            param_scheduler={"type": "CosineAnnealingLR", "by_epoch": False},
            val_dataloader=None,
            val_evaluator=None,
            custom_hooks=[
                dict(type="EMAHook"),
                dict(type="TerminalHook", live=True),
                CountFromHere(reads),
            ],
            default_hooks={
                "checkpoint": None,
                "logger": {"type": "LoggerHook", "interval": INTERVAL},
            },
        ) as run,
        reads,
    ):
        run.train()

    lines = len(records(run))
    assert lines == NUM_ITERS // INTERVAL
    assert sum(reads.counted.values()) <= lines, reads.counted


def test_the_count_sees_a_value_that_is_asked_for(reads: Reads) -> None:
    tensor = torch.ones(1)
    with reads:
        float(tensor)
        tensor.item()
        tensor.tolist()
        bool(tensor > 0)

    assert sum(reads.counted.values()) == 4
