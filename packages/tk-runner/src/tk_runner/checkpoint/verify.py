"""Whether a file is whole: every record against the checksum that was written with it."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

from .archive import Record, is_archive, read_table
from .errors import CorruptCheckpointError

CHUNK_BYTES = 2**20


def verify_checkpoint(filename: str | Path) -> None:
    """Read every record of a local file and compare its CRC-32.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptCheckpointError: torn, damaged or no checkpoint; the text has the
            file and the record.
    """
    path = Path(filename)
    if not is_archive(path):
        raise CorruptCheckpointError(
            f"{path} ({path.stat().st_size} bytes) is torn or no checkpoint: it does not begin as "
            "an archive, so there are no checksums to compare"
        )
    table = read_table(path)
    buffer = memoryview(bytearray(CHUNK_BYTES))
    with path.open("rb", buffering=0) as file:
        for name, record in table.items():
            if _checksum(file, record, buffer) != record.crc:
                raise CorruptCheckpointError(
                    f"{path} is damaged: the record {name!r} does not have the checksum that was "
                    "written with it"
                )


def _checksum(file: BinaryIO, record: Record, buffer: memoryview) -> int:
    file.seek(record.offset)
    left, known = record.size, 0
    while left > 0:
        num_read = file.readinto(buffer[: min(left, CHUNK_BYTES)])  # type: ignore[attr-defined]
        if not num_read:
            return -1
        known = zlib.crc32(buffer[:num_read], known)
        left -= num_read
    return known
