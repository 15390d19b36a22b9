from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import tk_fileio
from tk_fileio.backends.regular_file import open_regular


@pytest.fixture
def special(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Something that is not a file, by the name of its kind."""
    path = tmp_path / "special.json"
    if request.param == "pipe":
        os.mkfifo(path)
        yield path
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            yield path
    elif request.param == "link to a device":
        path.symlink_to("/dev/zero")
        yield path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
@pytest.mark.parametrize("special", ["pipe", "socket", "link to a device"], indirect=True)
def test_what_is_not_a_file_is_refused_at_once_by_every_reader(
    special: Path, tmp_path: Path
) -> None:
    readers = [
        tk_fileio.get,
        tk_fileio.get_text,
        tk_fileio.load,
        tk_fileio.list_from_file,
        lambda path: tk_fileio.copyfile(path, tmp_path / "copy"),
        lambda path: tk_fileio.open_read(path).__enter__(),
    ]
    for read in readers:
        with pytest.raises(OSError, match="pass the open file") as caught:
            read(special)
        assert caught.value.errno == errno.EINVAL
        assert caught.value.filename == str(special)


def test_a_folder_is_refused_as_one(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        tk_fileio.get(tmp_path)


def test_a_refused_path_leaves_no_file_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)

    assert not before or os.listdir("/proc/self/fd") == before


def test_a_file_larger_than_the_memory_is_named_with_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.bin"
    with path.open("wb") as file:
        file.truncate(1 << 43)  # holes take no room

    with pytest.raises(MemoryError, match=rf"huge.bin' has {1 << 43} bytes, .*open_read"):
        tk_fileio.get(path)
