"""Machines with networks and file systems of their own, where this process may make them (Linux, as root).

They are namespaces of the kernel. Nothing of them is to be seen outside the laboratory, and they end with the last
process in them, however that ends.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

NEW_MOUNTS: Final = 0x00020000
NEW_NETWORK: Final = 0x40000000
NETWORK: Final = "192.0.2"
"""Addresses that are nobody's (RFC 5737)."""
MEGABYTES: Final = 500
"""The size of a file system."""
TRIAL: Final = "ip link set lo up && ip link add name t1 type veth peer name t2 && mount -t tmpfs tmpfs /mnt && ss -H"


class NotAllowed(Exception):
    """This process may not make namespaces."""


def separate() -> None:
    """Give this thread, and all that it starts from now on, a network with a loopback address, and mounts of its own.

    Raises
    ------
    NotAllowed
        Where that cannot be done; then nothing was changed.
    """
    if sys.platform != "linux":
        raise NotAllowed("namespaces are for Linux")
    if os.geteuid() != 0:
        raise NotAllowed("namespaces are for root")
    try:
        trial = subprocess.run(
            ["unshare", "--net", "--mount", "sh", "-c", TRIAL], capture_output=True, text=True, timeout=30
        )
    except FileNotFoundError as error:
        raise NotAllowed(f"{error.filename} is not installed") from None
    if trial.returncode:
        raise NotAllowed(f"namespaces cannot be made here: {trial.stderr.strip()[-200:]}")
    _unshare(NEW_NETWORK | NEW_MOUNTS)
    _run("mount", "--make-rprivate", "/")
    _run("ip", "link", "set", "lo", "up")


def _unshare(kinds: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(kinds):
        raise NotAllowed(f"unshare: {os.strerror(ctypes.get_errno())}")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


class Network:
    """The network of the machine of the database. Cables lead to it from where this thread is."""

    def __init__(self) -> None:
        self._here = _current()
        _unshare(NEW_NETWORK)
        try:
            self._there = _current()
            _run("ip", "link", "set", "lo", "up")
        finally:
            self._enter(self._here)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What this thread starts meanwhile is on that machine."""
        self._enter(self._there)
        try:
            yield
        finally:
            self._enter(self._here)

    def _enter(self, network: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(network, NEW_NETWORK):
            raise OSError(ctypes.get_errno(), "setns")

    def cable(self, number: int, port: int) -> Cable:
        """One more cable, the number of which nobody has; something listens there at the port."""
        near, far, place = f"near{number}", f"far{number}", f"/proc/{os.getpid()}/fd/{self._there}"
        _run("ip", "link", "add", "name", near, "type", "veth", "peer", "name", far, "netns", place)
        _run("ip", "addr", "add", f"{NETWORK}.{4 * number + 1}/30", "dev", near)
        _run("ip", "link", "set", near, "up")
        made = Cable(self, far, f"{NETWORK}.{4 * number + 2}", port)
        with self.inside():
            _run("ip", "addr", "add", f"{made.host}/30", "dev", far)
            _run("ip", "link", "set", far, "up")
        return made

    def close(self) -> None:
        """Let it go."""
        os.close(self._there)
        os.close(self._here)


def _current() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


class Cable:
    """Between one server and the database; packets are lost while it is cut, and TCP sends them again afterwards."""

    def __init__(self, network: Network, far: str, host: str, port: int) -> None:
        self._network, self._far, self.host, self.port = network, far, host, port

    def cut(self) -> None:
        """Let nothing through any more; nobody is told."""
        self._set("down")

    def mend(self, *, reset: bool) -> None:
        """Let everything through again: what waited arrives late, or with `reset` its connections are gone."""
        if reset:  # where the kernel can do it
            subprocess.run(["ss", "-K", "dst", self.host], capture_output=True, timeout=30)
        self._set("up")

    def _set(self, state: str) -> None:
        with self._network.inside():
            _run("ip", "link", "set", self._far, state)

    def close(self) -> None:
        """Nothing has to be done: it ends with its namespaces."""


class Volume:
    """A small file system in memory, mounted on a directory: it really gets full, or read-only."""

    def __init__(self, place: Path) -> None:
        status = place.stat()
        owner = f"mode={status.st_mode & 0o777:o},uid={status.st_uid},gid={status.st_gid}"
        self._place, self._filler = place, place / ".filler"
        _run("mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,{owner}", "tmpfs", str(place))

    @contextmanager
    def filled(self) -> Iterator[None]:
        """No room is left meanwhile."""
        try:
            with self._filler.open("wb") as file:
                size = 0
                for piece in (1 << 20, 1 << 12):  # others write meanwhile, so nobody knows how much is left
                    with suppress(OSError):
                        while True:
                            os.posix_fallocate(file.fileno(), size, piece)
                            size += piece
            yield
        finally:
            self._filler.unlink(missing_ok=True)

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Nothing can be written meanwhile. Nobody may have a file open for writing when it begins."""
        _run("mount", "-o", "remount,ro", str(self._place))
        try:
            yield
        finally:
            _run("mount", "-o", "remount,rw", str(self._place))

    def close(self) -> None:
        """Take it away, with all that is in it."""
        subprocess.run(["umount", "--lazy", str(self._place)], capture_output=True, timeout=30)
