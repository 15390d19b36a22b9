"""Which checkpoint of a folder is the newest whole one.

The pointer ``last_checkpoint`` is a hint, the files are the truth: a pointer
that is torn, gone or points at a damaged file never leads to a fresh start while
a good checkpoint is there. How new a file is, it says itself; neither its name
nor its time on the disk counts, so that a copied folder goes on like the first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tk_fileio import atomic_write, get_local_path, join_path, list_dir_or_file

from .errors import CheckpointError
from .facts import Facts, read_facts
from .verify import verify_checkpoint

logger = logging.getLogger("tk.runner")
POINTER = "last_checkpoint"
BEST = "best_"
SUFFIX = ".pth"


class _Candidate(NamedTuple):
    path: str
    facts: Facts

    @property
    def is_best(self) -> bool:
        return _name(self.path).startswith(BEST)

    def age(self) -> tuple[bool, int, str]:
        """Greater is newer; a best file, which need not be the last one, comes after all others."""
        return (not self.is_best, self.facts.iter, self.facts.time)

    def follows(self, other: _Candidate) -> bool:
        """Whether the same run wrote this file after the other one.

        A file with more iterations that was written earlier belongs to a run
        before, in the same folder.
        """
        ours, theirs = self.facts, other.facts
        return not self.is_best and ours.iter > theirs.iter and ours.time >= theirs.time


def write_last_checkpoint(work_dir: str | Path, filename: str | Path) -> None:
    """Point at the newest checkpoint; below ``work_dir`` by a path relative to it."""
    path = str(filename)
    if "://" not in path:
        target = Path(path).absolute()
        folder = Path(work_dir).absolute()
        path = (
            target.relative_to(folder).as_posix() if target.is_relative_to(folder) else str(target)
        )
    with atomic_write(Path(work_dir) / POINTER, mode="w") as file:
        file.write(path)


def find_latest_checkpoint(
    path: str | Path, backend_args: Mapping[str, Any] | None = None
) -> str | None:
    """The newest checkpoint of a work folder whose every record is whole.

    Each file that is passed over is named in a warning with the reason. Weights
    alone, as `publish` writes them, are not taken; a best checkpoint is where
    there is no other. None where there is no whole one.

    Args:
        path: the work folder.
        backend_args: of the file backend, where the pointer names a URI.
    """
    folder = Path(path)
    pointed = _pointed_at(folder)
    if pointed is not None and "://" in pointed:
        for one in [pointed, *_siblings(pointed, backend_args)]:
            if _is_whole(one, backend_args):
                return one
        pointed = None
    for candidate in _newest_first(folder, pointed):
        if _is_whole(candidate.path):
            return candidate.path
    return None


def _pointed_at(folder: Path) -> str | None:
    try:
        text = (folder / POINTER).read_text(encoding="utf-8").strip()
        if not text or not text.isprintable():
            return None
        if "://" in text:
            return text
        path = folder / text  # an absolute path stays as it is
        if Path(text).is_absolute() and (folder / path.name).is_file():
            path = folder / path.name  # MMEngine writes whole paths; the folder may be a copy
        if not path.is_file():
            logger.warning("%s points at %s, which is not there", folder / POINTER, path)
            return None
    except (OSError, UnicodeDecodeError):
        return None
    return str(path)


def _newest_first(folder: Path, pointed: str | None) -> list[_Candidate]:
    """All that a run can go on from: by what they say, unless the pointer knows better."""
    paths = {str(one) for one in folder.glob(f"*{SUFFIX}")} if folder.is_dir() else set()
    if pointed is not None:
        paths |= {pointed, *(str(one) for one in Path(pointed).parent.glob(f"*{SUFFIX}"))}
    found = sorted(_candidates(sorted(paths)), key=_Candidate.age, reverse=True)
    first = next((one for one in found if one.path == pointed), None)
    if first is None:
        return found
    newer = [one for one in found if one.follows(first)]
    older = [one for one in found if one is not first and one not in newer]
    return [*newer, first, *older]


def _candidates(paths: list[str]) -> Iterator[_Candidate]:
    for path in paths:
        try:
            facts = read_facts(Path(path))
        except (CheckpointError, OSError) as error:
            logger.warning("passed over %s: %s", path, error)
            continue
        if facts.is_resumable:
            yield _Candidate(path, facts)


def _siblings(uri: str, backend_args: Mapping[str, Any] | None) -> list[str]:
    """The checkpoints beside a remote one, the greatest numbers in their names first."""
    folder = uri.rpartition("/")[0]
    try:
        found = list_dir_or_file(folder, list_dir=False, suffix=SUFFIX, backend_args=backend_args)
        names = list(found)
    except (OSError, NotImplementedError) as error:
        logger.warning("cannot list %s: %s", folder, error)
        return []
    paths = [join_path(folder, name) for name in names if not name.startswith(BEST)]
    return sorted((one for one in paths if one != uri), key=_number, reverse=True)


def _number(path: str) -> int:
    digits = "".join(one if one.isascii() and one.isdigit() else " " for one in _name(path)).split()
    return int(digits[-1]) if digits else -1


def _name(path: str) -> str:
    return path.rpartition("/")[2] if "://" in path else Path(path).name


def _is_whole(path: str, backend_args: Mapping[str, Any] | None = None) -> bool:
    try:
        with get_local_path(path, backend_args=backend_args) as local:
            verify_checkpoint(local)
    except (CheckpointError, OSError) as error:
        logger.warning("passed over %s: %s", path, error)
        return False
    return True
