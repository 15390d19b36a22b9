"""What a checkpoint says about itself, read without its tensors and without its code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from .archive import read_record, read_table
from .errors import CheckpointError, CorruptCheckpointError
from .restricted import RestrictedUnpickler
from .stand_ins import PLAIN_NAMES

# One of them shows that a run can go on from the file; weights for others have none.
STATE_KEYS = ("loop", "optimizer", "param_schedulers", "message_hub")
_TIME = re.compile(r"\d{8}_\d{6}")


class Facts(NamedTuple):
    """The counts and the time in a checkpoint."""

    iter: int
    epoch: int
    time: str  # "20250131_235959", or empty
    is_resumable: bool  # whether it holds more than weights


def read_facts(path: Path) -> Facts:
    """The facts of a local file.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptCheckpointError: it is torn, or no checkpoint.
    """
    table = read_table(path)
    pickled = read_record(path, table["data.pkl"])
    try:
        content = RestrictedUnpickler(pickled, PLAIN_NAMES, _no_storage, is_lenient=True).load()
    except (MemoryError, CheckpointError):
        raise
    except Exception as error:  # a damaged pickle can fail in any way
        raise CorruptCheckpointError(
            f"{path} is no checkpoint: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(content, dict):
        raise CorruptCheckpointError(f"{path} holds a {type(content).__name__}, not a dict")
    meta = content.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    time = meta.get("time")
    return Facts(
        iter=_count(meta.get("iter")),
        epoch=_count(meta.get("epoch")),
        time=time if isinstance(time, str) and _TIME.fullmatch(time) else "",
        is_resumable=any(key in content for key in STATE_KEYS),
    )


def _count(value: Any) -> int:
    return value if type(value) is int else 0


def _no_storage(pid: Any) -> None:
    return None
