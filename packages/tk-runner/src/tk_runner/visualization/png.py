"""Images as PNG bytes, and names as names of files."""

from __future__ import annotations

import io
import re

import numpy as np

from ..errors import InvalidSettingsError
from ..optional import require


def png_bytes(image: np.ndarray) -> bytes:
    """``image`` (``(h, w)`` or ``(h, w, 3)``, uint8) as a PNG file's content."""
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        raise InvalidSettingsError(
            f"an image is uint8 of shape (h, w) or (h, w, 3), got {image.dtype} {image.shape}; "
            "scale floats to 0..255 first"
        )
    pillow = require("PIL.Image", extra="vis", purpose="writing an image")
    buffer = io.BytesIO()
    pillow.fromarray(np.ascontiguousarray(image)).save(buffer, format="PNG")
    return buffer.getvalue()


def safe_file_name(name: str) -> str:
    """``name`` without anything that would lead to another folder."""
    return re.sub(r"[^\w.\-]+", "_", name).lstrip(".") or "image"
