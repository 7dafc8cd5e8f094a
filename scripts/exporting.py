"""What an export takes, and what it costs those who answer meanwhile, side by side in one run.

    python scripts/exporting.py                           100,000 answers, 40 people, SQLite
    python scripts/exporting.py --database postgresql://me@localhost/trial
    python scripts/exporting.py --answers 10000 --seconds 40  a short look

It fills a database with interviews, and starts a server of its own on the loopback address. Simulated people answer all
the time; in turn, nothing else happens for some seconds, and then the owner downloads the answers, again and again, as
CSV and as Parquet. What an answer took at the median and the 95th percentile is compared between the two, and the
memory of the process that exports, and of the server's own one, is looked at all the time.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scripts.load import Timings, Visitor, serving

from setmargin.experiments.people import draw_people
from setmargin.interview.interview import Interview
from setmargin.interview.log import entry_document
from setmargin.server.store import Store
from setmargin.space.catalogue import load
from setmargin.space.space import Space

TOKEN = "the-owner-downloads-everything"
ANSWERS_EACH = 12
TALKS = 20
"""Different interviews, which are written down again and again."""
MOST_ANSWERS, MOST_SECONDS = 1_000_000, 600.0
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True)
class Export:
    """One download."""

    form: str
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Measured:
    """What came out; times in milliseconds, memory in megabytes."""

    database: str
    answers: int
    people: int
    exports: list[Export]
    answers_alone: int
    answers_beside: int
    p50_alone: float
    p50_beside: float
    p95_alone: float
    p95_beside: float
    slower_p50: float
    """How many times as long as without an export an answer takes at the median."""
    slower_p95: float
    memory_of_export: float
    memory_of_server_before: float
    memory_of_server_most: float
    errors: list[str]


def fill(database: str, space: Space, answers: int) -> None:
    """Write interviews of twelve answers each, a few different ones, as far as an earlier run has not done it."""
    talks = []
    for seed in range(TALKS):
        interview = Interview(space, strategy="random", seed=seed)
        for number in range(ANSWERS_EACH):
            interview.ask()
            interview.tell((seed + number) % 2)
        talks.append([entry_document(entry) for entry in interview.events])
    with Store.open(database) as store:
        digest = store.put_catalogue(space.name, space.document()).digest
        there = sum(each.interviews for each in store.summary())
        for number in range(there, answers // ANSWERS_EACH + 1):
            store.start(digest, {"name": "random", "set_size": 2}, number, events=talks[number % TALKS])


class Memory:
    """The most that the server's own process, and any process that exports for it, had at any time."""

    def __init__(self, pid: int) -> None:
        self._pid, self._stop = pid, Event()
        self.before, self.server, self.export = _resident(pid), 0.0, 0.0
        self._thread = Thread(target=self._look, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.server = max(self.server, _resident(self._pid))
            for child in _children(self._pid):
                with suppress(OSError):
                    if b"export" in Path(f"/proc/{child}/cmdline").read_bytes():
                        self.export = max(self.export, _resident(child))


def _children(pid: int) -> list[str]:
    with suppress(OSError):
        return [each for thread in Path(f"/proc/{pid}/task").iterdir() for each in _started(thread)]
    return []


def _started(thread: Path) -> list[str]:
    with suppress(OSError):
        return (thread / "children").read_text().split()
    return []


def _resident(pid: int | str) -> float:
    with suppress(OSError):
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


def download(url: str, form: str) -> Export:
    """All answers once, thrown away as they come."""
    wanted = Request(f"{url}/api/v1/owner/export/answers?format={form}", headers={"Authorization": f"Bearer {TOKEN}"})
    began, size = time.perf_counter(), 0
    with urlopen(wanted, timeout=600) as reply:
        while piece := reply.read(65_536):
            size += len(piece)
    return Export(form, round(time.perf_counter() - began, 1), round(size / 1e6, 1))


def measure(options: argparse.Namespace, database: str, log: Path) -> Measured:
    """Let people answer, with and without an export beside them in turn."""
    space = load(options.catalogue)
    fill(database, space, options.answers)
    people = draw_people(space, options.people, weights="sparse-uniform", seed=options.seed)
    timings, stop = Timings(), Event()
    alone, beside, exports = list[float](), list[float](), list[Export]()

    def answered() -> list[float]:
        return timings.seconds["POST /interviews/{id}/answers"]

    environment = {"SETMARGIN_OWNER_TOKEN": TOKEN}
    with (
        serving([options.catalogue], database, options.workers, log, environment=environment) as (url, pid),
        ThreadPoolExecutor(options.people) as seats,
    ):
        visits = [
            seats.submit(Visitor(url, space.name, each, think=options.think, timings=timings).run, stop)
            for each in people
        ]
        try:
            time.sleep(options.seconds)  # for everybody to come
            memory = Memory(pid)
            for number in range(2 * options.turns):
                before, until = len(answered()), time.monotonic() + options.seconds
                if number % 2:
                    while time.monotonic() < until:
                        exports.append(download(url, ("csv", "parquet")[len(exports) % 2]))
                else:
                    time.sleep(options.seconds)
                (beside if number % 2 else alone).extend(answered()[before:])
            memory.close()
        finally:
            stop.set()
        for visit in visits:
            visit.result()
    return _measured(options, database, exports, (alone, beside), memory, timings.errors)


def _measured(
    options: argparse.Namespace,
    database: str,
    exports: list[Export],
    seconds: tuple[Sequence[float], Sequence[float]],
    memory: Memory,
    errors: Sequence[str],
) -> Measured:
    alone, beside = (1000 * np.quantile(each, [0.5, 0.95]) for each in seconds)
    return Measured(
        database=database.split(":")[0],
        answers=options.answers,
        people=options.people,
        exports=exports,
        answers_alone=len(seconds[0]),
        answers_beside=len(seconds[1]),
        p50_alone=round(float(alone[0]), 1),
        p50_beside=round(float(beside[0]), 1),
        p95_alone=round(float(alone[1]), 1),
        p95_beside=round(float(beside[1]), 1),
        slower_p50=round(float(beside[0] / alone[0]), 2),
        slower_p95=round(float(beside[1] / alone[1]), 2),
        memory_of_export=round(memory.export),
        memory_of_server_before=round(memory.before),
        memory_of_server_most=round(memory.server),
        errors=list(errors[:5]),
    )


def shown(found: Measured) -> str:
    """The figures for people."""
    rows = {name: value for name, value in asdict(found).items() if name not in ("exports", "errors")}
    lines = [f"{name.replace('_', ' '):26} {value}" for name, value in rows.items()]
    lines += [f"export as {each.form:8} {each.seconds:6} s {each.megabytes:6} MB" for each in found.exports]
    return "\n".join([*lines, *(f"ERROR: {each}" for each in found.errors)])


def read_options() -> argparse.Namespace:
    """What was asked for, within bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=100_000, help="answers in the database (100000)")
    parser.add_argument("--people", type=int, default=40, help="people who answer meanwhile (40)")
    parser.add_argument("--think", type=float, default=10.0, help="seconds before each answer, on average (10)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each turn at least (20)")
    parser.add_argument("--turns", type=int, default=3, help="how often without, and with, an export (3)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server that think (2)")
    parser.add_argument("--catalogue", default="pc", help="what the interviews are about (pc)")
    parser.add_argument("--database", help="URL of an empty database, or of one that was filled before (a file)")
    parser.add_argument("--seed", type=int, default=0, help="other people (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    if not (1 <= options.answers <= MOST_ANSWERS and 1 <= options.seconds <= MOST_SECONDS and options.people >= 1):
        parser.error(f"give 1 to {MOST_ANSWERS} answers, 1 to {MOST_SECONDS:g} seconds, and somebody who answers")
    return options


def main() -> int:
    """Measure, print, and fail where anything failed."""
    options = read_options()
    with tempfile.TemporaryDirectory() as place:
        database = options.database or f"sqlite:///{place}/setmargin.db"
        found = measure(options, database, Path(place) / "server.log")
    print(json.dumps(asdict(found), indent=2) if options.json else shown(found))
    return 1 if found.errors else 0


if __name__ == "__main__":
    sys.exit(main())
