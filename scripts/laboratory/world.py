"""The machines of the laboratory: servers, their database, and the disks and lines in between, all kept running."""

from __future__ import annotations

import argparse
import os
import random
import time
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.laboratory.disk import Disk, NoShim, compile_shim
from scripts.laboratory.history import Database, read_postgresql, read_sqlite
from scripts.laboratory.namespaces import Cable, Network, NotAllowed, Volume, separate
from scripts.laboratory.owner import CATALOGUE
from scripts.laboratory.people import TOKEN
from scripts.laboratory.processes import START_SECONDS, TOP, Postgres, Server, ordinary_user
from scripts.laboratory.proxy import HOST, Line
from scripts.laboratory.receiver import SECRET, Receiver, receiving

from setmargin.server.settings import TOKEN_VARIABLE
from setmargin.server.store import Store
from setmargin.server.webhooks import SECRET_VARIABLE
from setmargin.threads import ONE_THREAD

if TYPE_CHECKING:
    import pwd

AGAIN_SECONDS = 1.0
"""Between two starts of a process that ended at once."""
REFUSING = 0.2
"""How often the receiver of webhooks refuses."""


class World:
    """Everything that faults happen to. Processes are started by the thread that makes it, and end with it."""

    def __init__(self, home: Path) -> None:
        home.chmod(0o755)  # PostgreSQL runs as another user than root
        self._home, self.file = home, home / "setmargin.db"
        self.servers: list[Server] = []
        self.lines: list[Line | Cable] = []
        self.network: Network | None = None
        """That of the database, where it has one of its own."""
        self.volume: Volume | None = None
        """The file system of the database, where it has one of its own."""
        self.no_namespaces = ""
        """Why it has not, if so."""
        self.postgres: Postgres | None = None
        self.no_shim = ""
        """Why disks and clocks do not fail here, if so."""
        self.orphans: set[int] = set()
        """Workers whose server was killed, and that have to end by themselves."""
        self.disks: list[Disk] = []
        """Of each machine: the last one has the database."""
        self._started: dict[str, float] = {}
        self._open = ExitStack()
        self.receiver: Receiver
        """Who is told of finished interviews."""

    def start(self, wanted: argparse.Namespace) -> None:
        """Make and start everything; returns when the servers are ready."""
        try:
            separate()
        except NotAllowed as reason:
            self.no_namespaces = str(reason)
        names = ["servers", "database"] if wanted.database == "postgresql" else ["servers"]
        folders = [self._make_folder(name, ordinary_user() if name == "database" else None) for name in names]
        try:
            shim = compile_shim(self._home)
            self.disks = [Disk(shim, folder) for folder in folders]
        except NoShim as reason:
            self.no_shim = str(reason)
        place = self._place_of_database(folders[-1])
        if not self.no_namespaces:
            self.volume = Volume(place)
        if wanted.database == "postgresql":
            self._make_postgres(place)
        self.file = place / "setmargin.db"
        self.receiver = self._open.enter_context(receiving(Receiver(refusing=REFUSING, seed=wanted.seed)))
        self._make_servers(wanted)

    def _place_of_database(self, folder: Path) -> Path:
        if self.disks:
            return self.disks[-1].root
        status, place = folder.stat(), folder / "root"
        place.mkdir(mode=0o700)
        os.chown(place, status.st_uid, status.st_gid)
        return place

    def _make_folder(self, name: str, owner: pwd.struct_passwd | None) -> Path:
        """A folder in which files belong to whoever runs what is on that machine."""
        (folder := self._home / name).mkdir()
        folder.chmod(0o755)
        if owner:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        return folder

    def _make_postgres(self, place: Path) -> None:
        self.network = None if self.no_namespaces else Network()
        listen = "*" if self.network else HOST
        self.postgres = Postgres(place / "data", self._home / "postgresql.log", listen=listen)
        self.postgres.create()
        if self.disks:
            self.disks[-1].sync_all()
        self._wait(self.postgres)

    def _make_servers(self, wanted: argparse.Namespace) -> None:
        leaflet = self._home / "leaflet.yaml"
        leaflet.write_text(CATALOGUE)
        for number in range(1, wanted.servers + 1):
            url = f"sqlite:///{self.file}"
            if self.postgres is not None:
                port = self.postgres.port
                self.lines.append(self.network.cable(number, port) if self.network else Line(port))
                url = self.postgres.url(self.lines[-1].host, self.lines[-1].port)
            self.servers.append(
                Server(
                    number,
                    database=url,
                    catalogues=[wanted.catalogue, str(leaflet)],
                    workers=wanted.workers,
                    seconds=wanted.think,
                    mutant=wanted.mutant,
                    told=self.receiver.url,
                    log=self._home / f"server-{number}.log",
                )
            )
        for server in self.servers:
            self._wait(server)

    def _wait(self, process: Server | Postgres) -> None:
        until = time.monotonic() + START_SECONDS
        while not process.is_ready:
            self.tend()
            if time.monotonic() > until:
                raise RuntimeError(f"{process.name} does not start:\n{process.last_words()}")
            time.sleep(0.1)

    def tend(self) -> None:
        """Start whatever has ended, as whoever runs servers would."""
        for process in [*([self.postgres] if self.postgres else []), *self.servers]:
            now = time.monotonic()
            if not process.is_running and now - self._started.get(process.name, 0.0) > AGAIN_SECONDS:
                self._started[process.name] = now
                if isinstance(process, Postgres):
                    environment = self.disks[-1].environment if self.disks else {}
                    with self.network.inside() if self.network else nullcontext():
                        process.start(environment, user=process.user)
                else:
                    paths = [str(TOP), str(TOP / "src"), os.environ.get("PYTHONPATH", "")]
                    environment = {
                        **ONE_THREAD,
                        TOKEN_VARIABLE: TOKEN,
                        SECRET_VARIABLE: SECRET,
                        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                    }
                    process.start({**(self.disks[0].environment if self.disks else {}), **environment})

    @property
    def means(self) -> dict[str, str]:
        """How faults are simulated that can be so in more than one way."""
        shim = f"a library in front of the system ({self.no_namespaces})"
        disk = "a file system of its own" if self.volume else shim
        line = "network namespaces" if self.network else f"a proxy ({self.no_namespaces})"
        return {"full-disk": disk, "read-only": disk} | ({"partition": line} if self.postgres else {})

    def kill_machine_of_database(self) -> None:
        """End everything on the machine that has the database."""
        for process in [self.postgres] if self.postgres else self.servers:
            process.kill()

    def lose_power(self, draw: random.Random) -> int:
        """Let the machine of the database lose power; how many files are not what they were."""
        self.kill_machine_of_database()
        changed = self.disks[-1].lose_power(draw)
        if self.postgres is not None:  # the process that it names is gone, and its number may be another's by now
            (self.postgres.data / "postmaster.pid").unlink(missing_ok=True)
        return changed

    def read(self) -> Database:
        """What the database holds, once everything has ended that could change it."""
        for server in self.servers:
            server.kill()
        if self.postgres is None:
            return read_sqlite(str(self.file))
        self.servers = []
        self._wait(self.postgres)
        return read_postgresql(str(self.postgres.socket), port=self.postgres.port)

    def damages(self) -> list[str]:
        """What `setmargin database verify` finds: its chain of checksums has to agree with the judge."""
        line = self.lines[0] if self.lines else None
        url = self.postgres.url(line.host, line.port) if self.postgres and line else f"sqlite:///{self.file}"
        with Store.existing(url) as store:
            return [str(each) for each in store.verify().damages]

    def living_orphans(self) -> list[int]:
        """Workers that still live though their server was killed."""
        return [pid for pid in self.orphans if Path(f"/proc/{pid}/cmdline").exists() and _is_python(pid)]

    def close(self) -> None:
        """End everything."""
        for disk in self.disks:
            disk.set("fine")
        for process in [*self.servers, *([self.postgres] if self.postgres else [])]:
            with suppress(Exception):
                process.kill()
        self._open.close()
        for line in self.lines:
            line.close()
        for own in (self.network, self.volume):
            if own is not None:
                own.close()


def _is_python(pid: int) -> bool:
    with suppress(OSError):
        return b"python" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
