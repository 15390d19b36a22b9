"""``PositionedLoader``: batches whose place in the epoch can be saved and found again.

The place is (seed, epoch, batches yielded); what workers have read ahead does
not count. Continuing skips indices, so no skipped sample is read. The random
numbers of a sample depend on seed, epoch and index, not on who reads it.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset

from tk_dist import get_dist_info, sync_random_seed
from tk_registry import did_you_mean

from .batch_order import BatchOrder, IteratedOrder, Position, ResumableOrder
from .errors import EmptyDatasetError, LoaderSettingsError, PositionError, WorkerError
from .sample_reader import Request, SampleReader, name_sample
from .sample_seed import mixed, seeding_for
from .sampler import DefaultSampler, ResumableSampler
from .worker_end import end_workers_of
from .worker_signals import OutliveStops

STATE_FORMAT = 1
_BEGIN = Position()


class PositionedLoader:
    """A ``DataLoader`` over a map-style dataset, with an exact position.

    Every iteration is one epoch and the next iteration the next epoch; one that
    is broken off begins anew. After ``load_state_dict`` the first iteration is
    the rest of the saved epoch, which is empty where the epoch was finished.

    With a ``DefaultSampler`` or ``InfiniteSampler`` the rest of an epoch can be
    dealt to another number of ranks, or into batches of another size, and no
    sample is lost or repeated.

    Args:
        dataset: map-style.
        batch_size: samples in a batch; ``None`` gives single samples.
        shuffle: where neither sampler is given, a ``DefaultSampler`` with it.
        sampler: gives indices.
        batch_sampler: gives lists of indices; in place of ``batch_size``,
            ``sampler`` and ``drop_last``.
        drop_last: leave out a last batch that is not full.
        seed: of the order and of the samples; by default the sampler's, or one
            that all ranks agree on.
        seed_samples: seed before every sample, which costs about 10
            microseconds in a worker and 20 in this process; ``False`` for
            never. By default where the dataset declares ``is_random``; others
            are seeded once a batch, in workers.
        **options: further arguments of ``DataLoader``, without ``generator``.

    Raises:
        EmptyDatasetError: the dataset is empty.
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
        seed: int | None = None,
        seed_samples: bool | None = None,
        **options: Any,
    ) -> None:
        _check(dataset, batch_size, options)
        if batch_sampler is None and sampler is None:
            seed = sync_random_seed() if seed is None else seed
            sampler = DefaultSampler(dataset, shuffle=shuffle, seed=seed, round_up=shuffle)  # type: ignore[arg-type]
        self.dataset = dataset
        self.batch_sampler = batch_sampler
        self.sampler: Any = sampler if batch_sampler is None else _inner_sampler(batch_sampler)
        self._order = _order(sampler, batch_sampler, batch_size, drop_last)
        if seed is None:
            own = getattr(self.sampler, "seed", None)
            seed = own if isinstance(own, int) else sync_random_seed()
        self.seed = seed
        self._last: Any = None  # the indices of the last batch, as the sampler gave them
        self._rank = get_dist_info()[0]
        self._start = Position()  # where the present iteration began
        self._yielded = 0  # batches since; the position is made of both when somebody asks
        self._continues = False
        self._turn: object = None
        self._batches: object = None  # what torch iterates with, while somebody iterates
        self._requests = _Requests()
        self._generator = torch.Generator()
        settings: dict[str, Any] = {**options, "generator": self._generator}
        if options.get("num_workers"):
            settings["worker_init_fn"] = OutliveStops(options.get("worker_init_fn"))
        if batch_sampler is None and batch_size is None:
            settings |= {"batch_size": None, "sampler": self._requests}
        else:
            settings["batch_sampler"] = self._requests
        self._reader = SampleReader(dataset, seeding_for(dataset, seed_samples))
        self._loader: DataLoader[Any] = DataLoader(self._reader, **settings)
        self._is_in_order = bool(options.get("in_order", True))

    # ---- iterating

    def __iter__(self) -> Iterator[Any]:
        turn = self._turn = object()
        self._go_to(self.position if self._continues else Position(self.epoch))
        if not self._start.finished:
            try:
                yield from self._rest_of_epoch(turn)
            finally:
                if self._turn is turn:
                    self._batches = None
        if self._turn is turn:
            self._go_to(Position(self.epoch + 1))

    def _rest_of_epoch(self, turn: object) -> Iterator[Any]:
        seed, start, rank = self.seed, self._start, self._rank
        self._generator.manual_seed(mixed(seed, start.epoch, rank) >> 1)
        order = enumerate(self._order.batches(seed, start), start.batches)
        asked = self._requests.begin(order, seed, start.epoch, rank)
        batches = self._batches = iter(self._loader)
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            except Exception as error:
                if not self._loader.persistent_workers:
                    end_workers_of(batches)  # the error that leaves keeps their iterator alive
                if str(error).startswith(("DataLoader worker", "DataLoader timed out")):
                    raise _worker_error(error, asked) from error
                if asked and self._is_in_order:
                    name_sample(error, f"the samples {asked[0].indices!r}")
                raise
            indices = asked.popleft().indices
            if self._turn is turn:
                self._last = indices if self._is_in_order else None
                self._yielded += 1
            yield batch

    @property
    def last_indices(self) -> list[Any] | None:
        """The indices of the last batch that was yielded; ``None`` before the first."""
        if self._last is None:
            return None
        if self._loader.batch_sampler is None and not isinstance(self._last, list):
            return [self._last]  # single samples
        return list(self._last)

    def end_workers(self) -> None:
        """End worker processes now: of a pass that was broken off, and persistent ones.

        The next iteration starts new ones.
        """
        end_workers_of(self._batches)
        end_workers_of(self._loader)
        self._batches = None

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank; of one pass where there is no end."""
        count = self._order.remaining(_BEGIN)
        if count is None:
            return -(-len(self.sampler) // (self._order.batch_size or 1))
        return count

    # ---- the position

    @property
    def position(self) -> Position:
        """Epoch, samples and batches behind us, and whether the epoch is finished."""
        return self._order.after(self._start, self._yielded) if self._yielded else self._start

    def _go_to(self, position: Position, *, to_continue: bool = False) -> None:
        self._start = position
        self._yielded = 0
        self._continues = to_continue

    @property
    def epoch(self) -> int:
        """The epoch that is being yielded, or comes next."""
        return self._start.epoch

    @property
    def batch_size(self) -> int | None:
        """Samples in a batch, where it is known."""
        return self._order.batch_size

    @property
    def is_endless(self) -> bool:
        """Whether an iteration never ends by itself."""
        return isinstance(self.sampler, ResumableSampler) and self.sampler.count_from(0) is None

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch; the place in the present one stays."""
        if epoch != self.epoch:
            self._go_to(Position(epoch))
            self._turn = None

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

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a saved place; the seed is the saved one from then on.

        Raises:
            PositionError: the place means nothing here; nothing is changed.
                ``set_epoch`` begins an epoch anew instead.
        """
        if reason := self._why_not(state):
            raise PositionError(
                f"the saved place in the data does not fit: {reason}. "
                f"To begin the epoch anew: set_epoch({state.get('epoch', 0)})"
            )
        self.seed = state["seed"]
        if state["sampler_seed"] is not None:
            self.sampler.seed = state["sampler_seed"]
        position = Position(state["epoch"], state["consumed"], state["batches"], state["finished"])
        self._go_to(position, to_continue=True)
        self._turn = None

    def _why_not(self, state: Mapping[str, Any]) -> str | None:
        if state.get("format") != STATE_FORMAT:
            return (
                f"it has the format {state.get('format')!r}, and this version reads {STATE_FORMAT}"
            )
        if state["num_samples"] != (size := len(self.dataset)):  # type: ignore[arg-type]
            return f"it is of {state['num_samples']} samples, and the dataset has {size}"
        if state["sampler"] != self._order.name:
            return f"it was written with {state['sampler']}, and this is {self._order.name}"
        return self._order.mismatch(state["world_size"], state["batch_size"])

    def doubts(self) -> list[str]:
        """In words, what a continued run may do differently; empty where it is exact."""
        found = self._order.doubts()
        if self._reader.seeding == "none" and self._loader.num_workers:
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

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_loader" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["_loader"], name)  # num_workers, collate_fn, pin_memory, ...


class _Requests:
    """What torch iterates as its batch sampler: one epoch's requests, noted as they are drawn."""

    def __init__(self) -> None:
        self._source: Iterator[Request] = iter(())

    def begin(
        self, order: Iterable[tuple[int, Any]], seed: int, epoch: int, rank: int
    ) -> deque[Request]:
        """Set the next iteration; returns the requests drawn and not yet answered."""
        asked: deque[Request] = deque()
        self._source = self._noted(order, seed, epoch, rank, asked)
        return asked

    def __iter__(self) -> Iterator[Request]:
        return self._source

    @staticmethod
    def _noted(
        order: Iterable[tuple[int, Any]], seed: int, epoch: int, rank: int, asked: deque[Request]
    ) -> Iterator[Request]:
        for number, indices in order:
            request = Request(seed, epoch, rank, number, indices)
            asked.append(request)
            yield request


