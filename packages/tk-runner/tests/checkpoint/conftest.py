"""What the tests of checkpoints share: their helpers, a loopback server, an empty memory store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from file_server import FileServer


@pytest.fixture(scope="session")
def _server() -> Iterator[FileServer]:
    # For the session: fsspec keeps one thread for its event loop, and keeps it.
    pytest.importorskip("aiohttp")
    pytest.importorskip("fsspec.asyn").get_loop()
    with FileServer() as server:
        yield server


@pytest.fixture
def server(_server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileServer:
    """A server of files, and an empty folder for what is downloaded from it."""
    _server.files.clear()
    _server.requests.clear()
    monkeypatch.setenv("TKIT_HOME", str(tmp_path / "home"))
    return _server


@pytest.fixture
def memory() -> Iterator[str]:
    """The URI of an empty folder in fsspec's memory file system."""
    store = pytest.importorskip("fsspec").filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]
    yield "memory://bucket"
    store.store.clear()
    store.pseudo_dirs[:] = [""]
