"""What a backend does with a record; what it does not know of, it leaves alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np


class BaseVisBackend(ABC):
    """Writes records to one place.

    Values have one rule for all backends: numbers, NumPy scalars and tensors of
    one element are recorded as Python numbers, everything else of a mapping is
    left out by those that hold numbers only.

    Args:
        save_dir: folder of the run's records.
    """

    def __init__(self, save_dir: str) -> None:
        self.save_dir = save_dir

    @property
    @abstractmethod
    def experiment(self) -> Any:
        """What is written to: a folder, a writer, a client. Opened at first use."""

    def add_config(self, config: Any, **kwargs: Any) -> None:  # noqa: B027 - optional
        """Record the config of the run."""

    def add_graph(self, model: Any, data_batch: Any, **kwargs: Any) -> None:  # noqa: B027 - optional
        """Record the structure of the model."""

    def add_image(self, name: str, image: np.ndarray, step: int = 0, **kwargs: Any) -> None:  # noqa: B027 - optional
        """Record an image: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8."""

    def add_scalar(self, name: str, value: Any, step: int = 0, **kwargs: Any) -> None:
        """Record one number."""
        self.add_scalars({name: value}, step=step, **kwargs)

    def add_scalars(self, scalar_dict: Mapping[str, Any], step: int = 0, **kwargs: Any) -> None:  # noqa: B027 - optional
        """Record several numbers of one step."""

    def close(self) -> None:  # noqa: B027 - optional
        """Write what is still held, and let go; a later record opens again."""


def plain_number(value: Any) -> Any:
    """A Python number out of whatever holds one; anything else as it is."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if getattr(value, "numel", lambda: 0)() == 1 or getattr(value, "size", 0) == 1:
        return value.item()
    return value
