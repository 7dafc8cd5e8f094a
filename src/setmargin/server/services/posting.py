"""One POST to somebody else's server, which may do its worst: it has a time for all of it, and no thread of ours."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

import h11

AT_ONCE: Final = 65_536


class PostError(Exception):
    """It was not taken, and why, in words without anything secret."""


class Poster:
    """Posts to one address. Names are looked up in a thread of its own: what hangs there is in nobody else's way."""

    def __init__(self, url: str, *, seconds: float) -> None:
        parts = urlsplit(url)
        self._host, self._is_secure = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if self._is_secure else 80)
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._named, self._seconds = parts.netloc, seconds
        self._names = ThreadPoolExecutor(1, "webhook-names")

    def close(self) -> None:
        """Look up no more names."""
        self._names.shutdown(wait=False, cancel_futures=True)

    async def post(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send it; PostError unless the reply says that it was taken."""
        try:
            async with asyncio.timeout(self._seconds):
                status = await self._exchange(body, headers)
        except TimeoutError:
            raise PostError(f"no reply within {self._seconds:g} seconds") from None
        except (OSError, h11.RemoteProtocolError, UnicodeError) as error:
            raise PostError(f"no reply: {getattr(error, 'strerror', None) or error or type(error).__name__}") from None
        if not 200 <= status < 300:
            raise PostError(f"the reply has status {status}")

    async def _exchange(self, body: bytes, headers: Mapping[str, str]) -> int:
        loop = asyncio.get_running_loop()
        reader, writer = await self._connected(await loop.run_in_executor(self._names, self._look_up))
        with closing(writer):
            talk = h11.Connection(h11.CLIENT)
            writer.write(talk.send(self._request(body, headers)) or b"")
            writer.write((talk.send(h11.Data(body)) or b"") + (talk.send(h11.EndOfMessage()) or b""))
            await writer.drain()
            while True:
                event = talk.next_event()
                if event is h11.NEED_DATA:
                    talk.receive_data(await reader.read(AT_ONCE))
                elif isinstance(event, h11.Response):
                    return event.status_code
                elif isinstance(event, h11.ConnectionClosed):
                    raise ConnectionResetError("the connection was closed")

    def _request(self, body: bytes, headers: Mapping[str, str]) -> h11.Request:
        ours = {"Host": self._named, "Content-Length": str(len(body)), "Connection": "close"}
        return h11.Request(method="POST", target=self._target, headers=list((ours | dict(headers)).items()))

    def _look_up(self) -> list[str]:
        found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(place[0]) for *_, place in found))

    async def _connected(self, addresses: Sequence[str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first of these that can be reached."""
        secure: dict[str, Any] = {"ssl": self._context, "server_hostname": self._host} if self._is_secure else {}
        for address in addresses[:-1]:
            with suppress(OSError):
                return await asyncio.open_connection(address, self._port, **secure)
        return await asyncio.open_connection(addresses[-1], self._port, **secure)

    @cached_property
    def _context(self) -> ssl.SSLContext:
        return ssl.create_default_context()
