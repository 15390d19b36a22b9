"""A connection between two ranks: lines in and lines out, without ever waiting."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

from .peer_process import PeerProcess

_CONNECT_S = 3.0  # for one address of a neighbour


class PeerLink:
    """A connection to one neighbour, lines in and lines out; ``rank`` is None until it says."""

    def __init__(self, connection: socket.socket, rank: int | None) -> None:
        self.socket = connection
        self.rank = rank
        self.process = PeerProcess("", 0)
        self.silence_s = 0.0
        self.unsent = b""
        self._received = b""

    def lines(self) -> Iterator[bytes]:
        """Take what has arrived, and yield the whole lines.

        Raises:
            OSError: the other side is gone.
        """
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionResetError("the connection was closed")
        self.silence_s = 0.0
        *lines, self._received = (self._received + data).split(b"\n")
        yield from (line + b"\n" for line in lines)

    def flush(self) -> None:
        """Send what the connection takes.

        Raises:
            OSError: the other side is gone.
        """
        with contextlib.suppress(BlockingIOError):
            if self.unsent:
                self.unsent = self.unsent[self.socket.send(self.unsent) :]


def listen() -> socket.socket:
    """Return a socket at which neighbours may connect, at a port that the system chooses."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", 0))


def connect(card: dict[str, Any], rank: int) -> PeerLink | None:
    """Return a connection to the rank that gave a card with its addresses, if any answers."""
    for host in card["hosts"]:
        with contextlib.suppress(OSError):
            link = PeerLink(socket.create_connection((host, card["port"]), _CONNECT_S), rank)
            link.process = PeerProcess(**card["process"])
            return link
    return None
