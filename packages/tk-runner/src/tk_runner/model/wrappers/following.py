"""Distributed data parallel that follows what trains.

torch's class exchanges the gradients of the parameters that required one when it
was built. Parameters that are frozen later make it fail, and those that are
released later drift apart between ranks without a word. Here the exchange is
set up anew, on all ranks, by the first forward pass after such a change.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class FollowingDataParallel(DistributedDataParallel):
    """Exchanges the gradients of whatever requires one now.

    A module in which nothing does is called as it is.

    Args:
        module: whose gradients are averaged over ranks.
        **settings: of torch's ``DistributedDataParallel``.
    """

    def __init__(self, module: nn.Module, **settings: Any) -> None:
        self._set_up(module, settings)

    def _set_up(self, module: nn.Module, settings: dict[str, Any]) -> None:
        params = list(module.parameters())
        trained = [param.requires_grad for param in params]
        if any(trained):
            super().__init__(module, **settings)
        else:
            nn.Module.__init__(self)  # torch's class refuses a module without gradients
            self.module = module
            self.process_group = settings.get("process_group")  # type: ignore[assignment]  # None is all
            self.require_backward_grad_sync = True
        self._settings = settings
        self._params = params
        self._trained = trained

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        if self.training and torch.is_grad_enabled():
            self._follow()
        if not any(self._trained):
            return self.module(*inputs, **kwargs)
        return super().forward(*inputs, **kwargs)  # type: ignore[no-untyped-call]  # torch's own

    def _follow(self) -> None:
        """Set the exchange up anew where other parameters require a gradient than before."""
        if [param.requires_grad for param in self._params] == self._trained:
            return
        exchanges, training = self.require_backward_grad_sync, self.training
        self._set_up(self.module, self._settings)
        self.require_backward_grad_sync, self.training = exchanges, training
