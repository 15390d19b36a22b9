"""Writing a checkpoint: plain values only, in place as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch

from tk_fileio import atomic_write, open_write, remove_leftovers

from .plain import plain_values


def save_checkpoint(
    checkpoint: Mapping[str, Any],
    filename: str | Path,
    backend_args: Mapping[str, Any] | None = None,
) -> None:
    """Write ``checkpoint`` to a file or URI.

    Bytes go to disk beside the target and take its place when they are all
    there; a crash, a full disk or an error leaves what was there before. No
    second copy of the tensors is made. What killed writers left in the folder is
    removed first, so that it takes no space away.

    Raises:
        NotPlainError: something in it is neither a tensor nor a plain value.
        OSError: with the path: the disk is full, or may not be written.
    """
    content = plain_values(checkpoint)
    target = str(filename)
    if "://" in target:
        with open_write(target, backend_args=backend_args) as file:
            _write(content, file)
        return
    if (folder := Path(target).parent).is_dir():
        remove_leftovers(folder)
    with atomic_write(target) as file:
        _write(content, file)


def _write(content: Any, file: IO[bytes]) -> None:
    try:
        with _checksums():
            torch.save(content, file)
    except RuntimeError as error:
        # torch's writer ends its archive after a failed write too, and that error hides the cause
        cause = error.__context__
        if isinstance(cause, OSError):
            raise cause from None
        raise


@contextmanager
def _checksums() -> Iterator[None]:
    """Let torch write checksums even where the process turned them off."""
    chosen = torch.serialization.get_crc32_options()
    if chosen:
        yield
        return
    torch.serialization.set_crc32_options(True)
    try:
        yield
    finally:
        torch.serialization.set_crc32_options(chosen)
