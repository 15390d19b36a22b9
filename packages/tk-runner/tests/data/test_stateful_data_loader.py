from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from counted_samples import CountedSamples, UndeclaredSamples
from torch.utils.data import (
    BatchSampler,
    Dataset,
    DistributedSampler,
    IterableDataset,
    SequentialSampler,
    WeightedRandomSampler,
    get_worker_info,
)

from tk_dist import launch
from tk_runner.data import (
    BaseDataset,
    DefaultSampler,
    EmptyDatasetError,
    InfiniteSampler,
    LoaderSettingsError,
    PositionError,
    StatefulDataLoader,
    WorkerError,
)

Batch = tuple[list[int], torch.Tensor]


def batches_until(loader: StatefulDataLoader, epoch: int) -> Iterator[Batch]:
    while loader.epoch < epoch:
        for batch in loader.batches():
            assert batch.indices is not None
            yield batch.indices, batch.data


def same(one: list[Batch], other: list[Batch]) -> bool:
    return [indices for indices, _ in one] == [indices for indices, _ in other] and all(
        torch.equal(mine, theirs) for (_, mine), (_, theirs) in zip(one, other, strict=True)
    )


def straight(make: Any, epochs: int = 2) -> tuple[list[Batch], list[dict[str, Any]]]:
    """All batches of a run, and the state before each of them and after the last."""
    loader = make(1)
    states, batches = [loader.state_dict()], []
    for batch in batches_until(loader, epochs):
        batches.append(batch)
        states.append(loader.state_dict())
    return batches, states


