"""The connections between neighbours."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from typing import Any

import pytest

from tk_dist import RankFailedError, launch
from tk_dist.peer_news import PeerFailure
from tk_dist.peer_ring import PeerRing
from tk_dist.side_store import open_side_store
from tk_dist.state import get_dist_info


def ring_of_this_rank(heard: list[PeerFailure] | None = None) -> tuple[PeerRing, threading.Event]:
    event = threading.Event()

    def on_failure(failure: PeerFailure) -> None:
        if heard is not None:
            heard.append(failure)
        event.set()

    store = open_side_store("test")
    assert store is not None
    return PeerRing(store, *get_dist_info(), 60.0, on_failure), event


@pytest.mark.parametrize("world_size", [2, 5])
def test_what_one_rank_tells_reaches_the_others(world_size: int) -> None:
    def job() -> object:
        ring, event = ring_of_this_rank()
        if ring.rank == 1:
            ring.tell(PeerFailure(1, "ValueError: bad batch", at=1.0))
            return "told"
        event.wait(20)
        return ring.news.first and ring.news.first.summary

    expected = ["ValueError: bad batch"] * world_size
    expected[1] = "told"
    assert launch(job, world_size) == expected


def test_a_rank_that_comes_late_hears_what_it_missed() -> None:
    def job() -> object:
        if get_dist_info()[0] == 1:
            time.sleep(0.5)
        ring, event = ring_of_this_rank()
        if ring.rank == 0:
            ring.tell(PeerFailure(0, "ValueError: bad batch", at=1.0))
            return None
        event.wait(20)
        return ring.news.first and ring.news.first.rank

    assert launch(job, 2) == [None, 0]


def test_the_thread_ends_when_all_ranks_have_left() -> None:
    def job() -> bool:
        ring, _ = ring_of_this_rank()
        ring.leave()
        ring._thread.join(20)
        return ring._thread.is_alive() or ring.news.first is not None

    assert launch(job, 3) == [False] * 3


def test_a_rank_that_leaves_and_ends_has_not_failed() -> None:
    def job() -> object:
        ring, event = ring_of_this_rank()
        if ring.rank == 1:
            ring.leave()
            ring.drop_sockets()
            return None
        event.wait(1.5)
        return ring.news.first

    assert launch(job, 2) == [None, None]


def test_a_rank_that_is_killed_is_noticed_though_a_child_of_it_lives() -> None:
    def job() -> None:
        ring, event = ring_of_this_rank()
        if ring.rank == 1:
            if os.fork() == 0:  # stands for a data worker, which has copies of the connections
                time.sleep(5)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        event.wait(20)
        raise ValueError(ring.news.first)

    with pytest.raises(RankFailedError, match="rank 1 of 2 failed first"):
        launch(job, 2)


def test_a_stranger_is_sent_away() -> None:
    def job() -> tuple[bytes, Any]:
        ring, _ = ring_of_this_rank()
        port = ring._listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), 5) as stranger:
            hello = {"rank": 1, "token": "guessed", "process": {"machine": "", "pid": 0}}
            stranger.sendall(json.dumps(hello).encode() + b"\n")
            answer = stranger.recv(1)
        return answer, ring.news.first

    assert launch(job, 2) == [(b"", None)] * 2
