"""Kill the server again and again while people answer, and see that no answer is lost or there twice.

    python scripts/durability.py                          on a temporary SQLite file
    python scripts/durability.py --database postgresql://me@localhost/trial

Clients answer at full speed, each request under a key of its own, and send it again until it is acknowledged.
Meanwhile the server and all its processes are killed (SIGKILL) and started again. In the end the export of every
interview has to hold exactly the answers that were acknowledged, in order. Everything happens on the loopback address
and ends by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from setmargin.client import Client, ClientError

HOST = "127.0.0.1"
PATIENCE = 90.0  # seconds that one request, or one start of the server, may take with all its retries


@dataclass(frozen=True)
class Given:
    """One acknowledged answer: to which options, and what was said."""

    options: list[dict[str, Any]]
    answer: dict[str, Any]


@dataclass
class Talk:
    """One interview as its client remembers it."""

    id: str
    given: list[Given] = field(default_factory=list)


@dataclass
class Count:
    """What one client saw; `unanswered` are requests whose reply was lost, some of them after the answer was stored."""

    talks: list[Talk] = field(default_factory=list)
    unanswered: int = 0
    written_though_unanswered: int = 0
    sent_twice: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        """Answers in all interviews."""
        return sum(len(talk.given) for talk in self.talks)


@dataclass(frozen=True)
class Figures:
    """What came out."""

    database: str
    kills: int
    clients: int
    seconds: float
    interviews: int
    acknowledged: int
    unanswered: int
    written_though_unanswered: int
    sent_twice: int
    problems: list[str]


class Server:
    """The server as a process group of its own, always on the same port."""

    def __init__(self, *, database: str, catalogue: str, workers: int, log: Path) -> None:
        self.port, self._log = _free_port(), log
        options = ["--host", HOST, "--port", self.port, "--database", database, "--workers", workers, "--rate", 0]
        self._command = [sys.executable, "-m", "setmargin", "serve", catalogue, *map(str, options)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Start it, and return when it is ready."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, start_new_session=True)
        _patiently(self._ready)

    def kill(self) -> None:
        """End it and its processes without warning."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _ready(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise SystemExit(f"the server does not start:\n{self._log.read_text()[-2000:]}")
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0


class Person:
    """A client that answers as fast as it can, one interview after the other."""

    def __init__(self, url: str, *, catalogue: str, strategy: str, answers: int, seed: int) -> None:
        self._client = Client(url, timeout=20, retries=0)
        self._catalogue, self._strategy, self._answers = catalogue, strategy, answers
        self._random = random.Random(seed)
        self.count = Count()

    def run(self, stop: Event) -> Count:
        """Answer until told to stop; no request is left without its reply."""
        try:
            while not stop.is_set():
                self._interview(stop)
        except Exception as error:
            self.count.problems.append(f"a client gave up: {type(error).__name__}: {error}")
        self._client.close()
        return self.count

    def _interview(self, stop: Event) -> None:
        body = {"catalogue": self._catalogue, "strategy": self._strategy, "seed": self._random.randrange(2**31)}
        state = self._insist(lambda: self._client.call("POST", "/interviews", body))
        talk = Talk(state["id"])
        self.count.talks.append(talk)
        while state["question"] is not None and len(talk.given) < self._answers and not stop.is_set():
            state = self._answer(talk, state)

    def _answer(self, talk: Talk, state: dict[str, Any]) -> dict[str, Any]:
        options = [option["values"] for option in state["question"]["options"]]
        said = {"choice": self._random.randrange(len(options))}
        reply = self._say(talk.id, state["version"], said)
        talk.given.append(Given(options, said))
        if reply["version"] != state["version"] + 1 or reply["answered"] != len(talk.given):
            self.count.problems.append(f"answer {len(talk.given)} was acknowledged as version {reply['version']}")
        return reply

    def _say(self, id: str, version: int, said: dict[str, Any]) -> dict[str, Any]:
        """Send an answer until it is acknowledged; now and then once more, as an impatient finger does."""
        key, body = secrets.token_urlsafe(12), {"version": version, "answer": said}

        def send() -> Any:
            return self._client.call("POST", f"/interviews/{id}/answers", body, key=key)

        def look() -> None:
            self.count.unanswered += 1
            known = self._insist(lambda: self._client.call("GET", f"/interviews/{id}"))
            self.count.written_though_unanswered += known["version"] > version

        reply: dict[str, Any] = self._insist(send, lost=look)
        if self._random.random() < 0.1:
            self.count.sent_twice += 1
            reply = self._insist(send)
        return reply

    def _insist(self, send: Callable[[], Any], *, lost: Callable[[], None] = lambda: None) -> Any:
        """The reply, however often the server dies before it gives one."""
        replies: list[Any] = []

        def attempt() -> bool:
            try:
                replies.append(send())
            except ClientError as error:
                if error.status not in (0, 503):
                    raise
                if not error.status:
                    lost()
            return bool(replies)

        _patiently(attempt)
        return replies[0]


