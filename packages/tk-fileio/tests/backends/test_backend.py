"""What the contract gives to a backend that implements as little as it must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_fileio import BaseStorageBackend, UnsupportedOperationError


class OnlyReads(BaseStorageBackend):
    def get(self, filepath: Any) -> bytes:
        return b"text of " + str(filepath).encode()


class PutsWhole(OnlyReads):
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, obj: bytes, filepath: Any) -> None:
        self.kept[str(filepath)] = obj


def test_reading_in_every_way_follows_from_get(tmp_path: Path) -> None:
    backend = OnlyReads()

    assert backend.get_text("a") == "text of a"
    with backend.open_read("a") as file:
        assert file.read() == b"text of a"
    with backend.get_local_path("a.txt") as path:
        assert Path(path).read_bytes() == b"text of a.txt"
    backend.copyfile_to_local("a", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"text of a"
    assert backend.name == "OnlyReads"


@pytest.mark.parametrize(
    "call",
    [
        lambda backend: backend.put(b"", "key"),
        lambda backend: backend.put_text("", "key"),
        lambda backend: backend.open_write("key"),
        lambda backend: backend.exists("key"),
        lambda backend: backend.isdir("key"),
        lambda backend: backend.remove("key"),
        lambda backend: backend.rmtree("key"),
        lambda backend: backend.list_dir_or_file("key"),
        lambda backend: backend.entries("key"),
        lambda backend: backend.generate_presigned_url("key"),
    ],
)
def test_what_is_not_there_says_so(call: Any) -> None:
    with pytest.raises(UnsupportedOperationError, match=r"OnlyReads cannot .* 'key'.*override"):
        call(OnlyReads())


def test_a_backend_that_puts_can_be_streamed_to() -> None:
    backend = PutsWhole()

    with backend.open_write("a") as file:
        file.write(b"1")
        file.write(b"2")
    backend.put_text("ü", "b")

    assert backend.kept == {"a": b"12", "b": "ü".encode()}


def test_a_failed_stream_puts_nothing() -> None:
    backend = PutsWhole()

    with pytest.raises(KeyError, match="mine"), backend.open_write("a"):
        raise KeyError("mine")

    assert backend.kept == {}
