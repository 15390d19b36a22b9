"""Data sets of the shapes that examples use, made on the spot: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset


class MNIST(Dataset):
    """Images ``(1, 28, 28)`` of floats from 0 to 1; each digit lights rows of its own."""

    sizes = (60, 20)

    def __init__(
        self,
        root: str,
        train: bool = True,
        download: bool = False,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        size = self.sizes[0] if train else self.sizes[1]
        draw = torch.Generator().manual_seed(int(train))
        self.digits = torch.arange(size) % 10
        self.images = 0.3 * torch.rand(size, 1, 28, 28, generator=draw)
        for image, digit in zip(self.images, self.digits, strict=True):
            image[0, 2 * int(digit) + 2 : 2 * int(digit) + 4] = 1.0

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return self.images[index], int(self.digits[index])


class FashionMNIST(MNIST):
    """The same shapes."""


class ToTensor:
    """For data that is made as tensors there is nothing to do."""

    def __call__(self, image: Any) -> Any:
        return image
