"""``StatefulDataLoader``: torch's ``DataLoader`` over a map-style dataset, with an exact place.

The place is (seed, epoch, batches yielded), so saving it costs nothing and
continuing is arithmetic on indices.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from tk_dist import get_dist_info, sync_random_seed
from tk_registry import at_least, check_values, count, did_you_mean, one_of, value_rules

from ..errors import Stopped
from .batch_order import Position, inner_sampler, order_of
from .errors import EmptyDatasetError, LoaderSettingsError
from .sample_reader import Request, Requests, SampleReader, name_sample
from .sample_seed import mixed, seeding_for
from .sampler import DefaultSampler, ResumableSampler
from .snapshot import Snapshot
from .stateful_loader import STATE_FORMAT, Batch, StatefulLoader
from .worker_messages import SendableCollate
from .workers import (
    OutliveStops,
    end_workers_of,
    is_worker_failure,
    next_interruptible,
    worker_error,
)

_BEGIN = Position()


def _batching_problems(
    sampler: Any, batch_sampler: Any, shuffle: bool, drop_last: bool
) -> Iterator[tuple[str, str]]:
    """Settings beside which others have no effect."""
    if sampler is not None and shuffle:
        yield "shuffle", "the sampler decides the order, so shuffle=True has no effect; remove one"
    others = {"sampler": sampler is not None, "shuffle": shuffle, "drop_last": drop_last}
    if batch_sampler is not None:
        for name in (name for name, is_given in others.items() if is_given):
            text = f"the batch_sampler decides the batches, so {name} has no effect; remove one"
            yield name, text


def _worker_problems(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Settings of worker processes where there are none."""
    if options.get("num_workers", 0) != 0:
        return
    for name in ("persistent_workers", "prefetch_factor", "timeout"):
        if options.get(name):
            yield name, f"{name} is about worker processes, and num_workers is 0; remove one"


_FLAG = one_of(True, False)


