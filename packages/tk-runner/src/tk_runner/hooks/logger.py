"""One line and one record for every interval of a training, and after each evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tk_dist import is_main_process
from tk_fileio import atomic_write, copyfile_from_local, isfile
from tk_logging import scalar_key
from tk_registry import HOOKS, check_values, count, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.loops import EvaluationLoopLike
from ..interfaces.run import RunLike
from .hook import DataBatch, Hook

TIMES = ("data_time", "time")
SUFFIXES = (".json", ".log", ".py", ".yaml")


@HOOKS.register_module()
@value_rules(interval=count(1), interval_exp_name=count(1))
class LoggerHook(Hook):
    """Logs to the run's logger and records to its visualizer.

    Args:
        interval: iterations from one line to the next.
        ignore_last: whether an epoch's last, shorter stretch gets no line; an
            epoch that is not longer than the interval always gets one.
        interval_exp_name: iterations from one mention of the experiment's name to
            the next.
        out_dir: folder or URI that log files are copied to when the run is over.
        out_suffix: which files.
        keep_local: whether the files stay where they were written as well.
        log_metric_by_epoch: whether metrics are recorded over epochs or iterations.
        backend_args: of the file backend of ``out_dir``.
    """

    priority = "BELOW_NORMAL"

    def __init__(
        self,
        interval: int = 10,
        ignore_last: bool = True,
        interval_exp_name: int = 1000,
        out_dir: str | Path | None = None,
        out_suffix: str | Sequence[str] = SUFFIXES,
        keep_local: bool = True,
        log_metric_by_epoch: bool = True,
        backend_args: Mapping[str, Any] | None = None,
    ) -> None:
        check_values(LoggerHook, locals(), InvalidSettingsError)
        self.interval = interval
        self.ignore_last = ignore_last
        self.interval_exp_name = interval_exp_name
        self.out_dir = str(out_dir) if out_dir is not None else None
        self.out_suffix = (out_suffix,) if isinstance(out_suffix, str) else tuple(out_suffix)
        self.keep_local = keep_local
        self.log_metric_by_epoch = log_metric_by_epoch
        self.backend_args = dict(backend_args) if backend_args else None
        self._last_logged = 0  # place in the epoch after which a shorter stretch is logged

    def before_run(self, runner: RunLike) -> None:
        """Let the histories be as long as the log's windows."""
        runner.log_processor.prepare(runner.message_hub)

    def before_train(self, runner: RunLike) -> None:
        """Those that a checkpoint brought too."""
        runner.log_processor.prepare(runner.message_hub)

    def before_train_epoch(self, runner: RunLike) -> None:
        """Where the stretch ends that may be shorter than the interval."""
        by_epoch = runner.counts_epochs
        length = len(runner.train_dataloader) if by_epoch else runner.max_iters
        is_wanted = length <= self.interval or not self.ignore_last
        self._last_logged = length if is_wanted else 0

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """Until the next line, or the next mention of the experiment's name."""
        done = batch_idx + 1
        until_line = -done % self.interval
        if self._last_logged >= done:
            until_line = min(until_line, self._last_logged - done)
        return min(until_line, -(runner.iter + 1) % self.interval_exp_name)

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """A line, where the interval is full."""
        if (runner.iter + 1) % self.interval_exp_name == 0:
            runner.logger.info("Exp name: %s", runner.experiment_name)
        is_due = self.every_n_inner_iters(batch_idx, self.interval)
        if not is_due and batch_idx + 1 != self._last_logged:
            return
        tag, line = runner.log_processor.get_log_after_iter(runner, batch_idx, "train")
        runner.logger.info(line)
        runner.visualizer.add_scalars({**tag, "axis": "iter"}, step=runner.iter + 1)

    def after_val_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """A line, where the interval is full."""
        self._after_evaluation_iter(runner, batch_idx, "val")

    def after_test_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """A line, where the interval is full."""
        self._after_evaluation_iter(runner, batch_idx, "test")

    def _after_evaluation_iter(self, runner: RunLike, batch_idx: int, mode: str) -> None:
        if self.every_n_inner_iters(batch_idx, self.interval):
            _, line = runner.log_processor.get_log_after_iter(runner, batch_idx, mode)
            runner.logger.info(line)

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The metrics, as a line and as a record."""
        count = _num_batches(runner.val_loop)
        tag, line = runner.log_processor.get_log_after_epoch(runner, count, "val")
        runner.logger.info(line)
        self._record(runner, tag, "val")

    def after_test_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """The metrics, as a line, as a record, and as a file of their own."""
        count = _num_batches(runner.test_loop)
        tag, line = runner.log_processor.get_log_after_epoch(
            runner, count, "test", with_non_scalar=True
        )
        runner.logger.info(line)
        self._record(runner, tag, "test")
        if is_main_process():
            with atomic_write(Path(runner.log_dir) / f"{runner.timestamp}.json", mode="w") as file:
                json.dump(tag, file, default=_plain)

    def _record(self, runner: RunLike, tag: Mapping[str, Any], mode: str) -> None:
        """A record over epochs or iterations.

        What a training reports under the same name, and every result of a test,
        keeps its mode in front: one name has one axis.
        """
        by_epoch = self.log_metric_by_epoch and runner.counts_epochs
        scalars = runner.message_hub.log_scalars
        record: dict[str, Any] = {"axis": "epoch" if by_epoch else "iter"}
        for name, value in tag.items():
            if not isinstance(value, (int, float)):
                continue
            is_shared = mode == "test" or name in TIMES or scalar_key("train", name) in scalars
            needs_mode = is_shared and not name.startswith(scalar_key(mode, ""))
            record[scalar_key(mode, name) if needs_mode else name] = value
        runner.visualizer.add_scalars(record, step=runner.epoch if by_epoch else runner.iter)

    def on_exit(self, runner: RunLike) -> None:
        """Close what was recorded, and copy it where the user wants it."""
        runner.visualizer.close()
        if self.out_dir is not None and is_main_process():
            self._copy_out(runner)

    def _copy_out(self, runner: RunLike) -> None:
        target = f"{self.out_dir}/{Path(runner.work_dir).name}"
        for path in sorted(Path(runner.log_dir).rglob("*")):
            if not path.is_file() or path.suffix not in self.out_suffix:
                continue
            inner = path.relative_to(runner.log_dir).as_posix()
            copyfile_from_local(path, f"{target}/{inner}", backend_args=self.backend_args)
            if not self.keep_local and isfile(f"{target}/{inner}", backend_args=self.backend_args):
                path.unlink()


def _plain(value: Any) -> Any:
    """What ``json`` cannot say by itself, as lists and numbers, or as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _num_batches(loop: EvaluationLoopLike | None) -> int:
    return loop.num_batches if loop is not None else 0
