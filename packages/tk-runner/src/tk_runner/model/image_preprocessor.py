"""Batches of images: to the device, normalised, padded, stacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tk_registry import MODELS

from .errors import ModelSettingsError, ModelTypeError
from .preprocessor import BaseDataPreprocessor
from .stacking import pad_to, padded_size, stack_batch


@MODELS.register_module()
class ImgDataPreprocessor(BaseDataPreprocessor):
    """Moves images and makes one float batch of them.

    The images are under ``inputs``: a list of ``(C, H, W)``, which is padded at the right
    and the bottom, or one ``(N, C, H, W)``. In this order: channels are swapped, values
    become float, are normalised, padded and stacked.

    Args:
        mean: of each channel, or one for all; with ``std`` or not at all.
        std: likewise.
        pad_size_divisor: height and width grow to a multiple of it.
        pad_value: what is put into the padding, after normalising.
        bgr_to_rgb: swap the first and the third channel.
        rgb_to_bgr: the same; not both.
        non_blocking: of `BaseDataPreprocessor`.
    """

    def __init__(
        self,
        mean: Sequence[float] | None = None,
        std: Sequence[float] | None = None,
        pad_size_divisor: int = 1,
        pad_value: float = 0,
        bgr_to_rgb: bool = False,
        rgb_to_bgr: bool = False,
        non_blocking: bool | None = True,
    ) -> None:
        super().__init__(non_blocking)
        if bgr_to_rgb and rgb_to_bgr:
            raise ModelSettingsError("bgr_to_rgb and rgb_to_bgr exclude each other; keep one")
        if (mean is None) != (std is None):
            raise ModelSettingsError("mean and std belong together: give both or neither")
        self.pad_size_divisor = pad_size_divisor
        self.pad_value = pad_value
        self._is_swapping = bgr_to_rgb or rgb_to_bgr
        self._is_normalising = mean is not None
        if mean is not None and std is not None:
            self.register_buffer("mean", _per_channel("mean", mean), persistent=False)
            self.register_buffer("std", _per_channel("std", std), persistent=False)
        self.mean: Tensor
        self.std: Tensor

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> ImgDataPreprocessor:
        kept = [(name, getattr(self, name)) for name in ("mean", "std") if self._is_normalising]
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # of torch
        for name, before in kept:  # moved, but never rounded to half precision
            moved = getattr(self, name)
            if moved.dtype != before.dtype:
                setattr(self, name, before.to(moved.device))
        return self

    def forward(self, data: Any, training: bool = False) -> dict[str, Any]:
        """The batch with ``inputs`` as one float tensor, and ``data_samples``, maybe ``None``.

        Raises:
            ModelTypeError: no images under ``inputs``.
            ModelSettingsError: their shape does not fit.
        """
        if not isinstance(data, Mapping) or "inputs" not in data:
            given = list(data) if isinstance(data, Mapping) else type(data).__name__
            raise ModelTypeError(f"expected a dict with the images under 'inputs', got {given}")
        batch: dict[str, Any] = self.cast_data(data)
        batch["inputs"] = self._as_one(batch["inputs"])
        batch.setdefault("data_samples", None)
        return batch

    def _as_one(self, images: Any) -> Tensor:
        if isinstance(images, Tensor):
            if images.dim() != 4:
                raise ModelSettingsError(
                    "a batch of images in one tensor is (N, C, H, W), got shape "
                    f"{tuple(images.shape)}"
                )
            return self._padded(self._normalised(images))
        if not (
            isinstance(images, (list, tuple)) and all(isinstance(one, Tensor) for one in images)
        ):
            raise ModelTypeError(
                f"'inputs' is a list of image tensors or one tensor, got {type(images).__name__}"
            )
        if images and len({(one.shape, one.dtype) for one in images}) == 1:
            _check_image(images[0])
            return self._padded(self._normalised(torch.stack(list(images))))
        ready = []
        for one in images:
            _check_image(one)
            ready.append(self._normalised(one))
        return stack_batch(ready, self.pad_size_divisor, self.pad_value)

    def _normalised(self, images: Tensor) -> Tensor:
        """Swapped, float, normalised: ``(..., C, H, W)`` in and out."""
        channels = images.shape[-3]
        if channels != 3 and (
            self._is_swapping or (self._is_normalising and self.mean.shape[0] == 3)
        ):
            raise ModelSettingsError(
                "images have to have 3 channels for swapping them and for 3 values of mean and "
                f"std, got shape {tuple(images.shape)}"
            )
        if self._is_swapping:
            images = images.flip(-3)
        result = images.float()
        if not self._is_normalising:
            return result
        is_fresh = result is not images or self._is_swapping
        result = result.sub_(self.mean) if is_fresh else result - self.mean
        return result.div_(self.std)

    def _padded(self, images: Tensor) -> Tensor:
        sizes = [padded_size(size, self.pad_size_divisor) for size in images.shape[2:]]
        return pad_to(images, [*images.shape[:2], *sizes], self.pad_value)


def _check_image(image: Tensor) -> None:
    if image.dim() != 3:
        raise ModelSettingsError(f"an image is (C, H, W), got shape {tuple(image.shape)}")


def _per_channel(name: str, values: Sequence[float]) -> Tensor:
    if len(values) not in (1, 3):
        raise ModelSettingsError(f"{name} has 1 or 3 values, got {len(values)}: {values}")
    return torch.tensor(values, dtype=torch.float32).view(-1, 1, 1)