_OPTIONS = tuple(inspect.signature(DataLoader).parameters)


def _check(dataset: object, batch_size: Any, options: Mapping[str, Any]) -> None:
    if isinstance(dataset, IterableDataset):
        raise TypeError(
            f"{type(dataset).__name__} is an iterable dataset, which has no indices; "
            "use tk_runner.data.with_position(DataLoader(...))"
        )
    if "generator" in options:
        raise TypeError("generator= is the loader's own, made from the seed; pass seed=...")
    is_size = isinstance(batch_size, int) and not isinstance(batch_size, bool) and batch_size > 0
    if batch_size is not None and not is_size:
        raise LoaderSettingsError(
            f"batch_size={batch_size!r}: give a whole number, 1 or more, or None for single samples"
        )
    for name in options:
        if name not in _OPTIONS:
            raise LoaderSettingsError(
                f"a loader has no option {name!r}; {did_you_mean(name, _OPTIONS)}"
            )
    if not len(dataset):  # type: ignore[arg-type]
        explain = getattr(dataset, "explain_size", None)
        text = explain() if explain else f"{type(dataset).__name__} has no samples"
        raise EmptyDatasetError(f"nothing to load: {text}")


def _order(
    sampler: Iterable[Any] | None,
    batch_sampler: Iterable[Any] | None,
    batch_size: int | None,
    drop_last: bool,
) -> BatchOrder:
    world_size = get_dist_info()[1]
    if batch_sampler is not None:
        inner = _inner_sampler(batch_sampler)
        if type(batch_sampler) is not BatchSampler or not _is_resumable(inner):
            return IteratedOrder(
                batch_sampler, getattr(batch_sampler, "batch_size", None), world_size
            )
        sampler, batch_size = inner, batch_sampler.batch_size
        drop_last = batch_sampler.drop_last
    assert sampler is not None  # noqa: S101
    if isinstance(sampler, ResumableSampler) and _is_resumable(sampler):
        return ResumableOrder(sampler, batch_size, drop_last)
    if batch_size is None:
        return IteratedOrder(sampler, None, world_size)
    batches = BatchSampler(sampler, batch_size, drop_last)
    return IteratedOrder(batches, batch_size, world_size)


def _inner_sampler(batch_sampler: Iterable[Any]) -> Any:
    return getattr(batch_sampler, "sampler", batch_sampler)


def _is_resumable(sampler: object) -> bool:
    """Whether ``indices_from`` is what iterating gives: not where a subclass iterates otherwise."""
    for kind in type(sampler).__mro__:
        if "__iter__" in vars(kind):
            return "indices_from" in vars(kind)
    return False


def _worker_error(error: Exception, asked: Iterable[Request]) -> WorkerError:
    waiting = [repr(request.indices) for request in asked]
    shown = ", ".join(text if len(text) < 200 else f"{text[:200]}..." for text in waiting[:16])
    return WorkerError(
        f"{error}\nAsked for and not yet here are the samples {shown or '(none)'}"
        f"{', ...' if waiting[16:] else ''}; oldest first. A worker that is killed has often run "
        "out of memory; num_workers=0 shows an error where it happens, and timeout= ends a wait "
        "for one that hangs"
    )
