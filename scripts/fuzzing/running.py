"""One run of the fuzzer: what is wanted, what was counted, and how it is said."""

from __future__ import annotations

import argparse
import base64
import json
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from scripts.fuzzing.catalogues import TEA
from scripts.fuzzing.checking import Checked, Checker, check_all
from scripts.fuzzing.http import Connection, Reply, Request
from scripts.fuzzing.rules import Vocabulary
from scripts.fuzzing.sessions import API, TOKEN, Session
from scripts.load import metric, serving

from setmargin.server.settings import TOKEN_VARIABLE

MOST_SECONDS = 4 * 3600.0
SESSION = 40
"""Requests of one session."""
MOST_MEGABYTES = 1000.0
PROGRESS_SECONDS = 10.0


@dataclass
class Figures:
    """What came out."""

    seed: int
    seconds: float = 0.0
    requests: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    """503 with Retry-After, by the type of the problem."""
    slowest: float = 0.0
    """Seconds of the slowest reply."""
    restarts: int = 0
    megabytes: float = 0.0
    """The most that any process of the server had."""
    catalogues: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    slowest_catalogue: float = 0.0
    catalogue_megabytes: float = 0.0
    failures: int = 0
    first_failures: list[str] = field(default_factory=list)


class Judge:
    """Counts, and keeps what failed in a file, each with what is needed to see it again."""

    def __init__(self, wanted: argparse.Namespace) -> None:
        self.figures = Figures(wanted.seed)
        self.wanted, self._lock = wanted, Lock()
        self.is_over = False
        self._statuses: Counter[str] = Counter()
        self._busy: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()

    def heard(self, session: int, place: int, request: Request, reply: Reply, seconds: float) -> None:
        """A request is over."""
        found = self.figures
        with self._lock:
            found.requests += 1
            found.slowest = max(found.slowest, seconds)
            self._statuses[str(reply.status)] += 1
            found.statuses = dict(sorted(self._statuses.items()))
            if reply.status == 503 and reply.header("retry-after"):
                self._busy[_type_of(reply)] += 1
                found.busy = dict(self._busy)
                return
            wrong = _wrong_with(request, reply)
        if wrong:
            shown = request.encoded()
            self.failed(
                f"{wrong}: {shown[:300]!r}",
                {
                    "session": session,
                    "place": place,
                    "why": wrong,
                    "request": base64.b64encode(shown).decode(),
                    "reply": reply.body[:1000].decode("utf-8", "replace"),
                },
            )

    def checked(self, found: Checked) -> None:
        """A catalogue was looked at."""
        figures = self.figures
        with self._lock:
            figures.catalogues += 1
            self._outcomes[found.outcome] += 1
            figures.outcomes = dict(sorted(self._outcomes.items()))
            figures.slowest_catalogue = max(figures.slowest_catalogue, found.seconds)
            figures.catalogue_megabytes = max(figures.catalogue_megabytes, found.megabytes)
        if found.outcome == "failed":
            content = base64.b64encode(found.content).decode() if len(found.content) < 2_000_000 else None
            record = {"catalogue": found.number, "why": found.detail, "content": content}
            self.failed(f"catalogue {found.number}: {found.detail[-400:]}", record)

    def failed(self, said: str, record: dict[str, Any]) -> None:
        """Count it, say the first few, and keep it."""
        with self._lock:
            if self.is_over:
                return
            self.figures.failures += 1
            if len(self.figures.first_failures) < 20:
                self.figures.first_failures.append(said)
            if self.wanted.failures:
                with open(self.wanted.failures, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"seed": self.wanted.seed, **record}) + "\n")


def _type_of(reply: Reply) -> str:
    try:
        return str(json.loads(reply.body)["type"]).rpartition("/")[2]
    except (ValueError, KeyError, TypeError):
        return "connections"


def _wrong_with(request: Request, reply: Reply) -> str:
    """What is wrong with a reply; nothing may be."""
    if reply.problem == "hang":
        return "hang"
    if reply.status >= 500:
        return f"status {reply.status}"
    if not reply.status:
        return f"no reply ({reply.problem})" if request.is_whole else ""
    if reply.header("content-type").endswith("json") and request.method != "HEAD" and reply.status != 204:
        try:
            json.loads(reply.body)
        except ValueError:
            return "no JSON"
    return ""


