"""Wrappers that let ranks agree on gradients."""

from .detect import is_model_wrapper
from .distributed import MMDistributedDataParallel

__all__ = ["MMDistributedDataParallel", "is_model_wrapper"]
