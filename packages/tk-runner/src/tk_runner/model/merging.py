"""Dicts joined inside of traced models.

``torch.fx`` leaves calls of ``merging.merge_dict`` as they are; a module that imports the
name itself says ``torch.fx.wrap("merge_dict")``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch.fx

from .errors import ModelTypeError


@torch.fx.wrap
def merge_dict(*args: Any) -> dict[str, Any]:
    """One dict out of several, later ones winning; ``torch.fx`` can leave its call as it is.

    Raises:
        ModelTypeError: an argument is no dict.
    """
    wrong = [arg for arg in args if not isinstance(arg, Mapping)]
    if wrong:
        raise ModelTypeError(f"only dicts can be merged, got {type(wrong[0]).__name__}")
    return {key: value for arg in args for key, value in arg.items()}
