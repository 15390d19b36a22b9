"""What a backend does with a record; what it does not know of, it leaves alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np


class BaseVisBackend(ABC):
    """Writes records to one place.

    Values have one rule for all backends: numbers, NumPy scalars and tensors of
    one element are recorded as Python numbers, None is left out everywhere and
    everything else by those that hold numbers only. A ``step`` among the values
    is the step.

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


def plain_record(scalar_dict: Mapping[str, Any], step: int) -> tuple[int, dict[str, Any]]:
    """The step, which the mapping may name itself, and the other values as plain numbers.

    ``None`` is no value and is left out; what holds no number stays as it is.
    """
    values = {key: _plain(value) for key, value in scalar_dict.items() if value is not None}
    return int(values.pop("step", step)), values


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):
        return value
    if getattr(value, "numel", lambda: 0)() == 1 or getattr(value, "size", 0) == 1:
        return value.item()
    return value


def config_text(config: Any) -> str:
    """The text of a config, or of anything that is shown in its place."""
    return str(getattr(config, "pretty_text", config))
