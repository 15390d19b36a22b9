from __future__ import annotations

from pathlib import Path

import pytest

from tk_fileio.backends.listing import list_entries, walk
from tk_fileio.backends.local_files import LocalFiles


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.json", ".hidden", "sub/c.txt", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def listed(folder: Path, **options: object) -> list[str]:
    given = {"list_dir": True, "list_file": True, "suffix": None, "recursive": False, **options}
    return list(list_entries(LocalFiles(), folder, **given))  # type: ignore[arg-type]


def test_names_are_sorted_and_hidden_ones_left_out(folder: Path) -> None:
    assert listed(folder) == ["a.json", "b.txt", "sub"]
    assert listed(folder, recursive=True) == ["a.json", "b.txt", "sub", "sub/c.txt"]


def test_a_suffix_selects_files(folder: Path) -> None:
    assert listed(folder, list_dir=False, suffix=".txt", recursive=True) == ["b.txt", "sub/c.txt"]
    with pytest.raises(TypeError, match="pass list_dir=False"):
        listed(folder, suffix=".txt")


def test_a_missing_folder_is_an_error_at_the_call(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        listed(folder / "gone")


def test_a_walk_shows_a_folder_before_what_it_holds(folder: Path) -> None:
    found = [path for path, _ in walk(LocalFiles(), folder, hidden=True)]

    assert found == [".git", ".git/config", ".hidden", "a.json", "b.txt", "sub", "sub/c.txt"]
