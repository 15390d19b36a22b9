"""`BaseModule`: placeholder while its initializers are written."""

from __future__ import annotations

from typing import Any

from torch import nn


class BaseModule(nn.Module):
    """A module that knows how its weights are initialised."""

    def __init__(self, init_cfg: Any = None) -> None:
        super().__init__()
        self.init_cfg = init_cfg

    def init_weights(self) -> None:
        """Initialise."""
