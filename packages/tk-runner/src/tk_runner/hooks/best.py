"""Which validation was the best one, for each metric that is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InvalidSettingsError
from ..near_names import nearest
from .rules import Rule, infer_rule


class BestMetrics:
    """The best value of each watched metric, and the file that holds it.

    Args:
        indicators: names of metrics, or ``["auto"]`` for the first that is reported.
        rules: one for each indicator; ``None`` tells them from the names.
        greater_keys: parts of names that are better when greater.
        less_keys: parts of names that are better when less.
    """

    def __init__(
        self,
        indicators: Sequence[str],
        rules: Sequence[str] | None = None,
        greater_keys: Sequence[str] = (),
        less_keys: Sequence[str] = (),
    ) -> None:
        _check(indicators, rules)
        self._keys = (tuple(greater_keys), tuple(less_keys))
        self._given = list(rules) if rules is not None else None
        self._rules: dict[str, Rule] = {}
        self.is_auto = list(indicators) == ["auto"]
        self.scores: dict[str, float] = {}
        self.paths: dict[str, str] = {}
        if not self.is_auto:
            self._watch(indicators)

    def _watch(self, indicators: Sequence[str]) -> None:
        given = self._given or [None] * len(indicators)
        if len(given) == 1:
            given = given * len(indicators)
        for name, kind in zip(indicators, given, strict=True):
            self._rules[name] = Rule(kind) if kind else infer_rule(name, *self._keys)

    @property
    def indicators(self) -> list[str]:
        """The metrics that are watched."""
        return list(self._rules)

    def improved(self, metrics: Mapping[str, Any]) -> list[str]:
        """Take the metrics of a validation; the indicators that are better than ever come back.

        Raises:
            InvalidSettingsError: a watched metric was not reported.
        """
        if self.is_auto and not self._rules and metrics:
            self._watch([next(iter(metrics))])
        found = []
        for name, rule in self._rules.items():
            if name not in metrics:
                raise InvalidSettingsError(
                    f"save_best watches {name!r}, which the evaluators did not report; "
                    f"{nearest(name, list(metrics))}"
                )
            value = float(metrics[name])
            if rule.is_better(value, self.scores.get(name, rule.worst)):
                self.scores[name] = value
                found.append(name)
        return found

    def state_dict(self) -> dict[str, Any]:
        """Scores and files, by metric."""
        return {"scores": dict(self.scores), "paths": dict(self.paths)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on comparing with these."""
        self.scores = dict(state["scores"])
        self.paths = dict(state["paths"])
        if self.is_auto and self.scores:
            self._watch(list(self.scores))


def _check(indicators: Sequence[str], rules: Sequence[str] | None) -> None:
    found = []
    if "auto" in indicators and len(indicators) > 1:
        found.append("save_best has 'auto' beside other names; 'auto' stands alone")
    if len(set(indicators)) != len(indicators):
        found.append(f"save_best names a metric twice: {list(indicators)}")
    if rules is not None and len(rules) not in (1, len(indicators)):
        found.append(
            f"rule has {len(rules)} entries for {len(indicators)} metrics; give one for each"
        )
    if found:
        raise InvalidSettingsError.of(found)
