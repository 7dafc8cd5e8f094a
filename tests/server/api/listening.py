"""A server that really listens, in a thread, and a line to it that loses replies."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import uvicorn
from fastapi import FastAPI

from setmargin.server.api.running import configured


@contextmanager
def listening(app: FastAPI) -> Iterator[int]:
    """The port on which the app listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(configured(app))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


class BadLine(ThreadingHTTPServer):
    """Passes every request on; the next replies are lost, or replaced by a refusal, as told."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.upstream, self.keys = port, list[str]()
        self.fates = list[str]()

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is no news."""


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BadLine

    def log_message(self, *_: object) -> None: ...

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.keys.append(self.headers.get("Idempotency-Key", ""))
        fate = self.server.fates.pop(0) if self.server.fates else "kept"
        if fate in ("busy", "slow"):
            return self._reply(503, {"Retry-After": "1"} if fate == "busy" else {}, b"<h1>no</h1>")
        line = HTTPConnection("127.0.0.1", self.server.upstream)
        line.request(self.command, self.path, body, dict(self.headers))
        reply = line.getresponse()
        content = reply.read()
        line.close()
        if fate == "lost":
            self.close_connection = True
            return None
        return self._reply(reply.status, {"Content-Type": reply.headers["Content-Type"]}, content)

    def _reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = _pass_on


@contextmanager
def bad_line(port: int) -> Iterator[BadLine]:
    """A line to the server on that port."""
    with BadLine(port) as line:
        thread = Thread(target=line.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield line
        finally:
            line.shutdown()
            thread.join()