@value_rules(
    _batching_problems,
    _worker_problems,
    batch_size=count(1) | one_of(None),
    shuffle=_FLAG,
    drop_last=_FLAG,
    round_up=_FLAG,
    seed=count(0),
    seed_samples=_FLAG,
    num_workers=count(0),
    prefetch_factor=count(1) | one_of(None),
    timeout=at_least(0),
    pin_memory=_FLAG,
    persistent_workers=_FLAG,
    in_order=_FLAG,
)
class StatefulDataLoader(StatefulLoader):
    """A ``DataLoader`` over a map-style dataset whose place is exact.

    Continuing skips indices, so no skipped sample is read. The random numbers of
    a sample depend on seed, epoch and index, not on who reads it.

    With a ``DefaultSampler`` or ``InfiniteSampler`` the rest of an epoch can be
    dealt to another number of ranks, or into batches of another size, and no
    sample is lost or repeated. Other samplers whose order is known are dealt to
    the ranks too; one that is not must give each rank its share itself.

    Args:
        dataset: map-style.
        batch_size: samples in a batch; ``None`` gives single samples.
        shuffle: where neither sampler is given, a ``DefaultSampler`` with it.
        sampler: gives indices.
        batch_sampler: gives lists of indices; in place of ``batch_size``,
            ``sampler`` and ``drop_last``.
        drop_last: leave out a last batch that is not full.
        round_up: repeat the first samples at the end of an epoch until all
            ranks have equally many; by default where the loader shuffles. A
            sampler that deals its indices itself decides for itself.
        seed: of the order and of the samples; by default the sampler's, or one
            that all ranks agree on.
        seed_samples: seed before every sample, which costs about 10
            microseconds in a worker and 20 in this process; ``False`` for
            never. By default where the dataset declares ``is_random``; others
            are seeded once a batch, in workers.
        **options: further arguments of ``DataLoader``, without ``generator``.

    Raises:
        EmptyDatasetError: the dataset is empty.
        LoaderSettingsError: an option cannot work, or ranks would read the same samples.
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        batch_size: int | None = 1,
        *,
        shuffle: bool = False,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        drop_last: bool = False,
        round_up: bool | None = None,
        seed: int | None = None,
        seed_samples: bool | None = None,
        **options: Any,
    ) -> None:
        check_values(StatefulDataLoader, {**locals(), **options}, LoaderSettingsError)
        _check(dataset, options)
        pads = shuffle if round_up is None else round_up
        if batch_sampler is None and sampler is None:
            seed = sync_random_seed() if seed is None else seed
            sampler = DefaultSampler(dataset, shuffle=shuffle, seed=seed, round_up=pads)  # type: ignore[arg-type]
        self._order = order_of(sampler, batch_sampler, batch_size, drop_last, round_up=pads)
        self._is_batched = batch_sampler is not None or batch_size is not None
        self._is_in_order = bool(options.get("in_order", True))
        self._rank = get_dist_info()[0]
        self._requests = Requests()
        self._generator = torch.Generator()
        settings: dict[str, Any] = {**options, "generator": self._generator}
        if options.get("num_workers"):
            settings["worker_init_fn"] = OutliveStops(options.get("worker_init_fn"))
        if self._is_batched:
            settings["batch_sampler"] = self._requests
        else:
            settings |= {"batch_size": None, "sampler": self._requests}
        self._reader = SampleReader(dataset, seeding_for(dataset, seed_samples))
        loader: DataLoader[Any] = DataLoader(self._reader, **settings)
        self.collate_fn = loader.collate_fn
        if loader.num_workers:
            loader.collate_fn = SendableCollate(loader.collate_fn)
        super().__init__(loader)
        self._batches: object = None  # what torch iterates with, while somebody iterates
        self._seen_by_workers: Snapshot | None = None
        self.batch_sampler = batch_sampler
        self.sampler: Any = sampler if batch_sampler is None else inner_sampler(batch_sampler)
        if seed is None:
            of_sampler = getattr(self.sampler, "seed", None)
            seed = of_sampler if isinstance(of_sampler, int) else sync_random_seed()
        self.seed = seed

    @property
    def dataset(self) -> Dataset[Any]:
        """The dataset that was given."""
        return self._reader.dataset

    @property
    def batch_size(self) -> int | None:
        """Samples in a batch, where it is known."""
        return self._order.batch_size

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank; of one pass where there is no end."""
        count = self._order.remaining(_BEGIN)
        if count is None:
            return -(-len(self.sampler) // (self._order.batch_size or 1))
        return count

    @property
    def is_endless(self) -> bool:
        """Whether an iteration never ends by itself."""
        return isinstance(self.sampler, ResumableSampler) and self.sampler.count_from(0) is None

    def _after(self, position: Position, batches: int) -> Position:
        return self._order.after(position, batches)

    # ---- iterating

    def _rest_of_epoch(self, continues: bool) -> Generator[Batch, None, None]:
        seed, start, rank = self.seed, self._start, self._rank
        is_batched, is_in_order = self._is_batched, self._is_in_order
        self._generator.manual_seed(mixed(seed, start.epoch, rank) >> 1)
        order = enumerate(self._order.batches(seed, start), start.batches)
        asked = self._requests.begin(order, seed, start.epoch, rank)
        self._renew_stale_workers()
        reads_here = not self.loader.num_workers and not self.loader.pin_memory
        batches = self._batches = self._read_here() if reads_here else iter(self.loader)
        try:
            while True:
                try:
                    data = next_interruptible(batches)
                except StopIteration:
                    return
                except Exception as error:
                    self._explain(error, batches, asked)
                    raise
                indices = asked.popleft().indices
                if type(indices) is not list:
                    indices = list(indices) if is_batched else [indices]
                yield Batch(data, indices if is_in_order else None)
        finally:
            if self._batches is batches:
                self._batches = None

    def _read_here(self) -> Iterator[Any]:
        """As torch's loader reads without workers, less its bookkeeping: a third of the time."""
        read = self._reader.__getitems__ if self._is_batched else self._reader.__getitem__
        collate = self.collate_fn
        for request in self._requests:
            yield collate(read(request))

    def _renew_stale_workers(self) -> None:
        """End persistent workers whose copy of the dataset is not what the dataset is now."""
        if not self.loader.persistent_workers:
            return
        now = Snapshot(self.dataset)
        if self._seen_by_workers is not None and self._seen_by_workers.differs(now):
            super().end_workers()
        self._seen_by_workers = now

    def _explain(self, error: Exception, batches: object, asked: deque[Request]) -> None:
        """Say which samples an error is about, and end the workers that it leaves behind."""
        if not self.loader.persistent_workers:
            end_workers_of(batches)  # the error that leaves keeps their iterator alive
        if self.loader.num_workers and is_worker_failure(error):
            raise worker_error(error, _awaited(asked)) from error
        if asked and self._is_in_order and not isinstance(error, Stopped):
            name_sample(error, f"the samples {asked[0].indices!r}")

    def end_workers(self) -> None:
        """End worker processes now: of a pass that was broken off, and persistent ones.

        The next iteration starts new ones.
        """
        end_workers_of(self._batches)
        super().end_workers()
        self._batches = None

    # ---- its state

    def state_dict(self) -> dict[str, Any]:
        """The place behind the last yielded batch, as plain values; rank 0's serves all ranks."""
        position, order = self.position, self._order
        return {
            "format": STATE_FORMAT,
            "seed": self.seed,
            "sampler": order.name,
            "sampler_seed": getattr(self.sampler, "seed", None),
            "epoch": position.epoch,
            "consumed": position.consumed,
            "batches": position.batches,
            "finished": position.finished,
            "num_samples": len(self.dataset),  # type: ignore[arg-type]
            "world_size": order.world_size,
            "batch_size": order.batch_size,
        }

    def _mismatch(self, state: Mapping[str, Any]) -> str | None:
        if "sampler" not in state:
            return f"it was written with a {state.get('kept')!r}, and this is a StatefulDataLoader"
        if state["num_samples"] != (size := len(self.dataset)):  # type: ignore[arg-type]
            return f"its dataset had {state['num_samples']} samples, and this one has {size}"
        if state["sampler"] != self._order.name:
            return f"it was written with {state['sampler']}, and this is {self._order.name}"
        return self._order.mismatch(state["world_size"], state["batch_size"])

    def _restore(self, state: Mapping[str, Any]) -> None:
        if state["sampler_seed"] is not None:
            self.sampler.seed = state["sampler_seed"]

    def resume_warnings(self) -> list[str]:
        """In words, what may differ in a run that is resumed inside an epoch; empty if exact."""
        found = self._order.resume_warnings()
        if self._reader.seeding == "none" and self.loader.num_workers:
            found.append(
                "seed_samples=False: random numbers drawn in worker processes are other ones when "
                "the run continues inside an epoch. Leave seed_samples out"
            )
        if not self._is_in_order:
            found.append(
                "in_order=False: batches come as workers finish them, so neither their order "
                "nor their indices are known. Leave in_order=True"
            )
        return found


_OPTIONS = tuple(inspect.signature(DataLoader).parameters)


def _check(dataset: object, options: Mapping[str, Any]) -> None:
    if isinstance(dataset, IterableDataset):
        raise TypeError(
            f"{type(dataset).__name__} is an iterable dataset, which has no indices; "
            "use tk_runner.data.as_stateful(DataLoader(...))"
        )
    if "generator" in options:
        raise TypeError("generator= is the loader's own, made from the seed; pass seed=...")
    for name in options:
        if name not in _OPTIONS:
            raise LoaderSettingsError(
                f"a loader has no option {name!r}; {did_you_mean(name, _OPTIONS)}"
            )
    if not len(dataset):  # type: ignore[arg-type]
        explain = getattr(dataset, "explain_size", None)
        text = explain() if explain else f"{type(dataset).__name__} has no samples"
        raise EmptyDatasetError(f"nothing to load: {text}")


def _awaited(asked: Iterable[Request]) -> str:
    """Which samples were asked for and are not here, as far as they fit into a message."""
    waiting = [repr(request.indices) for request in asked]
    shown = ", ".join(text if len(text) < 200 else f"{text[:200]}..." for text in waiting[:16])
    more = ", ..." if waiting[16:] else ""
    return f"Asked for and not yet here are the samples {shown or '(none)'}{more}; oldest first"
