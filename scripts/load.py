"""Many people at once: how long each endpoint takes, whether anything fails, and whether memory stays flat.

    python scripts/load.py                                200 people for two minutes on a temporary SQLite file
    python scripts/load.py --database postgresql://me@localhost/trial
    python scripts/load.py --people 40 --seconds 20       a short look
    python scripts/load.py --people 100 --attacker        somebody else asks for as much work as they can meanwhile
    python scripts/load.py --keep-alive                   how long a cheap request takes over one open connection

It starts a server of its own with two worker processes on the loopback address. Simulated people answer by weights of
their own and think for a while before each answer; now and then one looks at the result, takes something back or adds
a must-have, and after some questions everybody takes the recommendation and somebody else comes. With the usual ten
seconds of thinking, 200 people give about 20 answers a second. That keeps two cores busy, mostly with questions that
are worked out ahead, but does not drown them. Nothing is sent twice, so that every failure counts.

Every person has an address of their own within 127.0.0.0/8, as people elsewhere have. The attacker has one, too, and
sends in turn, a request every half second: starts with 50 must-haves of 490 characters, starts with the slowest
strategy, and starts with a seed that nobody used, whose questions are new. What becomes of these requests is counted
apart.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from threading import Event, Lock
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from setmargin.client import Client, ClientError, RemoteInterview
from setmargin.documents import Question
from setmargin.experiments.people import Person, draw_people
from setmargin.space.catalogue import load
from setmargin.space.space import Configuration, Space
from setmargin.threads import ONE_THREAD

MOST_PEOPLE, MOST_SECONDS = 1000, 3600.0
LOOKS, CHANGES_MIND, WANTS_MORE = 0.05, 0.03, 0.02
"""How likely a person looks at the result, takes an answer back, or adds a must-have, before an answer."""
LEAVES = 0.08
"""How likely a person has had enough after an answer: about 12 answers each."""
HITS, MISSES = (f"setmargin_work_ready_{kind}_total" for kind in ("hits", "misses"))
ATTACKER = "127.99.0.1"
CHEAP_REQUESTS = 1000
ATTACK_SECONDS = 0.5
"""Between the attacker's requests."""
_ID = re.compile(r"/interviews/[^/?]+")


@dataclass
class Timings:
    """What every request took, by endpoint, and what failed."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def add(self, endpoint: str, seconds: float, error: str | None = None) -> None:
        """A request is over."""
        with self._lock:
            self.seconds[endpoint].append(seconds)
            if error is not None:
                self.errors.append(f"{endpoint}: {error}")


class TimedClient(Client):
    """A client that notes how long everything took."""

    def __init__(self, url: str, timings: Timings, address: str) -> None:
        super().__init__(url, retries=0, timeout=60)
        self._timings = timings
        place = urlsplit(url)
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=60, source_address=(address, 0))

    def call(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Any:
        """One request, timed."""
        endpoint = f"{method} {_ID.sub('/interviews/{id}', path).split('?')[0]}"
        begun, error = time.perf_counter(), None
        try:
            return super().call(method, path, body, key=key)
        except ClientError as refused:
            error = f"{refused.status} {refused}"
            raise
        finally:
            self._timings.add(endpoint, time.perf_counter() - begun, error)


@dataclass(frozen=True)
class Row:
    """One endpoint, in milliseconds."""

    endpoint: str
    requests: int
    p50: float
    p95: float
    p99: float
    longest: float


@dataclass(frozen=True)
class Processor:
    """Who used the processors: milliseconds for each answer, and the shares of all the time that there was."""

    server: float
    """Of the process that people talk to."""
    workers: float
    """Of those that think, which also work ahead while nobody waits."""
    used: float
    """The share of server, workers and simulated people together."""
    elsewhere: float
    """The share of whatever else ran on the machine: where that is much, the figures say little."""


@dataclass(frozen=True)
class Report:
    """What came out."""

    database: str
    people: int
    think: float
    seconds: float
    requests_per_second: float
    answers_per_second: float
    errors: int
    first_errors: list[str]
    attacks: dict[str, int]
    """The attacker's requests by their status; 0: no reply."""
    ready_share: float
    restarts: int
    processor: Processor
    memory: list[float]
    """Megabytes of the server and its processes together, at the ends of tenths of the time."""
    endpoints: list[Row]


