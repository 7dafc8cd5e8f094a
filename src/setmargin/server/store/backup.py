"""Copies of a whole database, made while servers run, and databases made of them.

A backup is a SQLite file of the present schema, wherever it comes from: SQLite copies itself, PostgreSQL is read in one
snapshot. So a backup of either can be restored into either, and can be looked at with `setmargin database verify`.
Nothing is ever overwritten, and nothing appears before its chains of events are verified.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Table, func, insert, inspect, select

from setmargin.files import drafted
from setmargin.server.errors import StoreError
from setmargin.server.store.engine import connect, parse, shown, translated
from setmargin.server.store.store import Store
from setmargin.server.store.tables import catalogues, interviews, ledger, metadata
from setmargin.server.store.verify import Verified

AT_ONCE: Final = 200
"""Rows that are copied together."""
COPIED: Final[tuple[Table, ...]] = tuple(table for table in metadata.sorted_tables if table is not ledger)
MOST_NAMED: Final = 3


def back_up(url: str, target: Path) -> Verified:
    """Copy the database at this place into a new file, as it is at one moment; what was verified of the copy.

    Raises StoreError, and leaves nothing, where the file is there already or the database is damaged.
    """
    with _new_file(target) as draft:
        with Store.existing(url) as store:
            known = parse(url)
            if known.get_backend_name() == "sqlite":
                _copy_file(Path(known.database or ""), draft)
            else:
                _copy_rows_to_file(store, draft)
        return _verified(draft, "the database is damaged", "see setmargin database verify", allow=False)


def restore(source: Path, url: str, *, damaged: bool = False) -> Verified:
    """Make a database at this place of a backup, of this version or an earlier one; what was verified of it.

    Raises StoreError, and changes nothing, where there is one already, or where the backup is damaged, unless that is
    said to be fine.
    """
    if not source.is_file():
        raise StoreError(f"there is no backup {source}; give the file that setmargin database backup wrote")
    known = parse(url)
    if known.get_backend_name() == "sqlite":
        with _new_file(Path(known.database or "")) as draft:
            return _unpacked(source, draft, damaged)
    with tempfile.TemporaryDirectory(prefix="setmargin-restore-") as place:
        draft = Path(place) / "backup.db"
        found = _unpacked(source, draft, damaged)
        _copy_rows_to_database(draft, url)
    with Store.existing(url) as store:
        again = store.verify()
    if (again.interviews, again.events, again.questions) != (found.interviews, found.events, found.questions):
        raise StoreError(f"{shown(known)} does not hold what the backup holds; somebody else writes to it")
    return again


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """A draft of a SQLite file that is not there yet, put in place once it is whole."""
    try:
        if target.exists():
            raise FileExistsError
        with drafted(target, new=True, private=True) as draft:
            try:
                yield draft
            finally:
                for beside in ("-wal", "-shm"):
                    Path(f"{draft}{beside}").unlink(missing_ok=True)
    except FileExistsError:
        raise StoreError(f"{target} is there already, and nothing is overwritten; choose another place") from None
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}; choose another place") from None


def _copy_file(source: Path, target: Path) -> None:
    """SQLite's own copy of a database in use, in one step, and so of one moment; whoever answers goes on."""
    with (
        translated(parse(f"sqlite:///{source}")),
        closing(sqlite3.connect(source, timeout=60.0)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing)


def _unpacked(source: Path, draft: Path, damaged: bool) -> Verified:
    """A copy of the backup, brought to the present schema."""
    _copy_file(source, draft)
    engine = connect(f"sqlite:///{draft}")
    try:
        if not inspect(engine).has_table(ledger.name):
            raise StoreError(f"{source} is no backup of setmargin; give the file that setmargin database backup wrote")
    finally:
        engine.dispose()
    Store.open(f"sqlite:///{draft}").close()
    cure = "take another backup, or restore this one with --damaged"
    return _verified(draft, f"{source} is damaged", cure, allow=damaged)


def _verified(draft: Path, wrong: str, cure: str, *, allow: bool) -> Verified:
    with Store.existing(f"sqlite:///{draft}") as store:
        found = store.verify()
    if found.damages and not allow:
        first = "; ".join(f"place {each.place}: {each.detail}" for each in found.damages[:MOST_NAMED])
        raise StoreError(f"{wrong} in {len(found.damages)} places ({first}); {cure}")
    return found


# Row by row, between databases of both kinds


def _copy_rows_to_file(store: Store, target: Path) -> None:
    url = f"sqlite:///{target}"
    os.unlink(target)  # an empty file is no database yet
    Store.open(url).close()
    with store.snapshot() as reading:
        _copy_into(url, reading)


def _copy_rows_to_database(source: Path, url: str) -> None:
    Store.open(url).close()
    with Store.existing(f"sqlite:///{source}") as store, store.snapshot() as reading:
        _copy_into(url, reading)


def _copy_into(url: str, reading: Connection) -> None:
    """Copy all tables in one transaction, into a database that has none of them filled."""
    engine = connect(url)
    try:
        with translated(engine.url), engine.execution_options(purpose="migrate").begin() as writing:
            _check_empty(writing, url)
            for table in COPIED:
                rows = reading.execution_options(stream_results=True, max_row_buffer=AT_ONCE).execute(select(table))
                for some in rows.mappings().partitions(AT_ONCE):
                    writing.execute(insert(table), [dict(row) for row in some])
    finally:
        engine.dispose()


def _check_empty(connection: Connection, url: str) -> None:
    if connection.dialect.name == "postgresql":
        names = ", ".join(table.name for table in COPIED)
        connection.exec_driver_sql(f"LOCK TABLE {names} IN EXCLUSIVE MODE")
    many = connection.scalar(select(func.count()).select_from(interviews)) or 0
    others = connection.scalar(select(func.count()).select_from(catalogues)) or 0
    if many or others:
        raise StoreError(
            f"{shown(parse(url))} holds {many:,} interviews on {others:,} catalogues, and nothing is overwritten; "
            "give an empty database"
        )
