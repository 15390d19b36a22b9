"""A server of files on loopback."""

from __future__ import annotations

import hashlib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from small_states import write_state


class FileServer:
    """Answers with ``files`` by path, and remembers who asked for what."""

    def __init__(self) -> None:
        files: dict[str, bytes] = {}
        requests: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                requests.append(self.path)
                content = files.get(self.path.partition("?")[0])
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_: Any) -> None:
                pass

        self.files = files
        self.requests = requests
        self._http = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def served(server: FileServer, tmp_path: Path, name: str = "net-{hash}.pth") -> str:
    """The address of a checkpoint whose name has a hash; ``{hash}`` is the right one."""
    content = write_state(tmp_path, 1).read_bytes()
    path = "/" + name.format(hash=hashlib.sha256(content).hexdigest()[:8])
    server.files[path] = content
    return server.url + path
