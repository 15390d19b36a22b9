"""Showing an image to somebody who waits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tk_fileio import require

from ..errors import InvalidSettingsError


def show_image(
    image: np.ndarray, title: str, wait_time: float, continue_key: str, backend: str
) -> Any:
    """Show the image until the key is pressed, the window closed, or the time over.

    Where matplotlib has no window (a notebook, a server), the figure comes back at once.

    Raises:
        InvalidSettingsError: a backend other than ``matplotlib``.
        MissingExtraError: matplotlib is not installed.
    """
    if backend != "matplotlib":
        raise InvalidSettingsError(
            f"images are shown by matplotlib and not by {backend!r}; leave backend out, or take "
            "get_image() and show it yourself"
        )
    pyplot = require("matplotlib.pyplot", install="tk-runner[plot]", purpose="showing an image")
    height, width = image.shape[:2]
    figure = pyplot.figure(title, frameon=False, figsize=(width / 100, height / 100), dpi=100)
    figure.clear()
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.imshow(image)
    if figure.canvas.manager is None or not _has_window(figure):
        return figure
    figure.canvas.mpl_connect(
        "key_press_event", lambda event: pyplot.close(figure) if event.key == continue_key else None
    )
    if wait_time > 0:
        timer = figure.canvas.new_timer(interval=round(1000 * wait_time))
        timer.add_callback(pyplot.close, figure)
        timer.start()
    pyplot.show(block=True)
    return None


def _has_window(figure: Any) -> bool:
    return getattr(type(figure.canvas), "required_interactive_framework", None) is not None
