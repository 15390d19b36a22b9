"""Which trainable parameters a loss does not reach."""

from __future__ import annotations

import logging

from torch import Tensor, nn

from .errors import ModelTypeError

logger = logging.getLogger("tk.runner")


def detect_anomalous_params(loss: Tensor, model: nn.Module) -> list[str]:
    """Name the trainable parameters that are not in the graph of ``loss``, and log each.

    Raises:
        ModelTypeError: the loss is no tensor.
    """
    if not isinstance(loss, Tensor):
        raise ModelTypeError(
            f"expected the total loss as a tensor, got {type(loss).__name__}; "
            "parse_losses() makes one"
        )
    reached = _parameters_behind(loss)
    unused = []
    for name, param in model.named_parameters():
        if param.requires_grad and id(param) not in reached:
            unused.append(name)
            logger.error("%s %s is not in the graph of the loss", name, tuple(param.shape))
    return unused


def _parameters_behind(loss: Tensor) -> set[int]:
    """Ids of the leaves of a graph; walked without recursion, so that depth does not matter."""
    found: set[int] = {id(loss)}
    seen = set()
    waiting = [loss.grad_fn] if loss.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        waiting.extend(below for below, _ in node.next_functions if below is not None)
    return found
