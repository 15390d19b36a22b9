"""Shared suites are importable; a real HTTP server on loopback, a clean memory store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from loopback_server import LoopbackServer


@pytest.fixture(scope="session")
def _http_threads() -> Iterator[LoopbackServer]:
    # For the session: fsspec keeps one thread for its event loop, and keeps it.
    pytest.importorskip("aiohttp")
    asyn = pytest.importorskip("fsspec.asyn")
    asyn.get_loop()
    with LoopbackServer() as server:
        yield server


@pytest.fixture
def server(_http_threads: LoopbackServer) -> LoopbackServer:
    _http_threads.reset()
    return _http_threads


@pytest.fixture
def memory() -> Iterator[str]:
    """The URI of an empty folder in fsspec's memory file system."""
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]
    yield "memory://bucket"
    store.store.clear()
    store.pseudo_dirs[:] = [""]
