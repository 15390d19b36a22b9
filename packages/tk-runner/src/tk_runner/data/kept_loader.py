"""``KeptLoader``: somebody's own loader, with as much of a position as it allows.

For iterable datasets and subclasses of ``DataLoader``. One that saves its state
is asked for it; any other is counted, and continuing reads and drops the
batches that were used.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from tk_dist import sync_random_seed

from .batch_order import Position, draws_globally
from .errors import PositionError
from .positioned_loader import STATE_FORMAT
from .sample_seed import kept_generators, mixed
from .worker_end import end_workers_of

_NO_STATE = (
    "{what} has no state_dict() and load_state_dict(): a run that continues inside an epoch reads "
    "the used batches again and drops them, and gets the same ones only if the order does not "
    "depend on global random numbers. A plain DataLoader over a map-style dataset is exact"
)


class KeptLoader:
    """Iterates a loader as it is and knows how many batches it gave.

    Args:
        loader: anything that can be iterated once for each epoch. A
            ``DataLoader`` without a state and without a generator gets one, so
            that its workers are seeded from ``seed`` and the epoch, and not
            from torch's global generator.
        seed: by default one that all ranks agree on.
    """

    last_indices: list[Any] | None = None  # never known here

    def __init__(self, loader: Iterable[Any], seed: int | None = None) -> None:
        self.loader = loader
        self._generator: torch.Generator | None = None
        self.seed = 0
        if isinstance(loader, DataLoader) and loader.generator is None and not _has_state(loader):
            self._generator = loader.generator = torch.Generator()
            self.seed = sync_random_seed() if seed is None else seed
            sampler: Any = loader.sampler
            if draws_globally(sampler) and sampler.generator is None:
                sampler.generator = self._generator  # else the order is torch's global one
        self._position = Position()
        self._continues = False
        self._turn: object = None

    def _state_owner(self) -> Any:
        """What saves and restores the place: the loader, its dataset, or nobody."""
        if _has_state(self.loader):
            return self.loader
        dataset = getattr(self.loader, "dataset", None)
        in_this_process = getattr(self.loader, "num_workers", 0) == 0
        if isinstance(dataset, IterableDataset) and _has_state(dataset) and in_this_process:
            return dataset
        return None

    def __iter__(self) -> Iterator[Any]:
        turn = self._turn = object()
        skip = 0
        if not self._continues:
            self._position = Position(self._position.epoch)
        elif self._state_owner() is None:
            skip = self._position.batches
        self._continues = False
        self._announce_epoch()
        batches = iter(self.loader)
        if skip:
            with kept_generators():  # the random numbers of the used batches were drawn before
                for _ in itertools.islice(batches, skip):
                    pass
        for batch in batches:
            if self._turn is turn:
                self._position = replace(self._position, batches=self._position.batches + 1)
            yield batch
        if self._turn is turn:
            self._position = Position(self._position.epoch + 1)

    def end_workers(self) -> None:
        """End persistent worker processes now, where the loader is torch's."""
        if isinstance(self.loader, DataLoader):
            end_workers_of(self.loader)

    def _announce_epoch(self) -> None:
        if self._generator is not None:
            self._generator.manual_seed(mixed(self.seed, self._position.epoch) >> 1)
        for owner in ("sampler", "batch_sampler", "dataset"):
            part = getattr(self.loader, owner, None)
            if part is not None and hasattr(part, "set_epoch"):
                part.set_epoch(self._position.epoch)

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]

    @property
    def position(self) -> Position:
        """Epoch and batches behind us."""
        return self._position

    @property
    def epoch(self) -> int:
        """The epoch that is being yielded, or comes next."""
        return self._position.epoch

    @property
    def is_endless(self) -> bool:
        """``False``: whether an unknown loader ends cannot be known before it does."""
        return False

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch; the place in the present one stays."""
        if epoch != self._position.epoch:
            self._position = Position(epoch)
            self._continues = False
            self._turn = None

    def state_dict(self) -> dict[str, Any]:
        """The place behind the last yielded batch, with the owner's state where it has one."""
        owner = self._state_owner()
        return {
            "format": STATE_FORMAT,
            "kept": type(self.loader).__name__,
            "seed": self.seed,
            "epoch": self._position.epoch,
            "batches": self._position.batches,
            "state": None if owner is None else owner.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a saved place; without a state the used batches are read and dropped.

        Raises:
            PositionError: the place is of another kind of loader.
        """
        name = type(self.loader).__name__
        if state.get("format") != STATE_FORMAT or state.get("kept") != name:
            raise PositionError(
                f"the saved place in the data is of {state.get('kept', 'a PositionedLoader')!r}, "
                f"and this is a kept {name}; to begin the epoch anew: "
                f"set_epoch({state.get('epoch', 0)})"
            )
        owner = self._state_owner()
        if owner is not None and state["state"] is not None:
            owner.load_state_dict(state["state"])
        self.seed = state["seed"]
        self._position = Position(state["epoch"], batches=state["batches"])
        self._continues = True
        self._turn = None

    def doubts(self) -> list[str]:
        """In words, what a continued run may do differently."""
        name = type(self.loader).__name__
        dataset = getattr(self.loader, "dataset", None)
        what = f"{name} over {type(dataset).__name__}" if dataset is not None else name
        if self._state_owner() is not None:
            return [f"{what} is continued by its own state; it is as exact as that is"]
        return [_NO_STATE.format(what=what)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "loader" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["loader"], name)


def _has_state(thing: object) -> bool:
    return hasattr(thing, "state_dict") and hasattr(thing, "load_state_dict")
