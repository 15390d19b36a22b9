"""The metrics of a run as a table: newest value, best value, and where that was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..hooks.best import known_rule
from ..hooks.runtime_info import is_number


class MetricBoard:
    """Compares every evaluation with the best before it.

    A metric of which neither class nor name says whether more or less is better
    has no best.
    """

    def __init__(self) -> None:
        self._now: dict[str, Any] = {}
        self._best: dict[str, float] = {}
        self._at: dict[str, str] = {}

    def add(self, metrics: Mapping[str, Any], at: str, loop: Any = None) -> None:
        """Take the metrics of an evaluation.

        Args:
            metrics: by name; what is no number is left out.
            at: where the run stands, for the table.
            loop: the evaluation loop, which knows what the metrics' classes say.
        """
        self._now = {name: float(value) for name, value in metrics.items() if is_number(value)}
        for name, value in self._now.items():
            rule = known_rule(name, loop)
            if rule is not None and rule.is_better(value, self._best.get(name)):
                self._best[name], self._at[name] = value, at

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Metric, newest value, best value, where it was."""
        return [
            (name, _text(value), _text(self._best.get(name)), self._at.get(name, "-"))
            for name, value in self._now.items()
        ]

    def state_dict(self) -> dict[str, Any]:
        """The best values and where they were."""
        return {"best": dict(self._best), "at": dict(self._at)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on comparing with these."""
        self._best, self._at = dict(state["best"]), dict(state["at"])


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
