"""Which of two values of a metric is better, and which validation was the best one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tk_registry import did_you_mean

from ..checkpoint.file_names import bare_file_name, file_part
from ..errors import InvalidSettingsError
from ..interfaces.loops import EvaluationLoopLike

GREATER = (
    "acc",
    "accuracy",
    "top",
    "AR@",
    "auc",
    "precision",
    "recall",
    "f1",
    "mAP",
    "mDice",
    "mIoU",
    "iou",
    "mAcc",
    "aAcc",
    "dice",
)
LESS = ("loss", "error", "err", "mae", "mse", "rmse", "perplexity", "ppl", "fid")


@dataclass(frozen=True)
class Rule:
    """``greater`` or ``less`` is better."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in ("greater", "less"):
            raise InvalidSettingsError(f"rule={self.kind!r}: use 'greater' or 'less'")

    def is_better(self, new: float, old: float | None, by: float = 0.0) -> bool:
        """Whether ``new`` beats ``old`` by more than ``by``; any number beats None."""
        if math.isnan(new) or old is None:
            return not math.isnan(new)
        return new > old + by if self.kind == "greater" else new < old - by


def rule_for(
    metric: str,
    val_loop: EvaluationLoopLike | None = None,
    *,
    greater_keys: Sequence[str] = (),
    less_keys: Sequence[str] = (),
) -> Rule:
    """The rule of a metric: what the user says, else its class, else its name.

    The user's keys are a whole name or a part of it. In a name, words that mean
    an error come before those that mean a success: ``top1_error`` is an error.

    Args:
        metric: name of the metric.
        val_loop: whose ``rule_of`` is asked what the evaluator declares.
        greater_keys: the user's names of what is better when greater.
        less_keys: the user's names of what is better when less.

    Raises:
        InvalidSettingsError: the name says nothing.
    """
    name = metric.rpartition("/")[2].lower()
    for keys, kind in ((greater_keys, "greater"), (less_keys, "less")):
        if any(key.lower() in (metric.lower(), name) or key.lower() in name for key in keys):
            return Rule(kind)
    declared = val_loop.rule_of(metric) if val_loop is not None else None
    if declared is not None:
        return Rule(declared)
    words = [word for word in re.split(r"[^a-z@]+", name) if word]
    if any(word in LESS for word in words):
        return Rule("less")
    if any(key.lower() in name for key in GREATER):
        return Rule("greater")
    if any(key in name for key in LESS):
        return Rule("less")
    raise InvalidSettingsError(
        f"neither the metric's class nor its name says whether {metric!r} is better when greater "
        "or less; give rule='greater' or rule='less', or set greater_is_better in the class"
    )


def known_rule(metric: str, loop: EvaluationLoopLike | None = None) -> Rule | None:
    """The rule of a metric; None where neither its class nor its name says one."""
    try:
        return rule_for(metric, loop)
    except InvalidSettingsError:
        return None


