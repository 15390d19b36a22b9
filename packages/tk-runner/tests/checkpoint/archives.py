"""Archives like those of ``torch.save``, with a pickle of one's own, byte for byte."""

from __future__ import annotations

import pickle
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_archive(
    path: Path,
    pickled: bytes,
    records: Mapping[str, bytes] | None = None,
    compression: int = zipfile.ZIP_STORED,
) -> Path:
    """An archive that torch reads, whole by its checksums."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/byteorder", b"little")
        for name, content in (records or {}).items():
            archive.writestr(f"archive/{name}", content)
        archive.writestr("archive/version", b"3\n")
    return path


PROTO = b"\x80\x02"


def name(module: str, attribute: str) -> bytes:
    """Push what a module has."""
    return f"c{module}\n{attribute}\n".encode()


def text(value: str) -> bytes:
    """Push a text."""
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def call(function: bytes, *arguments: bytes) -> bytes:
    """Push what a function gives."""
    return function + b"(" + b"".join(arguments) + b"tR"


def content(value: bytes) -> bytes:
    """A whole pickle of ``{"state_dict": value}``."""
    return PROTO + b"}" + text("state_dict") + value + b"s."


HISTORY = call(name("mmengine.logging.history_buffer", "HistoryBuffer"))


def after_a_history(value: bytes) -> bytes:
    """A pickle that begins like one of MMEngine, so that the safe loader has given up on it."""
    return PROTO + b"}" + text("message_hub") + HISTORY + b"s" + text("state_dict") + value + b"s."


def storage(key: str, count: int, kind: str = "FloatStorage") -> bytes:
    """Push a storage."""
    arguments = text("storage") + name("torch", kind) + text(key) + text("cpu")
    return b"(" + arguments + pickle.BININT + struct.pack("<i", count) + b"tQ"


def number(value: int) -> bytes:
    """Push a whole number."""
    return b"J" + struct.pack("<i", value)


def numbers(*values: int) -> bytes:
    """Push a tuple of whole numbers."""
    return b"(" + b"".join(map(number, values)) + b"t"
