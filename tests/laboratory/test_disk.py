"""Disks that lose power or fail, as the programs on them see it."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.laboratory.disk import SECTOR, Disk, NoShim, after_power_cut, compile_shim


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    try:
        shim = compile_shim(tmp_path)
    except NoShim as reason:
        pytest.skip(str(reason))
    return Disk(shim, tmp_path)


def run(disk: Disk, program: str) -> str:
    """What a program says that runs in the directory of the disk."""
    done = subprocess.run(
        [sys.executable, "-c", f"import os, time\n{program}"],
        cwd=disk.root,
        env={**os.environ, **disk.environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return (done.stdout + done.stderr.strip().rpartition("\n")[2]).strip()


WRITE = """
file = os.open("{name}", os.O_RDWR | os.O_CREAT)
os.pwrite(file, b"{text}", 0)
"""


def lost(disk: Disk) -> dict[str, str]:
    """What is there after a power cut in which nothing survives that was not synced."""
    draw = random.Random()
    draw.random = lambda: 0.0  # type: ignore[method-assign]
    disk.lose_power(draw)
    return {path.name: path.read_text(errors="replace") for path in disk.root.iterdir()}


def test_only_what_was_synced_survives_a_power_cut(disk: Disk) -> None:
    run(disk, WRITE.format(name="a", text="unsynced"))
    run(disk, WRITE.format(name="b", text="synced") + "os.fsync(file)")
    run(disk, WRITE.format(name="c", text="synced") + "os.fdatasync(file); os.pwrite(file, b'UN', 0)")
    assert (disk.root / "c").read_text() == "UNnced"
    assert lost(disk) == {"b": "synced", "c": "synced"}
    run(disk, "os.rename('b', 'd'); os.unlink('c')")
    assert lost(disk) == {"d": "synced"}


def test_a_sync_by_one_program_counts_for_what_another_has_written(disk: Disk) -> None:
    run(disk, WRITE.format(name="a", text="first"))
    run(disk, "file = os.open('a', os.O_RDWR); os.pwrite(file, b'!', 5); os.fsync(file)")
    assert lost(disk) == {"a": "first!"}


@pytest.mark.parametrize(("synchronous", "kept"), [("FULL", 20), ("OFF", 0)])
def test_sqlite_keeps_what_it_has_committed_where_it_waits_for_the_disk(
    disk: Disk, synchronous: str, kept: int
) -> None:
    program = f"""
import sqlite3
line = sqlite3.connect("a.db", isolation_level=None)
line.execute("PRAGMA journal_mode = WAL")
line.execute("CREATE TABLE t (n)")
line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
line.execute("PRAGMA synchronous = {synchronous}")
for number in range(20):
    line.execute("INSERT INTO t VALUES (?)", (number,))
os.kill(os.getpid(), 9)
"""
    run(disk, program)
    lost(disk)
    line = sqlite3.connect(disk.root / "a.db")
    assert line.execute("SELECT count(*) FROM t").fetchone() == (kept,)
    line.close()


@pytest.mark.parametrize(
    ("mode", "writes", "overwrites", "opens"),
    [
        ("fine", "", "", ""),
        ("full", "No space left on device", "", ""),
        ("read-only", "Read-only file system", "Read-only file system", "Read-only file system"),
        ("failing", "Input/output error", "Input/output error", ""),
    ],
)
def test_a_disk_fails_as_it_is_told(disk: Disk, mode: str, writes: str, overwrites: str, opens: str) -> None:
    (disk.root / "a").write_text("12345")
    disk.set("fine")
    program = f"""
import mmap, struct
file = os.open("a", os.O_RDWR)
page = mmap.mmap(os.open("{disk.environment["FAULTS_CONTROL"]}", os.O_RDWR), 16)
page[:16] = struct.pack("iiq", {["fine", "full", "read-only", "failing"].index(mode)}, 1000, 0)
append, overwrite = (lambda: os.pwrite(file, b"x", 5)), (lambda: os.pwrite(file, b"x", 0))
for what in (append, overwrite, lambda: os.open("b", os.O_CREAT | os.O_RDWR)):
    try:
        what()
        print("")
    except OSError as error:
        print(error.strerror)
"""
    assert run(disk, program).split("\n") == "\n".join([writes, overwrites, opens]).strip().split("\n")


def test_a_clock_jumps(disk: Disk) -> None:
    disk.set("fine", clock=-86_400)
    said = [float(word) for word in run(disk, "print(time.time(), time.monotonic())").split()]
    assert -86_500 < said[0] - time.time() < -86_300
    assert abs(said[1] - time.monotonic()) < 60


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.binary(max_size=4 * SECTOR), st.binary(max_size=4 * SECTOR), st.integers(0, 2**32))
def test_a_power_cut_leaves_every_sector_old_or_new(written: bytes, synced: bytes, seed: int) -> None:
    left = after_power_cut(written, synced, random.Random(seed))
    assert len(left) in (len(written), len(synced))
    for place in range(0, len(left), SECTOR):
        end = min(place + SECTOR, len(left))
        either = [each[place:end].ljust(end - place, b"\0") for each in (written, synced)]
        assert left[place:end] in either
    assert after_power_cut(synced, synced, random.Random(seed)) == synced
