"""Files fetched over HTTP, once for each machine, and checked against the hash in their name."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from tk_fileio import atomic_write, open_read

from .errors import CheckpointError, CorruptCheckpointError

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger("tk.runner")
SAFE_TORCH = (2, 10)  # older safe loaders have a known hole: CVE-2026-24747
_HASH_IN_NAME = re.compile(r"-([0-9a-f]{8,64})\.\w+$")
_CHUNK_BYTES = 2**20


def cache_folder() -> Path:
    """Where downloads are kept: below ``TKIT_HOME``, else below the user's cache."""
    base = os.environ.get("TKIT_HOME") or Path.home() / ".cache" / "tk"
    return Path(base) / "checkpoints"


def refuse_strangers_on_old_torch(name: str) -> None:
    """Raise where the safe loader is not safe enough for a file from elsewhere.

    Raises:
        CheckpointError: torch is older than 2.10.
    """
    version = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
    if version < SAFE_TORCH:
        raise CheckpointError(
            f"{name} comes from elsewhere, and the safe loader of torch {torch.__version__} has a "
            "known hole; update torch to 2.10 or newer, or download the file and check it yourself"
        )


def download(url: str) -> Path:
    """The local copy of a file; of several processes one downloads and the others wait for it.

    A hash in the name, as in ``resnet50-11ad3fa6.pth``, must be that of the content.

    Raises:
        CorruptCheckpointError: it is not; nothing is kept.
        CheckpointError: this torch must not read files from elsewhere.
    """
    refuse_strangers_on_old_torch(url)
    address = url.partition("#")[0].partition("?")[0]
    name = re.sub(r"[^\w.\-]+", "_", address.rpartition("/")[2]).lstrip(".") or "checkpoint"
    folder = hashlib.sha256(url.encode()).hexdigest()[:16]
    target = cache_folder() / folder / name
    if target.exists():
        logger.info("%s was downloaded before: %s", url, target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone(target.with_name(f".{folder}.lock")):
        if not target.exists():
            _fetch(url, target)
    return target


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock between processes; it ends with the process that holds it."""
    with lock.open("wb") as file:
        if sys.platform != "win32":
            fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def _fetch(url: str, target: Path) -> None:
    digest = hashlib.sha256()
    with open_read(url) as source, atomic_write(target) as file:
        while chunk := source.read(_CHUNK_BYTES):
            digest.update(chunk)
            file.write(chunk)
        expected = _HASH_IN_NAME.search(target.name)
        if expected and not digest.hexdigest().startswith(expected[1]):
            raise CorruptCheckpointError(
                f"{url} does not have the hash in its name: expected {expected[1]}, got "
                f"{digest.hexdigest()[: len(expected[1])]}; it was changed or torn on the way"
            )
