"""Random numbers of a sample, made from the run's seed, the epoch and its index.

Seeding means the global generators of Python, NumPy and torch (on the CPU),
since that is what transforms draw from.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from torch.utils.data import ConcatDataset as TorchConcatDataset
from torch.utils.data import Dataset, Subset

_MASK = 2**64 - 1

Seeding = Literal["sample", "batch", "none"]


def mixed(*parts: int) -> int:
    """One 64-bit number from several; near inputs give unrelated ones (splitmix64, folded)."""
    state = 0
    for part in parts:
        state = ((state ^ (part & _MASK)) + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state


def index_number(index: Any) -> int:
    """A number for what a batch sampler calls a sample: the index, or a hash of its text."""
    return index if isinstance(index, int) else zlib.crc32(repr(index).encode())


def seed_generators(seed: int) -> None:
    """Seed the global generators that transforms draw from."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    torch.default_generator.manual_seed(seed)


@contextmanager
def kept_generators() -> Iterator[None]:
    """The global generators are afterwards as before."""
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])


def declared_random(dataset: Any) -> bool:
    """Whether a dataset, or one inside torch's own wrappers, declares ``is_random``."""
    declared = getattr(dataset, "is_random", None)
    if declared is None and isinstance(dataset, Subset):
        return declared_random(dataset.dataset)
    if declared is None and isinstance(dataset, TorchConcatDataset):
        return any(declared_random(part) for part in dataset.datasets)
    return bool(declared)


def seeding_for(dataset: Dataset[Any], wished: bool | None) -> Seeding:
    """How samples are seeded: as wished, else each one where randomness is declared.

    Else worker processes are seeded once a batch, which makes a continued run
    repeat the numbers at next to no cost; without workers the process's own
    generators are left alone.
    """
    if wished is None:
        return "sample" if declared_random(dataset) else "batch"
    return "sample" if wished else "none"
