"""``WrappedLoader``: somebody's own loader, with as much of a place as it allows.

For iterable datasets and subclasses of ``DataLoader``. One that saves its state
is asked for it; any other is counted, and continuing reads and drops the
batches that were used.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from tk_dist import get_dist_info, sync_random_seed

from ..process.seed import capture_host_state, restore_random_state
from .batch_order import Position, draws_globally, inner_sampler
from .rank_share import deals_to_ranks, require_shares
from .sample_seed import kept_generators, mixed
from .stateful_loader import STATE_FORMAT, Batch, StatefulLoader, logger
from .worker_messages import SendableCollate
from .workers import end_workers_of, is_worker_failure, next_interruptible, worker_error

_NO_STATE = (
    "{what} has no state_dict() and load_state_dict(): a run that continues inside an epoch reads "
    "the used batches again and drops them, and gets the same ones only if nothing but the random "
    "numbers at the start of the epoch decides their order. A plain DataLoader over a map-style "
    "dataset is exact"
)


class WrappedLoader(StatefulLoader):
    """Iterates a loader as it is and knows how many batches it gave.

    Args:
        loader: anything that can be iterated once for each epoch. A
            ``DataLoader`` without a state and without a generator gets one, so
            that its workers are seeded from ``seed`` and the epoch, and not
            from torch's global generator.
        seed: by default one that all ranks agree on.

    Raises:
        LoaderSettingsError: it has a map-style dataset and several ranks would
            read the same samples.
    """

    state_differs_by_rank = True

    def __init__(self, loader: Iterable[Any], seed: int | None = None) -> None:
        super().__init__(loader)
        self._check_shares()
        if isinstance(loader, DataLoader) and loader.num_workers:
            self.collate_fn = loader.collate_fn
            if not isinstance(loader.collate_fn, SendableCollate):
                loader.collate_fn = SendableCollate(loader.collate_fn)
        self._generator: torch.Generator | None = None
        if isinstance(loader, DataLoader) and loader.generator is None and not _has_state(loader):
            self._generator = loader.generator = torch.Generator()
            self.seed = sync_random_seed() if seed is None else seed
            sampler: Any = loader.sampler
            if draws_globally(sampler) and sampler.generator is None:
                sampler.generator = self._generator  # else the order is torch's global one
        self._loaded_state: Any = None  # what the owner was given, until its first batch
        self._random_at_start: dict[str, Any] | None = None

    @property
    def _name(self) -> str:
        dataset = getattr(self.loader, "dataset", None)
        name = type(self.loader).__name__
        return name if dataset is None else f"{name} over {type(dataset).__name__}"

    def _check_shares(self) -> None:
        """Ranks read different samples, or it is said that this cannot be known."""
        world_size = get_dist_info()[1]
        dataset = getattr(self.loader, "dataset", None)
        batch_sampler = getattr(self.loader, "batch_sampler", None)
        sampler = getattr(self.loader, "sampler", None)
        parts = [self.loader, dataset, sampler, batch_sampler, inner_sampler(batch_sampler)]  # type: ignore[arg-type]
        if world_size == 1 or any(deals_to_ranks(part, world_size) for part in parts):
            return
        if isinstance(self.loader, DataLoader) and not isinstance(dataset, IterableDataset):
            require_shares(sampler, self._name, world_size)
        logger.warning(
            "%s is read by each of %d ranks as it is: it must give every rank other samples. Give "
            "it, or its dataset, an attribute world_size to say that it does",
            self._name,
            world_size,
        )

    def _state_owner(self) -> Any:
        """What saves and restores the place: the loader, its dataset, or nobody."""
        if _has_state(self.loader):
            return self.loader
        dataset = getattr(self.loader, "dataset", None)
        if isinstance(dataset, IterableDataset) and _has_state(dataset) and not self._num_workers:
            return dataset
        return None

    @property
    def _num_workers(self) -> int:
        return int(getattr(self.loader, "num_workers", 0))

    # ---- iterating

    def _rest_of_epoch(self, continues: bool) -> Generator[Batch, None, None]:
        self._announce_epoch()
        batches = self._begin(continues)
        first = list(itertools.islice(self._awaited(batches), 1))
        if not first and continues and not self._start.batches:
            # A state saved between two epochs may be the end of the one; the other follows it.
            batches = iter(self.loader)
        self._loaded_state = None
        for data in itertools.chain(first, self._awaited(batches)):
            yield Batch(data)

    def _awaited(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The batches; an error ends their workers and says which loader it is about."""
        # What has a state of its own must not be broken off while it changes.
        take = next if self._state_owner() is not None else next_interruptible
        while True:
            try:
                data = take(batches)
            except StopIteration:
                return
            except Exception as error:
                end_workers_of(batches)
                if self._num_workers and is_worker_failure(error):
                    raise worker_error(error, f"The loader is {self._name}") from error
                raise
            yield data

    def _begin(self, continues: bool) -> Iterator[Any]:
        """The batches of the epoch, without those that were used."""
        skip = self._start.batches if continues and self._state_owner() is None else 0
        if not skip:
            is_counted = self._state_owner() is None and not self._num_workers
            self._random_at_start = capture_host_state() if is_counted else None
            return iter(self.loader)
        with kept_generators():  # the random numbers of the used batches were drawn before
            if self._random_at_start is not None:
                restore_random_state(self._random_at_start)
            batches: Iterator[Any] = iter(self.loader)
            for _ in itertools.islice(batches, skip):
                pass
        return batches

    def _announce_epoch(self) -> None:
        if self._generator is not None:
            self._generator.manual_seed(mixed(self.seed, self.epoch) >> 1)
        for owner in ("sampler", "batch_sampler", "dataset"):
            part = getattr(self.loader, owner, None)
            if part is not None and hasattr(part, "set_epoch"):
                part.set_epoch(self.epoch)

    def __len__(self) -> int:
        return len(self.loader)

    @property
    def is_endless(self) -> bool:
        """``False``: whether an unknown loader ends cannot be known before it does."""
        return False

    def _after(self, position: Position, batches: int) -> Position:
        return replace(position, batches=position.batches + batches)

    # ---- its state

    def state_dict(self) -> dict[str, Any]:
        """The place behind the last yielded batch, with the owner's state where it has one."""
        rank, world_size = get_dist_info()
        position = self.position
        return {
            "format": STATE_FORMAT,
            "kept": type(self.loader).__name__,
            "seed": self.seed,
            "epoch": position.epoch,
            "batches": position.batches,
            "length": self._length(),
            "state": self._owners_state(),
            "random": self._random_at_start,
            "rank": rank,
            "world_size": world_size,
        }

    def _owners_state(self) -> Any:
        if self._loaded_state is not None:  # many show it only when they have been iterated
            return self._loaded_state
        owner = self._state_owner()
        return None if owner is None else owner.state_dict()

    def _length(self) -> int | None:
        try:
            return len(self)
        except TypeError:
            return None

    def _mismatch(self, state: Mapping[str, Any]) -> str | None:
        name = type(self.loader).__name__
        if state.get("kept") != name:
            kind = state.get("kept") or f"loader with a {state.get('sampler')}"
            return f"it was written with a {kind}, and this is a {name}"
        rank, world_size = get_dist_info()
        then = state.get("world_size", world_size)
        if then != world_size:
            return f"{self._name} was read by {then} ranks, and now there are {world_size}"
        is_ours = state.get("rank", 0) == rank
        if not is_ours and state["state"] is not None:
            return f"the saved state of {self._name} is that of rank {state.get('rank', 0)}"
        return None

    def _restore(self, state: Mapping[str, Any]) -> None:
        owner = self._state_owner()
        if owner is not None and state["state"] is not None:
            owner.load_state_dict(state["state"])
            self._loaded_state = state["state"]
        self._random_at_start = state.get("random")

    def resume_warnings(self) -> list[str]:
        """In words, what may differ in a run that is resumed inside an epoch."""
        if self._state_owner() is not None:
            return [f"{self._name} is continued by its own state; it is as exact as that is"]
        return [_NO_STATE.format(what=self._name)]


def _has_state(thing: object) -> bool:
    return hasattr(thing, "state_dict") and hasattr(thing, "load_state_dict")
