"""The parts of loading a checkpoint that libraries call one by one."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from torch import nn

from ...checkpoint import CheckpointLoader, load_weights, weights_of
from ...checkpoint.weights import WITHOUT_WRAPPER, KeyRules


def load_checkpoint_content(
    filename: str, map_location: Any = None, logger: logging.Logger | str | None = None
) -> dict[str, Any]:
    """The content of a checkpoint, from any place that ``CheckpointLoader`` knows."""
    return CheckpointLoader.load_checkpoint(filename, map_location or "cpu", logger)


def load_content_into_model(
    model: nn.Module,
    checkpoint: Mapping[str, Any],
    strict: bool = False,
    logger: logging.Logger | None = None,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
) -> Mapping[str, Any]:
    """Give a model the weights of a content that was read before; the content comes back."""
    weights = weights_of(dict(checkpoint))
    load_weights(model, weights, strict=strict, revise_keys=revise_keys, logger=logger)
    return checkpoint
