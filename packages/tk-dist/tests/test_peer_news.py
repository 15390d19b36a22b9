"""What ranks tell each other about failures, and how many messages it takes."""

from __future__ import annotations

from collections import Counter, deque

import pytest

from tk_dist.peer_news import BEAT, PeerFailure, PeerNews

KILLED = PeerFailure(rank=1, summary="its process was killed", at=10.0)
RAISED = PeerFailure(rank=2, summary="ValueError: bad batch", at=9.0)


class Ring:
    """Ranks in a circle, with the connections between them counted instead of made."""

    def __init__(self, world_size: int, broken: set[tuple[int, int]] | None = None) -> None:
        self.ranks = [PeerNews(rank, world_size) for rank in range(world_size)]
        self.broken = broken or set()
        self.sent: Counter[int] = Counter()
        self._queue: deque[tuple[int, int, bytes]] = deque()

    def send(self, rank: int, line: bytes, origin: int | None = None) -> None:
        for neighbour in {(rank - 1) % len(self.ranks), (rank + 1) % len(self.ranks)}:
            link = (min(rank, neighbour), max(rank, neighbour))
            if line and neighbour != origin and link not in self.broken:
                self.sent[rank] += 1
                self._queue.append((rank, neighbour, line))

    def deliver(self) -> None:
        while self._queue:
            sender, receiver, line = self._queue.popleft()
            self.send(receiver, self.ranks[receiver].hear(line), origin=sender)


@pytest.mark.parametrize("world_size", [2, 3, 8, 1000])
def test_a_failure_reaches_every_rank_in_at_most_two_messages_a_rank(world_size: int) -> None:
    ring = Ring(world_size)

    ring.send(0, ring.ranks[0].fail(KILLED))
    ring.deliver()

    assert all(rank.first == KILLED for rank in ring.ranks)
    assert max(ring.sent.values()) <= 2
    assert ring.sent.total() <= world_size + 1


@pytest.mark.parametrize("world_size", [8, 1000])
def test_a_rank_that_leaves_costs_each_other_one_message(world_size: int) -> None:
    ring = Ring(world_size)

    ring.send(3, ring.ranks[3].leave())
    ring.deliver()

    assert all(rank.departures == {3: ""} for rank in ring.ranks)
    assert ring.sent.total() <= world_size + 1


def test_nobody_is_at_work_once_all_have_left() -> None:
    ring = Ring(4)

    for rank, news in enumerate(ring.ranks):
        assert not news.all_left
        ring.send(rank, news.leave())
        ring.deliver()

    assert all(news.all_left for news in ring.ranks)


def test_one_broken_connection_does_not_keep_news_from_anybody() -> None:
    ring = Ring(6, broken={(1, 2)})

    ring.send(1, ring.ranks[1].fail(KILLED))
    ring.deliver()

    assert all(rank.first == KILLED for rank in ring.ranks)


def test_of_two_failures_all_ranks_hold_the_earlier_one() -> None:
    ring = Ring(5)

    ring.send(0, ring.ranks[0].fail(KILLED))
    ring.send(3, ring.ranks[3].fail(RAISED))
    ring.deliver()

    assert all(rank.first == RAISED for rank in ring.ranks)


def test_a_later_failure_and_one_of_a_rank_that_left_are_no_news() -> None:
    news = PeerNews(0, 4)
    news.hear(PeerNews(1, 4).leave())

    assert news.fail(KILLED) == b""
    assert news.fail(RAISED)
    assert news.fail(PeerFailure(3, "its process was killed", at=9.5)) == b""


def test_a_beat_is_not_handed_on() -> None:
    assert PeerNews(0, 2).hear(BEAT) == b""
