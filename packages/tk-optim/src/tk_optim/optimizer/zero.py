"""Optimizer state sharded over the ranks (ZeRO, stage 1), through torch's class."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch.optim import Optimizer

from tk_registry import did_you_mean

from ..errors import InvalidSettingError

with warnings.catch_warnings():
    # torch's own package warns of torch's own use of torch.jit.script.
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch.distributed.optim import ZeroRedundancyOptimizer as _TorchZero


class ZeroRedundancyOptimizer(_TorchZero):
    """Each rank keeps the state of its share of the parameters.

    Source: Rajbhandari et al. 2020 (ZeRO), P_os.

    Args:
        params: as for every optimizer.
        optimizer_type: name of the torch optimizer that does the work.
        kwargs: for that optimizer, and for torch's class.
    """

    def __init__(self, params: Iterable[Any], optimizer_type: str, **kwargs: Any) -> None:
        inner = getattr(torch.optim, optimizer_type, None)
        if not (isinstance(inner, type) and issubclass(inner, Optimizer)):
            known = [name for name, one in vars(torch.optim).items()
                     if isinstance(one, type) and issubclass(one, Optimizer)]  # fmt: skip
            raise InvalidSettingError(
                f"optimizer_type={optimizer_type!r} is no torch optimizer; "
                f"{did_you_mean(optimizer_type, known)}"
            )
        super().__init__(params, inner, **kwargs)

    def state_dict(self) -> dict[str, Any]:
        """The state of all ranks, on rank 0; empty on the others. Call it on every rank."""
        self.consolidate_state_dict()
        return super().state_dict() if self.rank == 0 else {}
