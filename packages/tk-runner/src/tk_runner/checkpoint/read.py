"""Reading a checkpoint without running code.

torch's safe loader reads tensors and builtins. A file that asks for more is
refused by name, unless it is one of MMEngine's, whose few classes of plain data
are known. Nothing is ever tried again in an unsafe way.
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import torch

from .contents import FORMAT_VERSION
from .errors import CheckpointError, CorruptCheckpointError, UnsafeCheckpointError
from .mmengine_files import read_mmengine_checkpoint
from .sources import CheckpointLoader
from .verify import verify_checkpoint


def read_checkpoint(
    filename: str | Path, map_location: Any = "cpu", verify: bool = False
) -> dict[str, Any]:
    """The content of a checkpoint, wherever it lies.

    A local file is mapped, not copied: its tensors are read when they are used.

    Args:
        filename: a path or a URI; see `CheckpointLoader`.
        map_location: where tensors go; as for ``torch.load``.
        verify: compare every record's checksum first.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptCheckpointError: it is torn, damaged or no checkpoint.
        UnsafeCheckpointError: loading it would run code; the text has what it asks for.
        CheckpointError: it was written by a newer version.
    """
    path = CheckpointLoader.local_copy(str(filename))
    if verify:
        verify_checkpoint(path)
    content = _load(path, map_location)
    if not isinstance(content, dict):
        raise CorruptCheckpointError(f"{path} holds a {type(content).__name__}, not a dict")
    version = content.get("format_version", FORMAT_VERSION)
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise CheckpointError(
            f"{path} has format version {version} and this tk-runner reads up to "
            f"{FORMAT_VERSION}; update tk-runner"
        )
    return content


def _load(path: Path, map_location: Any) -> Any:
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint at {path}")
    is_mapped = map_location in ("cpu", None) and _is_archive(path)
    try:
        return torch.load(path, map_location=map_location, weights_only=True, mmap=is_mapped)
    except pickle.UnpicklingError as error:
        asked = _asked_for(error)
        if asked is None:
            raise CorruptCheckpointError(f"{path} is no checkpoint: {error}") from error
        return read_mmengine_checkpoint(path, map_location, asked)
    except (RuntimeError, EOFError, ValueError, OSError, KeyError) as error:
        raise CorruptCheckpointError(
            f"{path} is torn, damaged or no checkpoint: {error}"
        ) from error


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _asked_for(error: Exception) -> str | None:
    """The name that the safe loader refused, where that is what happened."""
    found = re.search(r"(?:Unsupported global: )?GLOBAL ([\w.]+)", str(error))
    if found:
        return found[1]
    return (
        "an object"
        if "weights_only" in str(error).lower() and "Unsupported" in str(error)
        else None
    )


__all__ = ["UnsafeCheckpointError", "read_checkpoint"]
