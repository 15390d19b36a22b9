"""From what a model calls its losses to one tensor to descend, and what to log. Nothing is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor


def parse_losses(losses: Mapping[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
    """Add up everything with ``loss`` in its name.

    Args:
        losses: names to tensors, numbers, or lists of tensors. A tensor counts
            with its mean, a list with the sum of its means.

    Returns:
        The total, with its graph; and every entry and the total as ``loss``,
        detached, on the device.

    Raises:
        TypeError: an entry is none of these, or nothing is a loss.
    """
    if not isinstance(losses, Mapping):
        raise TypeError(
            f"a model in mode 'loss' returns a dict of losses, got {type(losses).__name__}"
        )
    values = {name: _one_value(name, value) for name, value in losses.items()}
    parts = [value for name, value in values.items() if "loss" in name]
    if not parts:
        raise TypeError(
            f"none of {list(losses) or 'no entries'} has 'loss' in its name, so there is nothing "
            "to descend; name what is to be minimised 'loss' or 'loss_...'"
        )
    total = parts[0] if len(parts) == 1 else sum(parts[1:], parts[0])
    # A part that is itself called 'loss' keeps its own value under 'loss' when it stands alone.
    log_vars = {"loss": total.detach()}
    log_vars.update({name: value.detach() for name, value in values.items() if name != "loss"})
    return total, log_vars


def _one_value(name: str, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value if value.ndim == 0 else value.mean()
    if isinstance(value, (list, tuple)) and value:
        means = [_one_value(name, one) for one in value]
        return sum(means[1:], means[0])
    if isinstance(value, (int, float)):
        return torch.tensor(float(value))
    raise TypeError(
        f"the loss {name!r} is a {type(value).__name__}; expected a tensor, a number or a list of tensors"
    )
