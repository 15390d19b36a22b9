"""Weights out of a checkpoint."""

from __future__ import annotations

import logging
from typing import Any

from torch import nn

from tk_registry import WEIGHT_INITIALIZERS, did_you_mean

from ...checkpoint import load_checkpoint, load_state_dict, read_checkpoint
from ..errors import InitializationError
from .record import update_init_info

logger = logging.getLogger("tk.runner")


@WEIGHT_INITIALIZERS.register_module(name="Pretrained")
class PretrainedInit:
    """Loads weights; what does not fit is reported and left as it is.

    On the meta device nothing is loaded.

    Args:
        checkpoint: a path or a URI.
        prefix: take only the weights below this name, and drop it from theirs.
        map_location: where the file's tensors go first.
    """

    def __init__(
        self, checkpoint: str, prefix: str | None = None, map_location: Any = "cpu"
    ) -> None:
        self.checkpoint = checkpoint
        self.prefix = prefix
        self.map_location = map_location

    def __call__(self, module: nn.Module) -> None:
        """Load into ``module``.

        Raises:
            InitializationError: nothing in the file is below the prefix.
        """
        if any(param.is_meta for param in module.parameters()):
            logger.info("%r is not loaded: the model is on the meta device", self)
        elif self.prefix is None:
            load_checkpoint(module, self.checkpoint, map_location=self.map_location)
        else:
            load_state_dict(module, self._below(self.prefix.removesuffix(".")))
        update_init_info(module, self._get_init_info())

    def _below(self, prefix: str) -> dict[str, Any]:
        content = read_checkpoint(self.checkpoint, map_location=self.map_location)
        weights = content.get("state_dict", content)
        found = {
            name.removeprefix(f"{prefix}."): value
            for name, value in weights.items()
            if name.startswith(f"{prefix}.")
        }
        if not found:
            known = {name.rpartition(".")[0] for name in weights} - {""}
            raise InitializationError(
                f"no weight of {self.checkpoint} is below prefix={prefix!r}; "
                f"{did_you_mean(prefix, known)}"
            )
        return found

    def _get_init_info(self) -> str:
        return f"loaded from {self.checkpoint}" + (f", below {self.prefix}" if self.prefix else "")

    def __repr__(self) -> str:
        return f"PretrainedInit({self._get_init_info()})"
