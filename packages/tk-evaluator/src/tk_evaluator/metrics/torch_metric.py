"""Any metric of torchmetrics, as one of ours.

The metric reduces its own state batch by batch, so nothing grows with the data
set that the metric itself does not keep. Ranks meet once, at the end: the
states travel to rank 0 and are reduced there as each state declares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from tk_fileio import require
from tk_registry import value_rules

from ..errors import SettingsError
from ..fields import check_same_length, column
from ..metric import BaseMetric, Rule
from ..to_cpu import to_cpu

State = dict[str, Any]


@value_rules()  # its arguments mean what they mean in the base
class TorchMetric(BaseMetric):
    """Feeds a torchmetrics metric, or a collection of them, and computes it over all ranks.

    With one process the value is the metric's own. With several, sums of floats
    may differ in their last bits by the number of ranks, as the states are sums;
    duplicates cannot be told apart, so the loader must not pad.

    Args:
        metric: a metric, or its dotted name below ``torchmetrics``, such as
            ``"classification.MulticlassAccuracy"``.
        options: arguments for a metric given by name.
        pred: field that the metric takes first.
        target: field that the metric takes second.
        update: ``update(metric, data_batch, data_samples)`` feeds one batch, for
            metrics that take something else than two stacked fields.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`; by default ``torchmetrics``.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "torchmetrics"
    per_sample = False

    def __init__(
        self,
        metric: Any,
        *,
        options: Mapping[str, Any] | None = None,
        pred: str = "pred_score",
        target: str = "gt_label",
        update: Callable[[Any, Any, Any], None] | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        super().__init__(collect_device, prefix, collect_dir)
        self.metric = _by_name(metric, dict(options or {})) if isinstance(metric, str) else metric
        self._pred, self._target = pred, target
        self._update = update or self._update_with_fields
        for part in self._parts():
            part.distributed_available_fn = _never  # ranks meet in evaluate(), not in compute()

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Let the metric take in one batch."""
        self._update(self.metric, data_batch, data_samples)

    def evaluate(self, size: int) -> dict[str, Any]:
        """As for `BaseMetric`; what travels is one state a rank."""
        if hasattr(self.metric, "items"):
            list(self.metric.items())  # members of a group see the state that they share
        self.results = [[(part.update_count, _state_of(part)) for part in self._parts()]]
        return super().evaluate(size)

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """The value by name: the metric's class, or the names of a collection or dict."""
        for part, *states in zip(self._parts(), *results, strict=True):
            _load(part, states)
        value = self.metric.compute()
        return value if isinstance(value, dict) else {type(self.metric).__name__: value}

    def reset(self) -> None:
        """Forget what the metric has taken in."""
        super().reset()
        self.metric.reset()

    def rule_of(self, name: str) -> Rule | None:
        """What the metric itself declares as better."""
        parts = {type(part).__name__: part for part in self._parts()}
        part = parts.get(name, next(iter(parts.values())) if len(parts) == 1 else None)
        is_greater = getattr(part, "higher_is_better", None)
        return None if is_greater is None else "greater" if is_greater else "less"

    def _parts(self) -> list[Any]:
        """The metric and those inside it, in an order that is the same on every rank."""
        return [part for part in self.metric.modules() if hasattr(part, "update_count")]

    def _update_with_fields(self, metric: Any, data_batch: Any, data_samples: Any) -> None:
        pred = column(self._pred, data_samples, data_batch, option="pred")
        target = column(self._target, data_samples, data_batch, option="target")
        check_same_length({"pred": pred, "target": target})
        metric.update(_tensor(pred), _tensor(target))


def _never() -> bool:
    return False


def _tensor(values: Any) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        return values
    return torch.stack([torch.as_tensor(value) for value in values])


def _state_of(part: Any) -> State:
    state: State = to_cpu(dict(part.metric_state))
    return state


def _load(part: Any, states: list[tuple[int, State]]) -> None:
    """Give ``part`` the states of all ranks, reduced; one state is taken as it is."""
    filled = [state for count, state in states if count] or [states[0][1]]
    for name, first in filled[0].items():
        setattr(part, name, _reduced([state[name] for state in filled], part._reductions[name]))
        if isinstance(first, torch.Tensor):
            setattr(part, name, getattr(part, name).to(part.device))
    part._update_count = sum(count for count, _ in states)
    part._computed = None


def _reduced(values: list[Any], reduction: Callable[[torch.Tensor], torch.Tensor] | None) -> Any:
    if len(values) == 1:
        return values[0]
    if isinstance(values[0], list):
        return [item for value in values for item in value]
    stacked = torch.stack(values)
    return stacked if reduction is None else reduction(stacked)


def _by_name(name: str, options: dict[str, Any]) -> Any:
    package = require(
        "torchmetrics", install="tk-evaluator[torchmetrics]", purpose=f"the metric {name!r}"
    )
    found: Any = package
    for part in name.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, package.Metric)):
        raise SettingsError(
            f"torchmetrics has no metric {name!r}; give the dotted name of a metric class below "
            "torchmetrics, such as 'classification.MulticlassAccuracy'"
        )
    return found(**options)
