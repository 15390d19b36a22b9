"""Losses that a model reports while it predicts: split off, and averaged over the samples."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from tk_dist import all_gather_object

from ..model.losses import is_loss

logger = logging.getLogger("tk.runner")


def split_losses(outputs: Any) -> tuple[Any, Mapping[str, Any] | None]:
    """Part predictions from losses.

    A model reports losses by a last element of its outputs that holds nothing
    but ``loss``: a tensor, or a mapping from names to tensors.
    """
    if not isinstance(outputs, Sequence) or isinstance(outputs, str) or not outputs:
        return outputs, None
    last = outputs[-1]
    if not hasattr(last, "keys") or list(last.keys()) != ["loss"]:
        return outputs, None
    loss = last["loss"] if isinstance(last, Mapping) else last.loss
    return outputs[:-1], loss if isinstance(loss, Mapping) else {"loss": loss}


def count_samples(data: Any, outputs: Any) -> int | None:
    """The samples of a batch, as far as its shape tells; None where it does not.

    A tensor has them along its first dimension; a list or tuple as a whole
    batch holds columns, and as a field of a batch it holds samples.
    """
    columns = data
    if isinstance(data, Mapping):
        columns = list(data.values())
    elif isinstance(data, torch.Tensor):
        columns = [data]
    for column in columns if isinstance(columns, (list, tuple)) else ():
        if isinstance(column, torch.Tensor) and column.ndim:
            return len(column)
        if isinstance(column, (list, tuple)) and column:
            return len(column)
    return len(outputs) if isinstance(outputs, list) and outputs else None


class MeanLosses:
    """Running sums that stay on the device until the means are asked for."""

    def __init__(self) -> None:
        self._sums: dict[str, Any] = {}
        self._counts: Counter[str] = Counter()
        self._is_warned = False

    def add(self, losses: Mapping[str, Any], count: int | None) -> None:
        """Take the losses of one batch of ``count`` samples; lists are summed."""
        if count is None:
            count = 1
            self._warn_of_batch_means()
        for name, value in losses.items():
            parts = value if isinstance(value, (list, tuple)) else [value]
            total = sum(_mean(part) for part in parts)
            self._sums[name] = self._sums.get(name, 0.0) + total * count
            self._counts[name] += count

    def _warn_of_batch_means(self) -> None:
        if not self._is_warned:
            self._is_warned = True
            logger.warning(
                "nothing tells how many samples a batch has, so the loss of this evaluation is "
                "the mean of its batches, each counted alike; give batches that hold tensors or "
                "lists, or one prediction for each sample"
            )

    def summary(self, mode: str) -> dict[str, float]:
        """Each loss's mean over the samples of all ranks, and their sum as ``<mode>_loss``."""
        names = list(self._sums)
        values = torch.stack([self._sums[name] for name in names]).tolist() if names else []
        totals: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        own = (dict(zip(names, values, strict=True)), self._counts)
        for sums, samples in all_gather_object(own):
            totals.update(sums)
            counts.update(samples)
        if not totals:
            return {}
        means = {name: total / counts[name] for name, total in totals.items()}
        means[f"{mode}_loss"] = sum(value for name, value in means.items() if is_loss(name))
        return means


def _mean(part: Any) -> torch.Tensor:
    tensor = torch.as_tensor(part).detach()
    wide = torch.float32 if tensor.device.type == "mps" else torch.float64  # it has no double
    return tensor.to(wide).mean()
