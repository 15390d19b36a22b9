"""A dataset whose samples are random, and which counts every read, in workers too."""

from __future__ import annotations

import random

import numpy as np
import torch
from torch.utils.data import Dataset


class CountedSamples(Dataset[torch.Tensor]):
    """Sample i is (i, and one number of each global generator)."""

    is_random = True

    def __init__(self, size: int) -> None:
        self.size = size
        self.reads = torch.zeros(size, dtype=torch.int64).share_memory_()

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> torch.Tensor:
        self.reads[index] += 1
        drawn = [random.random(), np.random.rand(), torch.rand(()).item()]
        return torch.tensor([index, *drawn], dtype=torch.float64)


class UndeclaredSamples(CountedSamples):
    """The same, and it says nothing of being random."""

    is_random = None  # type: ignore[assignment]
