from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from backend_suite import WritingSuite

import tk_fileio
from tk_fileio import MissingExtraError, UnsupportedOperationError
from tk_fileio.backends.lmdb_store import LmdbBackend

pytest.importorskip("lmdb")


class TestLmdbBackend(WritingSuite):
    @pytest.fixture
    def backend(self, tmp_path: Path) -> LmdbBackend:
        return LmdbBackend(tmp_path / "db", readonly=False, lock=True, map_size=1 << 20)

    @pytest.fixture
    def root(self) -> str:
        return "train"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    writer = LmdbBackend(tmp_path / "db", readonly=False, map_size=1 << 20)
    writer.put(b"cat", "train/0001.jpg")
    return tmp_path / "db"


def test_a_database_is_for_reading_unless_said(database: Path) -> None:
    backend = LmdbBackend(database)

    for attempt in (lambda: backend.put(b"", "key"), lambda: backend.remove("key")):
        with pytest.raises(PermissionError, match=r"'key'.*readonly=False"):
            attempt()


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no LMDB database at '.*absent'"):
        LmdbBackend(tmp_path / "absent").get("key")


def test_two_backends_share_one_database(database: Path) -> None:
    first, second = LmdbBackend(database), LmdbBackend(str(database))

    assert first.get("train/0001.jpg") == second.get("train/0001.jpg") == b"cat"


def test_it_is_found_by_name(database: Path) -> None:
    chosen = {"backend": "lmdb", "db_path": database}

    assert tk_fileio.get("train/0001.jpg", backend_args=chosen) == b"cat"


def test_keys_are_not_listed(database: Path) -> None:
    with pytest.raises(UnsupportedOperationError, match="LmdbBackend cannot list 'train'"):
        list(LmdbBackend(database).entries("train"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_worker_opens_the_database_anew(database: Path) -> None:
    backend = LmdbBackend(database)
    backend.get("train/0001.jpg")

    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if backend.get("train/0001.jpg") == b"cat" else 2
        finally:
            os._exit(status)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert backend.get("train/0001.jpg") == b"cat"


def test_a_missing_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lmdb", None)

    with pytest.raises(MissingExtraError, match=r"'tk-fileio\[lmdb\]'"):
        LmdbBackend(tmp_path).get("key")


def test_what_is_not_a_database_is_named(tmp_path: Path) -> None:
    pytest.importorskip("lmdb")
    (tmp_path / "data.mdb").write_bytes(b"text" * 4096)

    with pytest.raises(OSError, match=rf"not an LMDB database .*{tmp_path.name}"):
        LmdbBackend(tmp_path).get("key")
