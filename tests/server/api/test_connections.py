"""Connections that say nothing, say it slowly, do not listen, or are too many."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from select import select
from threading import Event, Thread

import pytest
import uvicorn
from fastapi import FastAPI, Response

from setmargin.cli.commands import serve
from setmargin.errors import OptionError
from setmargin.server.api.connections import ConnectionLimits, most_connections
from setmargin.server.api.limits import RateLimit, SizeLimit
from setmargin.server.api.running import configured

GET = b"GET /%b HTTP/1.1\r\nHost: test\r\n\r\n"
POST = b"POST /api/x HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n1234"
QUICK = ConnectionLimits(most=100, arrival_seconds=0.2, idle_seconds=60, reading_seconds=0.2)
PATIENCE = 20.0


def app(under_way: Event | None = None, go_on: Event | None = None) -> FastAPI:
    made = FastAPI()

    @made.get("/")
    async def root() -> dict[str, str]:
        return {"status": "ok"}

    @made.get("/slow")
    async def slow() -> dict[str, str]:
        assert under_way
        assert go_on
        under_way.set()
        await asyncio.to_thread(go_on.wait, PATIENCE)
        return {"status": "done"}

    @made.get("/much")
    async def much() -> Response:
        return Response(b"x" * 50_000_000)

    return made


@contextmanager
def served(limits: ConnectionLimits, made: FastAPI | None = None) -> Iterator[tuple[uvicorn.Server, int]]:
    """A server with these limits on a socket as `serve` makes it, and its port."""
    with serve._listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        server = uvicorn.Server(configured(made or app(), limits=limits))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield server, port
        finally:
            server.should_exit = True
            thread.join()


def dial(port: int, *, at: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(at, 0))


def is_closed(line: socket.socket) -> bool:
    """Whether the server ends the connection without saying anything more."""
    try:
        return line.recv(1000) == b""
    except ConnectionResetError:
        return True


def asks(line: socket.socket, what: bytes = b"") -> bytes:
    line.sendall(GET % what)
    return replied(line)


def replied(line: socket.socket) -> bytes:
    """The reply, read to the end of its document."""
    reply = line.recv(1000)
    while reply and not reply.endswith(b"}"):
        reply += line.recv(1000)
    return reply


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: te"])
def test_headers_that_do_not_arrive_end_the_connection(said: bytes) -> None:
    with served(QUICK) as (_, port), dial(port) as line:
        line.sendall(said)
        assert is_closed(line)


def test_bytes_that_trickle_in_gain_no_time() -> None:
    with served(QUICK) as (_, port), dial(port) as line:
        assert asks(line).startswith(b"HTTP/1.1 200")
        line.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(1000):
            line.sendall(b"x")
            if select([line], [], [], 0.02)[0]:
                break
        assert is_closed(line)


def test_a_body_that_trickles_in_after_its_refusal_gains_no_time_either() -> None:
    made = app()
    made.add_middleware(RateLimit, rate=0.001, burst=1)
    with served(QUICK, made) as (_, port), dial(port) as line:
        assert asks(line, b"api/x").startswith(b"HTTP/1.1 404")
        line.sendall(POST)
        assert replied(line).startswith(b"HTTP/1.1 429")
        assert is_closed(line)


def test_a_body_that_is_too_slow_ends_its_connection() -> None:
    made = app()
    made.add_middleware(SizeLimit, most=100, most_catalogue=100, seconds=0.1)
    with served(QUICK, made) as (_, port), dial(port) as line:
        line.sendall(POST)
        assert replied(line).startswith(b"HTTP/1.1 408")
        assert is_closed(line)


def test_a_connection_on_which_nothing_is_said_any_more_is_closed() -> None:
    with served(ConnectionLimits(idle_seconds=1)) as (_, port), dial(port) as line:
        assert asks(line).startswith(b"HTTP/1.1 200")
        assert is_closed(line)


def test_a_connection_may_be_used_again_after_longer_than_headers_may_take() -> None:
    with served(QUICK) as (_, port), dial(port) as line:
        assert asks(line).startswith(b"HTTP/1.1 200")
        assert not select([line], [], [], 0.5)[0]
        assert asks(line).startswith(b"HTTP/1.1 200")


def test_a_client_that_does_not_read_its_reply_is_let_go() -> None:
    with served(QUICK) as (server, port), dial(port) as line, dial(port) as other:
        line.sendall(GET % b"much")
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        for _ in range(1000):
            assert asks(other).startswith(b"HTTP/1.1 200")
            if len(server.server_state.connections) == 1:
                break
            select([], [], [], 0.02)
        assert len(server.server_state.connections) == 1


def test_whoever_has_most_connections_makes_room_for_others() -> None:
    limits = ConnectionLimits(most=10)
    with served(limits) as (server, port), ExitStack() as stack:
        lines = [stack.enter_context(dial(port)) for _ in range(10)]
        for line in lines:
            assert asks(line).startswith(b"HTTP/1.1 200")
        others = [stack.enter_context(dial(port, at=f"127.0.0.{2 + number}")) for number in range(5)]
        for line in others:
            assert asks(line).startswith(b"HTTP/1.1 200")
        assert all(is_closed(line) for line in lines[:5]), "the longest unused go first"
        assert all(asks(line).startswith(b"HTTP/1.1 200") for line in [*lines[5:], *others])
        assert len(server.server_state.connections) == 10


def test_a_client_with_a_request_under_way_keeps_its_connection_and_the_next_is_told_to_wait() -> None:
    under_way, go_on = Event(), Event()
    with served(ConnectionLimits(most=1), app(under_way, go_on)) as (_, port), dial(port) as line:
        line.sendall(GET % b"slow")
        assert under_way.wait(PATIENCE)
        with dial(port, at="127.0.0.2") as other:
            reply = other.recv(1000)
            assert reply.startswith(b"HTTP/1.1 503")
            head, _, body = reply.partition(b"\r\n\r\n")
            assert b"Retry-After: 2" in head
            assert f"Content-Length: {len(body)}".encode() in head
            assert is_closed(other)
        go_on.set()
        assert line.recv(1000).startswith(b"HTTP/1.1 200")


def test_replies_do_not_wait_for_acknowledgements_of_the_one_before() -> None:
    with served(ConnectionLimits()) as (server, port), dial(port) as line:
        asks(line)
        (connection,) = server.server_state.connections
        there = connection.transport.get_extra_info("socket")
        assert there.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("wanted", "files", "most"),
    [
        (None, 1024, 768),
        (None, 1_000_000, 4096),
        (None, None, 4096),
        (None, 64, 32),
        (500, 1024, 500),
        (9000, None, 9000),
    ],
)
def test_there_are_fewer_connections_than_files(wanted: int | None, files: int | None, most: int) -> None:
    assert most_connections(wanted, files=files) == most


def test_more_connections_than_files_are_refused_with_the_cure() -> None:
    with pytest.raises(OptionError, match=r"give at most 768, or raise the limit \(`ulimit -n`\)"):
        most_connections(1000, files=1024)
    with pytest.raises(OptionError, match="give 1 or more"):
        most_connections(0, files=None)


CROWD = """
import json, socket, sys
port = int(sys.argv[1])
lines = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(400)]
print("here", flush=True)
sys.stdin.readline()
"""


def test_a_crowd_that_says_nothing_does_not_keep_others_out(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="only Unix limits the files of a process")
    few = 300  # files; the crowd comes with more connections than that

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))

    (tmp_path / "mug.yaml").write_text("catalogue: mug\nattributes: {size: [1, 2]}\n")
    options = ["--port", "0", "--workers", "1", "--database", f"sqlite:///{tmp_path}/setmargin.db"]
    command = [sys.executable, "-m", "setmargin", "serve", str(tmp_path / "mug.yaml"), *options]
    with (
        subprocess.Popen(
            command, preexec_fn=limit_files, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        ) as server,
        ExitStack() as stack,
    ):
        stack.callback(server.kill)
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[2].rpartition(":")[2])
        crowd = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", CROWD, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
        stack.callback(crowd.kill)
        assert crowd.stdout is not None
        assert crowd.stdout.readline() == "here\n"
        with dial(port, at="127.0.0.2") as line:
            line.sendall(GET % b"ready")
            head, _, body = line.recv(4000).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert json.loads(body or line.recv(4000)) == {"status": "ok"}
