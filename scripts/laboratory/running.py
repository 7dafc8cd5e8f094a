"""One run of the laboratory: people answer, faults come by seed, and in the end the database is judged."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread, Timer
from typing import get_args, get_type_hints

from scripts.laboratory.faults import FAULTS, Fault
from scripts.laboratory.history import Database, Verdict, judge
from scripts.laboratory.mutants import MUTANTS
from scripts.laboratory.owner import NAME as LEAFLET
from scripts.laboratory.owner import OwnerAtWork
from scripts.laboratory.people import REPLY_SECONDS, Journal, Table, Writer
from scripts.laboratory.receiver import several_ids, untold
from scripts.laboratory.world import World

from setmargin.documents import Start
from setmargin.server.errors import StoreError

MOST_SECONDS = 3600.0
PATIENCE = 120.0
"""Seconds after which nobody waits any longer for the servers to come back."""
HEARD_SECONDS = 360.0
"""How long it may take until everybody has been told; whoever was refused often waits four times as long each time."""
APART = ("problems", "faults", "not_simulated", "simulated_by")
CALM_SECONDS = 4.0
"""At most between two faults, however few answers came."""


@dataclass(frozen=True)
class Figures:
    """What came out."""

    database: str
    mutant: str | None
    seed: int
    seconds: float
    servers: int
    people: int
    faults: dict[str, int]
    not_simulated: dict[str, str]
    simulated_by: dict[str, str]
    interviews: int
    acknowledged: int
    by_strategy: dict[str, int]
    refused: int
    unanswered: int
    lost: int
    duplicated: int
    misattributed: int
    finished: int
    untold: int
    told_again: int
    deleted: int
    undeleted: int
    withdrawals: int
    longest_outage: float
    outage_during: str
    problems: list[str]

    @property
    def is_good(self) -> bool:
        """Whether nothing was lost, duplicated, misattributed, untold, there though deleted, or otherwise wrong."""
        wrong = (self.lost, self.duplicated, self.misattributed, self.untold, self.undeleted, self.problems)
        return not any(wrong)


class Run:
    """People, faults and their times."""

    def __init__(self, wanted: argparse.Namespace, world: World) -> None:
        self._wanted, self._world = wanted, world
        self._draw, self._stop = random.Random(wanted.seed), Event()
        self.journal = Journal()
        self.injected: list[tuple[float, str]] = []
        self.untold: set[tuple[str, int]] = set()
        """Interviews whose end was acknowledged, and of which nobody was told, or ever will be."""
        self.skipped = {
            name: reason for name in wanted.faults if (reason := FAULTS[name].unless(wanted.database, world))
        }
        urls = [server.url for server in world.servers]
        tables = [
            Table(wanted.strategies, catalogue=wanted.catalogue, answers=wanted.answers, seed=wanted.seed + number)
            for number in range(wanted.tables)
        ]
        writers = [
            Writer(table, urls, self.journal, self._stop, seed=1000 * wanted.seed + 10 * place + number)
            for place, table in enumerate(tables)
            for number in range(wanted.writers)
        ]
        owner = OwnerAtWork(urls, self.journal, self._stop, seed=wanted.seed)
        runs = [*(writer.run for writer in writers), owner.run]
        self._threads = [Thread(target=run, daemon=True) for run in runs]

    def go(self) -> Verdict:
        """The whole of it."""
        for thread in self._threads:
            thread.start()
        try:
            self._until_answered(1, PATIENCE)
            end = time.monotonic() + self._wanted.seconds
            self._until_answered(self._wanted.between, CALM_SECONDS)
            kinds = self._bag()
            while time.monotonic() < end and kinds and self._inject(kinds.pop()):
                self._until_answered(self._wanted.between, CALM_SECONDS)
                kinds = kinds or self._bag()
        finally:
            self._stop.set()
        return self._judged()

    def _bag(self) -> list[Fault]:
        """Every kind once, in any order."""
        kinds = [FAULTS[name] for name in self._wanted.faults if name not in self.skipped]
        self._draw.shuffle(kinds)
        return kinds

    def _inject(self, fault: Fault) -> bool:
        """One fault, and whether people were answered again after it."""
        self.injected.append((time.monotonic(), fault.name))
        fault.inject(self._world, self._draw)
        if self._wanted.mutant and self.journal.problems:
            return False
        if self._until_answered(1, PATIENCE):
            return True
        self.journal.problems.append(f"nobody was answered any more after {fault.name}")
        return False

    def _until_answered(self, more: int, seconds: float) -> bool:
        enough, until = len(self.journal.acknowledged_at) + more, time.monotonic() + seconds
        while len(self.journal.acknowledged_at) < enough and time.monotonic() < until and self._somebody():
            self._world.tend()
            time.sleep(0.02)
        return len(self.journal.acknowledged_at) >= enough

    def _somebody(self) -> bool:
        """Whether anybody is left who has not given up."""
        return any(thread.is_alive() for thread in self._threads)

    def _judged(self) -> Verdict:
        """With a last power cut, where there are any, so that nothing counts that was not synced."""
        if "power-loss" in self._wanted.faults and "power-loss" not in self.skipped:
            self.injected.append((time.monotonic(), "power-loss"))
            self._world.lose_power(self._draw)
        for server in self._world.servers:
            server.kill()
        for thread in self._threads:
            thread.join(REPLY_SECONDS + 5)
        if self._wanted.mutant is None:
            self._hear_out()
        if self.journal.problems:
            print("\n".join(server.complaints() for server in self._world.servers), file=sys.stderr)
        try:
            database = self._world.read()
            self.journal.problems += [f"database verify: {each}" for each in self._world.damages()]
        except (sqlite3.Error, ValueError, RuntimeError, StoreError) as error:
            database = Database({}, {}, [])
            self.journal.problems.append(f"the database cannot be read any more: {error}")
        self.untold |= {each for each in self.journal.finished if each[0] not in database.to_be_told}
        self.untold = {each for each in self.untold if each[0] not in self.journal.deleted}
        for interview, version in sorted(self.untold):
            fate = "its message still waits" if interview in database.to_be_told else "there is no message"
            self.journal.problems.append(f"nobody is told that {interview} was finished as number {version}: {fate}")
        found = judge(self.journal.started, self.journal.sent, database, deleted=self.journal.deleted)
        if self.journal.withdrawn is not None and self.journal.withdrawn != (LEAFLET in database.withdrawn):
            found.problems.append(f"a catalogue is {'' if self.journal.withdrawn else 'not '}withdrawn no more")
        found.problems += self.journal.problems
        if left := self._world.living_orphans():
            found.problems.append(f"{len(left)} workers live on though their server was killed")
        return found

    def _hear_out(self) -> None:
        """Start everything again and wait until whoever is told of finished interviews knows of all of them."""
        receiver, until = self._world.receiver, time.monotonic() + HEARD_SECONDS
        receiver.refusing = 0.0
        finished = [each for each in self.journal.finished if each[0] not in self.journal.deleted]
        while untold(finished, receiver.told) and time.monotonic() < until:
            self._world.tend()
            time.sleep(0.05)
        self.journal.problems += [*receiver.problems, *several_ids(receiver.told)]
        self.untold |= set(untold(finished, receiver.told))
        for server in self._world.servers:
            server.kill()

    def longest_outage(self) -> tuple[float, str]:
        """The longest time in which nobody was answered, and the last fault before its end."""
        times = sorted(self.journal.acknowledged_at)
        gaps = [(after - before, after) for before, after in pairwise(times)]
        if not gaps:
            return 0.0, ""
        longest, end = max(gaps)
        before = [name for at, name in self.injected if at < end]
        return longest, before[-1] if before else "nothing"


def run(wanted: argparse.Namespace) -> Figures:
    """The whole laboratory; whatever happens, no process and no file is left."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="setmargin-faults-") as home:
        world = World(Path(home))
        try:
            world.start(wanted)
            trial = Run(wanted, world)
            found = trial.go()
        finally:
            world.close()
    outage, during = trial.longest_outage()
    kinds = [name for _, name in trial.injected]
    return Figures(
        database=wanted.database,
        mutant=wanted.mutant,
        seed=wanted.seed,
        seconds=round(time.monotonic() - began, 1),
        servers=wanted.servers,
        people=wanted.tables * wanted.writers,
        faults={name: kinds.count(name) for name in FAULTS if name in kinds},
        not_simulated=trial.skipped,
        simulated_by={name: how for name, how in world.means.items() if name in kinds},
        interviews=len(trial.journal.started),
        acknowledged=found.acknowledged,
        by_strategy=dict(sorted(trial.journal.strategies.items())),
        refused=sum(each.fate == "refused" for each in trial.journal.sent),
        unanswered=trial.journal.unanswered,
        lost=found.lost,
        duplicated=found.duplicated,
        misattributed=found.misattributed,
        finished=len(trial.journal.finished),
        untold=len(trial.untold),
        told_again=len(world.receiver.told) - len(set(world.receiver.told)),
        deleted=sum(fate == "acknowledged" for fate in trial.journal.deleted.values()),
        undeleted=found.undeleted,
        withdrawals=trial.journal.withdrawals,
        longest_outage=round(outage, 1),
        outage_during=during,
        problems=found.problems[:20],
    )


