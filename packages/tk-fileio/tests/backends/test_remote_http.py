from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from backend_suite import ReadingSuite
from loopback_server import LoopbackServer

import tk_fileio
from tk_fileio import MissingExtraError, RemoteError, UnsupportedOperationError
from tk_fileio.backends.remote_http import HTTPBackend

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")


@pytest.fixture
def backend() -> HTTPBackend:
    return HTTPBackend(retry_wait_s=0.0)


class TestHTTPBackend(ReadingSuite):
    @pytest.fixture(autouse=True)
    def _give_server(self, server: LoopbackServer) -> None:
        self._server = server

    def stored(self, name: str, content: bytes) -> str:
        self._server.files[f"/{name}"] = content
        return f"{self._server.url}/{name}"


@pytest.mark.parametrize("fault", [500, 503, 429, "cut"])
def test_a_fault_that_may_pass_is_tried_again(
    backend: HTTPBackend, server: LoopbackServer, fault: int | str
) -> None:
    server.files["/a.bin"] = bytes(range(256)) * 100
    server.faults = [fault, fault]

    assert backend.get(f"{server.url}/a.bin") == server.files["/a.bin"]
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [500, "cut"])
def test_a_download_begins_anew_after_a_fault(
    backend: HTTPBackend, server: LoopbackServer, tmp_path: Path, fault: int | str
) -> None:
    server.files["/a.bin"] = bytes(range(256)) * 100
    server.faults = [fault]

    backend.copyfile_to_local(f"{server.url}/a.bin", tmp_path / "a.bin")

    assert (tmp_path / "a.bin").read_bytes() == server.files["/a.bin"]


def test_a_download_that_stays_cut_leaves_no_file(
    backend: HTTPBackend, server: LoopbackServer, tmp_path: Path
) -> None:
    server.files["/a.bin"] = b"0123456789"
    server.faults = ["cut"] * 3

    with pytest.raises(RemoteError, match=r"cannot read 'http://.*/a.bin'"):
        backend.copyfile_to_local(f"{server.url}/a.bin", tmp_path / "a.bin")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("status", [401, 403, 410])
def test_an_answer_is_final(backend: HTTPBackend, server: LoopbackServer, status: int) -> None:
    server.faults = [status]

    with pytest.raises(RemoteError, match=str(status)):
        backend.get(f"{server.url}/a")
    assert len(server.requests) == 1


def test_neither_an_error_nor_the_log_shows_a_password(
    server: LoopbackServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults = [503, 403]
    address = server.url.replace("http://", "http://me:secret@") + "/a"

    with pytest.raises(RemoteError, match="403") as caught:
        HTTPBackend(retry_wait_s=0.0).get(address)
    assert "secret" not in str(caught.value) + caplog.text
    assert "attempt 1 of 3" in caplog.text


def test_a_missing_file_is_asked_for_once(backend: HTTPBackend, server: LoopbackServer) -> None:
    with pytest.raises(FileNotFoundError, match="/absent"):
        backend.get(f"{server.url}/absent")
    assert len(server.requests) == 1


@pytest.mark.parametrize("read", [HTTPBackend.get, HTTPBackend.exists])
def test_a_silent_server_is_given_up(server: LoopbackServer, read: object) -> None:
    backend = HTTPBackend(timeout_s=0.1, attempts=2, retry_wait_s=0.0)
    server.files["/a"] = b"x"
    server.faults = ["hang", "hang"]

    with pytest.raises(RemoteError, match=r"(?i)timeout"):
        read(backend, f"{server.url}/a")  # type: ignore[operator]  # one of two methods
    assert len(server.requests) == 2


def test_a_server_that_is_down_has_not_said_no(server: LoopbackServer) -> None:
    backend = HTTPBackend(attempts=1)

    with pytest.raises(RemoteError, match=r"127\.0\.0\.1"):
        backend.exists("http://127.0.0.1:9/a")


def test_looking_for_a_file_does_not_load_it(backend: HTTPBackend, server: LoopbackServer) -> None:
    server.files["/big"] = b"x" * 50_000_000

    assert backend.isfile(f"{server.url}/big")


def test_a_page_is_listed(backend: HTTPBackend, server: LoopbackServer) -> None:
    server.files["/data/"] = (
        b'<a href="?C=N;O=D">Name</a> <a href="../">up</a> '
        b'<a href="b.txt">b</a> <a href="sub/">sub</a> <a href="http://elsewhere/x.txt">x</a>'
    )

    assert list(backend.list_dir_or_file(f"{server.url}/data/")) == ["b.txt", "sub"]


@pytest.mark.parametrize("method", ["put", "remove", "rmtree", "open_write"])
def test_writing_is_refused(backend: HTTPBackend, method: str) -> None:
    arguments = (b"", "http://h/a") if method == "put" else ("http://h/a",)

    with pytest.raises(UnsupportedOperationError, match=r"HTTPBackend cannot .* 'http://h/a'"):
        getattr(backend, method)(*arguments)


def test_a_setting_that_never_tries_is_refused() -> None:
    with pytest.raises(ValueError, match="attempts=0"):
        HTTPBackend(attempts=0)


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)

    with pytest.raises(MissingExtraError, match=r"http://.*'tk-fileio\[remote\]'"):
        HTTPBackend().get("http://h/a")


def test_the_functions_read_over_http(server: LoopbackServer, tmp_path: Path) -> None:
    server.files["/a.json"] = b'{"a": 1}'
    server.files["/l.txt"] = b"x\ny\n"

    assert tk_fileio.load(f"{server.url}/a.json?token=1#top") == {"a": 1}
    assert tk_fileio.list_from_file(f"{server.url}/l.txt") == ["x", "y"]
    assert tk_fileio.copyfile(f"{server.url}/l.txt", tmp_path) == str(tmp_path / "l.txt")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_worker_reads_with_a_connection_of_its_own(server: LoopbackServer) -> None:
    server.files["/a"] = b"x"
    assert tk_fileio.get(f"{server.url}/a") == b"x"

    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a worker that hangs ends, with another status
        status = 1
        try:
            status = 0 if tk_fileio.get(f"{server.url}/a") == b"x" else 2
        finally:
            os._exit(status)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
