"""How often a run waits for its device, and how busy the device is kept.

    python benchmarks/runner_device.py

There is no accelerator in it. Reads of tensors by Python (``item``, ``tolist``,
``float()``, ...) are counted exactly, while the loop runs. The device is virtual:
each step enqueues 0.5 ms of work, the host's clock is the CPU time of this
process, and a read puts it forward to where the queue is empty. The step itself is
as small as can be, for what it costs the CPU here is not what it would cost to
launch (clipping and EMA are shown for their reads; what they compute takes the
CPU longer than 0.5 ms). Needs an interpreter with mmengine. Goals: at most one read for each log
line, whatever the number of losses; the device at least 95 % busy.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from mmengine.hooks import EMAHook as TheirEMA
from mmengine.runner import Runner as TheirRunner
from runner_job import OurModel, OurRunner, TheirModel, quiet, settings, verdict
from torch import nn

READERS = ("item", "tolist", "numpy", "cpu", "__float__", "__int__", "__bool__", "__index__")
ITERATIONS, INTERVAL = 500, 50
STEP_S = 0.5e-3
CLIPPED = {"optimizer": {"type": "SGD", "lr": 0.01}, "clip_grad": {"max_norm": 1.0}}
ACCUMULATED = {**CLIPPED, "accumulative_counts": 4}


class VirtualDevice:
    """A queue of work that a host fills and, by reading, waits for."""

    def __init__(self) -> None:
        self.steps = self.reads = 0
        self._waited_s = self._empty_at_s = 0.0
        self._began_s = 0.0

    def now(self) -> float:
        return time.process_time() + self._waited_s

    def enqueue(self) -> None:
        if not self.steps:
            self._began_s = self._empty_at_s = self.now()
        self.steps += 1
        self._empty_at_s = max(self._empty_at_s, self.now()) + STEP_S

    def read(self) -> None:
        if 0 < self.steps < ITERATIONS:  # not what comes after the last step, as a checkpoint
            self.reads += 1
            self._waited_s += max(0.0, self._empty_at_s - self.now())

    @property
    def busy(self) -> float:
        """The part of the time up to the last step's end in which the device worked."""
        return self.steps * STEP_S / (self._empty_at_s - self._began_s)


@contextlib.contextmanager
def watched(device: VirtualDevice) -> Iterator[None]:
    """Every read of a tensor goes through ``device``."""
    originals = {name: getattr(torch.Tensor, name) for name in READERS}
    inside = False

    def reading(original: Callable[..., Any]) -> Callable[..., Any]:
        def read(*args: Any, **kwargs: Any) -> Any:
            nonlocal inside
            if inside:  # one reader uses another
                return original(*args, **kwargs)
            inside = True
            try:
                device.read()
                return original(*args, **kwargs)
            finally:
                inside = False

        return read

    for name, original in originals.items():
        setattr(torch.Tensor, name, reading(original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(torch.Tensor, name, original)


def model_of(base: type, losses: int, device: VirtualDevice) -> nn.Module:
    def forward(self: nn.Module, *batch: torch.Tensor, mode: str = "loss"):
        device.enqueue()
        loss = self.weight * self.weight
        value = loss.detach()
        return {"loss": loss, **{f"aux_{place}": value for place in range(losses - 1)}}

    model = type("Tiny", (base,), {"forward": forward})()
    model.weight = nn.Parameter(torch.ones(()))
    return model


def run(name: str, losses: int, **more: Any) -> VirtualDevice:
    device = VirtualDevice()
    base = {"mmengine": TheirModel, "tk": OurModel}[name]
    with tempfile.TemporaryDirectory() as folder, quiet():
        run = settings(model_of(base, losses, device), folder, ITERATIONS, INTERVAL)
        run |= {"param_scheduler": None, **more}
        with watched(device):
            if name == "tk":
                with OurRunner(**run) as runner:
                    runner.train()
            else:
                TheirRunner(**run, experiment_name=f"run{time.perf_counter_ns()}").train()
    return device


def main() -> None:
    cases: dict[str, tuple[int, dict[str, Any]]] = {
        "1 loss": (1, {}),
        "5 losses": (5, {}),
        "20 losses": (20, {}),
        "20 losses, clipping": (20, {"optim_wrapper": CLIPPED}),
        "20 losses, clipping, groups of 4, EMA": (20, {"optim_wrapper": ACCUMULATED}),
    }
    most = 1 / INTERVAL
    print(f"\nlog every {INTERVAL}                          reads an iteration    device busy")
    for title, (losses, more) in cases.items():
        for name in ("mmengine", "tk"):
            ema = {"type": TheirEMA if name == "mmengine" else "EMAHook"}
            hooks = {"custom_hooks": [ema]} if "EMA" in title else {}
            run(name, losses, **more, **hooks)  # fills caches
            device = run(name, losses, **more, **hooks)
            reads = device.reads / ITERATIONS
            line = f"  {title:<38}{name:<9} {reads:6.3f}   {device.busy:6.1%}"
            if name == "tk":
                line += f"  (reads {verdict(reads, most)}"
                if title == "20 losses":
                    line += f", busy {verdict(device.busy, 0.95, at_least=True)}"
                line += ")"
            print(line)


if __name__ == "__main__":
    main()
