"""What a checkpoint says about itself, read without its tensors and without its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tk_fileio import open_read

from .archive import Archive
from .contents import known_version
from .errors import CheckpointError, CorruptCheckpointError
from .mmengine_format.stand_ins import PLAIN_NAMES
from .mmengine_format.tensors import TORCH_NAMES
from .mmengine_format.unpickler import RestrictedUnpickler

# One of them shows that a run can go on from the file; weights for others have none.
STATE_KEYS = ("loop", "optimizer", "param_schedulers", "message_hub")
_TIME = re.compile(r"\d{8}_\d{6}")


class Summary(NamedTuple):
    """The counts and the time in a checkpoint."""

    iter: int
    epoch: int
    time: str  # "20250131_235959", or empty
    is_resumable: bool  # whether it holds more than weights
    is_plain: bool  # whether it asks for nothing but what any safe loader gives


def read_summary(filename: str | Path, backend_args: Mapping[str, Any] | None = None) -> Summary:
    """The counts and the time in a file; of one in a store only a part is fetched where it can.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptCheckpointError: it is torn, or no checkpoint.
        CheckpointError: its format has a version that is not known here.
    """
    name = str(filename)
    pickled = _pickle_of(name, backend_args)
    try:
        unpickler = RestrictedUnpickler(pickled, PLAIN_NAMES, _no_storage, is_lenient=True)
        content = unpickler.load()
    except (MemoryError, CheckpointError):
        raise
    except Exception as error:  # a damaged pickle can fail in any way
        raise CorruptCheckpointError(
            f"{name} is no checkpoint: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(content, dict):
        raise CorruptCheckpointError(f"{name} holds a {type(content).__name__}, not a dict")
    known_version(content, name)
    meta = content.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    time = meta.get("time")
    return Summary(
        iter=_count(meta.get("iter")),
        epoch=_count(meta.get("epoch")),
        time=time if isinstance(time, str) and _TIME.fullmatch(time) else "",
        is_resumable=any(key in content for key in STATE_KEYS),
        is_plain=unpickler.unknown_names <= TORCH_NAMES,
    )


def _pickle_of(name: str, backend_args: Mapping[str, Any] | None) -> bytes:
    if "://" not in name:
        with Archive.open(Path(name)) as archive:
            return archive.read("data.pkl")
    with open_read(name, backend_args=backend_args) as file, Archive(file, name) as archive:
        return archive.read("data.pkl")


def _count(value: Any) -> int:
    return value if type(value) is int else 0


def _no_storage(pid: Any) -> None:
    return None
