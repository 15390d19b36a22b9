"""Which validation was the best one, for each metric that is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tk_registry import did_you_mean

from ..checkpoint.file_names import file_part
from ..errors import InvalidSettingsError
from .rules import Rule, rule_for


class BestMetrics:
    """The best value of each watched metric, and the file that holds it.

    Args:
        indicators: names of metrics, or ``["auto"]`` for the first that is reported.
        rules: one for each indicator, or one for all; empty leaves the choice to
            the metrics' classes and names.
        greater_keys: parts of names that are better when greater.
        less_keys: parts of names that are better when less.
    """

    def __init__(
        self,
        indicators: Sequence[str],
        rules: Sequence[str] = (),
        greater_keys: Sequence[str] = (),
        less_keys: Sequence[str] = (),
    ) -> None:
        _check(indicators, rules)
        self.indicators = list(indicators)
        self._given = [Rule(kind) for kind in rules]
        self._keys = {"greater_keys": greater_keys, "less_keys": less_keys}
        self._rules: dict[str, Rule] = {}
        self.scores: dict[str, float] = {}
        self.paths: dict[str, str] = {}

    def choose_rules(self, val_loop: Any) -> None:
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

    def improved(self, metrics: Mapping[str, Any], val_loop: Any) -> list[str]:
        """Take the metrics of a validation; the indicators that are better than ever come back.

        One that is missing for once is passed over.

        Raises:
            InvalidSettingsError: a watched metric was never reported.
        """
        if self.indicators == ["auto"]:
            self.indicators = [next(iter(metrics))]
            self.choose_rules(val_loop)
        return [name for name in self.indicators if self._is_improved(name, metrics)]

    def _is_improved(self, name: str, metrics: Mapping[str, Any]) -> bool:
        if name not in metrics:
            if name in self.scores:
                return False
            raise InvalidSettingsError(
                f"save_best watches {name!r}, which the evaluators did not report; "
                f"{did_you_mean(name, metrics)}"
            )
        value = number_of(name, metrics[name])
        is_better = self._rules[name].is_better(value, self.scores.get(name))
        if is_better:
            self.scores[name] = value
        return is_better

    def file_part(self, name: str) -> str:
        """A metric's part of a file name, which no other watched metric has."""
        plain = file_part(name)
        shares_it = any(file_part(one) == plain for one in self.indicators if one != name)
        return file_part(name, marked=True) if shares_it else plain

    def state_dict(self) -> dict[str, Any]:
        """Scores and files, by metric."""
        return {"scores": dict(self.scores), "paths": dict(self.paths)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on comparing with these."""
        self.scores = dict(state["scores"])
        self.paths = dict(state["paths"])
        if self.indicators == ["auto"] and self.scores:
            self.indicators = list(self.scores)


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
