"""The few names of torchvision that the example uses, so that it runs without a download.

``models`` and ``transforms`` are torchvision's own where it is installed, else
small stand-ins of the same arguments. ``datasets.CIFAR10`` has the shape of
CIFAR-10 but is made on the spot: each class is a colour and a stripe, under noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset


class Bottleneck(nn.Module):
    """A block of ResNet-50: 1x1, 3x3 and 1x1 convolutions beside a short cut."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.body = nn.Sequential(
            _convolution(inputs, width, 1),
            nn.ReLU(inplace=True),
            _convolution(width, width, 3, stride),
            nn.ReLU(inplace=True),
            _convolution(width, outputs, 1),
        )
        same = inputs == outputs and stride == 1
        self.short_cut = nn.Identity() if same else _convolution(inputs, outputs, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.body(x) + self.short_cut(x))


def _convolution(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs)
    )


def resnet50(num_classes: int = 1000, width: int = 64) -> nn.Sequential:
    """ResNet-50: 3, 4, 6 and 3 bottlenecks behind a stem (He et al. 2015, table 1)."""
    layers: list[nn.Module] = [
        _convolution(3, width, 7, 2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    inputs = width
    for stage, num_blocks in enumerate((3, 4, 6, 3)):
        own = width * 2**stage
        for block in range(num_blocks):
            layers.append(Bottleneck(inputs, own, 2 if stage and not block else 1))
            inputs = 4 * own
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, num_classes)]
    return nn.Sequential(*layers, *head)


class Compose:
    """One transform after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, image: Any) -> Any:
        for transform in self.transforms:
            image = transform(image)
        return image


class RandomCrop:
    """A square out of the zero-padded image, ``(h, w, 3)``."""

    def __init__(self, size: int, padding: int = 0) -> None:
        self.size, self.padding = size, padding

    def __call__(self, image: Any) -> np.ndarray:
        edge = (self.padding, self.padding)
        padded = np.pad(np.asarray(image), (edge, edge, (0, 0)))
        rows, columns = padded.shape[0] - self.size + 1, padded.shape[1] - self.size + 1
        top, left = int(torch.randint(rows, ())), int(torch.randint(columns, ()))
        return padded[top : top + self.size, left : left + self.size]


class RandomHorizontalFlip:
    """Left and right exchanged with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def __call__(self, image: Any) -> np.ndarray:
        image = np.asarray(image)
        return image[:, ::-1] if torch.rand(()) < self.p else image


class ToTensor:
    """``(h, w, 3)`` bytes to ``(3, h, w)`` floats from 0 to 1."""

    def __call__(self, image: Any) -> Tensor:
        return torch.from_numpy(np.array(image).transpose(2, 0, 1)).float() / 255


class Normalize:
    """Each channel less its mean, over its deviation."""

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        self.mean, self.std = (torch.tensor(values).view(-1, 1, 1) for values in (mean, std))

    def __call__(self, image: Tensor) -> Tensor:
        return (image - self.mean) / self.std


class CIFAR10(Dataset):
    """Ten classes of 32 x 32 images, made from a fixed seed; as many as ``sizes`` says."""

    sizes: ClassVar = {"train": 512, "test": 128}
    as_image: Callable[[np.ndarray], Any] = staticmethod(lambda pixels: pixels)

    def __init__(
        self,
        root: str,
        train: bool = True,
        download: bool = False,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        part = "train" if train else "test"
        draw = np.random.default_rng(0 if train else 1)
        self.labels = draw.permutation(np.arange(self.sizes[part]) % 10)
        self.images = np.stack([_drawn(label, draw) for label in self.labels])
        self.transform = transform
        self.is_random = train  # tells the loader to seed each sample
        self.metainfo = {"classes": [f"class {number}" for number in range(10)]}

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        image = self.as_image(self.images[index])
        return self.transform(image) if self.transform else image, int(self.labels[index])


def _drawn(label: int, draw: np.random.Generator) -> np.ndarray:
    colour = np.array([(label * 97) % 256, (label * 57 + 80) % 256, (label * 171 + 30) % 256])
    stripe = (np.arange(32) // (1 + label // 2)) % 2
    image = 0.5 * colour + 60 * stripe[:, None, None] + draw.normal(0, 20, (32, 32, 3))
    return image.clip(0, 255).astype(np.uint8)


try:
    from PIL import Image
    from torchvision import models, transforms
except ImportError:
    models = SimpleNamespace(resnet50=resnet50)
    transforms = SimpleNamespace(
        Compose=Compose,
        Normalize=Normalize,
        RandomCrop=RandomCrop,
        RandomHorizontalFlip=RandomHorizontalFlip,
        ToTensor=ToTensor,
    )
else:
    CIFAR10.as_image = staticmethod(Image.fromarray)

datasets = SimpleNamespace(CIFAR10=CIFAR10)
