"""Under which addresses the other ranks may reach this one."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

_ELSEWHERE = "192.0.2.1"  # reserved for documentation: no packet is sent to learn the way there


def own_addresses(store: Store) -> list[str]:
    """Return this machine's addresses, the likeliest first.

    That is the one from which it speaks to the store of the group, then those of its
    name, then the one of its way to other networks, and the loopback at last.
    """
    names = [_source_towards(host) for host in _store_hosts(store)]
    with contextlib.suppress(OSError):
        names += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    names += [_source_towards(_ELSEWHERE), "127.0.0.1"]
    outside = [name for name in names if name and not name.startswith("127.")]
    return list(dict.fromkeys([*outside, "127.0.0.1"]))


def _store_hosts(store: Any) -> list[str]:
    while hasattr(store, "underlying_store"):
        store = store.underlying_store
    return [store.host] if hasattr(store, "host") else []


def _source_towards(host: str) -> str:
    """Return the address from which this machine would speak to another, "" without a way."""
    with contextlib.suppress(OSError):
        for family, _, _, _, address in socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM):
            with socket.socket(family, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
                probe.connect(address)
                return str(probe.getsockname()[0])
    return ""
