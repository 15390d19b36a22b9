"""Images as bytes, names as names of files."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tk_runner import InvalidSettingsError
from tk_runner.visualization.png import checked_image, png_bytes, safe_file_name


def test_a_transposed_view_is_written_as_it_is_seen() -> None:
    image = np.arange(24, dtype=np.uint8).reshape(4, 6).T

    with Image.open(io.BytesIO(png_bytes(image))) as read:
        assert np.array_equal(np.asarray(read), image)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((4, 4), dtype=np.float32),
        np.zeros((3, 4, 4), dtype=np.uint8),
        np.zeros((4, 4, 4), dtype=np.uint8),
        np.zeros(4, dtype=np.uint8),
        [[0, 1]],
    ],
)
def test_what_is_no_image_is_refused_with_its_shape(image: object) -> None:
    with pytest.raises(InvalidSettingsError, match=r"uint8, of shape \(h, w\).*got"):
        checked_image(image)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/b c", "a_b_c"), ("../x", "_x"), ("...", "image"), ("über-1.2", "über-1.2")],
)
def test_a_file_name_has_no_folder_in_it(name: str, expected: str) -> None:
    assert safe_file_name(name) == expected
