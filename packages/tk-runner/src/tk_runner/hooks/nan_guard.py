"""A run whose loss is NaN or infinite ends, at the latest when the next line is logged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tk_logging import HistoryBuffer, MessageHub, scalar_key
from tk_registry import HOOKS

from ..errors import NonFiniteLossError
from ..interfaces.run import RunLike
from ..model.losses import TOTAL, is_loss
from .hook import DataBatch, Hook


@HOOKS.register_module()
class NaNGuardHook(Hook):
    """Looks at the losses whenever somebody has read them; it reads nothing itself.

    It stands behind the logger, so that losses are looked at where a line was
    logged. What is still on its way from the device is looked at next time.
    """

    priority = 65  # behind LoggerHook, before the schedules and the checkpoint

    def __init__(self) -> None:
        self._began_at = 0
        self._looked: dict[str, int] = {}  # values of each loss that were looked at

    def before_train(self, runner: RunLike) -> None:
        """Leave alone what was recorded before this training."""
        self._began_at = runner.iter
        histories = runner.message_hub.log_scalars
        prefix = scalar_key("train", "")
        self._looked = {
            key: len(history) for key, history in histories.items() if key.startswith(prefix)
        }

    def iters_until_due(self, runner: RunLike, batch_idx: int) -> float | None:
        """Together with the logger, which reads."""
        return math.inf

    def after_train_iter(
        self,
        runner: RunLike,
        batch_idx: int,
        data_batch: DataBatch = None,
        outputs: dict[str, Any] | None = None,
    ) -> None:
        """Look at the losses, if a read of all of them has begun."""
        hub = runner.message_hub
        keys = loss_keys(outputs or ())
        histories = [hub.get_scalar(key) for key in keys]
        if any(history.waits_for_unsent() for history in histories):
            return
        for key, history in zip(keys, histories, strict=True):
            arrived = len(history)
            is_new = arrived > self._looked.get(key, 0)
            self._looked[key] = arrived
            if is_new and not math.isfinite(history.mean()):  # of all values: kept, not computed
                self._end(runner)

    def _end(self, runner: RunLike) -> None:
        done = runner.iter + 1
        where = first_broken_loss(runner.message_hub, done, since=self._began_at)
        if where is not None:  # else it is the sum of large numbers, or older than this training
            raise NonFiniteLossError(
                f"{where}; lower the learning rate, clip gradients (optim_wrapper.clip_grad), or "
                "look for bad samples. default_hooks=dict(nan_guard=None) lets a run go on"
            )


def loss_keys(names: Iterable[str]) -> list[str]:
    """The keys of the losses among ``names``; the total comes last, since a part says more."""
    losses = sorted((name for name in names if is_loss(name)), key=TOTAL.__eq__)
    return [scalar_key("train", name) for name in losses]


def first_broken_loss(hub: MessageHub, done: int, since: int = 0) -> str | None:
    """In words, which loss became NaN or infinite first, and in which iteration.

    Args:
        hub: holds the losses; those that are still on a device are read.
        done: iterations whose losses are recorded.
        since: iterations before the ones that are looked at.

    Returns:
        None where no loss that is still kept is broken.
    """
    hub.collect()
    prefix = scalar_key("train", "")
    names = [key[len(prefix) :] for key in hub.log_scalars if key.startswith(prefix)]
    broken = []
    for key in loss_keys(names):
        age, value = _oldest_broken(hub.get_scalar(key), done - since)
        if age:
            broken.append((age, key[len(prefix) :], value))
    if not broken:
        return None
    age, name, value = max(broken, key=lambda entry: entry[0])
    return f"the loss {name!r} became {value} in iteration {done - age + 1}"


def _oldest_broken(history: HistoryBuffer, number: int) -> tuple[int, float]:
    """How many values ago one of the last ``number`` was not finite, 0 for none; and that value."""
    values = history.data[0].tolist()[-number:] if number > 0 else []
    for place, value in enumerate(values):
        if not math.isfinite(value):
            return len(values) - place, value
    return 0, 0.0