class Visitor:
    """A place at which one simulated person after the other sits down."""

    def __init__(self, url: str, catalogue: str, person: Person, *, think: float, timings: Timings) -> None:
        self._client, self._catalogue, self._person = _client(url, timings, person), catalogue, person
        self._think, self._dice, self._noise = think, random.Random(person.number), person.noise()

    def run(self, stop: Event) -> None:
        """Answer until told to stop; whoever meets an error starts again."""
        stop.wait(self._dice.uniform(0, self._think))
        with self._client:
            while not stop.is_set():
                try:
                    self._interview(stop)
                except ClientError:
                    stop.wait(1.0)

    def _interview(self, stop: Event) -> None:
        self._client.catalogues()
        interview = self._client.start(self._catalogue)
        while (question := interview.ask()) is not None and not stop.wait(self._dice.expovariate(1 / self._think)):
            self._step(interview, question)
            if self._dice.random() < LEAVES:
                break
        if not stop.is_set():
            interview.result()
            interview.finish()

    def _step(self, interview: RemoteInterview, question: Question) -> None:
        chance = self._dice.random()
        if chance < LOOKS:
            interview.result()
        elif chance < LOOKS + CHANGES_MIND and interview.state.undo_of:
            interview.undo()
        elif chance < LOOKS + CHANGES_MIND + WANTS_MORE and not interview.state.must_haves:
            interview.require(self._wish(question))
        else:
            self._answer(interview, question)

    def _answer(self, interview: RemoteInterview, question: Question) -> None:
        worth = self._person.utilities([Configuration(option.values) for option in question.options])
        if len(worth) > 1 and len(set(worth.tolist())) == 1:
            interview.equal()
        else:
            interview.tell(int(np.argmax(worth + self._noise.normal(0, 1e-9, len(worth)))))

    def _wish(self, question: Question) -> str:
        """Something that one of the options has."""
        name, value = self._dice.choice(list(question.options[0].values.items()))
        return f'"{name}" = "{value}"'


def _client(url: str, timings: Timings, person: Person) -> TimedClient:
    return TimedClient(url, timings, f"127.1.{person.number // 250}.{person.number % 250 + 1}")


class Attacker:
    """One client that asks for as much work as it can, at a bounded rate and without waiting for replies."""

    def __init__(self, url: str, space: Space) -> None:
        self._url, self._space = url, space
        self.statuses: Counter[str] = Counter()

    def run(self, stop: Event) -> None:
        """Send one request after the other until told to stop."""
        with ThreadPoolExecutor(20) as senders:
            for number in count():
                if stop.wait(ATTACK_SECONDS):
                    return
                senders.submit(self._send, number)

    def _send(self, number: int) -> None:
        with TimedClient(self._url, Timings(), ATTACKER) as client:
            try:
                client.call("POST", "/interviews", {"catalogue": self._space.name, **self._wanted(number)})
                status = 201
            except ClientError as refused:
                status = refused.status or 0
            self.statuses[str(status)] += 1

    def _wanted(self, number: int) -> dict[str, Any]:
        dice = random.Random(number)
        if number % 3 == 0:
            return {"must_haves": [self._rule(dice) for _ in range(50)]}
        if number % 3 == 1:
            return {"strategy": "setmargin", "set_size": 4, "seed": number}
        return {"seed": number}

    def _rule(self, dice: random.Random) -> str:
        """Any of many things, at great length."""
        space, parts = self._space, list[str]()
        while True:
            one, other = dice.sample(space.attributes, 2)
            amount = f" or {space.quantities[0].name} <= {dice.randint(400, 3000)}" if space.quantities else ""
            differs = [f'"{each.name}" != "{dice.choice(each.values)}"' for each in (one, other)]
            part = f"({' or '.join(differs)}{amount})"
            if len(" and ".join([*parts, part])) > 490:
                return " and ".join(parts)
            parts.append(part)


