"""One process, one device."""

from __future__ import annotations

import torch
from torch import nn

from tk_dist import get_device
from tk_registry import STRATEGIES

from ..model import revert_sync_batchnorm
from .strategy import BaseStrategy


@STRATEGIES.register_module()
class SingleDeviceStrategy(BaseStrategy):
    """Puts the model on the accelerator that is there, else leaves it on the CPU.

    Args:
        device: a device of the user's choice, which becomes the current one; ``None`` looks
            for an accelerator.
    """

    def __init__(self, device: str | torch.device | None = None) -> None:
        self._device = torch.device(device if device is not None else get_device())

    @property
    def device(self) -> torch.device:
        """Where this rank computes."""
        return self._device

    def place_model(self, model: nn.Module) -> nn.Module:
        """The model on the device; layers that synchronise over ranks become plain ones."""
        if ":" in str(self._device) and self._device.type != "cpu":
            # What is made without naming a device (seeds, streams, caches) is then made there.
            torch.get_device_module(self._device).set_device(self._device)
        return revert_sync_batchnorm(model).to(self._device)
