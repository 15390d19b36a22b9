"""Local files and folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_runner.compat.functions import paths


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.PNG", ".hidden.txt", "sub/c.txt", "sub/deep/d.png"):
        paths.mkdir_or_exist((tmp_path / name).parent)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["a.txt", "b.PNG"]),
        ({"suffix": ".txt"}, ["a.txt"]),
        ({"suffix": (".txt", ".png"), "recursive": True}, ["a.txt", "sub/c.txt", "sub/deep/d.png"]),
        ({"suffix": ".png", "case_sensitive": False}, ["b.PNG"]),
    ],
)
def test_the_files_of_a_folder(options: dict[str, Any], expected: list[str], tree: Path) -> None:
    assert sorted(paths.scandir(tree, **options)) == expected


def test_wrong_kinds_are_an_error(tree: Path) -> None:
    with pytest.raises(TypeError, match="dir_path"):
        paths.scandir(123)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="suffix"):
        paths.scandir(tree, 123)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="filepath"):
        paths.fopen(123)  # type: ignore[arg-type]


def test_a_file_is_opened_and_its_absence_is_an_error(tree: Path) -> None:
    with paths.fopen(tree / "a.txt") as file:
        assert file.read() == "a.txt"
    paths.check_file_exist(str(tree / "a.txt"))
    with pytest.raises(FileNotFoundError, match=r'file ".*/no" does not exist'):
        paths.check_file_exist(str(tree / "no"))


def test_a_link_takes_the_place_of_another(tree: Path) -> None:
    paths.symlink(tree / "a.txt", tree / "link")
    paths.symlink(tree / "b.PNG", tree / "link")

    assert (tree / "link").read_text() == "b.PNG"


@pytest.mark.parametrize(("path", "expected"), [("/a", True), ("s3://a", True), ("a/b", False)])
def test_addresses_are_absolute_too(path: str, expected: bool) -> None:
    assert paths.is_abs(path) is expected


def test_nothing_is_made_for_an_empty_name() -> None:
    paths.mkdir_or_exist("")

    assert paths.is_filepath("")
    assert not paths.is_filepath(1)
