"""Weights for others: the chosen keys alone, with a part of the file's hash in its name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from .errors import CheckpointError
from .read import read_checkpoint
from .save import save_checkpoint

HASH_DIGITS = 8


def publish(filename: str | Path, keys: Sequence[str] = ("meta", "state_dict")) -> str:
    """Write ``<stem>-<hash>.pth`` beside ``filename`` with these keys; the path comes back.

    The hash is the beginning of the SHA-256 of the new file, so whoever gets
    the file can check it.

    Raises:
        CheckpointError: none of the keys is in the file.
    """
    source = Path(filename)
    content = read_checkpoint(source)
    chosen = {key: content[key] for key in keys if key in content}
    if not chosen:
        raise CheckpointError(f"{source} has none of {list(keys)}; it holds {sorted(content)}")
    staged = source.with_name(f"{source.stem}-unpublished.pth")
    save_checkpoint(chosen, staged)
    with staged.open("rb") as file:
        digest = (
            hashlib.file_digest(file, "sha256").hexdigest()
            if hasattr(hashlib, "file_digest")
            else _digest(file)
        )
    return str(staged.replace(source.with_name(f"{source.stem}-{digest[:HASH_DIGITS]}.pth")))


def _digest(file: object) -> str:
    known = hashlib.sha256()
    while chunk := file.read(2**20):  # type: ignore[attr-defined]
        known.update(chunk)
    return known.hexdigest()
