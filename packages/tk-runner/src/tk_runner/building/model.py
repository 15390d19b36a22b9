"""The model of a run: built, given its data preprocessor, able to make a train step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from tk_registry import MODELS

from ..errors import InvalidSettingsError
from ..model import ModelWithLoss, as_trainable


def build_model(model: Any, data_preprocessor: Any = None, loss: Any = None) -> nn.Module:
    """A model with ``train_step``, ``val_step`` and ``test_step``.

    A plain ``nn.Module`` that returns a loss (or a mapping or object with one)
    is put behind a thin adapter; one that only predicts needs a ``loss``.

    Raises:
        InvalidSettingsError: a loss for a model that has its own.
        TypeError: neither a module nor a mapping.
    """
    if loss is not None:
        return _with_loss(model, loss, data_preprocessor)
    if isinstance(model, Mapping):
        defaults = {} if data_preprocessor is None else {"data_preprocessor": data_preprocessor}
        return as_trainable(MODELS.build(model, default_args=defaults))
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a module or the config of one, got {type(model).__name__}")
    return as_trainable(model, data_preprocessor=data_preprocessor)


def _with_loss(model: Any, loss: Any, data_preprocessor: Any) -> nn.Module:
    network = MODELS.build(model) if isinstance(model, Mapping) else model
    if hasattr(network, "train_step"):
        raise InvalidSettingsError(
            f"{type(network).__name__} computes its own loss, and loss={loss!r} is given beside "
            "it; remove one of them"
        )
    return ModelWithLoss(network, loss, data_preprocessor=data_preprocessor)
