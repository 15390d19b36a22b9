"""Stopwatches."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import Any, ClassVar

import torch

from tk_logging import print_log


class TimerError(Exception):
    """A stopwatch was asked that does not run."""


class Timer:
    """A stopwatch; as a context manager it prints the seconds of its block.

    Args:
        start: whether it runs from now on.
        print_tmpl: text with ``{:.3f}`` for the seconds.
    """

    def __init__(self, start: bool = True, print_tmpl: str | None = None) -> None:
        self._start: float | None = None
        self._last = 0.0
        self.print_tmpl = print_tmpl or "{:.3f}"
        if start:
            self.start()

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._start is not None

    def start(self) -> None:
        """Begin, where it does not run yet."""
        self._last = time.perf_counter()
        if self._start is None:
            self._start = self._last

    def since_start(self) -> float:
        """Seconds since the start.

        Raises:
            TimerError: it does not run.
        """
        self._last = self._now()
        return self._last - (self._start or 0.0)

    def since_last_check(self) -> float:
        """Seconds since it was asked or started last.

        Raises:
            TimerError: it does not run.
        """
        now = self._now()
        seconds, self._last = now - self._last, now
        return seconds

    def _now(self) -> float:
        if self._start is None:
            raise TimerError("the timer does not run; call start() first")
        return time.perf_counter()

    def __enter__(self) -> Timer:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        print(self.print_tmpl.format(self.since_last_check()))  # noqa: T201 - what it is for
        self._start = None


_TIMERS: dict[str, Timer] = {}


def check_time(timer_id: str) -> float:
    """Seconds since this was asked last with the same name; 0 at the first time."""
    if timer_id not in _TIMERS:
        _TIMERS[timer_id] = Timer()
        return 0.0
    return _TIMERS[timer_id].since_last_check()


class TimeCounter:
    """Logs the mean time of a function or a block; a decorator, or a context manager.

    Args:
        log_interval: calls from one line to the next.
        warmup_interval: first calls that do not count, at least 1.
        with_sync: whether the CUDA device is waited for, so that its work counts.
        tag: name in the line; a block needs one. Counters of one tag count together.
        logger: where the line goes; see ``print_log``.
    """

    _by_tag: ClassVar[dict[str, TimeCounter]] = {}

    count = 0
    seconds = 0.0

    def __new__(
        cls,
        log_interval: int = 1,
        warmup_interval: int = 1,
        with_sync: bool = True,
        tag: str | None = None,
        logger: logging.Logger | str | None = None,
    ) -> TimeCounter:
        """The counter of this tag, or a new one."""
        if tag is not None and tag in cls._by_tag:
            return cls._by_tag[tag]
        counter = super().__new__(cls)
        if tag is not None:
            cls._by_tag[tag] = counter
        return counter

    def __init__(
        self,
        log_interval: int = 1,
        warmup_interval: int = 1,
        with_sync: bool = True,
        tag: str | None = None,
        logger: logging.Logger | str | None = None,
    ) -> None:
        if warmup_interval < 1:
            raise AssertionError(f"warmup_interval must be at least 1, got {warmup_interval}")
        self.log_interval = log_interval
        self.warmup_interval = warmup_interval
        self.with_sync = with_sync
        self.tag = tag
        self.logger = logger
        self._entered = 0.0

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Count the calls of a function."""
        self.tag = self.tag or function.__name__

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call

    def __enter__(self) -> None:
        if self.tag is None:
            raise AssertionError("a TimeCounter around a block needs a tag")
        self._entered = self._now()

    def __exit__(self, *error: object) -> None:
        elapsed = self._now() - self._entered
        self.count += 1
        if self.count > self.warmup_interval:
            self.seconds += elapsed
            if self.count % self.log_interval == 0:
                mean = 1000 * self.seconds / (self.count - self.warmup_interval)
                print_log(f"[{self.tag}]-time per run averaged: {mean:.1f} ms", self.logger)

    def _now(self) -> float:
        if self.with_sync and torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.perf_counter()
