"""Predictions as images, drawn while the run validates and tests."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from tk_fileio import get, require
from tk_registry import HOOKS, at_least, check_values, count, one_of, value_rules

from ..errors import InvalidSettingsError
from ..interfaces.run import RunLike
from .hook import DataBatch, Hook


@HOOKS.register_module(name=["VisualizationHook", "NaiveVisualizationHook"])
@value_rules(interval=count(1), max_images=count(1) | one_of(None), wait_time=at_least(0))
class VisualizationHook(Hook):
    """Hands images with their labels and predictions to the visualizer, which draws them.

    The image of a sample is the file that its ``img_path`` names, else its entry in the
    batch: ``batch["inputs"]``, or the first part of a tuple. Tensors are ``(c, h, w)``
    or ``(h, w)``; floats are stretched from their least to their greatest value.

    Args:
        interval: batches from one drawn batch to the next.
        draw_gt: whether labels are drawn, beside the predictions.
        draw_pred: whether predictions are drawn.
        max_images: how many images of one evaluation; None draws all.
        in_val: whether validations are drawn.
        in_test: whether tests are drawn.
        show: whether the images are shown as well, by matplotlib.
        wait_time: seconds that an image is shown; 0 waits for the space key.
    """

    priority = "NORMAL"

    def __init__(
        self,
        interval: int = 1,
        draw_gt: bool = True,
        draw_pred: bool = True,
        max_images: int | None = 8,
        in_val: bool = True,
        in_test: bool = True,
        show: bool = False,
        wait_time: float = 0.0,
    ) -> None:
        check_values(VisualizationHook, locals(), InvalidSettingsError)
        self.interval = interval
        self.draw_gt = draw_gt
        self.draw_pred = draw_pred
        self.max_images = max_images
        self.modes = {"val": in_val, "test": in_test}
        self.show = show
        self.wait_time = wait_time
        self._num_drawn = 0

    def before_val_epoch(self, runner: RunLike) -> None:
        """Count the images of this validation."""
        self._num_drawn = 0

    def before_test_epoch(self, runner: RunLike) -> None:
        """Count the images of this test."""
        self._num_drawn = 0

    def after_val_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None, outputs: Any = None
    ) -> None:
        """Draw the batch where it is its turn."""
        self._draw(runner, "val", batch_idx, data_batch, outputs)

    def after_test_iter(
        self, runner: RunLike, batch_idx: int, data_batch: DataBatch = None, outputs: Any = None
    ) -> None:
        """Draw the batch where it is its turn."""
        self._draw(runner, "test", batch_idx, data_batch, outputs)

    def _draw(
        self, runner: RunLike, mode: str, batch_idx: int, batch: DataBatch, outputs: Any
    ) -> None:
        if runner.rank or not self.modes[mode] or batch_idx % self.interval:
            return
        for place, sample in enumerate(outputs or ()):
            if self.max_images is not None and self._num_drawn >= self.max_images:
                return
            runner.visualizer.add_datasample(
                f"{mode}_{self._num_drawn}",
                image_of(batch, place, sample),
                sample,
                draw_gt=self.draw_gt,
                draw_pred=self.draw_pred,
                show=self.show,
                wait_time=self.wait_time,
                step=runner.iter,
            )
            self._num_drawn += 1


def image_of(batch: DataBatch, place: int, sample: Any) -> np.ndarray:
    """The image of one sample of a batch: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8.

    Raises:
        InvalidSettingsError: there is none to be found.
    """
    path = sample.get("img_path") if hasattr(sample, "get") else getattr(sample, "img_path", None)
    if path is not None:
        pillow = require("PIL.Image", install="tk-runner[vis]", purpose="reading an image")
        return np.array(pillow.open(io.BytesIO(get(path))).convert("RGB"))
    images = batch.get("inputs") if isinstance(batch, Mapping) else _first(batch)
    if images is None:
        raise InvalidSettingsError(
            "there is no image to draw on: the sample has no img_path, and the batch, "
            f"{type(batch).__name__}, has no 'inputs' and does not begin with images"
        )
    return _as_image(images[place])


def _first(batch: Any) -> Any:
    return batch[0] if isinstance(batch, Sequence) and batch else None


def _as_image(image: Any) -> np.ndarray:
    values = torch.as_tensor(image).detach().cpu()
    if values.ndim == 3 and values.shape[0] in (1, 3):
        values = values.permute(1, 2, 0).squeeze(-1)
    if values.dtype == torch.uint8:
        return values.numpy()
    values = values.float()
    low, high = values.min(), values.max()
    stretched = (values - low) / (high - low) if high > low else torch.zeros_like(values)
    return (stretched * 255).round().byte().numpy()
