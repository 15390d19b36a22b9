"""Another order in each epoch, also for loaders that do not count epochs themselves."""

from __future__ import annotations

from tk_registry import HOOKS

from ..interfaces.run import RunLike
from .hook import Hook


@HOOKS.register_module()
class DistSamplerSeedHook(Hook):
    """Tells the train loader which epoch begins; a loader that is there already stays as it is."""

    priority = "NORMAL"

    def before_train_epoch(self, runner: RunLike) -> None:
        """Pass the epoch on."""
        loader = runner.train_dataloader
        if hasattr(loader, "set_epoch") and getattr(loader, "epoch", -1) < runner.epoch:
            loader.set_epoch(runner.epoch)
