"""Keeping names from outside below the folder that they belong to.

Names of archive members, keys, metrics and remote entries are data: whoever
makes a file name of them goes through here.
"""

from __future__ import annotations

import os
from pathlib import Path

from .errors import UnsafePathError
from .uri import StrPath, join_uri, parse_uri, shown


def join_below(root: StrPath, *names: str) -> str:
    """``root`` and ``names`` joined, certain to lie below ``root``.

    Args:
        root: a local folder or the URI of one.
        names: relative; each may hold several parts.

    Raises:
        UnsafePathError: a name is empty or absolute, holds ``..``, a drive, a
            backslash or a NUL, or leads through a symbolic link out of a local root.
    """
    for name in names:
        _refuse_escapes(name, root)
    uri = parse_uri(root)
    if uri.scheme:
        return join_uri(uri.text, *names)
    joined = Path(uri.text).joinpath(*names)
    # The last part may be a link: it is replaced, not followed (see atomic.py).
    real_root = os.path.realpath(uri.text)
    real_parent = os.path.realpath(joined.parent)
    if names and os.path.commonpath([real_root, real_parent]) != real_root:
        raise UnsafePathError(
            f"{'/'.join(names)!r} leads through a symbolic link out of {shown(root)!r}; "
            "remove the link or choose another name"
        )
    return str(joined)


def _refuse_escapes(name: str, root: StrPath) -> None:
    parts = name.split("/")
    if (
        "" in parts[:-1]
        or not name
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or (":" in parts[0][:2] and os.name == "nt")
    ):
        raise UnsafePathError(
            f"the name {name!r} could lead out of {shown(root)!r}; "
            "use a relative name without '..', drive letters and backslashes"
        )
