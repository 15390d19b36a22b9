"""A real HTTP server for tests: files from a dict, and faults on request."""

from __future__ import annotations

import contextlib
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any


class LoopbackServer:
    """Serves ``files``; answers the next requests with the ``faults``, one each.

    A fault is a status code, ``"cut"`` (half of the body, then the connection
    closes) or ``"hang"`` (silence until the client gives up).
    """

    def __init__(self) -> None:
        self.reset()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.requests.append(self.path)
                owner._answer(self)

            def do_HEAD(self) -> None:
                owner._answer(self, body=False)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    def reset(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: list[int | str] = []
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> LoopbackServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler, *, body: bool = True) -> None:
        fault = self.faults.pop(0) if self.faults else None
        content = self.files.get(request.path.partition("?")[0])
        if fault == "hang":
            request.connection.settimeout(5)
            with contextlib.suppress(OSError):
                request.connection.recv(1)  # until the client hangs up
            return
        status = fault if isinstance(fault, int) else 200 if content is not None else 404
        payload = content if status == 200 and content is not None else b""
        request.send_response(status)
        request.send_header("Content-Length", str(len(payload)))
        request.end_headers()
        if body:
            with contextlib.suppress(OSError):  # the client has seen enough
                request.wfile.write(payload[: len(payload) // 2] if fault == "cut" else payload)
        if fault == "cut":
            request.wfile.flush()
            request.connection.shutdown(socket.SHUT_RDWR)
