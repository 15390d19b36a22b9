"""Tensors that repeat few bytes many times, which a copy would write out in full.

A stride of 0 lets a file of some hundred bytes hold a tensor of terabytes. What
a file holds must not need more memory than its own size suggests.
"""

from __future__ import annotations

from typing import Any

import torch

from .errors import CorruptCheckpointError

SMALL_BYTES = 2**20  # what is below is harmless in any file


def refuse_huge_repeats(content: Any, name: str, size_bytes: int) -> None:
    """Refuse a content whose tensors repeat more bytes than its file has.

    Args:
        content: what was read.
        name: the file, for the message.
        size_bytes: its size.

    Raises:
        CorruptCheckpointError: they do.
    """
    left = max(size_bytes, SMALL_BYTES)
    seen: set[int] = set()
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, torch.Tensor):
            if value.layout == torch.strided and not value.is_meta:
                left -= max(value.numel() * value.itemsize - value.untyped_storage().nbytes(), 0)
        elif isinstance(value, (dict, list, tuple, set)) and id(value) not in seen:
            seen.add(id(value))
            waiting += value.values() if isinstance(value, dict) else value
        if left < 0:
            raise CorruptCheckpointError(
                f"{name} ({size_bytes} bytes) holds tensors that repeat few values until they "
                "are larger than the file; torch writes no such file for weights or states, so it "
                "was refused"
            )
