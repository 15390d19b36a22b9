"""Images as PNG bytes, and names as names of files."""

from __future__ import annotations

import io
import re

import numpy as np

from tk_fileio import require

from ..errors import InvalidSettingsError


def checked_image(image: np.ndarray) -> np.ndarray:
    """``image`` itself, where it is one: ``(h, w)`` or ``(h, w, 3)``, uint8.

    Raises:
        InvalidSettingsError: it is something else; floats of 0 to 1 would become black.
    """
    shape = np.shape(image)
    is_fitting = len(shape) == 2 or (len(shape) == 3 and shape[2] == 3)
    dtype = getattr(image, "dtype", type(image).__name__)
    if dtype != np.uint8 or not is_fitting:
        raise InvalidSettingsError(
            f"an image is an array, uint8, of shape (h, w) or (h, w, 3), got {dtype} {shape}; "
            "scale floats to 0..255 and let channels come last"
        )
    return image


def png_bytes(image: np.ndarray) -> bytes:
    """The content of a PNG file."""
    pillow = require("PIL.Image", install="tk-runner[vis]", purpose="writing an image")
    buffer = io.BytesIO()
    pillow.fromarray(np.ascontiguousarray(image)).save(buffer, format="PNG")
    return buffer.getvalue()


def safe_file_name(name: str) -> str:
    """``name`` without anything that would lead to another folder."""
    return re.sub(r"[^\w.\-]+", "_", name).lstrip(".") or "image"
