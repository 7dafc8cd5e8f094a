"""The processes that faults happen to: servers and their workers, and a PostgreSQL of one's own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from scripts.laboratory.namespaces import NETWORK
from scripts.laboratory.proxy import HOST
from scripts.orphans import ending_with_us

if TYPE_CHECKING:
    import pwd

TOP = Path(__file__).parents[2]
START_SECONDS = 90.0
WEBHOOK_PAUSE, WEBHOOK_ATTEMPTS = 0.2, 100
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/pgsql/bin")


class NoPostgres(Exception):
    """There is no PostgreSQL here that could be started."""


def binaries() -> Path:
    """The directory of initdb and postgres, the newest one."""
    found = [Path(path).parent for path in [shutil.which("initdb")] if path]
    found += [each for place in PLACES for each in sorted(Path("/").glob(place[1:]), reverse=True)]
    usable = [each for each in found if (each / "initdb").exists() and (each / "postgres").exists()]
    if not usable:
        raise NoPostgres("the PostgreSQL server is not installed")
    return usable[0]


def ordinary_user() -> pwd.struct_passwd | None:
    """Who runs the database: PostgreSQL refuses root. None: whoever we are."""
    if sys.platform == "win32" or os.getuid() != 0:
        return None
    import pwd

    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres or nobody")


def free_port() -> int:
    """A port that nobody has now."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def children(pid: int) -> list[int]:
    """The processes that a process has started and that live, and theirs."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in thread.read_text().split()]
    return found + [deeper for child in found for deeper in children(child)]


class Process:
    """A program that is started, killed and stopped again and again."""

    def __init__(self, name: str, command: Sequence[str | Path], log: Path) -> None:
        self.name, self._command, self._log = name, [str(word) for word in command], log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it lives, stopped or not."""
        return self._process is not None and self._process.poll() is None

    def start(self, environment: Mapping[str, str], *, user: pwd.struct_passwd | None = None) -> None:
        """Start it; whether it answers is another question."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=TOP if user is None else "/",
                env={**os.environ, **environment},
                user=user and user.pw_uid,
                group=user and user.pw_gid,
                start_new_session=True,
                preexec_fn=ending_with_us(signal.SIGKILL),
            )

    def kill(self) -> None:
        """End it and all that it has started, without warning."""
        if self._process is None:
            return
        family = [self.pid, *children(self.pid)]
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(30)
        self._process = None
        until = time.monotonic() + 20
        while any(Path(f"/proc/{pid}").exists() and _state(pid) != "Z" for pid in family) and time.monotonic() < until:
            time.sleep(0.01)

    def kill_only(self) -> None:
        """End it alone, without warning; what it has started has to notice."""
        os.kill(self.pid, signal.SIGKILL)
        assert self._process is not None
        self._process.wait(30)

    def last_words(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace")[-1500:]

    def complaints(self) -> str:
        """The last lines of its log but for those about requests."""
        lines = self._log.read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if " info " not in line][-40:])


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


class Server(Process):
    """`setmargin serve`, always on the same port, or a mutant of it."""

    def __init__(
        self,
        number: int,
        *,
        database: str,
        catalogues: Sequence[str],
        workers: int,
        seconds: float,
        mutant: str | None,
        told: str,
        log: Path,
    ) -> None:
        self.port = free_port()
        module = ["scripts.laboratory.mutants", mutant] if mutant else ["setmargin"]
        options = ["--host", HOST, "--port", self.port, "--workers", workers, "--rate", 0, "--seconds", seconds]
        options += ["--allow-strategy", "random", "--allow-strategy", "setmargin"]
        options += ["--webhook", told, "--webhook-pause", WEBHOOK_PAUSE, "--webhook-attempts", WEBHOOK_ATTEMPTS]
        command = [sys.executable, "-m", *module, "serve", *catalogues, *map(str, options), "--database", database]
        super().__init__(f"server {number}", command, log)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{HOST}:{self.port}"

    @property
    def is_ready(self) -> bool:
        """Whether it says that people can be served."""
        with suppress(OSError, URLError), urlopen(f"{self.url}/ready", timeout=2) as reply:
            return bool(reply.status == 200)
        return False

    def workers(self) -> list[int]:
        """Its processes that think."""
        return children(self.pid) if self.is_running else []


class Postgres(Process):
    """A PostgreSQL server in a directory, which waits for the disk as it does by default."""

    SETTINGS = (
        "shared_buffers=16MB",
        "max_connections=80",
        "wal_level=minimal",
        "max_wal_senders=0",
        "fsync=on",
        "wal_writer_delay=10s",
    )

    def __init__(self, data: Path, log: Path, *, listen: str = HOST) -> None:
        self.data, self.port, self.user = data, free_port(), ordinary_user()
        self.socket = data.parent.parent
        self._programs = binaries()
        settings = [*self.SETTINGS, f"port={self.port}", f"listen_addresses={listen}", "checkpoint_timeout=30s"]
        options = [word for each in settings for word in ("-c", each)]
        super().__init__("postgresql", [self._programs / "postgres", "-D", data, "-k", self.socket, *options], log)

    def create(self) -> None:
        """Make its files; small segments of the log, for they are compared at every commit."""
        make = [self._programs / "initdb", "--no-sync", "--auth=trust", "--username=setmargin", "--encoding=UTF8"]
        done = subprocess.run(
            [str(word) for word in [*make, "--wal-segsize=1", "-D", self.data]],
            cwd="/",
            user=self.user and self.user.pw_uid,
            group=self.user and self.user.pw_gid,
            capture_output=True,
            timeout=120,
        )
        if done.returncode:
            raise NoPostgres(f"initdb failed: {done.stderr.decode(errors='replace')[-300:]}")
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {NETWORK}.0/24 trust\n")

    @property
    def is_ready(self) -> bool:
        """Whether it lets somebody in."""
        import psycopg

        with suppress(psycopg.OperationalError):
            place = str(self.socket)
            psycopg.connect(host=place, port=self.port, user="setmargin", dbname="postgres", connect_timeout=2).close()
            return True
        return False

    def url(self, host: str, port: int) -> str:
        """For a server that reaches it there."""
        return f"postgresql://setmargin@{host}:{port}/postgres"