def _patiently(attempt: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not attempt():
        if time.monotonic() > until:
            raise TimeoutError(f"nothing happened for {PATIENCE:.0f} s")
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def compare(talk: Talk, exported: dict[str, Any]) -> list[str]:
    """What is wrong with an interview: its export has to hold the acknowledged answers, in order, and no other."""
    stored = [Given(event["question"], event["answer"]) for event in exported["events"]]
    if stored == talk.given:
        return []
    lost = sum(each not in stored for each in talk.given)
    return [f"{len(talk.given)} answers were acknowledged and {len(stored)} are stored; {lost} are lost"]


def check(url: str, talks: list[Talk]) -> list[str]:
    """What is wrong with any of the interviews."""
    with Client(url) as client:
        return [wrong for talk in talks for wrong in compare(talk, client.resume(talk.id).export())]


def trial(server: Server, people: Sequence[Person], *, kills: int, between: int, seed: int) -> list[Count]:
    """Let people answer while the server is killed; what each of them saw."""
    draw, stop = random.Random(seed), Event()
    with ThreadPoolExecutor(len(people)) as pool:
        seen = [pool.submit(person.run, stop) for person in people]
        try:
            for _ in range(kills):
                _wait_for_answers(people, between)
                time.sleep(draw.uniform(0, 0.2))
                server.kill()
                server.start()
            _wait_for_answers(people, between)
        finally:
            stop.set()
        return [each.result() for each in seen]


def _wait_for_answers(people: Sequence[Person], more: int) -> None:
    """Until so many answers more are acknowledged: every kill comes into full work."""
    counts = [person.count for person in people]
    enough = more + sum(count.acknowledged for count in counts)
    _patiently(lambda: any(count.problems for count in counts) or sum(count.acknowledged for count in counts) >= enough)


def run(wanted: argparse.Namespace) -> Figures:
    """The whole trial on one database."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="setmargin-durability-") as directory:
        database = wanted.database or f"sqlite:///{directory}/setmargin.db"
        log = Path(directory, "log")
        server = Server(database=database, catalogue=wanted.catalogue, workers=wanted.workers, log=log)
        kind = partial(Person, server.url, catalogue=wanted.catalogue, strategy=wanted.strategy, answers=wanted.answers)
        try:
            server.start()
            people = [kind(seed=wanted.seed + number) for number in range(wanted.clients)]
            counts = trial(server, people, kills=wanted.kills, between=wanted.between, seed=wanted.seed)
            wrong = check(server.url, [talk for count in counts for talk in count.talks])
        finally:
            server.kill()
    return figures(wanted, counts, wrong, seconds=time.monotonic() - began)


def figures(wanted: argparse.Namespace, counts: Sequence[Count], wrong: Sequence[str], *, seconds: float) -> Figures:
    """All counts together."""
    return Figures(
        database=(wanted.database or "sqlite").split(":")[0],
        kills=wanted.kills,
        clients=wanted.clients,
        seconds=round(seconds, 1),
        interviews=sum(len(count.talks) for count in counts),
        acknowledged=sum(count.acknowledged for count in counts),
        unanswered=sum(count.unanswered for count in counts),
        written_though_unanswered=sum(count.written_though_unanswered for count in counts),
        sent_twice=sum(count.sent_twice for count in counts),
        problems=[*wrong, *(problem for count in counts for problem in count.problems)],
    )


def _arguments() -> argparse.Namespace:
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", metavar="URL", help="a temporary SQLite file unless given")
    parser.add_argument("--kills", type=int, default=20, help="how often the server is killed (20)")
    parser.add_argument("--between", type=int, default=100, help="answers acknowledged from one kill to the next (100)")
    parser.add_argument("--clients", type=int, default=8, help="how many answer at once (8)")
    parser.add_argument("--answers", type=int, default=40, help="answers to one interview before the next begins (40)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server that think (2)")
    parser.add_argument("--catalogue", default="bicycle", help="a shipped catalogue (bicycle)")
    parser.add_argument("--strategy", default="random", help="random asks fastest, and so writes most (random)")
    parser.add_argument("--seed", type=int, default=0, help="when to kill and what to answer (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser.parse_args()


def main() -> None:
    """Print the figures; the exit code is 1 where an answer was lost or is there twice."""
    wanted = _arguments()
    found = asdict(run(wanted))
    print(json.dumps(found) if wanted.json else "\n".join(f"{name:26} {value}" for name, value in found.items()))
    raise SystemExit(bool(found["problems"]))


if __name__ == "__main__":
    main()
