"""Writing a checkpoint: plain values only, in place as a whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from tk_fileio import atomic_write, copyfile_from_local

from .plain import plain_values


def save_checkpoint(
    checkpoint: Mapping[str, Any],
    filename: str | Path,
    backend_args: Mapping[str, Any] | None = None,
) -> None:
    """Write ``checkpoint`` to a file or URI.

    Bytes go to disk beside the target and take its place when they are all
    there; a crash, a full disk or an error leaves what was there before. No
    second copy of the tensors is made.

    Raises:
        NotPlainError: something in it is neither a tensor nor a plain value.
        OSError: with the path: the disk is full, or may not be written.
    """
    content = plain_values(checkpoint)
    target = str(filename)
    if "://" not in target:
        with atomic_write(target) as file:
            torch.save(content, file)
        return
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "checkpoint.pth"
        torch.save(content, staged)
        arguments = dict(backend_args) if backend_args else None
        copyfile_from_local(staged, target, backend_args=arguments)
