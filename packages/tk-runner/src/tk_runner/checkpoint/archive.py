"""The zip archive that ``torch.save`` writes, opened once and read with suspicion.

Every record is stored uncompressed, under a name of its own, inside the file,
and the file has one table of records, at its end. A file that differs was not
written by torch. It is refused before anything is unpacked, so that no input
grows in memory and no two readers see different contents.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import CheckpointError, CorruptCheckpointError

_MAGIC = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic, lengths of name and extra field
_END = struct.Struct("<4sHHHHIIH")  # magic, 2 disks, 2 counts, size, offset, comment length
_END_64 = struct.Struct("<4sQHHIIQQQQ")  # ..., 2 counts, size, offset
_LOCATOR_64 = struct.Struct("<4sIQI")  # magic, disk, offset of the end record, disks
_ENCRYPTED = 0x1
_CHUNK_BYTES = 2**20


class Record(NamedTuple):
    """Where a record's bytes lie, and their checksum."""

    offset: int
    size: int
    crc: int


class Archive:
    """An open archive; use it in a ``with`` block, which closes its file.

    Args:
        file: the file, open for reading bytes.
        name: its path or URI, for messages.

    Raises:
        CorruptCheckpointError: torn, or not as torch writes archives.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file if file.seekable() else io.BytesIO(file.read())
        self.name = name
        try:
            self.size_bytes = self._file.seek(0, os.SEEK_END)
            self.records = self._read_table()
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Open a local file.

        Raises:
            FileNotFoundError: there is no such file.
            CheckpointError: it is not a regular file, but a pipe or a device.
            CorruptCheckpointError: as above.
        """
        return cls(open_regular_file(path), str(path))

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, name: str) -> bytes:
        """The bytes of one record."""
        record = self.records[name]
        self._file.seek(record.offset)
        return self._file.read(record.size)

    def verify(self) -> None:
        """Compare the CRC-32 of every record with the one that was written with it.

        Raises:
            CorruptCheckpointError: they differ; the text has the file and the record.
        """
        buffer = memoryview(bytearray(_CHUNK_BYTES))
        for name, record in self.records.items():
            if self._checksum(record, buffer) != record.crc:
                raise CorruptCheckpointError(
                    f"{self.name} is damaged: the record {name!r} does not have the checksum that "
                    "was written with it"
                )

    def _checksum(self, record: Record, buffer: memoryview) -> int:
        self._file.seek(record.offset)
        left, checksum = record.size, 0
        while left > 0:
            num_read = self._file.readinto(buffer[: min(left, _CHUNK_BYTES)])  # type: ignore[attr-defined]
            if not num_read:
                return -1
            checksum = zlib.crc32(buffer[:num_read], checksum)
            left -= num_read
        return checksum

    def _read_table(self) -> dict[str, Record]:
        try:
            num_records = self._num_records()
            with zipfile.ZipFile(self._file) as archive:
                entries = archive.infolist()
            records = {_short_name(entry.filename): self._record(entry) for entry in entries}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise CorruptCheckpointError(
                f"{self.name} ({self.size_bytes} bytes) is torn or no checkpoint: {error}"
            ) from error
        # torch compares names without regard to case, and looks in the first folder alone
        if not len({name.lower() for name in records}) == len(entries) == num_records:
            raise self._refused("two records have the same name")
        if len({entry.filename.partition("/")[0] for entry in entries}) > 1:
            raise self._refused("its records lie in several folders")
        if sum(record.size for record in records.values()) > self.size_bytes:
            raise self._refused("its records overlap")
        if "data.pkl" not in records:
            raise self._refused("it is an archive without a record data.pkl")
        return records

    def _num_records(self) -> int:
        """How many records the table has, where every reader finds that one table.

        Readers search for the table in different ways. They agree where it ends
        with the file, without a comment or a gap, as torch writes it.
        """
        end = self.size_bytes - _END.size
        magic, _, _, _, count, size, offset, comment_bytes = self._unpack(_END, end)
        if magic != b"PK\x05\x06" or comment_bytes:
            raise zipfile.BadZipFile("it does not end as an archive")
        locator = end - _LOCATOR_64.size
        magic, _, end_64, _ = self._unpack(_LOCATOR_64, locator)
        if magic == b"PK\x06\x07":
            end = locator - _END_64.size
            magic, _, _, _, _, _, _, count, size, offset = self._unpack(_END_64, end)
            if end_64 != end or magic != b"PK\x06\x06":
                raise self._refused("it may have two tables of records")
        if offset + size != end:
            raise self._refused("its table of records is not at its end")
        return int(count)

    def _unpack(self, layout: struct.Struct, offset: int) -> tuple[Any, ...]:
        if offset < 0:
            raise zipfile.BadZipFile("it is too short for an archive")
        self._file.seek(offset)
        return layout.unpack(self._file.read(layout.size))

    def _record(self, entry: zipfile.ZipInfo) -> Record:
        name = entry.filename
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise self._refused(f"the record {name!r} is compressed, which torch never does")
        if entry.flag_bits & _ENCRYPTED:
            raise self._refused(f"the record {name!r} is encrypted")
        if entry.header_offset < 0:
            raise zipfile.BadZipFile(f"the record {name!r} would begin before the file")
        magic, name_length, extra_length = self._unpack(_LOCAL_HEADER, entry.header_offset)
        local_name = self._file.read(name_length).decode("utf-8", errors="replace")
        if magic != _MAGIC or local_name != name:
            raise zipfile.BadZipFile(f"the record {name!r} is not where the table says")
        offset = entry.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        return Record(offset, entry.file_size, entry.CRC)

    def _refused(self, reason: str) -> CorruptCheckpointError:
        return CorruptCheckpointError(
            f"{self.name} is not a checkpoint that torch wrote: {reason}; nothing of it was read"
        )


def _short_name(filename: str) -> str:
    """A record's name without the folder that all share."""
    return filename.partition("/")[2]


def open_regular_file(path: Path) -> BinaryIO:
    """Open a file for reading, unless it is a pipe or a device, which may have no end.

    Raises:
        CheckpointError: it is one.
    """
    # Without O_NONBLOCK, opening a pipe would wait for its writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CheckpointError(
            f"{path} is not a regular file but a folder, pipe or device; copy its content to a "
            "file and name that"
        )
    return os.fdopen(descriptor, "rb")


def is_archive(path: Path) -> bool:
    """Whether the file begins as an archive does; older torch wrote plain pickles."""
    with open_regular_file(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


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
    with Archive.open(path) as archive:
        archive.verify()
