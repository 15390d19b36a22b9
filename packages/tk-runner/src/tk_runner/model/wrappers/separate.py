"""Distributed data parallel for each part of a model on its own, for several optimizers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from tk_dist import get_local_device
from tk_registry import MODEL_WRAPPERS

from ..errors import ModelSettingsError
from ..sharing import share_state
from ..transparent import TransparentModule
from .buffers import with_known_names
from .following import FollowingDataParallel


class PartDataParallel(TransparentModule, FollowingDataParallel):
    """One wrapped part of a model; its weights keep their names in state dicts."""


@MODEL_WRAPPERS.register_module()
class MMSeparateDistributedDataParallel(nn.Module):
    """Wraps each direct child that is trained; the model's own ``train_step`` calls them.

    Frozen children and those without parameters are only moved, and get the
    values of rank 0; a child that is released is wrapped by the next train step.

    Args:
        module: the model, with ``train_step``, ``val_step`` and ``test_step``.
        broadcast_buffers: of torch's ``DistributedDataParallel``.
        find_unused_parameters: of the same.
        **kwargs: of the same.

    Raises:
        ModelSettingsError: trainable parameters belong to no child, or to two.
    """

    def __init__(
        self,
        module: nn.Module,
        broadcast_buffers: bool = False,
        find_unused_parameters: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        _refuse_unwrappable(module)
        device = get_local_device()
        settings = {
            "broadcast_buffers": broadcast_buffers,
            "find_unused_parameters": find_unused_parameters,
            **kwargs,
        }
        self._settings = with_known_names(settings)
        self._frozen = dict(module.named_children())  # children that nothing exchanges
        self.module = module
        for child in self._frozen.values():
            child.to(device)
        self._wrap_what_trains()
        for child in self._frozen.values():
            share_state(child)

    def _wrap_what_trains(self) -> None:
        for name, child in list(self._frozen.items()):
            if any(param.requires_grad for param in child.parameters()):
                self.module._modules[name] = PartDataParallel(child, **self._settings)
                del self._frozen[name]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the model gives."""
        return self.module(*args, **kwargs)

    def train_step(self, data: Any, optim_wrapper: Any) -> dict[str, Tensor]:
        """The model's own train step, whose parts average their gradients over ranks."""
        self._wrap_what_trains()
        log_vars: dict[str, Tensor] = self.module.train_step(data, optim_wrapper)  # type: ignore[operator]
        return log_vars

    def val_step(self, data: Any) -> Any:
        """Predictions for a batch of validation data."""
        return self.module.val_step(data)  # type: ignore[operator]

    def test_step(self, data: Any) -> Any:
        """Predictions for a batch of test data."""
        return self.module.test_step(data)  # type: ignore[operator]

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, no part averages its gradients; they add up on each rank."""
        with ExitStack() as stack:
            for child in self.module.children():
                if isinstance(child, DistributedDataParallel):
                    stack.enter_context(child.no_sync())
            yield


def _refuse_unwrappable(module: nn.Module) -> None:
    direct = [name for name, param in module.named_parameters(recurse=False) if param.requires_grad]
    if direct:
        raise ModelSettingsError(
            f"the parameters {direct} belong to {type(module).__name__} itself, and only its "
            "children are wrapped, so ranks would not agree on them; put them into a child module"
        )
    owners: dict[int, str] = {}
    for name, child in module.named_children():
        for param_name, param in child.named_parameters():
            if param.requires_grad and owners.setdefault(id(param), name) != name:
                raise ModelSettingsError(
                    f"{name}.{param_name} is also a parameter of {owners[id(param)]!r}, and each "
                    "child is wrapped on its own; use MMDistributedDataParallel, or share no "
                    "parameters between children"
                )
