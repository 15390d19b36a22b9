"""Which checkpoint of a folder is the newest whole one.

The pointer ``last_checkpoint`` is a hint, the files are the truth: a pointer
that is torn, gone or points at a damaged file never leads to a fresh start while
a good checkpoint is there.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from tk_fileio import atomic_write

from .errors import CheckpointError
from .verify import verify_checkpoint

logger = logging.getLogger("tk.runner")
POINTER = "last_checkpoint"
_COUNT = re.compile(r"^(?!best_)(.*?)(\d+)\.pth$")


def write_last_checkpoint(work_dir: str | Path, filename: str) -> None:
    """Point at the newest checkpoint; below ``work_dir`` by a path relative to it."""
    path = filename
    if "://" not in filename:
        target = Path(filename).absolute()
        folder = Path(work_dir).absolute()
        path = str(target.relative_to(folder)) if target.is_relative_to(folder) else str(target)
    with atomic_write(Path(work_dir) / POINTER, mode="w") as file:
        file.write(path)


def find_latest_checkpoint(path: str | Path) -> str | None:
    """The newest checkpoint of a work folder whose every record is whole.

    Each file that is passed over is named in a warning with the reason. None
    where there is no whole one.
    """
    for candidate in _candidates(Path(path)):
        if "://" in candidate:
            return candidate
        try:
            verify_checkpoint(candidate)
        except (CheckpointError, OSError) as error:
            logger.warning("passed over %s: %s", candidate, error)
            continue
        return candidate
    return None


def _candidates(folder: Path) -> Iterator[str]:
    """What the pointer says, then all others, newest first."""
    pointed = _pointed_at(folder)
    newest = sorted(_counted(folder), key=lambda one: one[0], reverse=True)
    files = [str(path) for _, path in newest]
    if pointed is not None:
        yield pointed
    yield from (path for path in files if path != pointed)


def _pointed_at(folder: Path) -> str | None:
    try:
        text = (folder / POINTER).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    if not text:
        return None
    if "://" in text:
        return text
    return str(folder / text)  # an absolute path stays as it is


def _counted(folder: Path) -> list[tuple[tuple[float, int], Path]]:
    """Checkpoints by name, with when they were written and their count."""
    found = []
    for path in folder.glob("*.pth") if folder.is_dir() else ():
        match = _COUNT.match(path.name)
        if match and "-" not in path.stem:  # a hash in the name: published weights alone
            found.append(((path.stat().st_mtime, int(match[2])), path))
    return found
