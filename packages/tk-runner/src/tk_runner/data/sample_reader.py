"""The dataset as a ``PositionedLoader`` gives it to torch: asked for batches, not samples.

A request carries what is needed to seed, so that worker processes keep no
state and may stay alive over epochs.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from torch.utils.data import Dataset, get_worker_info

from .sample_seed import Seeding, index_number, kept_generators, mixed, seed_generators


class Request(NamedTuple):
    """One batch to read."""

    seed: int
    epoch: int
    rank: int
    number: int
    indices: Any


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

    def __getattr__(self, name: str) -> Any:
        if name == "dataset" or name.startswith("__"):  # while being unpickled
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __getitems__(self, request: Request) -> list[Any]:
        """The samples of a batch, in order."""
        with self._seeded(request):
            if self.seeding != "sample" and hasattr(self.dataset, "__getitems__"):
                samples: list[Any] = self.dataset.__getitems__(request.indices)
                return samples
            return [self._read(request, index) for index in request.indices]

    def __getitem__(self, request: Request) -> Any:
        """The one sample of a request, for loaders that do not batch."""
        with self._seeded(request):
            return self._read(request, request.indices)

    def _seeded(self, request: Request) -> AbstractContextManager[None]:
        in_worker = get_worker_info() is not None
        if self.seeding == "batch" and in_worker:
            seed_generators(mixed(request.seed, request.epoch, request.rank, request.number, 1))
        if self.seeding == "sample" and not in_worker:
            return kept_generators()
        return nullcontext()

    def _read(self, request: Request, index: Any) -> Any:
        if self.seeding == "sample":
            seed_generators(mixed(request.seed, request.epoch, index_number(index)))
        try:
            return self.dataset[index]
        except Exception as error:
            _name_sample(error, f"sample {index!r} of {type(self.dataset).__name__}")
            raise


def _name_sample(error: Exception, sample: str) -> None:
    """Put the sample into the text of an error, which stays the same object."""
    if hasattr(error, "add_note"):
        error.add_note(f"while reading {sample}")
    elif len(error.args) == 1 and isinstance(error.args[0], str):  # Python 3.10 has no notes
        error.args = (f"{error.args[0]}\nwhile reading {sample}",)
