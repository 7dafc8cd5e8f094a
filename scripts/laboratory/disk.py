"""Disks and clocks that fail: what disk.c does is compiled, told and undone here."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Literal

SECTOR = 512
"""What a disk writes whole or not at all."""
SOURCE = Path(__file__).with_name("disk.c")
MODES = {"fine": 0, "full": 1, "read-only": 2, "failing": 3}
Mode = Literal["fine", "full", "read-only", "failing"]


class NoShim(Exception):
    """The library for LD_PRELOAD cannot be made here."""


def compile_shim(folder: Path) -> Path:
    """The library, compiled; NoShim says why not."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if os.uname().sysname != "Linux" or compiler is None:
        raise NoShim("there is no C compiler (cc)" if os.uname().sysname == "Linux" else "LD_PRELOAD is for Linux")
    made = folder / "disk.so"
    options = ["-shared", "-fPIC", "-O2", "-o", str(made), str(SOURCE), "-ldl"]
    done = subprocess.run([compiler, *options], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise NoShim(f"cc failed: {done.stderr.strip()[-200:]}")
    made.chmod(0o755)
    return made


class Disk:
    """A directory of which is known what would survive a power cut, for processes with `environment`."""

    def __init__(self, shim: Path, folder: Path) -> None:
        self._shim, self._control = shim, folder / "control"
        self.root, self._durable = folder / "root", folder / "durable"
        self._owner = (folder.stat().st_uid, folder.stat().st_gid)
        self._control.write_bytes(bytes(mmap.PAGESIZE))
        self._control.chmod(0o644)
        for each in (self.root, self._durable):
            each.mkdir(mode=0o700)
            self._own(each)
        with self._control.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to see this disk."""
        return {
            "LD_PRELOAD": str(self._shim),
            "FAULTS_CONTROL": str(self._control),
            "FAULTS_ROOT": str(self.root),
            "FAULTS_DISK": str(self._durable),
        }

    def set(self, mode: Mode, *, permille: int = 0, clock: float = 0.0) -> None:
        """Let the disk be so from now on, and the clock wrong by so many seconds."""
        self._page[:16] = struct.pack("iiq", MODES[mode], permille, int(clock * 1e9))

    def sync_all(self) -> None:
        """Let everything that is there now survive; nobody may write meanwhile."""
        shutil.rmtree(self._durable)
        shutil.copytree(self.root, self._durable, symlinks=True)
        for path in [self._durable, *self._durable.rglob("*")]:
            self._own(path)

    def lose_power(self, draw: random.Random) -> int:
        """Let the directory be as after a power cut; nobody may have it open. How many files were changed by that."""
        names = {path.relative_to(top) for top in (self.root, self._durable) for path in top.rglob("*")}
        changed = 0
        for name in sorted(names):
            here, durable = self.root / name, self._durable / name
            if here.is_dir() or durable.is_dir():
                continue
            before = here.read_bytes() if here.exists() else b""
            after = after_power_cut(before, durable.read_bytes(), draw) if durable.exists() else None
            changed += after != before
            if after is None:
                here.unlink()
            elif after != before or not here.exists():
                here.parent.mkdir(parents=True, exist_ok=True)
                here.write_bytes(after)
                here.chmod(0o600)
                self._own(here)
        self.sync_all()
        return changed

    def _own(self, path: Path) -> None:
        os.chown(path, *self._owner)


def after_power_cut(written: bytes, synced: bytes, draw: random.Random) -> bytes:
    """What a disk may hold of a file: of what was written since it was synced nothing, or any of its sectors."""
    if written == synced or draw.random() < 0.5:
        return synced
    sectors = range(0, max(len(written), len(synced)), SECTOR)
    size = draw.choice([len(written), len(synced)])
    mixed = bytearray()
    for place in sectors:
        old, new = synced[place : place + SECTOR], written[place : place + SECTOR]
        mixed += (new if draw.random() < 0.5 else old).ljust(SECTOR, b"\0")
    return bytes(mixed[:size])
