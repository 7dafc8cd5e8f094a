"""Requests as they are on the wire, well made or not, and what comes back over a connection that stays open."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http.client import HTTPException, HTTPResponse
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Request:
    """One request. Without `is_whole` it may end too early or contradict itself, and then need not be answered."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    is_whole: bool = True
    raw: bytes | None = None
    """Sent in place of everything else."""

    def encoded(self) -> bytes:
        """As it is sent."""
        if self.raw is not None:
            return self.raw
        lines = [f"{self.method} {self.target} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers)]
        if self.is_whole and (self.body or self.method in ("POST", "PUT", "PATCH")):
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogatepass") + self.body

    def with_header(self, name: str, value: str) -> Request:
        """With one header more."""
        return replace(self, headers=(*self.headers, (name, value)))


@dataclass(frozen=True)
class Reply:
    """What came back; the status is 0 where nothing did."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    problem: str = ""
    """Why there is no reply: `hang`, or what happened to the connection."""

    def header(self, name: str) -> str:
        """The value of a header, or nothing."""
        return next((value for each, value in self.headers if each.lower() == name), "")


class Connection:
    """Keeps its connection open for as long as the server does."""

    def __init__(self, host: str, port: int, *, address: str, seconds: float) -> None:
        self._place, self._address, self._seconds = (host, port), address, seconds
        self._socket: socket.socket | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, request: Request) -> Reply:
        """One request and its reply."""
        try:
            return self._sent(request)
        except TimeoutError:
            self.close()
            return Reply(0, problem="hang")
        except (OSError, HTTPException) as error:
            self.close()
            return Reply(0, problem=f"{type(error).__name__}: {error}")

    def _sent(self, request: Request) -> Reply:
        if self._socket is None:
            self._socket = socket.create_connection(self._place, self._seconds, source_address=(self._address, 0))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = self._socket
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before all was sent: the reply is there
            line.sendall(request.encoded())
            if not request.is_whole:
                line.shutdown(socket.SHUT_WR)
        reply = HTTPResponse(line, method=request.method)
        try:
            reply.begin()
            body = reply.read()
            if reply.will_close or not request.is_whole:
                self.close()
            return Reply(reply.status, reply.getheaders(), body)
        finally:
            reply.close()
