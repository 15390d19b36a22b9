"""A ready-made loader around a position.

A plain ``DataLoader`` over a map-style dataset is built anew, with the same
settings; anything else is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
)

from .kept_loader import KeptLoader
from .positioned_loader import PositionedLoader
from .sampler import DefaultSampler

_SETTINGS = (
    "num_workers",
    "collate_fn",
    "pin_memory",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "prefetch_factor",
    "persistent_workers",
    "pin_memory_device",
    "in_order",
)


def with_position(
    loader: Iterable[Any], seed: int | None = None, seed_samples: bool | None = None
) -> PositionedLoader | KeptLoader:
    """The loader with a position; one that has it already comes back itself.

    A plain shuffling or sequential ``DataLoader`` gets a ``DefaultSampler``, so
    on several ranks each of them reads its share. Other samplers of it are used
    as they are. Loaders of other classes and iterable datasets are kept;
    ``doubts()`` says what that means.

    Args:
        loader: any loader.
        seed: of order and samples; by default that of the loader's generator
            if it has one, or one that all ranks agree on.
        seed_samples: see ``PositionedLoader``.
    """
    if isinstance(loader, (PositionedLoader, KeptLoader)):
        return loader
    if type(loader) is not DataLoader or isinstance(loader.dataset, IterableDataset):
        return KeptLoader(loader, seed)
    if seed is None and loader.generator is not None:
        seed = loader.generator.initial_seed()
    settings = {name: getattr(loader, name) for name in _SETTINGS if hasattr(loader, name)}
    return PositionedLoader(
        loader.dataset, **_batching(loader, seed), seed=seed, seed_samples=seed_samples, **settings
    )


def _batching(loader: DataLoader[Any], seed: int | None) -> dict[str, Any]:
    batch_sampler = loader.batch_sampler
    if batch_sampler is not None and type(batch_sampler) is not BatchSampler:
        return {"batch_sampler": batch_sampler}
    sampler: Any = loader.sampler if batch_sampler is None else batch_sampler.sampler
    return {
        "sampler": _known_sampler(loader, sampler, seed),
        "batch_size": None if batch_sampler is None else batch_sampler.batch_size,
        "drop_last": batch_sampler is not None and batch_sampler.drop_last,
    }


def _known_sampler(loader: DataLoader[Any], sampler: Any, seed: int | None) -> Any:
    dataset: Any = loader.dataset
    if type(sampler) is SequentialSampler:
        return DefaultSampler(dataset, shuffle=False, round_up=False, seed=seed)
    whole = type(sampler) is RandomSampler and not sampler.replacement
    if whole and sampler.num_samples == len(dataset):
        return DefaultSampler(dataset, shuffle=True, round_up=True, seed=seed)
    return sampler
