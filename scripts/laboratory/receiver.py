"""Somebody who is told of finished interviews, refuses, hangs up and dies, and remembers what was told."""

from __future__ import annotations

import hmac
import json
import random
import time
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Literal

SECRET = "whsec_" + b64encode(b"only-the-laboratory-knows").decode()
Fate = int | Literal["hang", "drop"]


@dataclass(frozen=True)
class Told:
    """One message as it was taken."""

    id: str
    interview: str
    version: int


class Receiver(ThreadingHTTPServer):
    """Takes what is signed. The next requests have the fates that are set; beyond that one in so many is refused."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0, *, refusing: float = 0.0, seed: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Heard)
        self.fates: list[Fate] = []
        self.told: list[Told] = []
        self.problems: list[str] = []
        self.bodies: list[tuple[dict[str, str], bytes]] = []
        self.refused = 0
        self.is_dead = False
        self.ended = Event()
        self.refusing, self._random, self._lock = refusing, random.Random(seed), Lock()

    @property
    def url(self) -> str:
        """Where it is told."""
        return f"http://127.0.0.1:{self.server_port}/told?of=interviews"

    def handle_error(self, *_: object) -> None:
        """Somebody who hangs up is no news."""

    def hear(self, headers: Mapping[str, str], body: bytes) -> Fate:
        """What comes of a request."""
        with self._lock:
            if self.is_dead:
                return "drop"
            fate: Fate = self.fates.pop(0) if self.fates else 204
            if fate == 204 and self._random.random() < self.refusing:
                fate = 500
            self.bodies.append(({name.lower(): value for name, value in headers.items()}, body))
            if fate != 204:
                self.refused += 1
                return fate
            document: dict[str, Any] = json.loads(body)
            if not is_signed(headers, body):
                self.problems.append(f"the message {headers.get('webhook-id')} is not signed as it should be")
            if document["id"] != headers["webhook-id"]:
                self.problems.append(f"the message {document['id']} has another id in its header")
            self.told.append(Told(document["id"], document["interview"], document["version"]))
            return fate


class _Heard(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fate = self.server.hear(dict(self.headers), body)
        if fate == "hang":
            self.server.ended.wait(60)
        elif fate != "drop":
            self.send_response(int(fate))
            self.send_header("Content-Length", "0")
            self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def receiving(receiver: Receiver) -> Iterator[Receiver]:
    """It listens, until it is over; then nobody is there."""
    thread = Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ended.set()
        receiver.shutdown()
        with suppress(OSError):
            receiver.server_close()
        thread.join()


def is_signed(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether it comes from who knows the secret, worked out without any code of the server."""
    named = {name.lower(): value for name, value in headers.items()}
    content = f"{named['webhook-id']}.{named['webhook-timestamp']}.".encode() + body
    wanted = b64encode(hmac.new(b64decode(SECRET.removeprefix("whsec_")), content, sha256).digest()).decode()
    return f"v1,{wanted}" in named["webhook-signature"].split()


def untold(finished: Iterable[tuple[str, int]], told: Iterable[Told]) -> list[tuple[str, int]]:
    """Interviews that were finished at a version, and of which nobody was told."""
    known = {(each.interview, each.version) for each in told}
    return [each for each in finished if each not in known]


def several_ids(told: Iterable[Told]) -> list[str]:
    """What was told under more than one id, or two things under one."""
    ids, things = defaultdict(set), defaultdict(set)
    for each in told:
        ids[each.interview, each.version].add(each.id)
        things[each.id].add((each.interview, each.version))
    many = [f"{thing} was told as {sorted(found)}" for thing, found in ids.items() if len(found) > 1]
    return many + [f"{sorted(found)} were told as {id}" for id, found in things.items() if len(found) > 1]


def wait_until(is_so: Any, *, seconds: float = 20.0) -> bool:
    """Whether it becomes so in time."""
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.01)
    return bool(is_so())
