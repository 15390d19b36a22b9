"""The visualizer of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import VISUALIZERS

from ..visualization import LocalVisBackend, Visualizer


def build_visualizer(visualizer: Any, name: str, save_dir: str) -> Visualizer:
    """A visualizer out of one, a config, or nothing: then scalars go to local files.

    Raises:
        TypeError: none of these.
    """
    if isinstance(visualizer, Visualizer):
        return visualizer
    defaults = {"type": Visualizer, "name": name, "save_dir": save_dir}
    if visualizer is None:
        visualizer = {"vis_backends": [{"type": LocalVisBackend}]}
    if not isinstance(visualizer, Mapping):
        raise TypeError(
            f"visualizer must be a Visualizer or a config, got {type(visualizer).__name__}"
        )
    built: Visualizer = VISUALIZERS.build(visualizer, default_args=defaults)
    return built
