"""From the message hub to a line of text and a record of scalars.

Asking for a line is the one place of a training step where device values are
read: all of them together, once.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from tk_logging import HistoryBuffer, MessageHub, scalar_key
from tk_registry import LOG_PROCESSORS

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from ..model.losses import is_loss

MODES = ("train", "val", "test")
TIMES = ("time", "data_time")
PARTS = ("rates", "eta", *TIMES, "memory", "scalars")  # of a line, in this order


@LOG_PROCESSORS.register_module()
class LogProcessor:
    """Smooths scalars and formats them.

    Args:
        window_size: how many iterations a mean is taken over.
        by_epoch: whether lines count epochs or iterations; those of a training by
            iteration always count iterations.
        custom_cfg: further or other statistics: ``data_src`` (the scalar),
            ``log_name`` (default: the same), ``method_name`` (``mean``, ``max``,
            ``min``, ``current``), ``window_size`` (a number, ``"epoch"`` for all
            values of the running epoch, or ``"global"`` for all values).
        num_digits: decimals of a number in a line.
        log_with_hierarchy: keep ``train/`` and the like in front of a name.
        mean_pattern: scalars whose name matches are averaged; others show their
            newest value.
    """

    def __init__(
        self,
        window_size: int = 10,
        by_epoch: bool = True,
        custom_cfg: Sequence[Mapping[str, Any]] | None = None,
        num_digits: int = 4,
        log_with_hierarchy: bool = False,
        mean_pattern: str = r".*(loss|time|data_time|grad_norm).*",
    ) -> None:
        self.window_size = window_size
        self.by_epoch = by_epoch
        self.custom_cfg = [dict(one) for one in custom_cfg or ()]
        self.num_digits = num_digits
        self.log_with_hierarchy = log_with_hierarchy
        self._mean_pattern = re.compile(mean_pattern)
        self._keys: list[str] = []  # of the hub, at the latest line
        self._columns: dict[str, list[tuple[str, str, bool]]] = {mode: [] for mode in MODES}
        self._forms: dict[str, dict[str, tuple[str, str]]] = {mode: {} for mode in MODES}
        self._check_custom()

    def _check_custom(self) -> None:
        names = [str(one.get("log_name", one.get("data_src"))) for one in self.custom_cfg]
        found = [
            f"custom_cfg[{place}] has no data_src"
            for place, one in enumerate(self.custom_cfg)
            if "data_src" not in one
        ]
        found += [
            f"custom_cfg names {n!r} twice"
            for n in sorted({n for n in names if names.count(n) > 1})
        ]
        windows = [one["window_size"] for one in self.custom_cfg if "window_size" in one]
        if not self.by_epoch and "epoch" in windows:
            found.append("custom_cfg has window_size='epoch', which by_epoch=False does not know")
        found += [
            f"window_size={window!r} in custom_cfg: use a number, 'epoch' or 'global'"
            for window in windows
            if window not in ("epoch", "global") and not _is_length(window)
        ]
        if not _is_length(self.window_size):
            found.append(f"window_size={self.window_size!r}: use a number, 1 or more")
        if found:
            raise InvalidSettingsError.of(found)

    def prepare(self, hub: MessageHub) -> None:
        """Let the histories of ``hub`` keep as many values as the longest window needs."""
        windows = [self.window_size, *(one.get("window_size") for one in self.custom_cfg)]
        longest = max(window for window in windows if isinstance(window, int))
        hub.history_length = max(hub.history_length, longest)  # also those that were resumed

    def get_log_after_iter(
        self, runner: RunLike, batch_idx: int, mode: str
    ) -> tuple[dict[str, Any], str]:
        """The scalars and the line after an iteration.

        Args:
            runner: the run.
            batch_idx: position of the batch in its epoch.
            mode: ``train``, ``val`` or ``test``.
        """
        if mode == "train":
            runner.message_hub.collect_async()
        tag = self._collect(runner, mode, min(self.window_size, batch_idx + 1))
        texts: dict[str, list[str]] = {part: [] for part in PARTS}
        for name, value in tag.items():
            part, template = self._forms[mode].get(name) or self._form(name, mode)
            if part in texts:
                is_usual = isinstance(value, float)
                texts[part].append(template % value if is_usual else f"{name}: {value}")
        texts["eta"] = self._eta(runner, batch_idx, mode)
        if mode == "train":
            memory = _memory_mb()
            if memory is not None:
                tag["memory"] = memory
                texts["memory"] = [f"memory: {memory}"]
            tag["epoch"] = runner.epoch + 1
            tag["iter"] = runner.iter + 1
        parts = [text for part in PARTS for text in texts[part]]
        return tag, self._line(self._where(runner, batch_idx, mode), parts, mode)

    def _form(self, name: str, mode: str) -> tuple[str, str]:
        """Which part of a line shows a scalar, and its text with a place for a float."""
        short = _short(name)
        is_time = name in TIMES or name in self._named(mode, TIMES)
        if name.endswith("lr"):
            form = "rates", f"{_as_it_is(short)}: %.{self.num_digits}e"
        elif is_time:
            form = short, f"{_as_it_is(short)}: %.{self.num_digits}f"
        else:
            part = "scalars" if mode == "train" or is_loss(name) else ""
            form = part, f"{_as_it_is(name)}: %.{self.num_digits}f"
        self._forms[mode][name] = form
        return form

    def get_log_after_epoch(
        self, runner: RunLike, batch_idx: int, mode: str, with_non_scalar: bool = False
    ) -> tuple[dict[str, Any], str]:
        """The metrics and the line after a validation or a test."""
        tag = self._collect(runner, mode, None)
        times = sorted(self._named(mode, TIMES))
        metrics = {name: value for name, value in tag.items() if name not in times}
        others = _non_scalars(runner, mode)
        parts = [f"{key}: {self._text(value)}" for key, value in metrics.items()]
        parts += [f"{_short(key)}: {self._text(tag[key])}" for key in times if key in tag]
        parts += [f"\n{key}: \n{value}\n" for key, value in others.items()]
        if with_non_scalar:
            tag.update(others)
        return tag, self._line(self._where(runner, batch_idx - 1, mode), parts, mode)

    @staticmethod
    def _line(where: str, parts: Sequence[str], mode: str) -> str:
        return where + ("  " if mode == "train" else "    ") + "  ".join(parts)

    def _collect(self, runner: RunLike, mode: str, window: int | None) -> dict[str, Any]:
        """The scalars of a mode; ``window`` None averages over the whole pass, not longer."""
        scalars = runner.message_hub.log_scalars
        keys = list(scalars)
        if self._keys != keys:  # compared by identity, most of the time
            self._keys = keys
            self._columns = {of: self._columns_of(of, keys) for of in MODES}
        tag: dict[str, Any] = {}
        for key, name, is_averaged in self._columns[mode]:
            history = scalars[key]
            if is_averaged:
                tag[name] = history.mean(window or _pass_window(history, mode))
            else:
                tag[name] = history.current()
        for one in self.custom_cfg:
            self._add_custom(tag, dict(one), scalars, mode)
        return tag

    def _columns_of(self, mode: str, keys: Sequence[str]) -> list[tuple[str, str, bool]]:
        """Key, name in a line, and whether it is averaged, of the scalars of a mode."""
        prefix = scalar_key(mode, "")
        return [
            (
                key,
                key if self.log_with_hierarchy else key[len(prefix) :],
                self._mean_pattern.match(key) is not None,
            )
            for key in keys
            if key.startswith(prefix)
        ]

    def _add_custom(
        self, tag: dict[str, Any], one: dict[str, Any], scalars: Any, mode: str
    ) -> None:
        source = one.pop("data_src")
        history = scalars.get(scalar_key(mode, source))
        if history is None:
            return
        name = one.pop("log_name", source)
        if self.log_with_hierarchy:
            name = scalar_key(mode, name)
        if one.get("window_size") == "epoch":
            one["window_size"] = _pass_window(history, mode)
        elif one.get("window_size") == "global":
            one.pop("window_size")
        tag[name] = history.statistics(one.pop("method_name", "mean"), **one)

    def _named(self, mode: str, names: Sequence[str]) -> list[str]:
        return [scalar_key(mode, name) if self.log_with_hierarchy else name for name in names]

    def _text(self, value: Any) -> str:
        return f"{value:.{self.num_digits}f}" if isinstance(value, float) else str(value)

    def _where(self, runner: RunLike, batch_idx: int, mode: str) -> str:
        """``Epoch(train) [ 2][ 30/100]`` and its kin."""
        count = _num_batches(runner, mode)
        place = f"[{batch_idx + 1:>{len(str(count))}}/{count}]"
        if not (self.by_epoch and runner.counts_epochs):
            if mode == "train":
                last = runner.max_iters
                return f"Iter(train) [{runner.iter + 1:>{len(str(last))}}/{last}]"
            return f"Iter({mode}) {place}"
        if mode == "test":
            return f"Epoch(test) {place}"
        finished = runner.epoch if mode == "val" else runner.epoch + 1
        return f"Epoch({mode}) [{finished:>{len(str(runner.max_epochs or 0))}}]{place}"

    def _eta(self, runner: RunLike, batch_idx: int, mode: str) -> list[str]:
        history = runner.message_hub.log_scalars.get(scalar_key(mode, "time"))
        if history is None:
            return []
        if mode == "train":
            left = runner.max_iters - runner.iter - 1
        else:
            left = _num_batches(runner, mode) - batch_idx - 1
        seconds = history.mean() * max(left, 0)
        return [f"eta: {datetime.timedelta(seconds=int(seconds))}"]


def _pass_window(history: HistoryBuffer, mode: str) -> str | None:
    """The window that the loops open where an epoch, or a pass over evaluation data, begins."""
    name = "epoch" if mode == "train" else mode
    return name if name in history.window_names() else None


def _is_length(window: Any) -> bool:
    return isinstance(window, int) and not isinstance(window, bool) and window > 0


def _num_batches(runner: RunLike, mode: str) -> int:
    loop = getattr(runner, f"{mode}_loop")
    if mode != "train":
        return int(loop.num_batches)
    try:
        return len(loop.dataloader)
    except TypeError:  # data without a length
        return int(runner.max_iters)


def _non_scalars(runner: RunLike, mode: str) -> dict[str, Any]:
    info = runner.message_hub.runtime_info
    prefix = scalar_key(mode, "")
    return {key: value for key, value in info.items() if key.startswith(prefix)}


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _as_it_is(name: str) -> str:
    """A name as a part of a template."""
    return name.replace("%", "%%")


def _memory_mb() -> int | None:
    """The peak of memory that tensors took on the accelerator, in MB; None on a CPU."""
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # torch's own
        return None
    return int(torch.cuda.max_memory_allocated() // 2**20)
