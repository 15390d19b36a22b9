"""The live line of a run in a terminal: drawn again and again, without a read from the device."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import Any

import torch

from tk_logging import scalar_key

from ..interfaces.run import RunLike
from ..model.losses import is_loss

REFRESH_S = 0.1


def is_interactive() -> bool:
    """Whether standard output is a terminal that can redraw a line, and nobody collects it."""
    console = make_console()
    return bool(console.is_terminal and not console.is_dumb_terminal and not os.environ.get("CI"))


class LiveLine:
    """One line that is drawn again and again; other prints go above it."""

    def __init__(self) -> None:
        self._progress: Any = None
        self._task: Any = None
        self._shown_at = 0.0
        self._losses: dict[str, float] = {}
        self._pace: tuple[int, float] | None = None

    def is_due(self) -> bool:
        """Whether enough time has passed for the eye."""
        return time.perf_counter() - self._shown_at >= REFRESH_S

    def note_losses(self, runner: RunLike, names: Any) -> None:
        """Keep the losses where the logger has just read them; nothing is read here."""
        for name in names:
            if is_loss(name):
                history = runner.message_hub.get_scalar(scalar_key("train", name))
                if not history.waits_for_unsent():
                    self._losses[name] = history.current()

    def show_training(self, runner: RunLike) -> None:
        """Epoch, step, loss, rate, pace, data wait, memory, time left."""
        done, total = runner.iter + 1, runner.max_iters
        now = time.perf_counter()
        first, began = self._pace = self._pace or (done, now)
        rate = (done - first) / (now - began) if done > first else 0.0
        parts = [f"{name} {value:.4f}" for name, value in self._losses.items()][:1]
        parts += _learning_rate(runner)
        parts += [f"{rate:.1f} it/s"] if rate else []
        parts += _data_wait(runner)
        parts += _memory()
        parts += [f"eta {timedelta(seconds=int((total - done) / rate))}"] if rate else []
        label = "train"
        if runner.max_epochs > 1:
            label = f"epoch {runner.epoch + 1}/{runner.max_epochs}"
        self.show(label, done, total, " ".join(parts))

    def show(self, label: str, done: int, total: int, text: str) -> None:
        """Draw the line."""
        self._shown_at = time.perf_counter()
        if self._progress is None:
            self._start()
        self._progress.update(self._task, description=label, completed=done, total=total, text=text)
        self._progress.refresh()

    def _start(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # 100 ms
        from rich.table import Column

        one_line = Column(no_wrap=True, overflow="ellipsis")
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[text]}", markup=False, table_column=one_line),
            console=make_console(),
            auto_refresh=False,
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task("", text="")

    def stop(self) -> None:
        """Take the line away; the next ``show`` draws it anew."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _learning_rate(runner: RunLike) -> list[str]:
    """The base rate where parameters have their own ones, else that of all."""
    scalars = runner.message_hub.log_scalars
    history = scalars.get("train/lr") or scalars.get("train/base_lr")
    return [f"lr {history.current():.2e}"] if history else []


def _data_wait(runner: RunLike) -> list[str]:
    """The share of the steps' time that was spent waiting for data."""
    scalars = runner.message_hub.log_scalars
    if not (scalars.get("train/data_time") and scalars.get("train/time")):
        return []
    step = scalars["train/time"].mean(10)
    return [f"data {scalars['train/data_time'].mean(10) / step:.0%}"] if step > 0 else []


def _memory() -> list[str]:
    if not torch.cuda.is_available():
        return []
    return [f"mem {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB"]


def make_console() -> Any:
    """The standard output of this moment; NO_COLOR, TERM and COLUMNS are rich's to honour."""
    from rich.console import Console  # 60 ms, and only rank 0 shows anything

    return Console()
