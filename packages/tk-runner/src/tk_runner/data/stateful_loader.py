"""``StatefulLoader``: a loader whose place in the data can be saved and found again.

Whatever kind of loader a run is given, this is what its loops see. The place is
a position (epoch, samples, batches) behind the last batch that was yielded; what
worker processes have read ahead does not count.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NamedTuple

from .batch_order import Position
from .errors import PositionError
from .workers import end_workers_of

logger = logging.getLogger("tk.data")

STATE_FORMAT = 1


class Batch(NamedTuple):
    """A batch together with the indices of its samples."""

    data: Any
    indices: list[Any] | None = None  # None where they are not known


class StatefulLoader(ABC):
    """Yields batches, epoch after epoch, from a place that can be saved.

    Every iteration is one epoch and the next iteration the next epoch; one that
    is broken off begins anew. After ``load_state_dict`` or ``continue_epoch``
    the first iteration is the rest of the epoch, which is empty where the epoch
    was finished. Attributes that are not here are those of ``loader``.

    Args:
        loader: what is iterated inside, such as a torch ``DataLoader``.
    """

    # Whether each rank has a state of its own, rather than one that serves all ranks.
    state_differs_by_rank = False

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.seed = 0
        self._start = Position()  # where the present iteration began
        self._yielded = 0  # batches since; the position is made of both when somebody asks
        self._continues = False
        self._iteration: object = None  # the latest one; older ones move the position no more

    # ---- iterating

    def __iter__(self) -> Iterator[Any]:
        return (batch.data for batch in self.batches())

    def batches(self) -> Iterator[Batch]:
        """One epoch, or the rest of one, with the indices of each batch's samples."""
        iteration = self._iteration = object()
        continues = self._continues
        self._go_to(self.position if continues else Position(self.epoch))
        if not self._start.finished:
            rest = self._rest_of_epoch(continues)
            try:
                for batch in rest:
                    if self._iteration is iteration:
                        self._yielded += 1
                    yield batch
            finally:
                rest.close()
        if self._iteration is iteration:
            self._go_to(Position(self.epoch + 1))

    @abstractmethod
    def _rest_of_epoch(self, continues: bool) -> Generator[Batch, None, None]:
        """The batches behind ``self._start``; ``continues`` tells a rest from a new epoch."""

    @abstractmethod
    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""

    def end_workers(self) -> None:
        """End the worker processes that are still there; the next iteration starts new ones."""
        end_workers_of(self.loader)

    # ---- the place

    @property
    def position(self) -> Position:
        """Epoch, samples and batches that were yielded, and whether the epoch is finished."""
        return self._after(self._start, self._yielded) if self._yielded else self._start

    @abstractmethod
    def _after(self, position: Position, batches: int) -> Position:
        """The position so many batches on."""

    @property
    def epoch(self) -> int:
        """The epoch that is being yielded, or comes next."""
        return self._start.epoch

    @property
    @abstractmethod
    def is_endless(self) -> bool:
        """Whether an iteration never ends by itself."""

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch; the place in the present one stays."""
        if epoch != self.epoch:
            self._go_to(Position(epoch))
            self._iteration = None

    def continue_epoch(self) -> None:
        """Let the next iteration be the rest of the present epoch, not the whole of it."""
        if not self._continues and self.position.batches:
            self.load_state_dict(self.state_dict())

    def _go_to(self, position: Position, *, to_continue: bool = False) -> None:
        self._start = position
        self._yielded = 0
        self._continues = to_continue

    # ---- its state

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """The place behind the last yielded batch, as plain values."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a saved place; the seed is the saved one from then on.

        A place between two epochs fits every loader, whatever its data, sampler
        or kind: the next epoch begins with what is here.

        Raises:
            PositionError: the place is inside an epoch of other data, or it is
                not a state of a loader; nothing is changed.
        """
        _check_form(state)
        epoch, batches = state["epoch"], state["batches"]
        finished = bool(state.get("finished", False))
        reason = self._mismatch(state)
        if reason is None:
            self._restore(state)
        elif _is_between_epochs(state):
            finished = batches > 0
            logger.info("the next epoch has other data than the last one: %s", reason)
        else:
            raise PositionError(
                f"the checkpoint was written after batch {batches} of epoch {epoch}, and this "
                f"epoch cannot be continued here: {reason}. Continue with the data and the "
                "settings of the run that wrote the checkpoint, name a checkpoint of the end of "
                "an epoch instead (resume='<work_dir>/epoch_<n>.pth'), or begin anew with its "
                "weights (resume=False, load_from='<the checkpoint>')"
            )
        self.seed = state["seed"]
        self._go_to(Position(epoch, state.get("consumed", 0), batches, finished), to_continue=True)
        self._iteration = None

    @abstractmethod
    def _mismatch(self, state: Mapping[str, Any]) -> str | None:
        """Why the place of a state means nothing inside an epoch of this loader."""

    @abstractmethod
    def _restore(self, state: Mapping[str, Any]) -> None:
        """Bring back what a fitting state holds besides position and seed."""

    @abstractmethod
    def resume_warnings(self) -> list[str]:
        """In words, what may differ in a run that is resumed inside an epoch; empty if exact."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "loader" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["loader"], name)  # num_workers, collate_fn, pin_memory, ...


def _is_between_epochs(state: Mapping[str, Any]) -> bool:
    """Whether no epoch was under way: none of its batches was used, or all of them."""
    length = state.get("length")  # what a loader whose end is not known announced
    all_used = state.get("finished") or (length is not None and state["batches"] >= length)
    return state["batches"] == 0 or bool(all_used)


def _check_form(state: Mapping[str, Any]) -> None:
    """A state of a loader, in the format that this version reads, with counts that can be."""
    if state.get("format") != STATE_FORMAT:
        raise PositionError(
            f"the saved state of the loader has the format {state.get('format')!r}, and this "
            f"version reads {STATE_FORMAT}"
        )
    for key in ("epoch", "batches", "seed"):
        value = state.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise PositionError(
                f"the saved state of the loader has {key}={value!r}; a whole number, 0 or more, "
                "is expected, so the checkpoint is damaged or not of this library"
            )
