"""A number that all ranks see at the same look, and what looking costs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tk_dist import SharedFlag, barrier, get_rank, launch, shared_flag
from tk_dist.shared_flag import _Announced, looks_between


class CountingStore:
    """A store in this process that counts requests."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.requests: Counter[str] = Counter()

    def set(self, key: str, value: str) -> None:
        self.requests["set"] += 1
        self.values[key] = value

    def get(self, key: str) -> bytes:
        self.requests["get"] += 1
        return self.values[key].encode()

    def add(self, key: str, amount: int) -> int:
        self.requests["add"] += 1
        self.values[key] = str(int(self.values.get(key, "0")) + amount)
        return int(self.values[key])

    def check(self, keys: list[str]) -> bool:
        self.requests["check"] += 1
        return all(key in self.values for key in keys)


def simulated(world_size: int, num_looks: int, raised: tuple[int, int, int] | None = None) -> Any:
    """Let all ranks look in turn; ``raised`` is a rank, a look, and the number it raises."""
    store: Any = CountingStore()
    ranks = [_Announced(store, rank, world_size) for rank in range(world_size)]
    seen = []
    for look in range(num_looks):
        values = [0] * world_size
        if raised is not None and look >= raised[1]:
            values[raised[0]] = raised[2]
        seen.append(
            {each.look(value, is_done=False) for each, value in zip(ranks, values, strict=True)}
        )
        if seen[-1] != {0}:
            break
    return seen, store.requests


@pytest.mark.parametrize("world_size", [65, 128, 1000])
def test_a_look_of_many_ranks_costs_a_request_of_each_in_a_period(world_size: int) -> None:
    length = looks_between(world_size)

    _, requests = simulated(world_size, 100 * length)

    assert requests == {"check": 100, "add": 100, "set": 100, "get": 99 * (world_size - 1)}


@pytest.mark.parametrize(("world_size", "length"), [(64, 1), (65, 2), (128, 2), (1000, 16)])
def test_the_period_grows_with_the_ranks(world_size: int, length: int) -> None:
    assert looks_between(world_size) == length


@pytest.mark.parametrize("rank", [0, 1, 999])
@pytest.mark.parametrize("look", [0, 1, 15, 16, 40])
def test_all_ranks_see_the_number_at_one_look_soon_after(rank: int, look: int) -> None:
    seen, _ = simulated(1000, 200, raised=(rank, look, 143))

    assert seen[:-1] == [{0}] * (len(seen) - 1)
    assert seen[-1] == {143}
    assert len(seen) - 1 - look <= 2 * looks_between(1000) + 1


@pytest.mark.parametrize("most", [64, 1], ids=["reduced", "announced"])
def test_ranks_agree_on_the_look(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_flag, "RANKS_THAT_REDUCE", most)

    def looks() -> list[int]:
        flag = SharedFlag()
        flag.open()
        found = [0]
        while not found[-1]:
            barrier()  # as the step of a training keeps ranks together
            found.append(flag.look(75 if get_rank() == 1 and len(found) >= 3 else 0))
        flag.close(in_peace=True)
        return found

    first, second = launch(looks, 2)

    assert first == second
    assert first[-1] == 75
    assert len(first) <= 9


@pytest.mark.parametrize("most", [64, 1], ids=["reduced", "announced"])
def test_ranks_that_are_done_look_on_until_all_are(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_flag, "RANKS_THAT_REDUCE", most)

    def looks() -> list[int]:
        flag = SharedFlag()
        flag.open()
        counts = []
        for num_batches in ((1, 7), (1, 1), (5, 0)):  # of each rank, in three evaluations
            count = num_batches[get_rank()]
            for _ in range(count):
                flag.look(0)
            flag.look(0, is_done=True)
            flag.look(0, is_done=True)  # what a look tells is about the one before it
            while not flag.all_are_done:
                flag.look(0, is_done=True)
                count += 1
            counts.append(count)
        flag.close(in_peace=True)
        return counts

    first, second = launch(looks, 2)

    assert first == second
    assert all(count >= least for count, least in zip(first, (7, 1, 5), strict=True))


def test_alone_the_number_is_seen_at_once() -> None:
    flag = SharedFlag()
    flag.open()

    assert not flag.is_shared
    assert flag.look(3) == 3
    flag.close(in_peace=True)