class BestMetrics:
    """The best values of each watched metric, and the files that hold them.

    Args:
        indicators: names of metrics, or ``["auto"]`` for the first that is reported.
        rules: one for each indicator, or one for all; empty leaves the choice to
            the metrics' classes and names.
        greater_keys: parts of names that are better when greater.
        less_keys: parts of names that are better when less.
        num_kept: how many files of each metric are kept.
    """

    def __init__(
        self,
        indicators: Sequence[str],
        rules: Sequence[str] = (),
        greater_keys: Sequence[str] = (),
        less_keys: Sequence[str] = (),
        num_kept: int = 1,
    ) -> None:
        _check(indicators, rules)
        self.indicators = list(indicators)
        self.num_kept = num_kept
        self._given = [Rule(kind) for kind in rules]
        self._keys = {"greater_keys": greater_keys, "less_keys": less_keys}
        self._rules: dict[str, Rule] = {}
        self._ranked: dict[str, list[tuple[float, str]]] = {}  # the best first

    @property
    def scores(self) -> dict[str, float]:
        """The best value of each metric so far."""
        return {metric: entries[0][0] for metric, entries in self._ranked.items()}

    @property
    def paths(self) -> dict[str, str]:
        """The file of the best value of each metric."""
        return {metric: entries[0][1] for metric, entries in self._ranked.items()}

    @property
    def names(self) -> list[str]:
        """All files that hold one of the best values of a metric."""
        return [name for entries in self._ranked.values() for _, name in entries]

    def choose_rules(self, val_loop: EvaluationLoopLike | None) -> None:
        """Settle what is better, before time is spent; ``auto`` waits for the first metrics.

        Raises:
            InvalidSettingsError: it cannot be known for one of the metrics.
        """
        for place, name in enumerate(self.indicators):
            if name == "auto":
                continue
            if self._given:
                self._rules[name] = self._given[place if len(self._given) > 1 else 0]
            else:
                self._rules[name] = rule_for(name, val_loop, **self._keys)

    def improved(
        self, metrics: Mapping[str, Any], val_loop: EvaluationLoopLike | None
    ) -> dict[str, float]:
        """The metrics of a validation whose values are among the best, with these values.

        One that is missing for once is passed over.

        Raises:
            InvalidSettingsError: a watched metric was never reported.
        """
        if self.indicators == ["auto"]:
            self.indicators = [next(iter(metrics))]
            self.choose_rules(val_loop)
        values = {name: self._value(name, metrics) for name in self.indicators}
        return {
            name: value
            for name, value in values.items()
            if value is not None and self._is_among_the_best(name, value)
        }

    def _value(self, name: str, metrics: Mapping[str, Any]) -> float | None:
        if name in metrics:
            return number_of(name, metrics[name])
        if name in self._ranked:
            return None
        raise InvalidSettingsError(
            f"save_best watches {name!r}, which the evaluators did not report; "
            f"{did_you_mean(name, list(metrics))}"
        )

    def _is_among_the_best(self, metric: str, value: float) -> bool:
        entries = self._ranked.get(metric, [])
        beaten = entries[-1][0] if len(entries) >= self.num_kept else None
        return self._rules[metric].is_better(value, beaten)

    def add(self, metric: str, value: float, name: str) -> list[str]:
        """Note the file of one of the best values; names of files that are so no more come back."""
        rule = self._rules[metric]
        entries = [entry for entry in self._ranked.get(metric, []) if entry[1] != name]
        place = sum(not rule.is_better(value, other) for other, _ in entries)
        entries.insert(place, (value, name))
        self._ranked[metric] = entries[: self.num_kept]
        return [old for _, old in entries[self.num_kept :] if old not in self.names]

    def file_part(self, name: str) -> str:
        """A metric's part of a file name, which no other watched metric has."""
        plain = file_part(name)
        shares_it = any(file_part(other) == plain for other in self.indicators if other != name)
        return file_part(name, marked=True) if shares_it else plain

    def state_dict(self) -> dict[str, Any]:
        """Values and files, by metric."""
        ranked = {metric: [list(entry) for entry in kept] for metric, kept in self._ranked.items()}
        return {"scores": self.scores, "paths": self.paths, "ranked": ranked}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on comparing with these.

        Raises:
            CheckpointError: a file in it is not a bare name.
        """
        single = {name: [(score, state["paths"][name])] for name, score in state["scores"].items()}
        self._ranked = {
            metric: [(float(score), bare_file_name(name)) for score, name in entries]
            for metric, entries in state.get("ranked", single).items()
            if entries
        }
        if self.indicators == ["auto"] and self._ranked:
            self.indicators = list(self._ranked)


def number_of(metric: str, value: Any) -> float:
    """The value of a metric that is compared.

    Raises:
        InvalidSettingsError: it is no number.
    """
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InvalidSettingsError(
            f"the metric {metric!r} is {value!r}, which is no number, so no validation can be the "
            "best by it; watch another metric, or let this one give a number"
        ) from error


def _check(indicators: Sequence[str], rules: Sequence[str]) -> None:
    found = []
    if "auto" in indicators and len(indicators) > 1:
        found.append("save_best has 'auto' beside other names; 'auto' stands alone")
    if len(set(indicators)) != len(indicators):
        found.append(f"save_best names a metric twice: {list(indicators)}")
    if len(rules) not in (0, 1, len(indicators)):
        found.append(
            f"rule has {len(rules)} entries for {len(indicators)} metrics; give one for each"
        )
    if found:
        raise InvalidSettingsError.of(found)
