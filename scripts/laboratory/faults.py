"""The faults: what each does, where it is possible, and exactly what is simulated."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from scripts.laboratory.processes import children
from scripts.laboratory.world import World

SHORTEST, LONGEST = 0.5, 4.0
"""Seconds that something that passes may last."""
FAILING = 200
"""Of a thousand calls, those that fail on a failing disk."""
DAY = 86_400.0


@dataclass(frozen=True)
class Fault:
    """One kind. `on` are the databases for which there is such a thing.

    `shim`: whether disk.c is needed for it; `mount`: whether a file system of its own will do, too.
    """

    name: str
    inject: Callable[[World, random.Random], None]
    about: str
    on: tuple[str, ...] = ("sqlite", "postgresql")
    shim: bool = False
    mount: bool = False

    def unless(self, database: str, world: World) -> str:
        """Why it cannot be injected here; empty: it can."""
        if database not in self.on:
            return f"there is no such thing with {database}"
        if self.mount and world.volume:
            return ""
        return world.no_shim if self.shim else ""


def _pause(world: World, draw: random.Random) -> None:
    until = time.monotonic() + draw.uniform(SHORTEST, LONGEST)
    while time.monotonic() < until:
        world.tend()
        time.sleep(0.05)


def _kill_server(world: World, draw: random.Random) -> None:
    server = draw.choice([each for each in world.servers if each.is_running] or world.servers)
    if server.is_running:
        world.orphans.update(server.workers())
        server.kill_only()


def _kill_worker(world: World, draw: random.Random) -> None:
    workers = [pid for server in world.servers for pid in server.workers()]
    if workers:
        _signal([draw.choice(workers)], signal.SIGKILL)


def _stop(find: Callable[[World, random.Random], Iterable[int]]) -> Callable[[World, random.Random], None]:
    def stop(world: World, draw: random.Random) -> None:
        pids = list(find(world, draw))
        _signal(pids, signal.SIGSTOP)
        try:
            _pause(world, draw)
        finally:
            _signal(pids, signal.SIGCONT)

    return stop


def _one_server(world: World, draw: random.Random) -> list[int]:
    running = [server.pid for server in world.servers if server.is_running]
    return [draw.choice(running)] if running else []


def _one_worker(world: World, draw: random.Random) -> list[int]:
    workers = [pid for server in world.servers for pid in server.workers()]
    return [draw.choice(workers)] if workers else []


def _database(world: World, _: random.Random) -> list[int]:
    assert world.postgres
    return [world.postgres.pid, *children(world.postgres.pid)] if world.postgres.is_running else []


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _failing(mode: str) -> Callable[[World, random.Random], None]:
    def fail(world: World, draw: random.Random) -> None:
        world.disks[-1].set(mode, permille=FAILING)  # type: ignore[arg-type]
        try:
            _pause(world, draw)
        finally:
            world.disks[-1].set("fine")

    return fail


def _kill_receiver(world: World, draw: random.Random) -> None:
    world.receiver.is_dead = True
    try:
        _pause(world, draw)
    finally:
        world.receiver.is_dead = False


def _fill(world: World, draw: random.Random) -> None:
    if world.volume is None:
        return _failing("full")(world, draw)
    with world.volume.filled():
        return _pause(world, draw)


def _make_read_only(world: World, draw: random.Random) -> None:
    """Under files that are open, with the shim; or for good, as after a restart, where everything begins with it."""
    if world.volume is None or (world.disks and draw.random() < 0.5):
        return _failing("read-only")(world, draw)
    world.kill_machine_of_database()
    with world.volume.read_only():
        return _pause(world, draw)


def _lose_power(world: World, draw: random.Random) -> None:
    world.lose_power(draw)


def _jump(world: World, draw: random.Random) -> None:
    draw.choice(world.disks).set("fine", clock=draw.choice([-DAY, -3600.0, -60.0, 60.0, 3600.0, 30 * DAY]))
    _pause(world, draw)


def _kill_database(world: World, _: random.Random) -> None:
    assert world.postgres
    if world.postgres.is_running:
        world.postgres.kill_only()


def _kill_backend(world: World, draw: random.Random) -> None:
    assert world.postgres
    if world.postgres.is_running and (found := children(world.postgres.pid)):
        _signal([draw.choice(found)], signal.SIGKILL)


def _part(world: World, draw: random.Random) -> None:
    cut = draw.sample(world.lines, draw.randint(1, len(world.lines)))
    for line in cut:
        line.cut()
    try:
        _pause(world, draw)
    finally:
        for line in cut:
            line.mend(reset=draw.random() < 0.5)


PG = ("postgresql",)
FAULTS = {
    each.name: each
    for each in (
        Fault("kill-server", _kill_server, "SIGKILL of one server; its workers have to end by themselves"),
        Fault("kill-worker", _kill_worker, "SIGKILL of one worker"),
        Fault("stop-server", _stop(_one_server), "SIGSTOP of one server for up to 4 s"),
        Fault("stop-worker", _stop(_one_worker), "SIGSTOP of one worker for up to 4 s"),
        Fault("full-disk", _fill, "no room is left on the disk for up to 4 s (ENOSPC)", shim=True, mount=True),
        Fault(
            "read-only",
            _make_read_only,
            "nothing can be written for up to 4 s (EROFS), to open files or from a restart on",
            shim=True,
            mount=True,
        ),
        Fault(
            "io-errors",
            _failing("failing"),
            "a fifth of reads, writes and syncs fail (EIO) for up to 4 s",
            shim=True,
        ),
        Fault(
            "power-loss",
            _lose_power,
            "the machine of the database ends at once; of what was not synced nothing is left, or any sectors of 512 "
            "bytes; names of files are taken as synced",
            shim=True,
        ),
        Fault("clock-jump", _jump, "the clock of one machine is wrong by a minute up to 30 days", shim=True),
        Fault("kill-receiver", _kill_receiver, "who is told of finished interviews hangs up for up to 4 s"),
        Fault("kill-database", _kill_database, "SIGKILL of the first process of PostgreSQL", on=PG),
        Fault("kill-backend", _kill_backend, "SIGKILL of any other process of PostgreSQL", on=PG),
        Fault("stop-database", _stop(_database), "SIGSTOP of all of PostgreSQL for up to 4 s", on=PG),
        Fault(
            "partition",
            _part,
            "nothing gets from servers to PostgreSQL or back for up to 4 s, then late or never",
            on=PG,
        ),
    )
}
"""By name."""
