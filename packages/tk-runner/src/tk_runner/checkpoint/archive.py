"""The zip archive that ``torch.save`` writes: its table of records, read with suspicion.

Every record is stored as it is, under a name of its own, inside the file.
Whatever says otherwise was not written by torch: it is refused before a byte is
unpacked, so that nothing grows in memory and no two readers see two files.
"""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .errors import CorruptCheckpointError

MAGIC = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic, lengths of name and extra field
_ENCRYPTED = 0x1


class Record(NamedTuple):
    """Where a record's bytes lie, and their checksum."""

    offset: int
    size: int
    crc: int


def is_archive(path: Path) -> bool:
    """Whether the file begins as an archive does; older torch wrote plain pickles."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_table(path: Path) -> dict[str, Record]:
    """The records of an archive by name, without the folder that all share.

    Raises:
        CorruptCheckpointError: torn, or not as torch writes archives.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            table = {
                info.filename.partition("/")[2]: _record(path, file, info)
                for info in archive.infolist()
            }
            num_records = len(archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise CorruptCheckpointError(
            f"{path} ({size} bytes) is torn or no checkpoint: {error}"
        ) from error
    if len(table) != num_records:
        raise CorruptCheckpointError(f"{path} has two records of one name, so it is no checkpoint")
    if sum(record.size for record in table.values()) > size:
        raise CorruptCheckpointError(f"{path} has records that overlap, so it is no checkpoint")
    if "data.pkl" not in table:
        raise CorruptCheckpointError(f"{path} is an archive but no checkpoint: it has no data.pkl")
    return table


def _record(path: Path, file: BinaryIO, info: zipfile.ZipInfo) -> Record:
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
        raise CorruptCheckpointError(
            f"{path}: the record {info.filename!r} is compressed, which torch never does; "
            "it was refused without unpacking it"
        )
    if info.flag_bits & _ENCRYPTED:
        raise CorruptCheckpointError(f"{path}: the record {info.filename!r} is encrypted")
    if info.header_offset < 0:
        raise zipfile.BadZipFile(f"the record {info.filename!r} would lie before the file")
    file.seek(info.header_offset)
    magic, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    name = file.read(name_length).decode("utf-8", errors="replace")
    if magic != MAGIC or name != info.filename:
        raise zipfile.BadZipFile(f"the record {info.filename!r} is not where the table says")
    offset = info.header_offset + _LOCAL_HEADER.size + name_length + extra_length
    return Record(offset, info.file_size, info.CRC)


def read_record(path: Path, record: Record) -> bytes:
    """The bytes of one record."""
    with path.open("rb") as file:
        file.seek(record.offset)
        return file.read(record.size)
