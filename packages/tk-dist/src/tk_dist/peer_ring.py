"""Each rank watches its two neighbours, and hands on what it hears: nobody fails unseen.

Rank i keeps a connection to rank i + 1, the last one to rank 0. A process that was killed
closes its connections at once; one that is frozen, or a machine that is lost, falls
silent. The cost is one thread and two connections a rank, one byte a second on each, and
a few requests to the store at the start, however many ranks there are.

The thread goes on after this rank has left the block, so that news still pass through it,
and ends when all have left or its neighbours are gone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import selectors
import socket
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .peer_address import own_addresses
from .peer_link import PeerLink, connect, listen
from .peer_news import BEAT, PeerFailure, PeerNews
from .peer_process import PeerProcess

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

BEAT_S = 1.0
_FIND_S = 0.05  # between looks for the next rank's address, until it is there
_STRANGER_S = 10.0  # a connection that does not say who it is is closed
_ENTER_S = 3.0  # how long a rank that enters waits for its neighbours, which enter as well
_FLUSH_S = 1.0  # how long a rank that fails or leaves waits until its news are sent
_log = logging.getLogger("tk.dist")
_rings: weakref.WeakSet[PeerRing] = weakref.WeakSet()


class PeerRing:
    """This rank's place in the ring.

    Args:
        store: where the ranks find each other's addresses; used at the start only.
        rank: of this process.
        world_size: 2 or more.
        peer_timeout_s: a neighbour that cannot be looked at counts as lost after a
            silence of so long.
        on_failure: called in the ring's thread when another rank's failure becomes known.
    """

    def __init__(
        self,
        store: Store,
        rank: int,
        world_size: int,
        peer_timeout_s: float,
        on_failure: Callable[[PeerFailure], object],
    ) -> None:
        self.rank = rank
        self.world_size = world_size
        self.news = PeerNews(rank, world_size)
        self._peer_timeout_s = peer_timeout_s
        self._on_failure = on_failure
        self._announced: PeerFailure | None = None
        self._store: Store | None = store
        self._is_connected = False
        self.unreachable: int | None = None
        """The next rank, if it told an address at which nobody answered."""
        self._token = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._links: list[PeerLink] = []
        self._to_send: list[tuple[bytes, PeerLink | None]] = []
        self._is_flushed = threading.Event()
        self._has_neighbours = threading.Event()
        self._wake_up, self._woken = socket.socketpair()
        self._listener = listen()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._selector.register(self._listener, selectors.EVENT_READ)
        _rings.add(self)
        self._publish(store)  # at once: whoever dies now is missed by its address
        self._thread = threading.Thread(target=self._run, name="tk_dist peers", daemon=True)
        self._thread.start()
        self._has_neighbours.wait(_ENTER_S)

    def tell(self, failure: PeerFailure) -> None:
        """Let every rank know of a failure, unless an earlier one is known."""
        with self._lock:
            line = self.news.fail(failure)
        self._spread(line)

    def leave(self, reason: str = "") -> None:
        """Let every rank know that this one is done, or left early for a reason."""
        with self._lock:
            line = self.news.leave(reason)
        self._spread(line)

    def drop_sockets(self) -> None:
        """Close the connections in a forked child, or they would outlive this process."""
        for link in self._links:
            link.socket.close()
        for own in (self._listener, self._wake_up, self._woken):
            own.close()

    def _spread(self, line: bytes) -> None:
        if not line:
            return
        self._is_flushed.clear()
        with self._lock:
            self._to_send.append((line, None))
        with contextlib.suppress(OSError):
            self._wake_up.send(b"\0")
        if threading.current_thread() is not self._thread:
            self._is_flushed.wait(_FLUSH_S if self._thread.is_alive() else 0)

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:
            _log.warning(
                "rank %d cannot watch its neighbours any more (%s: %s); failures of other ranks "
                "are noticed by the time limit of the process group only",
                self.rank,
                type(error).__name__,
                error,
            )
        finally:
            self._is_flushed.set()
            self._has_neighbours.set()
            self.drop_sockets()
            self._selector.close()

    def _watch(self) -> None:
        next_beat = time.monotonic() + BEAT_S
        while not (self.news.all_left and self._is_flushed.is_set()):
            pause = next_beat - time.monotonic()
            if not self._is_connected:
                pause = min(pause, _FIND_S)
            for key, _ in self._selector.select(max(0.0, pause)):
                self._on_readable(key.fileobj, key.data)
            if not self._is_connected:
                self._find_next()
            if time.monotonic() >= next_beat:
                # Counted, not measured: who was frozen itself has not seen others be silent.
                next_beat = time.monotonic() + BEAT_S
                self._beat()
            self._send_all()
            self._announce()

    def _announce(self) -> None:
        failure = self.news.first
        if failure is not None and failure != self._announced:
            self._announced = failure
            self._write_down(failure)
            if failure.rank != self.rank:
                self._on_failure(failure)

    def _write_down(self, failure: PeerFailure) -> None:
        """Leave the failure in the store, for ranks that have not entered the block yet."""
        if self._store is not None and failure.rank == self.rank:
            with contextlib.suppress(RuntimeError):  # gone: its rank has ended
                self._store.set("failure", json.dumps({"failure": asdict(failure)}))

    def _on_readable(self, ready: Any, link: PeerLink | None) -> None:
        if link is not None:
            self._read(link)
        elif ready is self._woken:
            self._woken.recv(4096)
        else:
            connection, _ = self._listener.accept()
            self._add(PeerLink(connection, None))

    def _add(self, link: PeerLink) -> None:
        link.socket.setblocking(False)
        self._links.append(link)
        self._selector.register(link.socket, selectors.EVENT_READ, link)

    def _publish(self, store: Store) -> None:
        card = {
            "hosts": own_addresses(store),
            "port": self._listener.getsockname()[1],
            "token": self._token,
            "process": asdict(PeerProcess.own()),
        }
        store.set(f"address/{self.rank}", json.dumps(card))

    def _find_next(self) -> None:
        """Connect to the next rank once it has told its address."""
        following = (self.rank + 1) % self.world_size
        try:
            if self._store is None or not self._store.check([f"address/{following}"]):
                return
            if self._store.check(["failure"]):
                self._hear(self._store.get("failure"), None)
            card = json.loads(self._store.get(f"address/{following}"))
        except RuntimeError:  # the store is gone: its rank has ended
            self._is_connected, self._store = True, None
            self._has_neighbours.set()
            return
        self._is_connected = True
        link = connect(card, following)
        if link is None:
            self._miss(following, card)
            return
        hello = {"rank": self.rank, "token": card["token"], "process": asdict(PeerProcess.own())}
        link.unsent += json.dumps(hello).encode() + b"\n" + self._known_so_far()
        self._add(link)

    def _miss(self, rank: int, card: dict[str, Any]) -> None:
        self.unreachable = rank
        if PeerProcess(**card["process"]).state == "gone":
            self._note(rank, "its process was killed")
        elif self.news.first is None and rank not in self.news.departures:
            _log.warning(
                "rank %d cannot reach rank %d at port %d of %s to watch it; let the machines of "
                "the job connect to each other, or failures are noticed late",
                self.rank,
                rank,
                card["port"],
                ", ".join(card["hosts"]),
            )

    def _read(self, link: PeerLink) -> None:
        try:
            lines = list(link.lines())
        except OSError:
            self._lose(link)
            return
        for line in lines:
            if link.rank is not None:
                self._hear(line, link)
            elif not self._greeted(link, line):
                return

    def _hear(self, line: bytes, link: PeerLink | None) -> None:
        with self._lock:
            line_to_forward = self.news.hear(line)
            if line_to_forward:
                self._to_send.append((line_to_forward, link))

    def _greeted(self, link: PeerLink, line: bytes) -> bool:
        """Take in who connected; a stranger is sent away."""
        try:
            hello = json.loads(line)
            is_known = secrets.compare_digest(hello["token"], self._token)
            link.rank, link.process = hello["rank"], PeerProcess(**hello["process"])
        except (ValueError, KeyError, TypeError):
            is_known = False
        if not is_known:
            link.rank = None
            self._remove(link)
        else:
            link.unsent += self._known_so_far()
        return is_known

    def _known_so_far(self) -> bytes:
        """What a neighbour that comes late has missed."""
        lines = [
            json.dumps({"left": rank, "reason": reason}).encode() + b"\n"
            for rank, reason in self.news.departures.items()
        ]
        if self.news.first is not None:
            lines.append(json.dumps({"failure": asdict(self.news.first)}).encode() + b"\n")
        return b"".join(lines)

    def _send_all(self) -> None:
        with self._lock:
            waiting, self._to_send = self._to_send, []
        for line, origin in waiting:
            for link in self._links:
                if link is not origin and link.rank is not None:
                    link.unsent += line
        for link in [*self._links]:
            try:
                link.flush()
            except OSError:
                self._lose(link)
        if self._is_connected and not any(link.unsent for link in self._links):
            self._is_flushed.set()
            if sum(link.rank is not None for link in self._links) == 2:
                self._has_neighbours.set()

    def _beat(self) -> None:
        for link in [*self._links]:
            link.silence_s += BEAT_S
            if link.rank is None:
                if link.silence_s > _STRANGER_S:
                    self._remove(link)
                continue
            link.unsent += BEAT
            problem = link.process.problem(link.silence_s, self._peer_timeout_s)
            if problem:
                self._note(link.rank, problem)

    def _lose(self, link: PeerLink) -> None:
        self._remove(link)
        if link.rank is not None:
            self._note(link.rank, "its process was killed, or its machine was lost")

    def _note(self, rank: int, summary: str) -> None:
        with self._lock:
            line = self.news.fail(PeerFailure(rank, summary, at=time.time()))
            if line:
                self._to_send.append((line, None))

    def _remove(self, link: PeerLink) -> None:
        if link in self._links:
            self._links.remove(link)
            self._selector.unregister(link.socket)
            link.socket.close()


def _drop_in_child() -> None:
    for ring in _rings:
        ring.drop_sockets()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_in_child)
