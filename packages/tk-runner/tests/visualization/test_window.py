"""Showing an image."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tk_fileio import MissingExtraError
from tk_runner import InvalidSettingsError
from tk_runner.visualization import ImageDrawing

IMAGE = np.full((20, 30, 3), 40, np.uint8)


def test_where_there_is_no_window_the_figure_comes_back() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = ImageDrawing(IMAGE).show()
    figure.canvas.draw()
    shown = np.asarray(figure.canvas.buffer_rgba())
    pyplot.close(figure)

    assert shown.shape == (20, 30, 4)
    assert (shown[..., :3] == 40).all()


def test_another_backend_is_an_error() -> None:
    with pytest.raises(InvalidSettingsError, match="by matplotlib and not by 'cv2'"):
        ImageDrawing(IMAGE).show(backend="cv2")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])

    with pytest.raises(MissingExtraError, match=r"pip install 'tk-runner\[plot\]'"):
        ImageDrawing(IMAGE).show()
