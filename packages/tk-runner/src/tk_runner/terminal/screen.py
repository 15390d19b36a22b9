"""What a person at a terminal sees of a run: who it is, where it stands, what it reached.

In a terminal one live line replaces the lines of the log; elsewhere, and in CI,
the log's plain lines stay. The live line reads nothing from the device: it shows
what the logger has read. Only rank 0 talks.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from tk_dist import is_main_process
from tk_registry import HOOKS

from ..hooks import Hook
from ..hooks.hook import DataBatch
from ..interfaces.run import RunLike
from ..run.record import best_metrics
from .live_line import LiveLine, is_interactive, make_console
from .metric_board import MetricBoard

MOST_LINES = 15
PROGRESS_SOURCES = ("logger", "checkpoint")  # modules of hooks whose lines the live line replaces


@HOOKS.register_module()
class TerminalHook(Hook):
    """Shows a start screen, live progress, a table after each evaluation, a summary.

    The commands add it; a script that wants it lists it in ``custom_hooks``.

    Args:
        config: the name of the config, for the start screen.
        live: whether to show the live line; ``None`` is in a terminal only.
    """

    priority = "LOWEST"

    def __init__(self, config: str | None = None, live: bool | None = None) -> None:
        self._config = config
        self._live = live
        self._board = MetricBoard()
        self._line: LiveLine | None = None
        self._muted: list[tuple[logging.Handler, logging.Filter]] = []
        self._has_begun = False

    def state_dict(self) -> dict[str, Any]:
        """The best metrics so far, and where they were."""
        return self._board.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on comparing."""
        self._board.load_state_dict(state_dict)

    def before_train(self, runner: RunLike) -> None:
        """Say what begins."""
        self._begin(runner, "train")

    def before_val(self, runner: RunLike) -> None:
        """Say what begins, where it is not a part of a training."""
        self._begin(runner, "val")

    def before_test(self, runner: RunLike) -> None:
        """Say what begins."""
        self._begin(runner, "test")

    def _begin(self, runner: RunLike, mode: str) -> None:
        if self._has_begun or not is_main_process():
            return
        self._has_begun = True
        _print("\n".join(start_screen(runner, mode, self._config)[:MOST_LINES]))
        if self._live if self._live is not None else is_interactive():
            self._line = LiveLine()
            self._mute(runner.logger)

    def _mute(self, logger: logging.Logger) -> None:
        """Leave the lines of progress to the file; warnings and other lines stay."""
        for handler in logger.handlers:
            if not isinstance(handler, logging.FileHandler):
                rule = _NoProgress()
                handler.addFilter(rule)
                self._muted.append((handler, rule))

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Move the live line."""
        if self._line is not None:
            self._line.note_losses(runner, outputs or ())
            if self._line.is_due():
                self._line.show_training(runner)

    def after_val_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """Move the live line."""
        self._after_evaluation_iter(runner, batch_idx, "val")

    def after_test_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """Move the live line."""
        self._after_evaluation_iter(runner, batch_idx, "test")

    def _after_evaluation_iter(self, runner: RunLike, batch_idx: int, mode: str) -> None:
        if self._line is not None and self._line.is_due():
            total = getattr(runner, f"{mode}_loop").num_batches
            self._line.show(mode, batch_idx + 1, total, "")

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The table of metrics."""
        self._show_metrics(runner, metrics or {}, runner.val_loop)

    def after_test_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The table of metrics."""
        self._show_metrics(runner, metrics or {}, runner.test_loop)

    def _show_metrics(self, runner: RunLike, metrics: Mapping[str, Any], loop: Any) -> None:
        self._board.add(metrics, at=_place(runner), loop=loop)
        if metrics and is_main_process():
            self._print_above(_table(self._board.rows()))

    def _print_above(self, content: Any) -> None:
        if self._line is not None:
            self._line.stop()
        _print(content)

    def after_run(self, runner: RunLike) -> None:
        """The summary of a training that came to its end."""
        if is_main_process() and runner.train_loop is not None:
            self._print_above("\n".join(summary(runner)))

    def on_exit(self, runner: RunLike) -> None:
        """Leave the terminal as it was."""
        if self._line is not None:
            self._line.stop()
        for handler, rule in self._muted:
            handler.removeFilter(rule)
        self._muted.clear()
        self._line, self._has_begun = None, False


class _NoProgress(logging.Filter):
    """Holds back what the hooks say about progress."""

    def filter(self, record: logging.LogRecord) -> bool:
        is_progress = record.module in PROGRESS_SOURCES and "tk_runner" in record.pathname
        return not is_progress or record.levelno > logging.INFO


def start_screen(runner: RunLike, mode: str, config: str | None) -> list[str]:
    """What begins, in at most 15 lines."""
    parameters = sum(one.numel() for one in runner.model.parameters())
    facts = {
        mode: config or runner.experiment_name,
        "model": f"{_name_of(runner.model)}, {parameters:,} parameters",
        **_length_of(runner, mode),
        "device": _device(runner),
        "seed": str(runner.seed),
        "work folder": str(runner.work_dir),
        "log": str(runner.log_dir),
        "stop": "Ctrl-C, SIGTERM, or a file STOP in the work folder: saves, then ends",
    }
    width = max(map(len, facts))
    return [f"{name:<{width}}  {value}" for name, value in facts.items()]


def _name_of(model: Any) -> str:
    inner = getattr(model, "module", model)
    return type(inner).__name__


def _length_of(runner: RunLike, mode: str) -> dict[str, str]:
    loop = getattr(runner, f"{mode}_loop")
    if mode != "train":
        return {"data": f"{loop.num_batches:,} batches"}
    dataset: Any = getattr(loop.dataloader, "dataset", None)
    samples = f"{len(dataset):,} samples, " if hasattr(dataset, "__len__") else ""
    batch = getattr(loop.dataloader, "batch_size", None)
    text = f"{samples}batches of {batch}" if batch else samples.rstrip(", ")
    epochs = f"{runner.max_epochs} epochs, " if runner.max_epochs > 1 else ""
    begun = f", from iteration {runner.iter:,} on" if runner.iter else ""
    return {"data": text, "length": f"{epochs}{runner.max_iters:,} iterations{begun}"}


def _device(runner: RunLike) -> str:
    parameter = next(iter(runner.model.parameters()), None)
    device = str(parameter.device) if parameter is not None else "cpu"
    return f"{device}, {runner.world_size} processes" if runner.world_size > 1 else device


def summary(runner: Any) -> list[str]:
    """Best metrics, where things are, how fast it went."""
    found = runner.record.measurement.of(runner)
    best = ", ".join(f"{k.partition('/')[2]} {_number(v)}" for k, v in best_metrics(runner).items())
    facts = {"done": f"{found['iter']:,} iterations in {_span(found['seconds'])}"}
    if best:
        facts["best"] = best
    if "samples_per_second" in found:
        facts["speed"] = (
            f"{found['samples_per_second']:,} samples/s, "
            f"{found['device_reads_per_step']:.3f} device reads a step"
        )
    facts |= {"checkpoints": str(runner.work_dir), "log and curves": str(runner.log_dir)}
    width = max(map(len, facts))
    return [f"{name:<{width}}  {value}" for name, value in facts.items()]


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds >= 60 else f"{seconds:.1f} s"


def _number(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _place(runner: RunLike) -> str:
    if runner.train_loop is None:
        return "-"
    return f"epoch {runner.epoch}" if runner.max_epochs > 1 else f"iter {runner.iter}"


def _table(rows: Sequence[tuple[str, str, str, str]]) -> Any:
    """The rows under their titles."""
    from rich.box import SIMPLE_HEAD  # slow, and only rank 0 shows anything
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric")
    for title in ("now", "best", "at"):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def _print(content: Any) -> None:
    """Print to standard output; long lines are left to the terminal, so that paths stay whole."""
    is_text = isinstance(content, str)
    make_console().print(content, soft_wrap=is_text, markup=False, highlight=False)