class Watch:
    """The most memory that any process of the server had."""

    def __init__(self, pid: int, judge: Judge) -> None:
        self._pid, self._judge, self._over = pid, judge, Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(0.5):
            for pid in [self._pid, *_children(self._pid)]:
                self._judge.figures.megabytes = max(self._judge.figures.megabytes, _most_megabytes(pid))

    def close(self) -> None:
        """Look no longer."""
        self._over.set()
        self._thread.join(10)


def _children(pid: int) -> list[int]:
    from scripts.laboratory.processes import children

    return children(pid)


def _most_megabytes(pid: int) -> float:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


class Requests:
    """Sessions, several at once, at one server."""

    def __init__(self, url: str, wanted: argparse.Namespace, judge: Judge, until: float) -> None:
        place = urlsplit(url)
        self._host, self._port = place.hostname or "", place.port or 0
        self._wanted, self._judge, self._until = wanted, judge, until
        self._words = {name: _vocabulary(url, name) for name in wanted.on}

    def run(self, sessions: Iterator[int]) -> None:
        """All of them, unless time is up."""
        lock = Lock()

        def work() -> None:
            while time.monotonic() < self._until:
                with lock:
                    number = next(sessions, None)
                if number is None:
                    return
                self.session(number, SESSION)

        threads = [Thread(target=work, daemon=True) for _ in range(self._wanted.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def session(self, number: int, requests: int) -> None:
        """One session."""
        address = f"127.3.{number // 250 % 250}.{number % 250 + 1}"
        place = 0
        with Connection(self._host, self._port, address=address, seconds=self._wanted.hang) as connection:

            def send(request: Request) -> Reply:
                nonlocal place
                place += 1
                began = time.monotonic()
                reply = connection.send(request)
                self._judge.heard(number, place, request, reply, time.monotonic() - began)
                return reply

            Session(self._wanted.seed, number, self._words).run(requests, send)


def _vocabulary(url: str, name: str) -> Vocabulary:
    with urlopen(f"{url}{API}/catalogues/{name}", timeout=60) as reply:
        return Vocabulary.of(json.load(reply))


def fuzz_requests(
    wanted: argparse.Namespace, judge: Judge, until: float, sessions: dict[int, int] | None = None
) -> None:
    """Hostile requests at a server of its own; of `sessions` only these, each up to that place."""
    with tempfile.TemporaryDirectory(prefix="setmargin-fuzz-") as home:
        tea, log = Path(home) / "tea.yaml", Path(home) / "server.log"
        tea.write_text(TEA)
        options = ["--uploads", "--seconds", str(wanted.think)]
        environment = {TOKEN_VARIABLE: TOKEN}
        names = [str(tea) if name == "tea" else name for name in wanted.on]
        with serving(names, f"sqlite:///{home}/fuzz.db", 2, log, *options, environment=environment) as (url, pid):
            watch = Watch(pid, judge)
            requests = Requests(url, wanted, judge, until)
            if sessions is None:
                try:
                    requests.run(iter(range(wanted.first, wanted.first + -(-wanted.requests // SESSION))))
                except KeyboardInterrupt:
                    judge.is_over = True  # what happens while the server ends is no failure
                    raise
            else:
                for number, place in sessions.items():
                    requests.session(number, place)
            with urlopen(f"{url}/metrics", timeout=60) as reply:
                judge.figures.restarts = int(metric(reply.read().decode(), "setmargin_work_restarts_total"))
            watch.close()
        if judge.figures.megabytes > MOST_MEGABYTES:
            judge.failed(f"a process of the server had {judge.figures.megabytes:.0f} MB", {"why": "memory"})
        if judge.figures.failures and not wanted.json:
            lines = [line for line in log.read_text(errors="replace").splitlines() if '"info"' not in line]
            print("\n".join(line[:2000] for line in lines[-20:]), file=sys.stderr)


def fuzz_catalogues(wanted: argparse.Namespace, judge: Judge, until: float) -> None:
    """Hostile catalogue files through the library."""

    def numbers() -> Iterator[int]:
        for number in range(wanted.first, wanted.first + wanted.catalogues):
            if time.monotonic() > until:
                return
            yield number

    check_all(wanted.seed, numbers(), processes=wanted.processes, seconds=wanted.hang, heard=judge.checked)
    if judge.figures.catalogue_megabytes > MOST_MEGABYTES:
        judge.failed(f"a catalogue took {judge.figures.catalogue_megabytes:.0f} MB", {"why": "memory"})


def replay(wanted: argparse.Namespace, judge: Judge, until: float) -> None:
    """What failed before, once more."""
    records = [json.loads(line) for line in Path(wanted.replay).read_text("utf-8").splitlines() if line.strip()]
    for seed in sorted({record["seed"] for record in records}):
        own = [record for record in records if record["seed"] == seed]
        wanted.seed = judge.figures.seed = seed
        sessions: dict[int, int] = {}
        for record in own:
            if "session" in record:
                sessions[record["session"]] = max(record["place"], sessions.get(record["session"], 0))
        if sessions:
            fuzz_requests(wanted, judge, until, sessions)
        files = [record for record in own if "catalogue" in record]
        if files:
            checker = Checker(wanted.hang)
            for record in files:
                content = base64.b64decode(record["content"]) if record["content"] else None
                judge.checked(checker.check(seed, record["catalogue"], content))
            checker.close()


def arguments(about: str | None) -> argparse.Namespace:
    """What is wanted, within bounds."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=0, help="hostile requests to send")
    parser.add_argument("--catalogues", type=int, default=0, help="hostile catalogue files to check")
    parser.add_argument("--seed", type=int, default=0, help="other requests and catalogues (0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first session or catalogue (0)")
    parser.add_argument("--seconds", type=float, default=3600.0, help="end then, however many are left (3600)")
    parser.add_argument("--hang", type=float, default=30.0, help="seconds after which a reply or a check hangs (30)")
    parser.add_argument("--think", type=float, default=10.0, help="seconds that the server may think (10)")
    parser.add_argument(
        "--on",
        type=lambda text: text.split(","),
        default=["tea", "pc", "bicycle"],
        help="the catalogues of the server, by commas: tea, which is small, or shipped ones (tea,pc,bicycle)",
    )
    parser.add_argument("--threads", type=int, default=4, help="sessions at once (4)")
    parser.add_argument("--processes", type=int, default=2, help="catalogues at once (2)")
    parser.add_argument("--failures", default="fuzz-failures.jsonl", help="where failing input goes (%(default)s)")
    parser.add_argument("--replay", metavar="FILE", help="send again what failed")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    wanted = parser.parse_args()
    if not 0 < wanted.seconds <= MOST_SECONDS:
        parser.error(f"give up to {MOST_SECONDS:g} seconds")
    if not (wanted.requests or wanted.catalogues or wanted.replay):
        parser.error("say how many --requests or --catalogues, or what to --replay")
    return wanted


def run(wanted: argparse.Namespace) -> Figures:
    """All that is wanted, with progress on stderr."""
    judge, began, over = Judge(wanted), time.monotonic(), Event()
    until = began + wanted.seconds

    def say() -> None:
        while not over.wait(PROGRESS_SECONDS):
            found = judge.figures
            print(
                f"{time.monotonic() - began:6.0f} s  {found.requests} requests, {found.catalogues} catalogues, "
                f"{sum(found.busy.values())} busy, {found.failures} failures",
                file=sys.stderr,
            )

    Thread(target=say, daemon=True).start()
    try:
        if wanted.replay:
            wanted.failures = None
            replay(wanted, judge, until)
        if wanted.requests:
            fuzz_requests(wanted, judge, until)
        if wanted.catalogues:
            fuzz_catalogues(wanted, judge, until)
    except KeyboardInterrupt:
        print("stopped; these are the figures until then", file=sys.stderr)
    finally:
        over.set()
    judge.figures.seconds = round(time.monotonic() - began, 1)
    return judge.figures


def shown(found: Figures) -> str:
    """The figures for people."""
    lines = [
        f"{name.replace('_', ' '):20} {round(value, 2) if isinstance(value, float) else value}"
        for name, value in asdict(found).items()
        if name != "first_failures" and value not in (0, {})
    ]
    return "\n".join([*lines, *(f"FAILURE: {each}" for each in found.first_failures)])


def main(about: str | None) -> int:
    """Print the figures; 1: something failed."""
    wanted = arguments(about)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found = run(wanted)
    print(json.dumps(asdict(found)) if wanted.json else shown(found))
    return int(found.failures > 0)