@contextmanager
def serving(
    catalogues: Sequence[str],
    database: str,
    workers: int,
    log: Path,
    *more: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, int]]:
    """The address of a server of its own, with `more` options, and the number of its process."""
    options = ["--port", "0", "--rate", "0", "--workers", str(workers), "--database", database, "--log", "json", *more]
    command = [sys.executable, "-m", "setmargin", "serve", *catalogues, *options]
    with log.open("w") as errors:
        server = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **ONE_THREAD, **(environment or {})},
        )
    try:
        found = re.search(r"http://[\d.:]+", server.stdout.readline() if server.stdout else "")
        if found is None:
            raise SystemExit(f"the server does not start:\n{log.read_text()[-2000:]}")
        yield found[0], server.pid
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout:
            server.stdout.close()


def memory_of(pid: int) -> float:
    """Megabytes that the process and its children hold."""
    resident = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(resident[1] if resident else 0) / 1024 + sum(map(memory_of, _children(pid)))


def _children(pid: int) -> list[int]:
    return [
        int(child) for thread in Path(f"/proc/{pid}").glob("task/*/children") for child in thread.read_text().split()
    ]


@dataclass(frozen=True)
class Ticks:
    """What was used of the processors so far, in seconds."""

    server: float
    workers: float
    people: float
    machine: float

    @classmethod
    def of(cls, pid: int) -> Ticks:
        """Of the server with this number, of the people, who are this process, and of everybody on the machine."""
        busy = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        idle = {3, 4}  # idle, and waiting for a disk; what guests use counts as user already
        machine = sum(int(each) for place, each in enumerate(busy[:8]) if place not in idle) / os.sysconf("SC_CLK_TCK")
        return cls(_used(pid), sum(map(_used, _children(pid))), _used(os.getpid()), machine)


