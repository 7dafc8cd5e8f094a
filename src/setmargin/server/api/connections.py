"""Connections: how many at once, and how long each may take to say something or to hear it."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from setmargin.errors import OptionError
from setmargin.server.api.limits import counted_address

LOGGER: Final = logging.getLogger("setmargin.server")

MOST_CONNECTIONS: Final = 4096
"""As many as a server has unless it is told otherwise, where the limit of open files lets it."""
FILES_FOR_OTHERS: Final = 256
"""Open files that connections leave to the store, the processes and the page."""
SAY_EVERY: Final = 60.0
"""Seconds between two lines in the log about connections that were refused."""
REFUSED: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 54\r\n\r\n"
    b"there are too many connections; try again in a moment\n"
)


@dataclass(frozen=True)
class ConnectionLimits:
    """What connections may take, in numbers and in seconds."""

    most: int = MOST_CONNECTIONS
    """Connections at once."""
    arrival_seconds: float = 15.0
    """From the first byte of a request, or the beginning of a connection, until its headers are there; and for what
    is left of a body once it was answered."""
    idle_seconds: int = 75
    """While a person thinks; longer than proxies keep theirs, so that they close first."""
    reading_seconds: float = 60.0
    """For a client that is sent a reply until it has taken enough of it for more to be sent."""


def limit_of_files() -> int | None:
    """How many files this process may have open; None where nobody knows."""
    if sys.platform == "win32":
        return None
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if most == resource.RLIM_INFINITY else most


def most_connections(wanted: int | None = None, *, files: int | None) -> int:
    """The connections that a server may have at once, always fewer than the files that it may open.

    Parameters
    ----------
    wanted
        What the server was told, if anything.
    files
        The limit of open files; None: there is none.

    Returns
    -------
    int
        `wanted`, or the largest sensible number.

    Raises
    ------
    OptionError
        Where `wanted` is less than 1, or more than the files allow.
    """
    possible = MOST_CONNECTIONS if files is None else max(1, files - min(FILES_FOR_OTHERS, files // 2))
    if wanted is None:
        return min(possible, MOST_CONNECTIONS)
    if wanted < 1:
        raise OptionError(f"{wanted} connections are too few; give 1 or more")
    if files is not None and wanted > possible:
        raise OptionError(
            f"{wanted} connections need more than the {files} files that may be open; "
            f"give at most {possible}, or raise the limit (`ulimit -n`)"
        )
    return wanted


class OpenConnections:
    """All connections of a server, by client. Where there is no room left, whoever has most of them makes it."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._count, self._said = 0, float("-inf")
        self._by_client: dict[str, dict[LimitedConnection, None]] = {}  # of each client, the longest unused first

    def __len__(self) -> int:
        return self._count

    def admit(self, connection: LimitedConnection) -> bool:
        """Whether there is room for one more, if need be that of one on which nothing is worked out."""
        if self._count >= self._most and not self._make_room():
            return False
        self._by_client.setdefault(connection.counted, {})[connection] = None
        self._count += 1
        return True

    def used(self, connection: LimitedConnection) -> None:
        """It was just used, and is the last of its client to make room."""
        own = self._by_client.get(connection.counted, {})
        if connection in own:
            own[connection] = own.pop(connection)

    def discard(self, connection: LimitedConnection) -> None:
        """It is over."""
        own = self._by_client.get(connection.counted, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._by_client[connection.counted]

    def _make_room(self) -> bool:
        self._say()
        own = max(self._by_client.values(), key=len)
        found = next((each for each in own if each.is_waiting), None)
        if found is None:
            return False
        self.discard(found)
        found.transport.abort()
        return True

    def _say(self) -> None:
        now = self._clock()
        if now - self._said >= SAY_EVERY:
            self._said = now
            LOGGER.warning("all %d connections are in use; whoever has most of them makes room", self._most)


class LimitedConnection(H11Protocol):
    """HTTP on one connection, within the limits."""

    limits: ClassVar[ConnectionLimits]
    all: ClassVar[OpenConnections]
    counted: str = "unknown"
    _arrival: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the client has to say something before anything can be done for it."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let it in, or say that there is no room."""
        super().connection_made(transport)
        self.counted = counted_address(self.client[0] if self.client else None)
        line = transport.get_extra_info("socket")
        if line is not None and line.family in (socket.AF_INET, socket.AF_INET6):
            # asyncio does so only for sockets that say themselves that they speak TCP.
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.all.admit(self):
            self._watch_arrival()
        else:
            transport.write(REFUSED)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self.all.discard(self)
        _cancel(self._arrival)
        _cancel(self._reading)
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        """The next bytes; however few they are, the time for all of them goes on."""
        super().data_received(data)
        self._watch_arrival()

    def on_response_complete(self) -> None:
        """A reply is out; the connection may be used again, for a while."""
        super().on_response_complete()
        self.all.used(self)
        self._watch_arrival()

    def timeout_keep_alive_handler(self) -> None:
        """Nobody has said anything for long, and may not even have read the last reply."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """The client reads more slowly than is written."""
        super().pause_writing()
        self._reading = self._reading or self.loop.call_later(self.limits.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        _cancel(self._reading)
        self._reading = None

    def _watch_arrival(self) -> None:
        if self.transport.is_closing() or not self._is_incomplete():
            _cancel(self._arrival)
            self._arrival = None
        elif self._arrival is None:
            self._arrival = self.loop.call_later(self.limits.arrival_seconds, self.transport.abort)

    def _is_incomplete(self) -> bool:
        """Whether headers, or the rest of a body that was answered, are still to come."""
        if self.conn.their_state is h11.IDLE:
            return self.cycle is None or bool(self.conn.trailing_data[0])
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete


def limited(limits: ConnectionLimits) -> type[LimitedConnection]:
    """The protocol of one server: its connections share the limits."""
    shared = {"limits": limits, "all": OpenConnections(limits.most)}
    return type("ServerConnection", (LimitedConnection,), shared)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
