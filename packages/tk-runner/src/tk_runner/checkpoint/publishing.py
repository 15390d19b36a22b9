"""Weights for others: the chosen keys alone, with a part of the file's hash in its name."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tk_fileio import copyfile_from_local

from .errors import CheckpointError
from .read import read_checkpoint
from .save import save_checkpoint

HASH_DIGITS = 8
_CHUNK_BYTES = 2**20


def publish(
    filename: str | Path,
    keys: Sequence[str] = ("meta", "state_dict"),
    backend_args: Mapping[str, Any] | None = None,
) -> str:
    """Write ``<stem>-<hash>.pth`` beside ``filename`` with these keys; its path comes back.

    The hash is the beginning of the SHA-256 of the new file, so that whoever gets
    the file can check it.

    Args:
        filename: a path or a URI.
        keys: which entries others get.
        backend_args: of the file backend.

    Raises:
        CheckpointError: none of the keys is in the file.
    """
    source = str(filename)
    content = read_checkpoint(source, backend_args=backend_args)
    chosen = {key: content[key] for key in keys if key in content}
    if not chosen:
        raise CheckpointError(f"{source} has none of {list(keys)}; it holds {sorted(content)}")
    stem, dot, suffix = source.rpartition(".")
    if "://" not in source:
        # beside the target, so that the last step is a rename
        staged = Path(f"{stem}-unpublished{dot}{suffix}")
        save_checkpoint(chosen, staged)
        return str(staged.replace(f"{stem}-{_digest(staged)}{dot}{suffix}"))
    with tempfile.TemporaryDirectory(prefix="tk-runner-") as folder:
        staged = Path(folder) / "published.pth"
        save_checkpoint(chosen, staged)
        target = f"{stem}-{_digest(staged)}{dot}{suffix}"
        copyfile_from_local(staged, target, backend_args=backend_args)
    return target


def _digest(path: Path) -> str:
    known = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            known.update(chunk)
    return known.hexdigest()[:HASH_DIGITS]
