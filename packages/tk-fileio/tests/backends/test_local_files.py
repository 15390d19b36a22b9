from __future__ import annotations

from pathlib import Path

import pytest

from tk_fileio.backends.local_files import LocalFiles

FILES = LocalFiles()


def test_a_file_uri_is_the_path(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")

    assert FILES.get((tmp_path / "a.bin").as_uri()) == b"abc"
    assert FILES.isfile((tmp_path / "a.bin").as_uri())


def test_a_link_that_leads_nowhere_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    (tmp_path / "a.bin").touch()

    assert [entry.name for entry in FILES.entries(tmp_path)] == ["a.bin"]


def test_a_folder_is_not_removed_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="delete it with rmtree"):
        FILES.remove(tmp_path)


def test_a_link_to_a_folder_is_removed_and_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    FILES.remove(tmp_path / "link")

    assert [entry.name for entry in FILES.entries(tmp_path)] == ["real"]
