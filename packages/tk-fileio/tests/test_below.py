from __future__ import annotations

from pathlib import Path

import pytest

from tk_fileio import UnsafePathError, join_below

ESCAPES = ["..", "../x", "a/../../x", "a/..", "/etc/passwd", "//x", "a//b", "", "a\\..\\b", "a\0b"]


@pytest.mark.parametrize("name", ESCAPES, ids=repr)
@pytest.mark.parametrize("root", ["local", "s3://bucket/run"])
def test_a_name_that_could_lead_out_is_refused(root: str, name: str) -> None:
    with pytest.raises(UnsafePathError, match=f"could lead out of '{root}'"):
        join_below(root, name)
    with pytest.raises(UnsafePathError, match="could lead out"):
        join_below(root, "fine", name)


@pytest.mark.parametrize("name", ["a", "a/b.txt", "..a", "a..", ".hidden", "a b", "best_acc@1"])
def test_an_ordinary_name_is_joined(tmp_path: Path, name: str) -> None:
    assert join_below(tmp_path, name) == str(tmp_path / name)
    assert join_below("s3://bucket/run/", name) == f"s3://bucket/run/{name}"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "root" / "planted").symlink_to(tmp_path / "outside")

    with pytest.raises(UnsafePathError, match="symbolic link"):
        join_below(tmp_path / "root", "planted/file")


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / "b").symlink_to(tmp_path / "root" / "a")

    assert join_below(tmp_path / "root", "b/file") == str(tmp_path / "root" / "b" / "file")


def test_a_link_as_the_last_part_is_left_to_the_writer(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "latest").symlink_to(tmp_path / "outside")

    assert join_below(tmp_path / "root", "latest") == str(tmp_path / "root" / "latest")
