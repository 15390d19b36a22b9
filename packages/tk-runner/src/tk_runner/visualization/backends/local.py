"""Plain files: the config as text, scalars as JSON lines, images as PNG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tk_fileio import atomic_write
from tk_logging import RecordWriter
from tk_registry import VISBACKENDS

from ...errors import InvalidSettingsError
from ..png import png_bytes, safe_file_name
from .backend import BaseVisBackend, config_text, plain_record


@VISBACKENDS.register_module()
class LocalVisBackend(BaseVisBackend):
    """Writes into ``save_dir``; nothing else is needed.

    Args:
        save_dir: folder of the run's records.
        img_save_dir: folder of images in it.
        config_save_file: file of the config in it; a ``.py``.
        scalar_save_file: file of the scalars in it; a ``.json`` of one object a line.
    """

    def __init__(
        self,
        save_dir: str,
        img_save_dir: str = "vis_image",
        config_save_file: str = "config.py",
        scalar_save_file: str = "scalars.json",
    ) -> None:
        super().__init__(save_dir)
        for name, suffix in ((config_save_file, ".py"), (scalar_save_file, ".json")):
            if not name.endswith(suffix):
                raise InvalidSettingsError(f"{name!r} must end in {suffix}")
        self._folder = Path(save_dir)
        self._images = self._folder / img_save_dir
        self._config = self._folder / config_save_file
        self._scalars = self._folder / scalar_save_file
        self._writer: RecordWriter | None = None

    @property
    def experiment(self) -> LocalVisBackend:
        """The backend itself."""
        return self

    def add_config(self, config: Any, **kwargs: Any) -> None:
        """Write the config's text."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._config, mode="w") as file:
            file.write(config_text(config))

    def add_image(self, name: str, image: np.ndarray, step: int = 0, **kwargs: Any) -> None:
        """Write ``<name>_<step>.png``."""
        self._images.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._images / f"{safe_file_name(name)}_{step}.png", mode="wb") as file:
            file.write(png_bytes(image))

    def add_scalars(self, scalar_dict: Mapping[str, Any], step: int = 0, **kwargs: Any) -> None:
        """Append one object."""
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = RecordWriter(self._scalars)
        step, values = plain_record(scalar_dict, step)
        self._writer.write({"step": step, **values})

    def close(self) -> None:
        """Flush and close the file of scalars."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
