"""Which checkpoint of a folder is the newest whole one.

The pointer ``last_checkpoint`` is a hint, the files are the truth: a pointer
that is torn, gone or points at a damaged file never leads to a fresh start while
a good checkpoint is there. How new a file is, it says itself; neither its name
nor its time on the disk counts, so that a copied folder goes on like the first.
A folder may lie in any store that tk_fileio lists.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tk_fileio import (
    ParseError,
    atomic_write,
    get_local_path,
    get_text,
    isfile,
    join_path,
    list_dir_or_file,
    put_text,
)

from .archive import verify_checkpoint
from .errors import CheckpointError
from .read import read_checkpoint
from .summary import Summary, read_summary

logger = logging.getLogger("tk.runner")
POINTER = "last_checkpoint"
BEST = "best_"
SUFFIX = ".pth"
_STORE_ERRORS = (CheckpointError, OSError, NotImplementedError, KeyError)
# A training that saves meanwhile removes what was just listed; it saves seldom.
_ATTEMPTS = 5

BackendArgs = Mapping[str, Any] | None


class LatestCheckpoint(NamedTuple):
    """The newest checkpoint that a run can go on from, and the files that are no such.

    Attributes:
        path: None where there is none.
        damaged: files that were passed over, each with the reason.
    """

    path: str | None
    damaged: list[str]


class _Candidate(NamedTuple):
    path: str
    summary: Summary

    @property
    def is_best(self) -> bool:
        return _name(self.path).startswith(BEST)

    def age(self) -> tuple[bool, int, str]:
        """Greater is newer; a best file, which need not be the last one, comes after all others."""
        return (not self.is_best, self.summary.iter, self.summary.time)

    def follows(self, other: _Candidate) -> bool:
        """Whether the same run wrote this file after the other one.

        A file with more iterations that was written earlier belongs to a run
        before, in the same folder.
        """
        ours, theirs = self.summary, other.summary
        return not self.is_best and ours.iter > theirs.iter and ours.time >= theirs.time


def write_last_checkpoint(
    work_dir: str | Path, filename: str | Path, backend_args: BackendArgs = None
) -> None:
    """Point at the newest checkpoint; below ``work_dir`` by a path relative to it.

    Args:
        work_dir: a folder or URI.
        filename: a path or URI.
        backend_args: of the file backend, where ``work_dir`` is a URI.
    """
    folder, path = str(work_dir), str(filename)
    if "://" in folder:
        put_text(
            path.removeprefix(folder.rstrip("/") + "/"),
            join_path(folder, POINTER),
            backend_args=backend_args,
        )
        return
    if "://" not in path:
        target = Path(path).absolute()
        base = Path(folder).absolute()
        path = target.relative_to(base).as_posix() if target.is_relative_to(base) else str(target)
    with atomic_write(Path(folder) / POINTER, mode="w") as file:
        file.write(path)


def find_latest_checkpoint(path: str | Path, backend_args: BackendArgs = None) -> str | None:
    """The newest checkpoint of a work folder whose every record is whole.

    Each file that is passed over is named in a warning with the reason. Weights
    alone, as `publish` writes them, are not taken; a best checkpoint is where
    there is no other. None where there is no whole one.

    Args:
        path: the work folder, or its URI.
        backend_args: of the file backend, where the folder or its pointer is a URI.
    """
    return latest_checkpoint(path, backend_args).path


def latest_checkpoint(path: str | Path, backend_args: BackendArgs = None) -> LatestCheckpoint:
    """As `find_latest_checkpoint`, with the damaged files beside it."""
    folder = str(path)
    for attempt in range(_ATTEMPTS):
        search = _Search(folder, backend_args)
        newest = search.newest()
        if not search.num_vanished or attempt == _ATTEMPTS - 1:
            break
    for reason in search.damaged:
        logger.warning("passed over %s", reason)
    return LatestCheckpoint(newest, search.damaged)


class _Search:
    """One look at a folder; files that vanish meanwhile are counted, so that it is repeated."""

    def __init__(self, folder: str, backend_args: BackendArgs) -> None:
        self._folder = folder
        self._backend_args = backend_args
        self.damaged: list[str] = []
        self.num_vanished = 0

    def newest(self) -> str | None:
        """The first that a run can go on from, the newest first."""
        for candidate in self._newest_first(self._pointed_at()):
            if self._is_usable(candidate):
                return candidate.path
        return None

    def _pointed_at(self) -> str | None:
        pointer = join_path(self._folder, POINTER)
        try:
            text = get_text(pointer, backend_args=self._args_for(pointer)).strip()
        except (*_STORE_ERRORS, ParseError):
            return None
        if not text or not text.isprintable():
            return None
        path = text
        if "://" not in text:
            path = join_path(self._folder, text)  # an absolute path stays as it is
            moved = join_path(self._folder, _name(text))
            if Path(text).is_absolute() and self._is_file(moved):
                path = moved  # MMEngine writes whole paths; the folder may be a copy
        if not self._is_file(path):
            logger.warning("%s points at %s, which is not there", pointer, path)
            return None
        return path

    def _is_file(self, path: str) -> bool:
        try:
            return isfile(path, backend_args=self._args_for(path))
        except _STORE_ERRORS:
            return False

    def _newest_first(self, pointed: str | None) -> list[_Candidate]:
        """All that a run can go on from: by what they say, unless the pointer knows better."""
        paths = set(self._files_in(self._folder))
        if pointed is not None:
            suffix = Path(pointed).suffix or SUFFIX
            paths |= {pointed, *self._files_in(_parent(pointed), suffix)}
        candidates = [one for path in sorted(paths) if (one := self._candidate(path)) is not None]
        candidates.sort(key=_Candidate.age, reverse=True)
        first = next((one for one in candidates if one.path == pointed), None)
        if first is None:
            return candidates
        newer = [one for one in candidates if one.follows(first)]
        older = [one for one in candidates if one is not first and one not in newer]
        return [*newer, first, *older]

    def _files_in(self, folder: str, suffix: str = SUFFIX) -> list[str]:
        try:
            names = list_dir_or_file(
                folder, list_dir=False, suffix=suffix, backend_args=self._args_for(folder)
            )
            return [join_path(folder, name) for name in names]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except _STORE_ERRORS as error:
            logger.warning("cannot list %s: %s", folder, error)
            return []

    def _candidate(self, path: str) -> _Candidate | None:
        try:
            summary = read_summary(path, self._args_for(path))
        except FileNotFoundError:
            self.num_vanished += 1
        except _STORE_ERRORS as error:
            self.damaged.append(f"{path}: {error}")
        else:
            return _Candidate(path, summary) if summary.is_resumable else None
        return None

    def _is_usable(self, candidate: _Candidate) -> bool:
        """Whether the file is whole, and is read without running code."""
        path = candidate.path
        try:
            with get_local_path(path, backend_args=self._args_for(path)) as local:
                verify_checkpoint(local)
                if not candidate.summary.is_plain:
                    read_checkpoint(local)  # says whether it is refused
        except FileNotFoundError:
            self.num_vanished += 1
        except _STORE_ERRORS as error:
            self.damaged.append(f"{path}: {error}")
        else:
            return True
        return False

    def _args_for(self, path: str) -> BackendArgs:
        return self._backend_args if "://" in path else None


def _name(path: str) -> str:
    return path.rpartition("/")[2] if "://" in path else Path(path).name


def _parent(path: str) -> str:
    return path.rpartition("/")[0] if "://" in path else str(Path(path).parent)