def _used(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def processor_of(before: Ticks, after: Ticks, *, seconds: float, answers: int) -> Processor:
    """What was used meanwhile."""
    server, workers = after.server - before.server, after.workers - before.workers
    ours = server + workers + after.people - before.people
    there_was = seconds * (os.cpu_count() or 1)
    return Processor(
        server=round(1000 * server / max(1, answers), 1),
        workers=round(1000 * workers / max(1, answers), 1),
        used=round(ours / there_was, 3),
        elsewhere=round(max(0.0, after.machine - before.machine - ours) / there_was, 3),
    )


def metric(text: str, name: str) -> float:
    """One number of the server's metrics."""
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def row_of(endpoint: str, seconds: Sequence[float]) -> Row:
    """The quantiles of one endpoint."""
    p50, p95, p99, longest = (round(1000 * float(q), 1) for q in np.quantile(seconds, [0.5, 0.95, 0.99, 1.0]))
    return Row(endpoint, len(seconds), p50, p95, p99, longest)


def measure(options: argparse.Namespace, database: str, log: Path) -> Report:
    """Let everybody in, wait, and count."""
    timings, stop, space = Timings(), Event(), load(options.catalogue)
    people = draw_people(space, options.people, weights="sparse-uniform", seed=options.seed)
    with serving([options.catalogue], database, options.workers, log) as (url, pid):
        visitors = [Visitor(url, space.name, each, think=options.think, timings=timings) for each in people]
        attacker = Attacker(url, space)
        with ThreadPoolExecutor(options.people + 1) as seats:
            begun, before, memory = time.perf_counter(), Ticks.of(pid), []
            visits = [seats.submit(visitor.run, stop) for visitor in visitors]
            if options.attacker:
                seats.submit(attacker.run, stop)
            for tenth in range(1, 11):
                time.sleep(max(0.0, begun + tenth * options.seconds / 10 - time.perf_counter()))
                memory.append(round(memory_of(pid), 1))
            after = Ticks.of(pid)
            stop.set()
            for visit in visits:
                visit.result()
            took = time.perf_counter() - begun
        with urlopen(f"{url}/metrics") as reply:
            metrics = reply.read().decode()
    answers = int(metric(metrics, HITS) + metric(metrics, MISSES))
    processor = processor_of(before, after, seconds=options.seconds, answers=answers)
    return report(options, database, timings, took, processor, memory, metrics, attacker.statuses)


def report(
    options: argparse.Namespace,
    database: str,
    timings: Timings,
    took: float,
    processor: Processor,
    memory: list[float],
    metrics: str,
    attacks: Mapping[str, int],
) -> Report:
    """The figures."""
    hits, misses = metric(metrics, HITS), metric(metrics, MISSES)
    rows = [row_of(endpoint, seconds) for endpoint, seconds in sorted(timings.seconds.items())]
    answers = sum(row.requests for row in rows if row.endpoint.endswith("/answers"))
    return Report(
        database=database.split(":")[0],
        people=options.people,
        think=options.think,
        seconds=round(took, 1),
        requests_per_second=round(sum(row.requests for row in rows) / took, 1),
        answers_per_second=round(answers / took, 1),
        errors=len(timings.errors),
        first_errors=timings.errors[:5],
        attacks=dict(sorted(attacks.items())),
        ready_share=round(hits / (hits + misses), 3) if hits + misses else 0.0,
        restarts=int(metric(metrics, "setmargin_work_restarts_total")),
        processor=processor,
        memory=memory,
        endpoints=rows,
    )


def keep_alive(options: argparse.Namespace, database: str, log: Path) -> Row:
    """How long a request takes that needs no work, one after the other over one connection."""
    with serving([options.catalogue], database, options.workers, log) as (url, _):
        place, seconds = urlsplit(url), []
        connection = HTTPConnection(place.hostname or "", place.port, timeout=60)
        for _ in range(CHEAP_REQUESTS):
            began = time.perf_counter()
            connection.request("GET", "/health")
            with connection.getresponse() as reply:
                reply.read()
            seconds.append(time.perf_counter() - began)
        connection.close()
    return row_of("GET /health", seconds)


def shown(report: Report) -> str:
    """The figures for people."""
    head = f"{'endpoint':52} {'requests':>8} {'p50':>8} {'p95':>8} {'p99':>8} {'longest':>8}  (ms)"
    rows = [
        f"{row.endpoint:52} {row.requests:8} {row.p50:8.1f} {row.p95:8.1f} {row.p99:8.1f} {row.longest:8.1f}"
        for row in report.endpoints
    ]
    processor = report.processor
    return "\n".join(
        [
            f"{report.people} people for {report.seconds:g} s on {report.database}, thinking {report.think:g} s",
            head,
            *rows,
            f"{report.requests_per_second:g} requests/s, {report.answers_per_second:g} answers/s, "
            f"{report.ready_share:.0%} of answers found their question ready",
            f"an answer costs {processor.server:g} ms of the server's processor time and {processor.workers:g} of the "
            f"workers'; {processor.used:.0%} of the processors in use, and {processor.elsewhere:.0%} by others",
            f"memory, by tenths of the time: {', '.join(f'{each:.0f}' for each in report.memory)} MB",
            f"errors {report.errors}, processes restarted {report.restarts}",
            *([f"attacker's requests by status: {report.attacks}"] if report.attacks else []),
            *report.first_errors,
        ]
    )


def read_options() -> argparse.Namespace:
    """What was asked for, within bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=200, help="interviews at once (200)")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long (120)")
    parser.add_argument("--think", type=float, default=10.0, help="seconds before each answer, on average (10)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server that think (2)")
    parser.add_argument("--catalogue", default="pc", help="what the interviews are about (pc)")
    parser.add_argument("--database", help="URL of an empty database; a temporary SQLite file unless given")
    parser.add_argument("--seed", type=int, default=0, help="other people (0)")
    parser.add_argument("--attacker", action="store_true", help="let one client ask for as much work as it can")
    parser.add_argument("--keep-alive", action="store_true", help="time cheap requests over one connection, no more")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    if not (1 <= options.people <= MOST_PEOPLE and 1 <= options.seconds <= MOST_SECONDS and options.think > 0):
        parser.error(f"give 1 to {MOST_PEOPLE} people, 1 to {MOST_SECONDS:g} seconds, and some time to think")
    return options


def main() -> int:
    """Measure, print, and fail where anything failed."""
    options = read_options()
    with tempfile.TemporaryDirectory() as place:
        database = options.database or f"sqlite:///{place}/setmargin.db"
        if options.keep_alive:
            row = keep_alive(options, database, Path(place) / "server.log")
            print(json.dumps(asdict(row)) if options.json else f"{row.requests} x {row.endpoint}: p50 {row.p50} ms")
            return 0
        found = measure(options, database, Path(place) / "server.log")
    print(json.dumps(asdict(found), indent=2) if options.json else shown(found))
    return 1 if found.errors else 0


if __name__ == "__main__":
    sys.exit(main())