# ---- exact continuation


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("options", [{}, {"drop_last": True}], ids=["all", "drop-last"])
def test_a_run_stopped_after_any_batch_continues_as_if_it_had_not(
    workers: int, options: dict[str, Any]
) -> None:
    def make(seed: int, size: int = 11) -> StatefulDataLoader:
        return StatefulDataLoader(
            CountedSamples(size), 4, shuffle=True, seed=seed, num_workers=workers, **options
        )

    batches, states = straight(make)

    assert len(batches) == 2 * (11 // 4 if options else 3)
    for stopped_after, state in enumerate(states):
        continued = make(seed=99)
        continued.load_state_dict(json.loads(json.dumps(state)))
        rest = list(batches_until(continued, 2))

        assert same(rest, batches[stopped_after:])
        read = int(continued.dataset.reads.sum())  # type: ignore[attr-defined]
        assert read == sum(len(indices) for indices, _ in rest)


def test_samples_do_not_depend_on_the_number_of_workers() -> None:
    def run(workers: int, **options: Any) -> list[Batch]:
        loader = StatefulDataLoader(
            CountedSamples(9), 2, shuffle=True, seed=3, num_workers=workers, **options
        )
        return list(batches_until(loader, 2))

    alone = run(0)

    assert same(run(1), alone)
    assert same(run(2, persistent_workers=True, prefetch_factor=4), alone)


def test_a_sample_has_other_numbers_in_another_epoch() -> None:
    loader = StatefulDataLoader(CountedSamples(4), 4, seed=3)
    (_, first), (_, second) = batches_until(loader, 2)

    assert torch.equal(first[:, 0], second[:, 0])
    assert not (first[:, 1:] == second[:, 1:]).any()
    assert len(set(first[:, 1].tolist())) == 4


def test_datasets_that_declare_nothing_are_seeded_once_a_batch_in_workers() -> None:
    def make(seed: int) -> StatefulDataLoader:
        return StatefulDataLoader(UndeclaredSamples(9), 3, shuffle=True, seed=seed, num_workers=2)

    batches, states = straight(make)
    continued = make(99)
    continued.load_state_dict(states[4])

    assert same(list(batches_until(continued, 2)), batches[4:])


def test_without_workers_the_own_generators_are_left_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(2)
    torch.manual_seed(1)
    first = torch.rand(1)
    for _ in StatefulDataLoader(CountedSamples(4), 2, shuffle=True, seed=3):
        pass
    loader = StatefulDataLoader([1, 2, 3], 2, shuffle=True, seed=3, num_workers=1)  # type: ignore[arg-type]
    list(loader)

    assert torch.equal(torch.cat([first, torch.rand(1)]), expected)


def test_an_epoch_that_is_finished_has_no_rest() -> None:
    loader = StatefulDataLoader(CountedSamples(4), 2, seed=3)
    for _ in loader:
        state = loader.state_dict()
    continued = StatefulDataLoader(CountedSamples(4), 2, seed=3)
    continued.load_state_dict(state)

    assert state["finished"]
    assert list(continued) == []
    assert continued.epoch == 1
    assert len(list(continued)) == 2


def test_a_state_is_also_right_before_the_first_batch_and_before_iterating_on() -> None:
    loader = StatefulDataLoader(CountedSamples(6), 2, seed=3)
    next(iter(loader))
    state = loader.state_dict()
    continued = StatefulDataLoader(CountedSamples(6), 2, seed=8)
    continued.load_state_dict(state)

    assert continued.state_dict() == state
    assert (continued.position.batches, continued.position.consumed) == (1, 2)
    assert [batch[:, 0].tolist() for batch in continued] == [[2, 3], [4, 5]]


def test_an_iteration_that_is_broken_off_begins_anew() -> None:
    loader = StatefulDataLoader(CountedSamples(6), 2, seed=3)
    next(iter(loader))

    assert len(list(loader)) == 3


def test_persistent_workers_survive_an_iteration_that_is_broken_off() -> None:
    def make() -> StatefulDataLoader:
        return StatefulDataLoader(
            CountedSamples(9), 2, shuffle=True, seed=3, num_workers=2, persistent_workers=True
        )

    expected = list(batches_until(make(), 2))
    loader = make()
    next(iter(loader))
    state = loader.state_dict()

    assert same(list(batches_until(loader, 2)), expected)
    loader.load_state_dict(state)
    assert same(list(batches_until(loader, 2)), expected[1:])


class Staged(Dataset[int]):
    stage = 0

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return self.stage


def test_persistent_workers_read_the_dataset_as_it_is_when_an_epoch_begins() -> None:
    data = Staged()
    loader = StatefulDataLoader(
        data, 4, seed=1, num_workers=1, persistent_workers=True, collate_fn=list
    )
    first = [*loader, *loader]
    (process,) = loader.loader._iterator._workers
    data.stage = 7

    assert first == [[0] * 4] * 2
    assert list(loader) == [[7] * 4]
    assert not process.is_alive()
    loader.end_workers()


def test_an_older_iterator_does_not_move_the_position() -> None:
    loader = StatefulDataLoader(CountedSamples(6), 2, seed=3)
    older = iter(loader)
    next(older)
    newer = iter(loader)
    next(newer)
    next(older)
    next(older)

    assert loader.position.batches == 1
    assert list(older) == []
    assert loader.epoch == 0


def test_set_epoch_goes_to_the_beginning_of_another_epoch_only() -> None:
    loader = StatefulDataLoader(CountedSamples(6), 2, shuffle=True, seed=3)
    order = [list(batches_until(loader, epoch)) for epoch in (1, 2)]
    loader.set_epoch(1)
    assert same(list(batches_until(loader, 2)), order[1])

    loader.set_epoch(0)
    next(iter(loader))
    state = loader.state_dict()
    loader.load_state_dict(state)
    loader.set_epoch(0)
    assert same(list(batches_until(loader, 1)), order[0][1:])


# ---- other numbers of ranks


def rank_loader(dataset: Dataset[Any], rank: int, world: int, **options: Any) -> StatefulDataLoader:
    sampler = DefaultSampler(
        dataset, seed=options.pop("seed", 1), round_up=False, rank=rank, world_size=world
    )
    return StatefulDataLoader(dataset, options.pop("batch_size", 2), sampler=sampler, **options)


@pytest.mark.parametrize("stopped_after", [1, 2, 3])
@pytest.mark.parametrize(
    ("before", "after", "workers"), [(4, 2, 0), (4, 2, 2), (2, 4, 0), (4, 1, 0), (4, 3, 0)]
)
def test_no_sample_is_lost_or_repeated_when_the_ranks_change(
    before: int, after: int, stopped_after: int, workers: int
) -> None:
    used: list[float] = []
    numbers: dict[float, list[float]] = {}
    for rank in range(before):
        loader = rank_loader(CountedSamples(25), rank, before, num_workers=workers)
        for batch in itertools.islice(loader, stopped_after):
            used += batch[:, 0].tolist()
        if rank == 0:
            state = loader.state_dict()
    for rank in range(after):
        loader = rank_loader(CountedSamples(25), rank, after, batch_size=3, seed=77)
        loader.load_state_dict(state)
        for batch in loader:
            used += batch[:, 0].tolist()
            numbers |= {row[0]: row[1:] for row in batch.tolist()}

    assert sorted(used) == list(range(25))
    whole = StatefulDataLoader(CountedSamples(25), 25, shuffle=True, seed=1)
    for row in next(iter(whole)).tolist():
        assert numbers.get(row[0], row[1:]) == row[1:]


def test_it_holds_when_the_ranks_change_twice() -> None:
    used: list[float] = []
    state: dict[str, Any] | None = None
    for world, count in ((4, 1), (2, 2), (3, 100)):
        states = []
        for rank in range(world):
            loader = rank_loader(CountedSamples(25), rank, world)
            if state is not None:
                loader.load_state_dict(state)
            for batch in itertools.islice(loader, count):
                used += batch[:, 0].tolist()
            states.append(loader.state_dict())
        state = states[0]

    assert sorted(used) == list(range(25))


def test_a_finished_epoch_stays_finished_on_other_ranks() -> None:
    loader = StatefulDataLoader(
        CountedSamples(10),
        2,
        drop_last=True,
        sampler=DefaultSampler(range(10), seed=1, rank=0, world_size=4),
    )
    next(iter(loader))
    state = loader.state_dict()
    alone = StatefulDataLoader(CountedSamples(10), 2, shuffle=True, seed=1, drop_last=True)
    alone.load_state_dict(state)

    assert state["finished"]
    assert list(alone) == []


def test_real_ranks_read_their_share_and_agree_on_the_seed() -> None:
    def indices() -> tuple[list[int], int]:
        loader = StatefulDataLoader(CountedSamples(10), 2, shuffle=True, num_workers=1)
        return [index for batch, _ in batches_until(loader, 1) for index in batch], loader.seed

    (first, seed), (second, other_seed) = launch(indices, 2, timeout_s=120)

    assert sorted(first + second) == list(range(10))
    assert seed == other_seed


# ---- other orders


def test_an_endless_stream_continues_where_it_was() -> None:
    def make(world: int, rank: int = 0, batch_size: int = 2) -> StatefulDataLoader:
        sampler = InfiniteSampler(range(7), seed=1, rank=rank, world_size=world)
        return StatefulDataLoader(CountedSamples(7), batch_size, sampler=sampler, num_workers=2)

    expected = list(itertools.islice(InfiniteSampler(range(7), seed=1, rank=0, world_size=1), 40))
    loader = make(1)
    drawn = []
    for batch in itertools.islice(loader.batches(), 6):
        drawn += batch.indices
    state = loader.state_dict()
    shares = []
    for rank in range(2):
        continued = make(2, rank, batch_size=1)
        continued.load_state_dict(state)
        shares.append([batch[0, 0].item() for batch in itertools.islice(continued, 10)])

    assert loader.is_endless
    assert len(loader) == 4
    assert drawn == expected[:12]
    assert [index for pair in zip(*shares, strict=True) for index in pair] == expected[12:32]


def test_iterations_resumed_without_shuffling_go_on_with_the_next_samples() -> None:
    def make() -> StatefulDataLoader:
        sampler = InfiniteSampler(range(100), shuffle=False, seed=1)
        return StatefulDataLoader(CountedSamples(100), 2, sampler=sampler)

    loader = make()
    for _ in itertools.islice(loader, 3):
        state = loader.state_dict()
    resumed = make()
    resumed.load_state_dict(state)
    seen = [batch.indices for batch in itertools.islice(resumed.batches(), 3)]

    assert seen == [[6, 7], [8, 9], [10, 11]]


def test_single_samples_have_positions_too() -> None:
    loader = StatefulDataLoader(CountedSamples(5), None, shuffle=True, seed=1, num_workers=2)
    samples = [(batch.indices, batch.data[0].item()) for batch in loader.batches()]

    assert [indices for indices, _ in samples] == [[int(index)] for _, index in samples]
    assert len(loader) == 5
    assert len(samples) == 5


class ByLength:
    """A batch sampler of its own kind, whose order the epoch decides."""

    def __init__(self) -> None:
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        return iter([[self.epoch], [0, 1], [2, 3, 4]])

    def __len__(self) -> int:
        return 3


FOREIGN = {
    "batch-sampler": lambda data: {"batch_sampler": ByLength()},
    "weighted": lambda data: {
        "sampler": WeightedRandomSampler([1.0] * 7, 7),
        "batch_size": 2,
    },
    "distributed": lambda data: {
        "sampler": DistributedSampler(data, num_replicas=1, rank=0, seed=4),
        "batch_size": 2,
    },
    "list": lambda data: {"sampler": [3, 1, 2, 0, 3], "batch_size": 2},
    "torch-batches": lambda data: {
        "batch_sampler": BatchSampler(WeightedRandomSampler([1.0] * 7, 7), 3, True)
    },
    "weighted-singles": lambda data: {
        "sampler": WeightedRandomSampler([1.0] * 7, 7),
        "batch_size": None,
    },
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_other_samplers_are_continued_without_reading(kind: str) -> None:
    def make(seed: int) -> StatefulDataLoader:
        data = CountedSamples(7)
        return StatefulDataLoader(data, seed=seed, **FOREIGN[kind](data))

    batches, states = straight(make)

    assert len(batches) == 2 * len(make(1))
    for stopped_after, state in enumerate(states):
        continued = make(99)
        continued.load_state_dict(state)
        rest = list(batches_until(continued, 2))
        assert same(rest, batches[stopped_after:])
        read = int(continued.dataset.reads.sum())  # type: ignore[attr-defined]
        assert read == sum(len(indices) for indices, _ in rest)


def test_a_sampler_of_torch_that_is_ours_to_seed_is_not_changed() -> None:
    sampler = WeightedRandomSampler([1.0] * 7, 7)
    list(StatefulDataLoader(CountedSamples(7), 2, sampler=sampler, seed=1))

    assert sampler.generator is None


def test_a_subclass_that_orders_otherwise_is_taken_at_its_word() -> None:
    class Backwards(DefaultSampler):
        def __iter__(self) -> Iterator[int]:
            return reversed(range(self.size))  # type: ignore[return-value]

    loader = StatefulDataLoader(CountedSamples(4), 2, sampler=Backwards(range(4), seed=1))

    assert [indices for indices, _ in batches_until(loader, 1)] == [[3, 2], [1, 0]]


# ---- what cannot be exact, and what does not fit


def test_exact_loaders_have_no_resume_warnings() -> None:
    assert StatefulDataLoader(CountedSamples(7), 2, shuffle=True, seed=1).resume_warnings() == []
    sampler = SequentialSampler(range(7))
    assert StatefulDataLoader(CountedSamples(7), 2, sampler=sampler, seed=1).resume_warnings() == []


def test_a_sampler_of_unknown_kind_is_doubted_in_words() -> None:
    class Mine:
        def __iter__(self) -> Iterator[int]:
            return iter(range(3))

    (doubt,) = StatefulDataLoader(CountedSamples(7), 2, sampler=Mine(), seed=1).resume_warnings()

    assert doubt.startswith("Mine has no set_epoch(epoch)")
    assert "Use a DefaultSampler" in doubt


def test_unseeded_workers_are_doubted() -> None:
    loader = StatefulDataLoader(CountedSamples(7), 2, seed=1, num_workers=1, seed_samples=False)

    assert "seed_samples=False" in loader.resume_warnings()[0]


def test_batches_of_tuples_have_their_indices_listed() -> None:
    batches = [(0, 1), (2,)]
    loader = StatefulDataLoader(CountedSamples(3), batch_sampler=batches, seed=1)

    assert [indices for indices, _ in batches_until(loader, 1)] == [[0, 1], [2]]


def test_unordered_batches_are_doubted() -> None:
    loader = StatefulDataLoader(CountedSamples(7), 2, seed=1, num_workers=1, in_order=False)

    assert "in_order=False" in loader.resume_warnings()[0]
    assert [batch.indices for batch in loader.batches()] == [None] * 4


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"num_samples": 8}, "its dataset had 8 samples, and this one has 7.*load_from"),
        ({"sampler": "InfiniteSampler"}, "with InfiniteSampler, and this is DefaultSampler"),
        ({"format": 9}, "has the format 9, and this version reads 1"),
        ({"format": None}, "has the format None"),
        ({"batches": "2"}, "has batches='2'; a whole number"),
        ({"epoch": -1}, "has epoch=-1; a whole number"),
    ],
)
def test_a_place_that_means_nothing_here_is_refused(change: dict, text: str) -> None:
    loader = StatefulDataLoader(CountedSamples(7), 2, seed=1)
    before = loader.state_dict()

    with pytest.raises(PositionError, match=text):
        loader.load_state_dict({**before, "seed": 5, "batches": 1, **change})
    assert loader.state_dict() == before


