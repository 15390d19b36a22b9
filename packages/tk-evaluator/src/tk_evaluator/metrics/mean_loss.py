"""The mean of a loss over a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import value_rules

from ..errors import FieldError
from ..exact_sum import exact_sum, ratio
from ..fields import column, numbers, stacked
from ..metric import BaseMetric


@value_rules()  # its arguments mean what they mean in the base
class MeanLoss(BaseMetric):
    """The mean over samples of what the model reports as its loss; the result is named ``mean``.

    A loss may come with each sample. Where a batch has only its mean, the
    predictions are a mapping with the loss and with the number of samples
    behind it, so that a smaller last batch counts for less.

    Args:
        loss: field of the loss.
        num_samples: field of the number of samples behind a batch's mean.
        collect_device: as for `BaseMetric`.
        prefix: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    default_prefix = "loss"
    greater_is_better = {"mean": False}  # noqa: RUF012

    def __init__(
        self,
        *,
        loss: str = "loss",
        num_samples: str = "num_samples",
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        super().__init__(collect_device, prefix, collect_dir)
        self._loss, self._num_samples = loss, num_samples

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store the loss of each sample with weight 1, or of the batch with its weight."""
        values = _stacked_or_scalar(column(self._loss, data_samples, data_batch, option="loss"))
        if values.ndim > 0:
            flat = values.reshape(len(values), -1)
            if len(flat) and flat.shape[1] != 1:
                raise FieldError(
                    f"{self._loss!r} holds {flat.shape[1]} values a sample where one is expected; "
                    "reduce the loss to one number a sample"
                )
            self.results += [(float(value), 1) for value in flat.ravel()]
            return
        if not isinstance(data_samples, Mapping) or self._num_samples not in data_samples:
            raise FieldError(
                f"{self._loss!r} is the mean of a batch, and nothing says of how many samples; "
                f"add {self._num_samples!r} to the mapping, or give one loss a sample"
            )
        weight = int(data_samples[self._num_samples])
        self.results.append((float(values) * weight, weight))

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """``mean``, weighted by samples."""
        weight = sum(count for _, count in results)
        return {"mean": ratio(exact_sum(loss for loss, _ in results), weight)}


def _stacked_or_scalar(values: Any) -> Any:
    """A column as an array; a single number as an array without axes."""
    has_length = getattr(values, "ndim", None) != 0 and hasattr(values, "__len__")
    return stacked(values) if has_length else numbers(values).astype(float)
