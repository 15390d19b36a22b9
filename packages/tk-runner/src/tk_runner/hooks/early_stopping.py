"""Ends a training that does not get better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tk_registry import HOOKS, check_values, count, did_you_mean, one_of, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .best import Rule, number_of, rule_for
from .hook import Hook


@HOOKS.register_module()
@value_rules(patience=count(1), rule=one_of("greater", "less"))
class EarlyStoppingHook(Hook):
    """Stops when a metric has not improved for ``patience`` validations.

    Args:
        monitor: name of the metric.
        rule: ``greater`` or ``less`` is better; by default what the metric's
            class declares, else told from its name.
        min_delta: what counts as an improvement must be more than this.
        strict: a metric that is missing is an error, not a warning.
        check_finite: stop when the metric is NaN or infinite.
        patience: validations without an improvement that are still waited for.
        stopping_threshold: stop when the metric is as good as this.
    """

    priority = "LOW"  # before the checkpoint, which saves the count

    def __init__(
        self,
        monitor: str,
        rule: str | None = None,
        min_delta: float = 0.0,
        strict: bool = False,
        check_finite: bool = True,
        patience: int = 5,
        stopping_threshold: float | None = None,
    ) -> None:
        check_values(EarlyStoppingHook, locals(), InvalidSettingsError)
        self.monitor = monitor
        self.rule = Rule(rule) if rule is not None else None
        self.min_delta = abs(min_delta)
        self.strict = strict
        self.check_finite = check_finite
        self.patience = patience
        self.stopping_threshold = stopping_threshold
        self.best: float | None = None
        self.wait = 0

    def state_dict(self) -> dict[str, Any]:
        """The best value so far, and how long it has stood."""
        return {"best": self.best, "wait": self.wait}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on counting."""
        self.best = state_dict["best"]
        self.wait = int(state_dict["wait"])

    def before_train(self, runner: RunLike) -> None:
        """Settle what is better; a training that was stopped is not taken up again."""
        if not hasattr(runner.train_loop, "stop_training"):
            raise InvalidSettingsError(
                f"{type(runner.train_loop).__name__} has no attribute stop_training, so "
                "EarlyStoppingHook cannot end it; look at it in the loop, or drop the hook"
            )
        if self.rule is None:
            self.rule = rule_for(self.monitor, runner.val_loop)
        if self.wait >= self.patience:
            self._stop(runner, f"{self.monitor} did not improve for {self.wait} validations")

    def after_val_epoch(self, runner: RunLike, metrics: dict[str, float] | None = None) -> None:
        """Compare, and stop the train loop where waiting is over."""
        if runner.train_loop is None or self.rule is None:
            return
        if self.monitor not in (metrics or {}):
            self._miss(runner, metrics or {})
            return
        value = number_of(self.monitor, (metrics or {})[self.monitor])
        reason = self._reason_to_stop(value, self.rule)
        if reason:
            self._stop(runner, reason)

    @staticmethod
    def _stop(runner: RunLike, reason: str) -> None:
        runner.logger.info("training stops early: %s", reason)
        if runner.train_loop is not None:
            runner.train_loop.stop_training = True

    def _reason_to_stop(self, value: float, rule: Rule) -> str | None:
        if self.check_finite and not math.isfinite(value):
            return f"{self.monitor} is {value}"
        threshold = self.stopping_threshold
        if threshold is not None and (value == threshold or rule.is_better(value, threshold)):
            return f"{self.monitor} is {value}, which is as good as {threshold}"
        if rule.is_better(value, self.best, by=self.min_delta):
            self.best, self.wait = value, 0
            return None
        self.wait += 1
        if self.wait < self.patience:
            return None
        return f"{self.monitor} was {self.best} {self.wait} validations ago and did not improve"

    def _miss(self, runner: RunLike, metrics: Mapping[str, Any]) -> None:
        text = (
            f"EarlyStoppingHook monitors {self.monitor!r}, which the evaluators did not report; "
            f"{did_you_mean(self.monitor, metrics)}"
        )
        if self.strict:
            raise InvalidSettingsError(text)
        runner.logger.warning(text)
