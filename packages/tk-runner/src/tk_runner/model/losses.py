"""From what a model calls its losses to one tensor to descend, and what to log. Nothing is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .errors import ModelTypeError

TOTAL = "loss"
OWN_PART = "loss_part"  # where a part that is itself called 'loss' is logged beside the total


def is_loss(name: str) -> bool:
    """Whether an entry of this name counts towards the total that is descended."""
    return TOTAL in name


def parse_losses(losses: Mapping[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
    """Add up everything with ``loss`` in its name.

    Args:
        losses: names to tensors or lists of tensors. A tensor counts with its
            mean, a list with the sum of its means. What is only logged may be a
            number.

    Returns:
        The total, with its graph; and the total as ``loss`` and every entry under its
        name, detached, on their devices. An entry that is itself called ``loss``
        is logged as ``loss_part`` where it is not the total.

    Raises:
        ModelTypeError: an entry is none of these, or nothing is a loss.
    """
    if not isinstance(losses, (dict, Mapping)):  # a dict first: to ask an ABC is slow
        raise ModelTypeError(
            f"a model in mode 'loss' returns a dict of losses, got {type(losses).__name__}"
        )
    if len(losses) == 1 and isinstance(total := losses.get(TOTAL), Tensor) and total.ndim == 0:
        return total, {TOTAL: total.detach()}  # the usual case, at each step
    names: list[Any] = list(losses)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise ModelTypeError(f"the name of a loss is a text, got {wrong[0]!r}; name it 'loss_...'")
    values = {
        name: value if isinstance(value, Tensor) and value.ndim == 0 else one_value(name, value)
        for name, value in losses.items()
    }
    parts = [value for name, value in values.items() if is_loss(name)]
    if not parts:
        raise ModelTypeError(
            f"none of {list(losses) or 'no entries'} has 'loss' in its name, so there is nothing "
            "to descend; name what is to be minimised 'loss' or 'loss_...'"
        )
    total = sum(parts[1:], parts[0])
    return total, logged(total, values)


def logged(total: Tensor, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The total and all values, detached, under names that nothing else has."""
    log_vars = {TOTAL: total.detach()}
    for name, value in values.items():
        if name != TOTAL:
            log_vars[name] = value.detach() if value.requires_grad else value
        elif value is not total:
            if OWN_PART in values:
                raise ModelTypeError(
                    f"the losses are called both {TOTAL!r} and {OWN_PART!r}, under which the first "
                    "is logged beside the total; rename one of them"
                )
            log_vars[OWN_PART] = value.detach()
    return log_vars


def one_value(name: str, value: Any) -> Tensor:
    """What one entry counts with."""
    if isinstance(value, Tensor):
        return _mean(value)
    if isinstance(value, (list, tuple)) and all(isinstance(one, Tensor) for one in value):
        means = [_mean(one) for one in value]
        return sum(means[1:], means[0]) if means else torch.zeros(())
    if isinstance(value, (int, float)) and not is_loss(name):
        return torch.tensor(float(value))
    raise ModelTypeError(
        f"the loss {name!r} is {_described(value)}; expected a tensor or a list of tensors: "
        "give parts of a dict names of their own, and keep numbers as tensors with their graph"
    )


def _mean(value: Tensor) -> Tensor:
    if value.ndim == 0:
        return value
    can_average = value.is_floating_point() or value.is_complex()
    return value.mean() if can_average else value.float().mean()


def _described(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        kinds = sorted({type(one).__name__ for one in value})
        return f"a {type(value).__name__} of {', '.join(kinds)}"
    return f"a {type(value).__name__}"
