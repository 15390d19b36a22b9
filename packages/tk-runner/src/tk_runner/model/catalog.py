"""Importing this registers what ``tk_runner.model`` offers by name."""

from . import adapter, averaging, containers, image_preprocessor, initializers, preprocessor
from .wrappers import detect, distributed, separate

__all__ = [
    "adapter",
    "averaging",
    "containers",
    "detect",
    "distributed",
    "image_preprocessor",
    "initializers",
    "preprocessor",
    "separate",
]
