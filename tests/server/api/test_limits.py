from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from setmargin.server.api.limits import Buckets, RateLimit, SizeLimit, counted_address
from tests.server.api.listening import listening


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def echo(_: Scope, receive: Receive, send: Send) -> None:
    """Says how long the body was."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    buckets = Buckets(rate=2, burst=3, clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now = 0.5
    assert [buckets.take("a") for _ in range(2)] == [0, 0.5]
    assert buckets.take("b") == 0


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0.5, 4)), max_size=40))
def test_no_sequence_of_requests_gets_more_than_burst_and_rate(steps: list[tuple[float, float]]) -> None:
    clock = Clock()
    buckets = Buckets(rate=1.5, burst=5, clock=clock)
    taken = 0.0
    for pause, cost in steps:
        clock.now += pause
        wait = buckets.take("a", cost)
        if not wait:
            taken += cost
        else:
            clock.now += wait + 1e-9
            assert buckets.take("a", cost) == 0
            taken += cost
        assert taken <= 5 + 1.5 * clock.now + 1e-6


def test_the_addresses_that_are_remembered_are_bounded() -> None:
    buckets = Buckets(rate=1, burst=1, most=10)
    for number in range(1000):
        buckets.take(str(number))
    assert len(buckets) == 10


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        (None, "unknown"),
        ("testclient", "unknown"),
    ],
)
def test_an_ipv6_household_counts_as_one_address(host: str | None, counted: str) -> None:
    assert counted_address(host) == counted


def request(app: object, path: str = "/api/v1/interviews/x", **options: object) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request("POST", path, **options)  # type: ignore[arg-type]

    return asyncio.run(run())


def test_too_many_requests_are_told_when_to_come_back_and_files_are_not_counted() -> None:
    app = RateLimit(echo, rate=0.1, burst=2)
    assert [request(app).status_code for _ in range(3)] == [200, 200, 429]
    refused = request(app)
    assert refused.headers["Retry-After"] == "10"
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.json()["type"].endswith("/too-many")
    assert request(app, "/static/style.css").status_code == 200


def test_a_new_interview_costs_more_than_an_answer() -> None:
    app = RateLimit(echo, rate=0.1, burst=9)
    assert [request(app, "/api/v1/interviews").status_code for _ in range(2)] == [200, 429]
    assert [request(app).status_code for _ in range(5)] == [200, 200, 200, 200, 429]


async def pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x" * size


@pytest.mark.parametrize(("size", "status"), [(0, 200), (100, 200), (101, 413), (100_000, 413)])
def test_a_body_is_read_up_to_the_limit_and_no_further(size: int, status: int) -> None:
    app = SizeLimit(echo, most=100, most_catalogue=1000)
    whole = request(app, content=b"x" * size)
    assert whole.status_code == status
    assert whole.text == str(size) if status == 200 else whole.json()["type"].endswith("/too-large")


@pytest.mark.parametrize(("count", "status"), [(10, 200), (11, 413), (10_000, 413)])
def test_the_limit_holds_for_chunks_that_do_not_say_how_many_follow(count: int, status: int) -> None:
    app = SizeLimit(echo, most=100, most_catalogue=1000)
    assert request(app, content=pieces(count, 10)).status_code == status
    assert request(app, "/api/v1/catalogues/x", content=pieces(count, 10)).status_code == (200 if count < 100 else 413)


def test_a_body_that_says_it_is_too_large_is_not_even_read() -> None:
    read: list[Message] = []

    async def receive() -> Message:
        read.append({})
        return {"type": "http.request", "body": b"", "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/v1/x", "headers": [(b"content-length", b"101")]}
    asyncio.run(SizeLimit(echo, most=100, most_catalogue=100)(scope, receive, send))
    assert (read, sent[0]["status"]) == ([], 413)


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def slowly() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(60)

    app = SizeLimit(echo, most=100, most_catalogue=100, seconds=0.05)
    assert request(app, content=slowly()).status_code == 408


def test_a_client_that_went_away_costs_nothing_more() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def never(*_: object) -> None:
        raise AssertionError("nobody is there to be answered")

    scope = {"type": "http", "method": "POST", "path": "/api/v1/x", "headers": []}
    asyncio.run(SizeLimit(never, most=100, most_catalogue=100)(scope, gone, never))


@pytest.mark.parametrize("head", [b"GET /%b HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: %b\r\n"])
def test_an_address_or_header_without_end_is_not_read_to_its_end(head: bytes) -> None:
    with listening(FastAPI()) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(head % (b"x" * 40_000))
        assert line.recv(100).startswith(b"HTTP/1.1 400 ")
