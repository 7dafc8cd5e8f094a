"""The file of a SQLite database: for its owner alone, and still the same one as when it was opened."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from setmargin.server.errors import StoreError

BESIDE: Final = ("", "-wal", "-shm")
"""What SQLite keeps beside the database, which takes over its permissions."""
PRIVATE: Final = 0o600


def close_to_others(url: URL) -> None:
    """Make the file for its owner alone; one that everybody may read is closed, one for a group stays as it is.

    What cannot be done here is left to SQLite, which then says why.
    """
    path = url.database or ""
    if path.startswith("file:"):
        return  # an address with options of SQLite's own
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    for end in BESIDE:
        file = Path(path + end)
        with suppress(OSError):
            if stat.S_IMODE(file.stat().st_mode) & stat.S_IRWXO:
                file.chmod(PRIVATE)


class DatabaseFile:
    """The files that a connection has open.

    A program may delete or replace them under a running server. Whatever is written then goes into files that no
    longer have a name, and is gone with the server. So nothing is acknowledged before `check`.
    """

    def __init__(self, connection: Connection) -> None:
        """The connection has to stay open: while it does, SQLite itself leaves its files where they are."""
        path = next(row.file for row in connection.exec_driver_sql("PRAGMA database_list") if row.name == "main")
        connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()  # opens the write-ahead log
        self._path = path
        self._known = {path: _identity(path), f"{path}-wal": _identity(f"{path}-wal")}

    def check(self) -> None:
        """Raise StoreError where a file is not the one that was opened."""
        for path, known in self._known.items():
            if _identity(path) != known:
                raise StoreError(
                    f"the database {self._path} was deleted or replaced while it was in use, so nothing can be kept; "
                    "stop the server, put the file back or restore a backup, and start it again"
                )


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
