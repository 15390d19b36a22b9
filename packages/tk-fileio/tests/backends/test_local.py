from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from backend_suite import BackendSuite

import tk_fileio
from tk_fileio import LocalBackend


@pytest.fixture
def backend() -> LocalBackend:
    return LocalBackend()


class TestLocalBackend(BackendSuite):
    @pytest.fixture
    def root(self, tmp_path: Path) -> str:
        return str(tmp_path / "root")


class TestLocalBackendByFileUri(BackendSuite):
    @pytest.fixture
    def root(self, tmp_path: Path) -> str:
        return str(tmp_path / "root")

    def stored(self, name: str, content: bytes) -> str:
        return (Path(super().stored(name, content))).as_uri()


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_come_as_str_or_path(backend: LocalBackend, tmp_path: Path, kind: type) -> None:
    address = kind(tmp_path / "a" / "b.txt")

    backend.put_text("x", address)

    assert backend.get_text(address) == "x"
    assert list(backend.list_dir_or_file(kind(tmp_path), recursive=True)) == ["a", "a/b.txt"]
    assert backend.copyfile(address, kind(tmp_path / "c")) == str(tmp_path / "c")
    assert backend.copytree(kind(tmp_path / "a"), kind(tmp_path / "d")) == str(tmp_path / "d")


def test_a_local_path_is_the_file_itself(backend: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")

    with backend.get_local_path(tmp_path / "a") as path:
        assert path == str(tmp_path / "a")
    with backend.get_local_path((tmp_path / "a").as_uri()) as path:
        assert path == str(tmp_path / "a")


def test_the_uri_of_another_store_is_refused(backend: LocalBackend) -> None:
    with pytest.raises(ValueError, match="not a local file"):
        backend.get("s3://bucket/key")


def test_links_to_folders_are_followed_but_not_in_circles(
    backend: LocalBackend, tmp_path: Path
) -> None:
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x").write_bytes(b"")
    (tmp_path / "root" / "a" / "up").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "linked").symlink_to(tmp_path / "data")
    (tmp_path / "root" / "nowhere").symlink_to(tmp_path / "absent")

    found = list(backend.list_dir_or_file(tmp_path / "root", recursive=True))

    assert found == ["a", "a/up", "a/up/linked", "a/up/linked/x", "linked", "linked/x"]


def test_an_empty_folder_lists_nothing_and_is_copied(backend: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "a" / "empty").mkdir(parents=True)

    backend.copytree(tmp_path / "a", tmp_path / "b")

    assert list(backend.list_dir_or_file(tmp_path / "b" / "empty")) == []


def test_a_tree_that_cannot_be_copied_is_taken_back(
    backend: LocalBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        backend.put(b"x", tmp_path / "tree" / name)
    copyfile = LocalBackend.copyfile

    def fail_at_b(self: LocalBackend, src: str, dst: str) -> str:
        if src.endswith("b"):
            raise OSError(28, "No space left on device", dst)
        return copyfile(self, src, dst)

    monkeypatch.setattr(LocalBackend, "copyfile", fail_at_b)

    with pytest.raises(OSError, match="No space left"):
        backend.copytree(tmp_path / "tree", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_copy_keeps_the_mode(backend: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"#!")
    (tmp_path / "a").chmod(0o750)

    backend.copyfile(tmp_path / "a", tmp_path / "b")

    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o750


def test_a_file_is_not_copied_onto_itself_through_a_link(
    backend: LocalBackend, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to("a")

    with pytest.raises(shutil.SameFileError, match="itself"):
        backend.copyfile(tmp_path / "link", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_link_is_made_where_that_is_possible(backend: LocalBackend, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")

    assert backend.copy_if_symlink_fails(tmp_path / "a", tmp_path / "link") is True
    assert (tmp_path / "link").readlink() == tmp_path / "a"


def test_a_link_takes_the_place_of_a_link(backend: LocalBackend, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(name.encode())
    backend.copy_if_symlink_fails(tmp_path / "a", tmp_path / "latest")

    assert backend.copy_if_symlink_fails(tmp_path / "b", tmp_path / "latest") is True
    assert (tmp_path / "latest").read_bytes() == b"b"
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "latest"]


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_copy_is_made_where_links_are_impossible(
    backend: LocalBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_folder: bool
) -> None:
    backend.put(b"x", tmp_path / "a" / "file")
    name = Path("a") if is_folder else Path("a", "file")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)

    assert backend.copy_if_symlink_fails(tmp_path / name, tmp_path / "copy") is False
    assert not (tmp_path / "copy").is_symlink()
    assert (tmp_path / "copy").is_dir() == is_folder


def test_joining_starts_anew_at_an_absolute_part(backend: LocalBackend) -> None:
    assert backend.join_path("a", "b", "c.txt") == os.path.join("a", "b", "c.txt")
    assert backend.join_path("a", "/b") == "/b"
    assert backend.join_path("a") == "a"


def test_copies_are_whole_or_absent(
    backend: LocalBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"new")
    (tmp_path / "b").write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", fail)

    with pytest.raises(OSError, match=r"No space left on device: '.*b'"):
        tk_fileio.copyfile(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
