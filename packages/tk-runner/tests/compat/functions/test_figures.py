"""Pixels and colours of matplotlib's figures."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tk_runner.compat.functions import figures


def test_the_pixels_of_a_figure() -> None:
    figure_module = pytest.importorskip("matplotlib.figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = figure_module.Figure(figsize=(0.3, 0.2), dpi=100, facecolor="red")
    pixels = figures.img_from_canvas(FigureCanvasAgg(figure))

    assert pixels.shape == (20, 30, 3)
    assert (pixels == [255, 0, 0]).all()


def test_colours_as_matplotlib_takes_them() -> None:
    assert figures.color_val_matplotlib([(255, 0, 51), "red"]) == [(1.0, 0.0, 0.2), "red"]
    assert figures.color_str2rgb("red") == (255, 0, 0)
    with pytest.raises(TypeError, match="a colour is a name or a tuple"):
        figures.color_val_matplotlib(3)


def test_a_tensor_becomes_an_array() -> None:
    assert isinstance(figures.tensor2ndarray(torch.ones(2, requires_grad=True)), np.ndarray)
