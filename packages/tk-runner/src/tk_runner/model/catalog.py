"""Importing this registers what ``tk_runner.model`` offers by name."""

from . import (
    adapter,
    averaging,
    containers,
    image_preprocessor,
    initializers,
    preprocessor,
    wrapping,
)
from .wrappers import distributed, separate

__all__ = [
    "adapter",
    "averaging",
    "containers",
    "distributed",
    "image_preprocessor",
    "initializers",
    "preprocessor",
    "separate",
    "wrapping",
]
