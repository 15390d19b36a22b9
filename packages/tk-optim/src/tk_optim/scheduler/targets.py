"""Learning rate and momentum: which entry of the parameter groups is written.

Each family is written once, for any entry; these two mix-ins fix the entry and
take ``param_name`` out of the signature.
"""

from __future__ import annotations

import inspect
from typing import Any

from torch.optim import Optimizer

from ..chain import Target
from ..errors import InvalidSettingError


class _FixedEntry:
    """Fixes ``param_name`` of the family it is mixed into."""

    _entry: str

    def __init__(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(optimizer, self._entry, *args, **kwargs)  # type: ignore[call-arg]  # the family's constructor comes next

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Show the family's signature, without the entry that is fixed here."""
        super().__init_subclass__(**kwargs)
        written = [base for base in cls.__mro__ if "__init__" in base.__dict__]
        if written[0] is not _FixedEntry or written[1] is object:
            return  # a constructor of its own, or no family mixed in yet
        family = inspect.signature(written[1].__init__).parameters  # type: ignore[misc]  # of the class
        kept = [one for name, one in family.items() if name not in ("self", "param_name")]
        cls.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]  # inspect reads it


class LRSchedulerMixin(_FixedEntry):
    """Drives the learning rate, the entry ``lr``."""

    _entry = "lr"


class MomentumSchedulerMixin(_FixedEntry):
    """Drives ``momentum``, or the first of ``betas`` where that is the momentum."""

    _entry = "momentum"

    def _target(self, optimizer: Optimizer) -> Target:
        if "momentum" in optimizer.defaults:
            return Target("momentum", "momentum")
        if "betas" in optimizer.defaults:
            return Target("momentum", "betas", 0)
        raise InvalidSettingError(
            f"{type(optimizer).__name__} has neither 'momentum' nor 'betas' to schedule; "
            "drop the momentum schedule or use an optimizer with momentum"
        )
