"""A PostgreSQL server of one's own: started in a temporary directory, reached by a socket in it, gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

import psycopg
from psycopg import sql
from scripts.laboratory.processes import NoPostgres as NoPostgres
from scripts.laboratory.processes import binaries, ordinary_user
from scripts.orphans import ending_with_us

if TYPE_CHECKING:
    import pwd

QUICK = (
    "client_min_messages=warning",
    "fsync=off",
    "full_page_writes=off",
    "shared_buffers=16MB",
    "max_wal_senders=0",
    "wal_level=minimal",
)
FAST = signal.SIGINT
"""What PostgreSQL takes for: stop, and do not wait for clients."""


@contextmanager
def running(*, settings: Sequence[str] = QUICK) -> Iterator[str]:
    """The directory of the socket of a new server, where user `setmargin` needs no password."""
    programs, user = binaries(), ordinary_user()
    with tempfile.TemporaryDirectory(prefix="setmargin-pg-") as name:
        if user is not None:
            os.chown(name, user.pw_uid, user.pw_gid)
        data = Path(name, "data")
        make: list[str | Path] = [
            programs / "initdb",
            "--no-sync",
            "--auth=trust",
            "--username=setmargin",
            "--encoding=UTF8",
            "-D",
            data,
        ]
        made = subprocess.run(
            make, user=user and user.pw_uid, group=user and user.pw_gid, cwd=name, capture_output=True
        )
        if made.returncode != 0:
            raise NoPostgres(f"initdb failed: {made.stderr.decode(errors='replace')[-300:]}")
        with _process(programs, data, settings, user):
            yield name


@contextmanager
def _process(programs: Path, data: Path, settings: Sequence[str], user: pwd.struct_passwd | None) -> Iterator[None]:
    options = [word for each in settings for word in ("-c", each)]
    command: list[str | Path] = [
        programs / "postgres",
        "-D",
        data,
        "-k",
        data.parent,
        "-c",
        "listen_addresses=",
        *options,
    ]
    with open(data.parent / "log", "wb") as log:
        process = subprocess.Popen(
            command,
            user=user and user.pw_uid,
            group=user and user.pw_gid,
            cwd=data,
            stdout=log,
            stderr=log,
            preexec_fn=ending_with_us(FAST),
        )
    try:
        _wait_for(process, data.parent)
        yield
    finally:
        process.send_signal(FAST)
        process.wait(timeout=30)


def _wait_for(process: subprocess.Popen[bytes], directory: Path) -> None:
    until = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < until:
        try:
            return psycopg.connect(host=str(directory), user="setmargin", dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise NoPostgres(f"the server does not answer: {(directory / 'log').read_text(errors='replace')[-300:]}")


@contextmanager
def database(socket: str, name: str) -> Iterator[str]:
    """The URL of an empty place on the server, dropped afterwards: a schema, which is quicker made than a database."""
    _tell(socket, "CREATE SCHEMA {}", name)
    try:
        yield f"postgresql://setmargin@/postgres?host={socket}&options=-csearch_path%3D{name}"
    finally:
        _tell(socket, "DROP SCHEMA {} CASCADE", name)


def _tell(socket: str, command: LiteralString, name: str) -> None:
    with psycopg.connect(host=socket, user="setmargin", dbname="postgres", autocommit=True) as connection:
        connection.execute(sql.SQL(command).format(sql.Identifier(name)))
