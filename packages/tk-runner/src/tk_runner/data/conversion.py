"""Ready-made loaders as stateful ones.

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

from .sampler import DefaultSampler
from .stateful_data_loader import StatefulDataLoader
from .stateful_loader import StatefulLoader
from .wrapped_loader import WrappedLoader

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


def as_stateful(
    loader: Iterable[Any],
    seed: int | None = None,
    seed_samples: bool | None = None,
    *,
    round_up: bool | None = None,
) -> StatefulLoader:
    """The loader as a stateful one; one that is stateful already comes back itself.

    A plain shuffling or sequential ``DataLoader`` gets a ``DefaultSampler``, so
    on several ranks each of them reads its share; so it does with other samplers
    whose order is known. Loaders of other classes and iterable datasets are
    wrapped; ``resume_warnings()`` says what that means.

    Args:
        loader: any loader.
        seed: of order and samples; by default that of the loader's generator
            if it has one, or one that all ranks agree on.
        seed_samples: see ``StatefulDataLoader``.
        round_up: repeat the first samples until all ranks have equally many;
            by default where the loader shuffles.

    Raises:
        LoaderSettingsError: several ranks would read the same samples.
    """
    if isinstance(loader, StatefulLoader):
        return loader
    if type(loader) is not DataLoader or isinstance(loader.dataset, IterableDataset):
        return WrappedLoader(loader, seed)
    if seed is None and loader.generator is not None:
        seed = loader.generator.initial_seed()
    settings = {name: getattr(loader, name) for name in _SETTINGS if hasattr(loader, name)}
    settings |= _batching(loader, seed, round_up)
    return StatefulDataLoader(loader.dataset, seed=seed, seed_samples=seed_samples, **settings)


def _batching(loader: DataLoader[Any], seed: int | None, round_up: bool | None) -> dict[str, Any]:
    batch_sampler = loader.batch_sampler
    if batch_sampler is not None and type(batch_sampler) is not BatchSampler:
        return {"batch_sampler": batch_sampler, "round_up": round_up}
    sampler: Any = loader.sampler if batch_sampler is None else batch_sampler.sampler
    return {
        "sampler": _known_sampler(loader, sampler, seed, round_up),
        "round_up": round_up,
        "batch_size": None if batch_sampler is None else batch_sampler.batch_size,
        "drop_last": batch_sampler is not None and batch_sampler.drop_last,
    }


def _known_sampler(
    loader: DataLoader[Any], sampler: Any, seed: int | None, round_up: bool | None
) -> Any:
    """A ``DefaultSampler`` in place of one that goes once over the whole dataset."""
    dataset: Any = loader.dataset
    is_random = type(sampler) is RandomSampler and not sampler.replacement
    if is_random and sampler.num_samples != len(dataset):
        return sampler
    if not is_random and type(sampler) is not SequentialSampler:
        return sampler
    pads = is_random if round_up is None else round_up
    return DefaultSampler(dataset, shuffle=is_random, round_up=pads, seed=seed)
