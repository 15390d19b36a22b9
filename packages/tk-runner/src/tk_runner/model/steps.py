"""The steps of a model, once for the model itself and for what wraps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from .errors import ModelTypeError


def call_with(call: Callable[..., Any], batch: Any, mode: str) -> Any:
    """``call`` with a batch: a mapping by name, a list or a tuple by position.

    Raises:
        ModelTypeError: the batch is none of these.
    """
    if isinstance(batch, Mapping):
        return call(**batch, mode=mode)
    if isinstance(batch, (list, tuple)):
        return call(*batch, mode=mode)
    raise ModelTypeError(
        f"a batch is a dict, a list or a tuple for forward(), got {type(batch).__name__}; let the "
        "data preprocessor or the collate function make one"
    )


def run_train_step(
    model: Any,
    batch: Any,
    optim_wrapper: Any,
    *,
    context: nn.Module,
    losses_of: Callable[[Any], Any],
    watch: Callable[[Tensor], object] | None = None,
) -> dict[str, Tensor]:
    """One step of training; the losses to log come back, unread.

    Args:
        model: has the data preprocessor and ``parse_losses``.
        batch: as the loader gives it.
        optim_wrapper: updates the weights.
        context: what the optimizer's context is about: the model or its wrapper.
        losses_of: gives the losses of a preprocessed batch.
        watch: is shown the total before it is descended.
    """
    manager = optim_wrapper.optim_context(context)
    if type(manager) is nullcontext:  # as without accumulation and mixed precision: cheaper
        losses = losses_of(model.data_preprocessor(batch, True))
    else:
        with manager:
            losses = losses_of(model.data_preprocessor(batch, True))
    total, log_vars = model.parse_losses(losses)
    if not total.requires_grad and torch.is_grad_enabled():
        raise ModelTypeError(
            "the loss has no gradient, so nothing can be trained by it: it was detached, made of "
            "numbers or integers, or computed without parameters that are trained; return the "
            "tensor as the computation gave it"
        )
    if watch is not None:
        watch(total)
    optim_wrapper.update_params(total)
    result: dict[str, Tensor] = log_vars
    return result