def test_other_samplers_need_the_same_ranks_and_batches() -> None:
    loader = StatefulDataLoader(CountedSamples(7), 2, sampler=[0, 1, 2], seed=1)

    with pytest.raises(
        PositionError, match="list can only be continued on 4 ranks with batches of 2"
    ):
        loader.load_state_dict({**loader.state_dict(), "batches": 1, "world_size": 4})


def test_an_empty_dataset_says_which_from_where_and_what_filtered_it() -> None:
    class Nothing(BaseDataset):
        def load_data_list(self) -> list[dict[str, Any]]:
            return [{"a": 1}]

        def filter_data(self) -> list[dict[str, Any]]:
            return []

    with pytest.raises(
        EmptyDatasetError, match=r"Nothing\(ann_file='a.json'.*1 read, 0 left by fil"
    ):
        StatefulDataLoader(Nothing("a.json", filter_cfg={"x": 1}), 2)
    with pytest.raises(EmptyDatasetError, match="list has no samples"):
        StatefulDataLoader([], 2)  # type: ignore[arg-type]


def test_arguments_that_cannot_be_are_refused() -> None:
    class Endless(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(())

    with pytest.raises(TypeError, match=r"Endless is an iterable dataset.*as_stateful"):
        StatefulDataLoader(Endless(), 2)
    with pytest.raises(TypeError, match=r"pass seed="):
        StatefulDataLoader(CountedSamples(2), 2, generator=torch.Generator())


def test_settings_of_the_loader_can_be_read() -> None:
    loader = StatefulDataLoader(CountedSamples(7), 2, seed=1, collate_fn=list)

    assert (loader.batch_size, loader.num_workers, loader.collate_fn) == (2, 0, list)
    assert len(loader) == 4
    with pytest.raises(AttributeError, match="no_such"):
        loader.no_such


# ---- failing workers


class Failing(Dataset[int]):
    def __init__(self, way: str) -> None:
        self.way = way

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            if self.way == "raise":
                raise RuntimeError("broken picture")
            if self.way == "kill" and get_worker_info() is not None:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.way == "hang":
                time.sleep(60)
        return index


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_keeps_its_type_and_names_the_sample(workers: int) -> None:
    loader = StatefulDataLoader(Failing("raise"), 2, seed=1, num_workers=workers)

    with pytest.raises(RuntimeError, match="broken picture") as caught:
        list(loader)
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert type(caught.value) is RuntimeError
    assert "while reading sample 5 of Failing" in text


@pytest.mark.parametrize("workers", [0, 1])
def test_a_dataset_that_raises_stop_iteration_does_not_end_the_epoch_early(workers: int) -> None:
    class Ending(Failing):
        def __getitem__(self, index: int) -> int:
            return next(iter(())) if index == 5 else index

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(StatefulDataLoader(Ending(""), 2, seed=1, num_workers=workers))


@pytest.mark.parametrize(
    ("way", "options"),
    [("kill", {}), pytest.param("hang", {"timeout": 0.5}, marks=pytest.mark.slow)],
)
def test_a_worker_that_dies_or_hangs_ends_the_run_and_the_samples_are_named(
    way: str, options: dict[str, Any]
) -> None:
    loader = StatefulDataLoader(Failing(way), 2, seed=1, num_workers=2, **options)
    before = time.monotonic()

    with pytest.raises(WorkerError, match=r"not yet here are the samples .*\[4, 5\]"):
        list(loader)
    assert time.monotonic() - before < 30


@pytest.mark.slow
def test_spawned_workers_read_the_same_samples() -> None:
    def run(**options: Any) -> list[Batch]:
        loader = StatefulDataLoader(CountedSamples(5), 2, shuffle=True, seed=3, **options)
        return list(batches_until(loader, 1))

    assert same(run(num_workers=1, multiprocessing_context="spawn"), run())


@pytest.mark.slow
def test_workers_end_after_their_killed_parent() -> None:
    code = (
        "import sys, time; from tk_runner.data import StatefulDataLoader\n"
        "loader = StatefulDataLoader(list(range(9)), 1, seed=1, num_workers=2)\n"
        "batches = iter(loader); next(batches); next(batches)\n"  # both workers are up
        "import multiprocessing as m\n"
        "print(*[child.pid for child in m.active_children()], flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()

    assert len(workers) == 2
    deadline = time.monotonic() + 30
    while any(is_running(pid) for pid in workers):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.2)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number of 1 or more or None, got 0"),
        ({"batch_size": "4"}, "got '4'"),
        ({"num_worker": 2}, "did you mean 'num_workers'"),
        ({"num_workers": -1}, "num_workers must be a whole number of 0 or more, got -1"),
        ({"prefetch_factor": 2}, "prefetch_factor is about worker processes, and num_workers is 0"),
        ({"timeout": -1, "num_workers": 1}, "timeout must be a number of 0 or more"),
        ({"sampler": [1], "shuffle": True}, "sampler decides the order, so shuffle=True has"),
        ({"batch_sampler": [[1]], "sampler": [1]}, "so sampler has no effect"),
        ({"batch_sampler": [[1]], "drop_last": True}, "so drop_last has no effect"),
    ],
)
def test_options_that_cannot_work_are_named(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(LoaderSettingsError, match=problem):
        StatefulDataLoader(CountedSamples(4), **options)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes of errors")
def test_samples_that_make_no_batch_are_named() -> None:
    class Ragged(Dataset[torch.Tensor]):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> torch.Tensor:
            return torch.zeros(1 + (index == 5))

    with pytest.raises(RuntimeError) as caught:
        list(StatefulDataLoader(Ragged(), batch_size=2))

    assert caught.value.__notes__ == ["while reading the samples [4, 5]"]
