"""Lines over a connection that never waits."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from tk_dist.peer_link import PeerLink, connect, listen
from tk_dist.peer_process import PeerProcess


@pytest.fixture
def pair() -> Iterator[tuple[PeerLink, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    yield PeerLink(ours, 1), theirs
    ours.close()
    theirs.close()


def test_lines_come_whole(pair: tuple[PeerLink, socket.socket]) -> None:
    link, other = pair
    assert list(link.lines()) == []

    other.sendall(b"one\n\ntw")
    assert list(link.lines()) == [b"one\n", b"\n"]
    other.sendall(b"o\n")
    assert list(link.lines()) == [b"two\n"]


def test_what_arrives_ends_the_silence(pair: tuple[PeerLink, socket.socket]) -> None:
    link, other = pair
    link.silence_s = 7.0
    other.sendall(b"\n")

    list(link.lines())

    assert link.silence_s == 0.0


def test_what_does_not_fit_is_sent_later(pair: tuple[PeerLink, socket.socket]) -> None:
    link, other = pair
    link.unsent = b"x" * 10_000_000
    received = 0
    while link.unsent:
        link.flush()
        received += len(other.recv(1 << 20))

    while received < 10_000_000:
        received += len(other.recv(1 << 20))

    other.setblocking(False)
    with pytest.raises(BlockingIOError):
        other.recv(1)


def test_a_closed_connection_is_an_error(pair: tuple[PeerLink, socket.socket]) -> None:
    link, other = pair
    other.close()

    with pytest.raises(ConnectionResetError):
        list(link.lines())


def test_the_first_address_that_answers_is_taken() -> None:
    card: dict[str, object] = {"hosts": ["256.0.0.1", "127.0.0.1"]}
    card["process"] = asdict(PeerProcess.own())
    with listen() as listener:
        card["port"] = listener.getsockname()[1]
        link = connect(card, 3)
        assert link is not None
        link.socket.close()

    assert (link.rank, link.process) == (3, PeerProcess.own())
    assert connect(card, 3) is None  # nobody listens any more
