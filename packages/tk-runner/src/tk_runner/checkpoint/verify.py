"""Whether a file is whole: every record against the checksum that was written with it."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import IO

from .errors import CorruptCheckpointError

CHUNK_BYTES = 4 * 2**20


def verify_checkpoint(filename: str | Path) -> None:
    """Read every record and compare its CRC-32.

    Raises:
        CorruptCheckpointError: torn, damaged or no checkpoint; the text has the
            file and the record.
    """
    path = Path(filename)
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            for record in archive.infolist():
                _verify_record(path, raw, archive, record)
    except FileNotFoundError:
        raise
    except (zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
        size = path.stat().st_size if path.exists() else 0
        raise CorruptCheckpointError(
            f"{path} ({size} bytes) is torn or no checkpoint: {error}"
        ) from error


def _verify_record(
    path: Path, raw: IO[bytes], archive: zipfile.ZipFile, record: zipfile.ZipInfo
) -> None:
    known = 0
    with archive.open(record) as stream:
        # torch stores records uncompressed; the module checks the sum at the end of the stream,
        # but names no file, and stops at the first byte that differs in length
        try:
            while chunk := stream.read(CHUNK_BYTES):
                known = zlib.crc32(chunk, known)
        except zipfile.BadZipFile:
            known = ~record.CRC
    if known != record.CRC:
        raise CorruptCheckpointError(
            f"{path} is damaged: the record {record.filename!r} does not have the checksum that "
            "was written with it"
        )
