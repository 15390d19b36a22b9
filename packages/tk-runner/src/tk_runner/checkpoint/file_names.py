"""Any text as a part of the name of a file."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from .errors import UnsafeCheckpointError

UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')  # on one file system or another
LONGEST_PART = 120  # bytes; names of 255 bytes are the limit of most file systems


def file_part(name: str, *, marked: bool = False) -> str:
    """A name as it may stand in the name of a file; a short hash marks it where it was cut.

    Args:
        name: anything, such as the name of a metric.
        marked: add the hash in any case, where two names would be alike.
    """
    part = UNFIT.sub("_", name)
    short = part.encode()[:LONGEST_PART].decode(errors="ignore")
    if not marked and short == part:
        return part
    return f"{short}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def bare_file_name(name: Any) -> str:
    """``name``, if it names a file directly inside of a folder.

    Raises:
        UnsafeCheckpointError: it could lead elsewhere, or is no name.
    """
    if not isinstance(name, str) or UNFIT.search(name) or name in ("", ".", ".."):
        raise UnsafeCheckpointError(
            f"the state names the file {name!r}, which is not the bare name of a file in the "
            "folder of checkpoints; the checkpoint was changed or made to remove files elsewhere"
        )
    return name
