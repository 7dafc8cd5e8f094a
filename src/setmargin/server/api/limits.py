"""What one address may send: how much at a time, and how often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setmargin.lru import Lru
from setmargin.server.api.problems import ProblemError, response
from setmargin.server.work.clients import CLIENT

API: Final = "/api/"
BODY_SECONDS: Final = 15.0
"""A body that takes longer to arrive is given up, so that slow senders hold nothing for long."""
MOST_ADDRESSES: Final = 20_000
START_COST: Final = 5.0
"""A new interview is more work than an answer."""


class Buckets:
    """A bucket of tokens for each address, refilled steadily; memory is bounded, the longest unseen are forgotten."""

    def __init__(
        self,
        *,
        rate: float,
        burst: float,
        most: int = MOST_ADDRESSES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: Lru[str, tuple[float, float]] = Lru(most)

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, address: str, cost: float = 1.0) -> float:
        """Take tokens; 0 if there were enough, else the seconds until there will be, and nothing is taken."""
        now = self._clock()
        level, then = self._levels.get(address) or (self._burst, now)
        level = min(self._burst, level + (now - then) * self._rate)
        cost = min(cost, self._burst)
        enough = level >= cost
        self._levels[address] = (level - cost if enough else level, now)
        return 0.0 if enough else (cost - level) / self._rate


def counted_address(host: str | None) -> str:
    """Whom a request counts for: an IPv4 address, or the /64 network of an IPv6 one, which is one household."""
    try:
        address = ip_address((host or "").split("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(IPv6Address(int(address) >> 64 << 64))
    return str(address)


def client_of(scope: Scope) -> str:
    """Whom a request counts for; who sent it is what a trusted proxy says, or the other end of the connection."""
    return counted_address((scope.get("client") or (None,))[0])


class CountedClient:
    """Lets everything that is worked out for a request count for whoever sent it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        token = CLIENT.set(client_of(scope))
        try:
            return await self._app(scope, receive, send)
        finally:
            CLIENT.reset(token)


class RateLimit:
    """Refuses an address that asks the API too often."""

    def __init__(self, app: ASGIApp, *, rate: float, burst: int) -> None:
        self._app, self._buckets = app, Buckets(rate=rate, burst=burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        wait = self._wait(scope) if scope["type"] == "http" and scope["path"].startswith(API) else 0.0
        if not wait:
            return await self._app(scope, receive, send)
        seconds = str(ceil(wait))
        problem = ProblemError("too-many", "this address sends too many requests", headers={"Retry-After": seconds})
        return await response(problem)(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        starts = scope["method"] == "POST" and scope["path"].endswith("/interviews")
        return self._buckets.take(client_of(scope), START_COST if starts else 1.0)


class SizeLimit:
    """Reads the whole body first, chunked or not, and refuses one that is too large or too slow to arrive."""

    def __init__(self, app: ASGIApp, *, most: int, most_catalogue: int, seconds: float = BODY_SECONDS) -> None:
        self._app, self._most, self._most_catalogue, self._seconds = app, most, most_catalogue, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body at hand, or refuse it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            async with asyncio.timeout(self._seconds):
                is_catalogue = scope["path"].startswith(f"{API}v1/catalogues/")
                most = self._most_catalogue if is_catalogue else self._most
                body = await _read(receive, most, _declared(scope))
        except TimeoutError:
            detail = f"the body did not arrive within {self._seconds:g} seconds"
            problem = ProblemError("slow", detail, headers={"Connection": "close"})
            return await response(problem)(scope, receive, send)
        except ProblemError as problem:
            return await response(problem)(scope, receive, send)
        if body is None:
            return None
        return await self._app(scope, _replaying(body, receive), send)


def _declared(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _read(receive: Receive, most: int, declared: int) -> bytes | None:
    """The body; None when the client went away. Nothing is read of one that says itself that it is too large."""
    body, more = bytearray(), declared <= most
    while more and len(body) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(declared, len(body)) > most:
        raise ProblemError("too-large", f"the body is larger than {most:,} bytes", headers={"Connection": "close"})
    return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """The body in one message, then whatever else the client does."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
