"""A line between the ranks that works while a collective hangs.

It is the store at which the group met, through a connection of its own where the
store can be cloned, so that a thread can ask while the main thread waits.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch.distributed as torch_dist

from .state import get_world_size

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

# Ranks open channels in the same order, so that the same number means the same channel.
_opened: Counter[str] = Counter()


def open_side_store(purpose: str) -> Store | None:
    """Return a store that only channels of this purpose and number use.

    ``None`` with one process. All ranks open it, in the same order for one purpose.
    """
    if get_world_size() == 1:
        return None
    _opened[purpose] += 1
    store = torch_dist.distributed_c10d._get_default_store()
    try:
        store = store.clone()  # type: ignore[attr-defined]  # newer than torch's stub
    except (AttributeError, NotImplementedError, RuntimeError):
        pass  # an older torch, or a store that cannot: the line is shared then
    prefix = f"tk_dist/{purpose}/{_opened[purpose]}"
    return torch_dist.PrefixStore(prefix, store)  # type: ignore[attr-defined]  # not in torch's stub