def arguments(about: str | None) -> argparse.Namespace:
    """What is wanted, within bounds."""
    head, _, rest = (about or "").partition("\n\n")
    kinds = "\n".join(f"  {each.name:14} {each.about}" for each in FAULTS.values())
    parser = argparse.ArgumentParser(
        description=head, epilog=f"{rest}\nfaults:\n{kinds}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = get_args(get_type_hints(Start)["strategy"])
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="how long faults are injected (60); 0: just a last power cut"
    )
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite", help="sqlite, or postgresql")
    parser.add_argument("--servers", type=int, default=2, help="servers on the database (2)")
    parser.add_argument("--workers", type=int, default=1, help="processes of each server that think (1)")
    parser.add_argument("--tables", type=int, default=4, help="interviews at once (4)")
    parser.add_argument("--writers", type=int, default=2, help="people at each interview (2)")
    parser.add_argument("--answers", type=int, default=12, help="answers to one interview before the next begins (12)")
    parser.add_argument("--between", type=int, default=20, help="answers between two faults, if they come soon (20)")
    parser.add_argument(
        "--think", type=float, default=10.0, help="seconds that servers may think about one request (10)"
    )
    parser.add_argument("--catalogue", default="bicycle", help="a shipped catalogue (bicycle)")
    parser.add_argument(
        "--strategies", type=_names(every), default=list(every), help="by commas (all that servers have)"
    )
    parser.add_argument("--faults", type=_names(FAULTS), default=list(FAULTS), help="by commas (all of them)")
    parser.add_argument("--mutant", choices=list(MUTANTS), help="a server with a mistake, which has to be found")
    parser.add_argument("--seed", type=int, default=0, help="which faults come when (0)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    wanted = parser.parse_args()
    if not 0 <= wanted.seconds <= MOST_SECONDS:
        parser.error(f"give 0 to {MOST_SECONDS:g} seconds")
    return wanted


def _names(known: Collection[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"there is no {unknown[0]!r}; there are {', '.join(known)}")
        return names

    return read


def shown(found: Figures) -> str:
    """The figures for people."""
    rows = {name: value for name, value in asdict(found).items() if name not in APART}
    lines = [f"{name.replace('_', ' '):20} {value}" for name, value in rows.items()]
    lines += ["faults injected:", *(f"  {name:18} {count}" for name, count in found.faults.items())]
    lines += [f"simulated by {how}: {name}" for name, how in found.simulated_by.items()]
    lines += [f"not simulated: {name}: {reason}" for name, reason in found.not_simulated.items()]
    return "\n".join([*lines, *(f"PROBLEM: {each}" for each in found.problems)])


def main(about: str | None) -> int:
    """Print the figures. 1: something is wrong, or a mutant was not found."""
    wanted = arguments(about)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    guard = Timer(wanted.seconds + 4 * PATIENCE + HEARD_SECONDS, lambda: os.kill(os.getpid(), signal.SIGTERM))
    guard.daemon = True
    guard.start()
    try:
        found = run(wanted)
    except KeyboardInterrupt:
        return 130
    guard.cancel()
    print(json.dumps(asdict(found)) if wanted.json else shown(found))
    if wanted.mutant:
        print(f"the mutant {wanted.mutant} was {'missed' if found.is_good else 'found'}", file=sys.stderr)
        return int(found.is_good)
    return int(not found.is_good)
