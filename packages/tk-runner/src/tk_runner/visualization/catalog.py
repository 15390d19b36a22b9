"""Importing this registers the visualizer and its backends by name."""

from . import visualizer
from .backends import local, tensorboard

__all__ = ["local", "tensorboard", "visualizer"]
