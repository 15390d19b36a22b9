"""TensorBoard's event files, by TensorBoard's own writer."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from tk_registry import VISBACKENDS

from ..png import png_bytes
from .backend import BaseVisBackend, config_text, plain_record

TEXT_PLUGIN = "text"


@VISBACKENDS.register_module()
class TensorboardVisBackend(BaseVisBackend):
    """Writes an event file into ``save_dir``; values that are no numbers are left out."""

    def __init__(self, save_dir: str) -> None:
        super().__init__(save_dir)
        self._writer: Any = None

    @property
    def experiment(self) -> Any:
        """TensorBoard's event writer."""
        if self._writer is None:
            # 0.2 s, and only runs that record to it need it
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self._writer = EventFileWriter(self.save_dir)
        return self._writer

    def add_config(self, config: Any, **kwargs: Any) -> None:
        """The config's text, as a code block."""
        from tensorboard.compat.proto import summary_pb2, tensor_pb2, types_pb2  # slow, see above

        plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name=TEXT_PLUGIN)
        text = f"```\n{config_text(config)}\n```".encode()
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[text])
        metadata = summary_pb2.SummaryMetadata(plugin_data=plugin)
        self._add(0, tag="config", tensor=tensor, metadata=metadata)

    def add_image(self, name: str, image: np.ndarray, step: int = 0, **kwargs: Any) -> None:
        """The image, as PNG."""
        from tensorboard.compat.proto import summary_pb2  # slow, see above

        height, width = image.shape[:2]
        encoded = summary_pb2.Summary.Image(
            height=height,
            width=width,
            colorspace=3 if image.ndim == 3 else 1,
            encoded_image_string=png_bytes(image),
        )
        self._add(step, tag=name, image=encoded)

    def add_scalars(self, scalar_dict: Mapping[str, Any], step: int = 0, **kwargs: Any) -> None:
        """Each number under its name."""
        step, values = plain_record(scalar_dict, step)
        for name, number in values.items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                self._add(step, tag=name, simple_value=_as_float(number))

    def _add(self, step: int, **value: Any) -> None:
        from tensorboard.compat.proto import event_pb2, summary_pb2  # slow, see above

        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(**value)])
        event = event_pb2.Event(wall_time=time.time(), step=step, summary=summary)
        self.experiment.add_event(event)

    def close(self) -> None:
        """Write what is queued, and end the writer's thread."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _as_float(number: float) -> float:
    """A 32-bit field: what is too large for it becomes infinite."""
    limit = 3.4028234663852886e38
    return number if abs(number) <= limit or math.isnan(number) else math.copysign(math.inf, number)
