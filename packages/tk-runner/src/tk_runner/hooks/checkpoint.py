"""Saves the run: at intervals, at the end, and whenever a metric is better than ever.

The order is always: write the new file, move the pointer, then remove what is
not kept any more. A failure in between leaves a run that can go on.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tk_dist import is_main_process
from tk_fileio import join_path, remove
from tk_registry import HOOKS, check_values, value_rules

from ..checkpoint import publish
from ..checkpoint.background import BackgroundWriter
from ..checkpoint.file_names import UNFIT
from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .best import BestMetrics
from .hook import DataBatch, Hook
from .retention import RegularFiles, Retention


def _wrong_numbers(counts: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}={value!r} must be a whole number"
        for name, value in counts.items()
        if not isinstance(value, int) or isinstance(value, bool)
    ]


def _misformed(template: str | None) -> list[str]:
    if template is None:
        return []
    try:
        names = {template.format(1), template.format(2)}
    except (AttributeError, IndexError, KeyError, ValueError):
        names = set()
    if len(names) == 2 and not any(UNFIT.search(name) for name in names):
        return []
    text = (
        f"filename_tmpl={template!r} must be the name of a file with one {{}} for the count, as in "
        "'epoch_{}.pth'; for another folder use out_dir"
    )
    return [text]


def _problems(interval: int, save_begin: int, keep_best: int) -> list[str]:
    problems = []
    if interval == 0 or interval < -1:
        problems.append(
            f"interval must be 1 or more, or -1 for the last checkpoint only, got {interval}"
        )
    if save_begin < 0:
        problems.append(f"save_begin must be 0 or more, got {save_begin}")
    if keep_best < 1:
        problems.append(f"keep_best must be 1 or more, got {keep_best}")
    return problems


def _wrong_settings(
    interval: Any,
    save_begin: Any,
    max_keep_ckpts: Any,
    keep_best: Any,
    keep_every: Any,
    keep_every_hours: Any,
    filename_tmpl: Any,
) -> Iterator[tuple[str, str]]:
    """Each sentence begins with the name of the argument that it is about."""
    counts = {
        "interval": interval,
        "save_begin": save_begin,
        "max_keep_ckpts": max_keep_ckpts,
        "keep_best": keep_best,
        "keep_every": 1 if keep_every is None else keep_every,
    }
    sentences = _wrong_numbers(counts)
    if not sentences:
        rules = Retention(newest=max_keep_ckpts, every=keep_every, every_hours=keep_every_hours)
        sentences = [*_problems(interval, save_begin, keep_best), *rules.problems()]
    for sentence in [*sentences, *_misformed(filename_tmpl)]:
        yield re.split(r"\W", sentence, maxsplit=1)[0], sentence


@HOOKS.register_module()
@value_rules(_wrong_settings)
class CheckpointHook(Hook):
    """Writes checkpoints, and says which survive.

    Args:
        interval: epochs or iterations from one checkpoint to the next; -1 writes
            none but the last.
        by_epoch: whether the interval counts epochs; a training by iteration has one.
        save_optimizer: whether optimizer states are in the file.
        save_param_scheduler: whether schedule states are in the file.
        out_dir: another folder or URI; the work folder's name is added to it.
        max_keep_ckpts: how many of the regular checkpoints are kept; -1 all. With a
            limit, what was written at a stop goes once the resumed run has saved.
        save_last: write at the end of the training in any case, also where it
            ended early; with ``interval=-1``, ``save_last=False`` keeps the best only.
        save_best: metrics whose best checkpoint is kept, or ``"auto"``; the file
            holds the whole training state.
        rule: ``greater`` or ``less`` is better, one for each metric; by default
            what the metric's class declares, else told from its name.
        greater_keys: further parts of names that are better when greater.
        less_keys: further parts of names that are better when less.
        filename_tmpl: name of a regular file with ``{}`` for the count.
        published_keys: at the end, also write the last and best files with these
            keys alone, a part of their hash in the name.
        save_begin: epochs or iterations before the first checkpoint.
        backend_args: of the file backend of ``out_dir``.
        keep_best: how many of the best checkpoints of each metric are kept.
        keep_every: with a limit, regular checkpoints after a multiple of so many
            epochs or iterations are kept for good.
        keep_every_hours: with a limit, one regular checkpoint in so many hours of
            training is kept for good.
        in_background: write regular and best checkpoints while the training goes
            on; it stands still for a copy in memory only. An error of a write
            comes up at the next one, or at the end of the training.
    """

    priority = "VERY_LOW"

    def __init__(
        self,
        interval: int = -1,
        by_epoch: bool = True,
        save_optimizer: bool = True,
        save_param_scheduler: bool = True,
        out_dir: str | Path | None = None,
        max_keep_ckpts: int = -1,
        save_last: bool = True,
        save_best: str | Sequence[str] | None = None,
        rule: str | Sequence[str] | None = None,
        greater_keys: Sequence[str] | None = None,
        less_keys: Sequence[str] | None = None,
        filename_tmpl: str | None = None,
        published_keys: str | Sequence[str] | None = None,
        save_begin: int = 0,
        backend_args: Mapping[str, Any] | None = None,
        *,
        keep_best: int = 1,
        keep_every: int | None = None,
        keep_every_hours: float | None = None,
        in_background: bool = False,
    ) -> None:
        check_values(CheckpointHook, locals(), InvalidSettingsError)
        rules = Retention(newest=max_keep_ckpts, every=keep_every, every_hours=keep_every_hours)
        self.interval = interval
        self.by_epoch = by_epoch
        self.out_dir = out_dir
        self.max_keep_ckpts = max_keep_ckpts
        self.save_last = save_last
        self.save_begin = save_begin
        self.filename_tmpl = filename_tmpl
        self.published_keys = _listed(published_keys)
        self.backend_args = dict(backend_args) if backend_args else None
        self._content = {
            "save_optimizer": save_optimizer,
            "save_param_scheduler": save_param_scheduler,
        }
        watched = _listed(save_best)
        keys = (greater_keys or (), less_keys or ())
        self.best = BestMetrics(watched, _listed(rule), *keys, keep_best) if watched else None
        self._files = RegularFiles(rules)
        self._writer = BackgroundWriter() if in_background else None
        self._last_save_s = time.monotonic()
        self._counts_epochs = by_epoch
        self._folder = ""
        self._stop_file: Path | None = None

    def state_dict(self) -> dict[str, Any]:
        """The files that count towards the limit, and the best ones."""
        return {
            **self._files.state_dict(),
            "best": self.best.state_dict() if self.best else {},
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on counting and comparing.

        Raises:
            CheckpointError: the state names something else than files of the folder.
        """
        self._files.load_state_dict(state_dict)
        if self.best and state_dict["best"]:
            self.best.load_state_dict(state_dict["best"])

    def before_train(self, runner: RunLike) -> None:
        """Where the files go, what they are called, and which metric is better how."""
        # A training by iteration is one epoch, so its files are named by iteration.
        self._counts_epochs = self.by_epoch and runner.counts_epochs
        self._folder = self.folder_of(runner)
        if is_main_process():
            _try_to_write(self._folder)
            self._stop_file = self._written_at_a_stop(runner)
        self._last_save_s = time.monotonic()
        for name in self._not_best(self._files.take_obsolete()):
            self._remove(name)  # left by a run that was killed before it could
        if self.best:
            self.best.choose_rules(runner.val_loop)

    def _written_at_a_stop(self, runner: RunLike) -> Path | None:
        """The file that this run goes on from, where a stop wrote it and the limit leaves it out.

        A run that is stopped often would fill the disk with them.
        """
        file = Path(runner.work_dir) / f"iter_{runner.iter}.pth"
        is_extra = self.max_keep_ckpts > 0 and runner.iter > 0 and file.name not in self._files
        return file if is_extra and file.is_file() else None

    def folder_of(self, runner: RunLike) -> str:
        """The folder or URI that the checkpoints of a run go to."""
        if self.out_dir is None or str(self.out_dir) == runner.work_dir:
            return runner.work_dir
        return join_path(str(self.out_dir), Path(runner.work_dir).name)

    def _name(self, count: int) -> str:
        template = self.filename_tmpl or ("epoch_{}.pth" if self._counts_epochs else "iter_{}.pth")
        return template.format(count)

    def _finished(self, runner: RunLike) -> int:
        return runner.epoch if self._counts_epochs else runner.iter

    def after_train_epoch(self, runner: RunLike) -> None:
        """A regular checkpoint by epoch."""
        if self.by_epoch and self._is_due(runner.epoch + 1, self.is_last_train_epoch(runner)):
            self._save_regular(runner, self._finished(runner) + self._counts_epochs)

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """A regular checkpoint by iteration."""
        if not self.by_epoch and self._is_due(runner.iter + 1, self.is_last_train_iter(runner)):
            self._save_regular(runner, runner.iter + 1)

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """Until the next regular checkpoint by iteration."""
        if self.by_epoch:
            return math.inf
        finished = runner.iter + 1
        last = runner.max_iters - finished
        until: float = last if self.save_last and last >= 0 else math.inf
        if self.interval > 0:
            since = finished - self.save_begin
            until = min(until, -since if since < 0 else -since % self.interval)
        return until

    def _is_due(self, finished: int, is_last: bool) -> bool:
        since = finished - self.save_begin
        on_interval = self.interval > 0 and since >= 0 and since % self.interval == 0
        return on_interval or (self.save_last and is_last)

    def _save_regular(self, runner: RunLike, finished: int) -> None:
        name = self._name(finished)
        now = time.monotonic()
        self._files.add(name, finished, now - self._last_save_s)
        self._last_save_s = now
        stop_file, self._stop_file = self._stop_file, None
        if stop_file is not None and stop_file.name == name:
            stop_file = None
        runner.logger.info(self._saying, self._write(runner, name, stop_file=stop_file))

    def _write(
        self,
        runner: RunLike,
        name: str,
        *,
        is_latest: bool = True,
        stop_file: Path | None = None,
    ) -> str:
        """Write a file; what it makes obsolete goes when it stands."""
        obsolete = self._not_best(self._files.obsolete())

        def clean_up() -> None:
            for old in obsolete:
                self._remove(old)
            if stop_file is not None:
                stop_file.unlink(missing_ok=True)

        path = runner.save_checkpoint(
            self._folder,
            name,
            is_latest=is_latest,
            backend_args=self.backend_args,
            writer=self._writer,
            then=clean_up,
            **self._content,
        )
        self._files.take_obsolete()  # not before: the state in the file names them
        return path

    @property
    def _saying(self) -> str:
        return "Saving checkpoint %s" + (" in the background" if self._writer else "")

    def _not_best(self, names: list[str]) -> list[str]:
        best = self.best.names if self.best else []
        return [name for name in names if name not in best]

    def on_exception(self, runner: RunLike, error: BaseException) -> None:
        """Let a write that is under way end before the run saves where it stands."""
        if self._writer is not None:
            self._writer.finish()

    def on_exit(self, runner: RunLike) -> None:
        """Leave no write under way."""
        if self._writer is not None:
            self._writer.finish()

    def _remove(self, name: str) -> None:
        if is_main_process():
            with suppress(FileNotFoundError):  # the user was faster
                remove(join_path(self._folder, name), backend_args=self.backend_args)

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """A checkpoint for each metric that is better than ever."""
        if self.best is None or runner.train_loop is None:
            return
        if not metrics:
            runner.logger.warning("save_best is set, but the validation reported no metric")
            return
        for metric, value in self.best.improved(metrics, runner.val_loop).items():
            name = f"best_{self.best.file_part(metric)}_{self._name(self._finished(runner))}"
            for old in self.best.add(metric, value, name):
                self._files.discard(old)
            path = self._write(runner, name, is_latest=False)
            if self.best.paths[metric] == name:
                runner.logger.info("The best %s so far is %.4f: saved %s", metric, value, path)
            else:
                runner.logger.info(
                    "%s is among the best so far: %.4f: saved %s", metric, value, path
                )

    def after_train(self, runner: RunLike) -> None:
        """The end of a training that ended early, and weights for others."""
        finished = self._finished(runner)
        if self.save_last and self._files.newest != self._name(finished):
            self._save_regular(runner, finished)
        if self._writer is not None:
            self._writer.finish()
        if not self.published_keys or not is_main_process():
            return
        newest = [self._files.newest] if self._files.newest else []
        for name in [*(self.best.names if self.best else ()), *newest]:
            path = publish(join_path(self._folder, name), self.published_keys)
            runner.logger.info("published %s", path)


def _try_to_write(folder: str) -> None:
    """Find out before time is spent whether files can be made there."""
    if "://" in folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=".writable-"):
        pass


def _listed(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (str, Sequence)):
        raise InvalidSettingsError(f"a name or a list of names is expected, got {value!r}")
    return [value] if isinstance(value, str) else list(value)
