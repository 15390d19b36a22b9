"""Losses that a model reports while it predicts: split off, and averaged over the samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from tk_dist import all_gather_object


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


class MeanLosses:
    """Running sums that stay on the device until the means are asked for."""

    def __init__(self) -> None:
        self._sums: dict[str, Any] = {}
        self._count = 0

    def add(self, losses: Mapping[str, Any], count: int) -> None:
        """Take the losses of one batch of ``count`` samples; lists are summed."""
        self._count += count
        for name, value in losses.items():
            parts = value if isinstance(value, (list, tuple)) else [value]
            total = sum(_mean(part) for part in parts)
            self._sums[name] = self._sums.get(name, 0.0) + total * count

    def summary(self, mode: str) -> dict[str, float]:
        """Each loss's mean over the samples of all ranks, and their sum as ``<mode>_loss``."""
        names = list(self._sums)
        values = torch.stack([self._sums[name] for name in names]).tolist() if names else []
        totals: Counter[str] = Counter()
        count = 0
        for sums, samples in all_gather_object(
            (dict(zip(names, values, strict=True)), self._count)
        ):
            totals.update(sums)
            count += samples
        if not totals:
            return {}
        means = {name: total / count for name, total in totals.items()}
        means[f"{mode}_loss"] = sum(value for name, value in means.items() if "loss" in name)
        return means


def _mean(part: Any) -> torch.Tensor:
    tensor = torch.as_tensor(part).detach()
    wide = torch.float32 if tensor.device.type == "mps" else torch.float64  # it has no double
    return tensor.to(wide).mean()
