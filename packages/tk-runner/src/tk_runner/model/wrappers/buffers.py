"""The setting of buffers in distributed data parallel, under the name that this torch knows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from torch.nn.parallel import DistributedDataParallel

_KNOWN = inspect.signature(DistributedDataParallel.__init__).parameters


def with_known_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """``settings`` with ``broadcast_buffers``, as users know it, renamed where torch renamed it."""
    known = dict(settings)
    if "broadcast_buffers" in known and "forward_sync_buffers" in _KNOWN:
        known.setdefault("forward_sync_buffers", known.pop("broadcast_buffers"))
        known.pop("broadcast_buffers", None)
    return known
