from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest
from backend_suite import BackendSuite, ReadingSuite

import tk_fileio
from tk_fileio import (
    BaseStorageBackend,
    MissingExtraError,
    RemoteError,
    UnknownBackendError,
    UnsafePathError,
    UnsupportedOperationError,
)
from tk_fileio.backends.remote import RemoteBackend

pytest.importorskip("fsspec")


class TestMemory(BackendSuite):
    @pytest.fixture
    def backend(self) -> BaseStorageBackend:
        return RemoteBackend()

    @pytest.fixture
    def root(self, memory: str) -> str:
        return memory


class TestMemoryAtItsTop(BackendSuite):
    @pytest.fixture
    def backend(self) -> BaseStorageBackend:
        return RemoteBackend()

    @pytest.fixture
    def root(self, memory: str) -> str:
        return "memory://"


class TestZip(ReadingSuite):
    @pytest.fixture(autouse=True)
    def _give_folder(self, tmp_path: Path) -> None:
        self._archive = tmp_path / f"{os.urandom(4).hex()}.zip"

    @pytest.fixture
    def backend(self) -> BaseStorageBackend:
        return RemoteBackend(skip_instance_cache=True)

    def stored(self, name: str, content: bytes) -> str:
        with zipfile.ZipFile(self._archive, "a") as archive:
            archive.writestr(f"inner/{name}", content)
        return f"zip://inner/{name}::{self._archive}"


def test_the_password_of_an_address_is_not_shown(memory: str) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        tk_fileio.get("memory://me:secret@bucket/absent")

    assert "me:***@bucket" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_archive_cannot_write_beside_its_target(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good.txt", "x")
        archive.writestr("../../evil.txt", "x")

    with pytest.raises(UnsafePathError, match=r"\.\."):
        tk_fileio.copytree_to_local(f"zip://::{tmp_path}/a.zip", tmp_path / "deep" / "out")

    assert not list(tmp_path.rglob("evil.txt"))
    assert not (tmp_path / "deep" / "out").exists()


def test_an_archive_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good.txt", "x")
        archive.writestr("sub/too.txt", "y")

    tk_fileio.copytree_to_local(f"zip://::{tmp_path}/a.zip", tmp_path / "out")

    assert (tmp_path / "out" / "sub" / "too.txt").read_text() == "y"


def test_a_scheme_that_nobody_knows_suggests_the_nearest() -> None:
    with pytest.raises(UnknownBackendError, match=r"opens memori://.*did you mean 'memory'"):
        tk_fileio.get("memori://a")


def test_a_missing_fsspec_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)

    with pytest.raises(MissingExtraError, match=r"opening s3://.*'tk-fileio\[remote\]'"):
        tk_fileio.get("s3://bucket/key")


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)

    with pytest.raises(MissingExtraError, match=r"s3:// .*pip install s3fs"):
        tk_fileio.get("s3://bucket/key")


def test_a_missing_package_is_told_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)

    with pytest.raises(MissingExtraError, match="gcsfs"):
        tk_fileio.open_write("gs://bucket/key")


def test_a_local_path_is_not_for_the_remote_backend(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="local path"):
        RemoteBackend().put(b"", tmp_path / "a")


def test_what_a_store_cannot_do_is_an_error_of_ours(memory: str) -> None:
    tk_fileio.put(b"", f"{memory}/a")

    with pytest.raises(UnsupportedOperationError, match="cannot sign 'memory://bucket/a'"):
        tk_fileio.generate_presigned_url(f"{memory}/a")


def test_an_error_of_a_client_names_the_address(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fsspec

    class ClientError(Exception):
        pass

    def fail(*_: object, **__: object) -> None:
        raise ClientError("InvalidAccessKeyId")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "info", fail)

    with pytest.raises(RemoteError, match=r"look for 'memory://bucket/a': ClientError: Invalid"):
        tk_fileio.exists(f"{memory}/a")


def test_an_upload_that_fails_is_told(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "put_file", fail)

    with (
        pytest.raises(RemoteError, match=r"write 'memory://bucket/a'.*No space"),
        tk_fileio.open_write(f"{memory}/a") as file,
    ):
        file.write(b"x")
