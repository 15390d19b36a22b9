"""What the ranks tell each other when one of them fails or leaves: pure rules, no sockets.

News travel around a ring: a rank hands on what it did not know, to the neighbour that did
not bring it, so every rank hears of a failure though any one connection is broken. Of
several failures the earliest counts. See ``peer_ring.py`` for the connections.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

BEAT = b"\n"  # an empty line says nothing but that the sender lives


@dataclass(frozen=True)
class PeerFailure:
    """How a rank failed.

    Attributes:
        rank: which one.
        summary: what happened to it, to be read after "rank 1 failed first: ".
        at: seconds since the epoch by the clock of the rank that noticed it.
        has_traceback: whether the rank printed one.
        may_be_meant: the rank was asked to exit, so others may need time to save.
    """

    rank: int
    summary: str
    at: float
    has_traceback: bool = False
    may_be_meant: bool = False


class PeerNews:
    """What one rank knows of the others, and what it has to hand on.

    Args:
        rank: this one.
        world_size: of the group.
    """

    def __init__(self, rank: int, world_size: int) -> None:
        self._rank = rank
        self._world_size = world_size
        self.first: PeerFailure | None = None
        self.departures: dict[int, str] = {}
        """The ranks that left the block, with the reason of those that left it early."""

    @property
    def all_left(self) -> bool:
        """Whether no rank is at work any more."""
        return len(self.departures) == self._world_size

    def fail(self, failure: PeerFailure) -> bytes:
        """Take in a failure that was noticed here; return the line to send, if it is news."""
        if failure.rank in self.departures or not self._is_earlier(failure):
            return b""
        self.first = failure
        return _line({"failure": asdict(failure)})

    def leave(self, reason: str = "") -> bytes:
        """Note that this rank leaves, early if there is a reason; return the line to send."""
        self.departures[self._rank] = reason
        return _line({"left": self._rank, "reason": reason})

    def hear(self, line: bytes) -> bytes:
        """Take in a line of a neighbour; return it if it is to be handed on."""
        if line == BEAT:
            return b""
        message = json.loads(line)
        if "failure" in message:
            failure = PeerFailure(**message["failure"])
            if not self._is_earlier(failure):
                return b""
            self.first = failure
        elif message["left"] in self.departures:
            return b""
        else:
            self.departures[message["left"]] = message["reason"]
        return line

    def _is_earlier(self, failure: PeerFailure) -> bool:
        known = self.first
        # The rank settles which of two failures at the same moment is the first.
        return known is None or (failure.at, failure.rank) < (known.at, known.rank)


def _line(message: dict[str, object]) -> bytes:
    return json.dumps(message).encode() + b"\n"
