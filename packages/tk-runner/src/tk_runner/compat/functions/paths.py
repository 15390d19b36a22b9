"""Local files and folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

_REMOTE = ("http://", "https://", "s3://")


def is_filepath(x: Any) -> bool:
    """Whether it can be the path of a file: a text or a ``Path``."""
    return isinstance(x, (str, Path))


def fopen(filepath: str | Path, *args: Any, **kwargs: Any) -> IO[Any]:
    """Open a file, as ``open`` does.

    Raises:
        ValueError: neither text nor ``Path``.
    """
    if not is_filepath(filepath):
        raise ValueError(f"filepath must be a text or a Path, got {type(filepath).__name__}")
    file: IO[Any] = Path(filepath).open(*args, **kwargs)  # noqa: SIM115 - the caller closes it
    return file


def check_file_exist(filename: str, msg_tmpl: str = 'file "{}" does not exist') -> None:
    """Make sure that there is such a file.

    Raises:
        FileNotFoundError: there is not.
    """
    if not Path(filename).is_file():
        raise FileNotFoundError(msg_tmpl.format(filename))


def mkdir_or_exist(dir_name: str | Path, mode: int = 0o777) -> None:
    """Make a folder and those around it, where they are not there yet; ``~`` is the home."""
    if str(dir_name):
        Path(dir_name).expanduser().mkdir(mode=mode, parents=True, exist_ok=True)


def symlink(src: str | Path, dst: str | Path, overwrite: bool = True, **kwargs: Any) -> None:
    """Make a link at ``dst`` that leads to ``src``, in place of what stands there."""
    if overwrite and os.path.lexists(dst):
        Path(dst).unlink()
    Path(dst).symlink_to(src, **kwargs)


def scandir(
    dir_path: str | Path,
    suffix: str | tuple[str, ...] | None = None,
    recursive: bool = False,
    case_sensitive: bool = True,
) -> Iterator[str]:
    """The files of a folder, relative to it; hidden files are left out.

    Args:
        dir_path: the folder.
        suffix: how names must end, one or several.
        recursive: whether folders in it are gone through too.
        case_sensitive: whether upper and lower case of suffixes differ.

    Raises:
        TypeError: an argument of another kind.
    """
    if not is_filepath(dir_path):
        raise TypeError(f"dir_path must be a text or a Path, got {type(dir_path).__name__}")
    if suffix is not None and not isinstance(suffix, (str, tuple)):
        raise TypeError(f"suffix must be a text or a tuple of texts, got {type(suffix).__name__}")
    wanted = suffix
    if wanted is not None and not case_sensitive:
        wanted = wanted.lower() if isinstance(wanted, str) else tuple(s.lower() for s in wanted)
    return _files(Path(dir_path), Path(dir_path), wanted, recursive, case_sensitive)


def _files(
    folder: Path, root: Path, suffix: Any, recursive: bool, case_sensitive: bool
) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                name = entry.name if case_sensitive else entry.name.lower()
                if not entry.name.startswith(".") and (suffix is None or name.endswith(suffix)):
                    yield Path(entry.path).relative_to(root).as_posix()
            elif recursive and entry.is_dir():
                yield from _files(Path(entry.path), root, suffix, recursive, case_sensitive)


def is_abs(path: str) -> bool:
    """Whether a path is absolute, or an address of http, https or s3."""
    return Path(path).is_absolute() or path.startswith(_REMOTE)
