"""The dataset as a ``StatefulDataLoader`` gives it to torch: asked for batches, not samples.

A request carries what is needed to seed, so that worker processes keep no
state and may stay alive over epochs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from torch.utils.data import Dataset, get_worker_info

from .sample_seed import Seeding, index_number, kept_generators, mixed, seed_generators
from .worker_messages import raise_sendable


class Request(NamedTuple):
    """One batch to read."""

    seed: int
    epoch: int
    rank: int
    number: int
    indices: Any


class Requests:
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


class SampleReader(Dataset[Any]):
    """Reads the samples of a request; an error names the sample.

    Attributes of the dataset can be read from here too, for worker
    initialisers that look at ``get_worker_info().dataset``.

    Args:
        dataset: map-style.
        seeding: ``"sample"`` seeds before every sample, ``"batch"`` before
            every batch in worker processes only. Where samples are read in
            the main process, its generators are afterwards as before.
    """

    def __init__(self, dataset: Dataset[Any], seeding: Seeding) -> None:
        self.dataset = dataset
        self.seeding = seeding
        self._reads_batches = hasattr(dataset, "__getitems__")

    def __getattr__(self, name: str) -> Any:
        if name == "dataset" or name.startswith("__"):  # while being unpickled
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __getitems__(self, request: Request) -> list[Any]:
        """The samples of a batch, in order."""
        try:
            if self.seeding == "sample":
                with _generators_as_before():
                    return [self._read_seeded(request, index) for index in request.indices]
            if self.seeding == "batch":
                self._seed_batch(request)
            if self._reads_batches:
                return self.dataset.__getitems__(request.indices)  # type: ignore[attr-defined, no-any-return]  # asked
            return self._read(request.indices)
        except Exception as error:
            raise_sendable(error)

    def __getitem__(self, request: Request) -> Any:
        """The one sample of a request, for loaders that do not batch."""
        try:
            if self.seeding == "sample":
                with _generators_as_before():
                    return self._read_seeded(request, request.indices)
            if self.seeding == "batch":
                self._seed_batch(request)
            return self._read([request.indices])[0]
        except Exception as error:
            raise_sendable(error)

    def _seed_batch(self, request: Request) -> None:
        if get_worker_info() is not None:
            seed_generators(mixed(request.seed, request.epoch, request.rank, request.number, 1))

    def _read_seeded(self, request: Request, index: Any) -> Any:
        seed_generators(mixed(request.seed, request.epoch, index_number(index)))
        return self._read([index])[0]

    def _read(self, indices: Iterable[Any]) -> list[Any]:
        dataset = self.dataset
        samples = []
        index = None
        try:
            for index in indices:
                samples.append(dataset[index])
        except Exception as error:
            name_sample(error, f"sample {index!r} of {type(dataset).__name__}")
            raise
        return samples


def _generators_as_before() -> AbstractContextManager[None]:
    """Where samples are read in the main process, it keeps its random numbers."""
    return nullcontext() if get_worker_info() is not None else kept_generators()


def name_sample(error: Exception, sample: str) -> None:
    """Put the sample into the text of an error, which stays the same object."""
    if hasattr(error, "add_note"):
        error.add_note(f"while reading {sample}")
    elif len(error.args) == 1 and isinstance(error.args[0], str):  # Python 3.10 has no notes
        error.args = (f"{error.args[0]}\nwhile reading {sample}",)
