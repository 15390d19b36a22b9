"""Turning what a metric computed into plain Python values.

Results are compared, written as JSON and named in files; a number is a number
there, whatever library made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch


def json_ready(value: Any) -> Any:
    """``value`` as numbers, strings, lists and dicts with text keys, at any depth.

    Tensors and arrays of one element become a number, larger ones nested
    lists, paths and other objects pass unchanged. NaN stays NaN.
    """
    if isinstance(value, torch.Tensor):
        plain = value.detach().cpu()
        return plain.item() if plain.numel() == 1 else plain.tolist()
    if isinstance(value, np.ndarray):
        return json_ready(value.item() if value.size == 1 else value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {_text_key(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    return value


def _text_key(key: Any) -> str:
    return key if isinstance(key, str) else str(json_ready(key))
