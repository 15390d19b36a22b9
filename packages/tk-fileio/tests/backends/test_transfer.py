from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tk_fileio import UnsafePathError
from tk_fileio.backends.listing import Entry
from tk_fileio.backends.local_files import LocalFiles
from tk_fileio.backends.transfer import copy_file, copy_tree, destination, temporary_copy

DISK = LocalFiles()


class HostileListing(LocalFiles):
    """A store that lists a name which leads out of the folder."""

    def entries(self, dir_path):  # type: ignore[no-untyped-def]
        yield Entry("../stolen", is_folder=False)


def test_a_file_goes_into_a_folder_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")
    (tmp_path / "there").mkdir()

    place = copy_file(DISK, tmp_path / "a.bin", DISK, tmp_path / "there")

    assert Path(place) == tmp_path / "there" / "a.bin"
    assert Path(place).read_bytes() == b"abc"
    assert destination(DISK, tmp_path / "a.bin", tmp_path / "new") == str(tmp_path / "new")


def test_a_file_is_not_copied_onto_itself(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")

    with pytest.raises(shutil.SameFileError):
        copy_file(DISK, tmp_path / "a.bin", DISK, tmp_path / "a.bin")


def test_a_listed_name_cannot_leave_the_target(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()

    with pytest.raises(UnsafePathError):
        copy_tree(HostileListing(), tmp_path / "source", DISK, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_a_temporary_copy_lasts_for_the_block_and_keeps_the_suffix(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")

    with temporary_copy(DISK, tmp_path / "a.json") as copy:
        assert copy.endswith(".json")
        assert Path(copy).read_bytes() == b"{}"
    assert not Path(copy).exists()
