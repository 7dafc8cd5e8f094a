"""How a database comes to the present schema: numbered steps, each of which runs once and is never edited again.

To change the schema, append a step to MIGRATIONS and bring tables.py up to date; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, delete, false, func, insert, select

from setmargin.server.errors import NewerSchema
from setmargin.server.store.tables import ledger

Migration = Callable[[Connection], None]

# Any number will do, so long as every setmargin takes the same one.
LOCK = 7_365_746_001

# What the two databases call the same thing.
WORDS = {
    "sqlite": {"moment": "DATETIME", "real": "DOUBLE", "bytes": "BLOB"},
    "postgresql": {"moment": "TIMESTAMP WITH TIME ZONE", "real": "DOUBLE PRECISION", "bytes": "BYTEA"},
}


def _first(connection: Connection) -> None:
    """Catalogues, interviews, events, and the two caches."""
    _run(
        connection,
        """CREATE TABLE catalogues (
            digest TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, created {moment} NOT NULL)""",
        """CREATE TABLE shelf (
            name TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL REFERENCES catalogues (digest))""",
        """CREATE TABLE interviews (
            id TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL REFERENCES catalogues (digest), strategy TEXT NOT NULL,
            seed BIGINT NOT NULL, created {moment} NOT NULL, seen {moment} NOT NULL, version INTEGER NOT NULL)""",
        """CREATE TABLE events (
            interview TEXT NOT NULL REFERENCES interviews (id), number INTEGER NOT NULL, body TEXT NOT NULL,
            key TEXT, request TEXT, created {moment} NOT NULL,
            PRIMARY KEY (interview, number), UNIQUE (interview, key))""",
        """CREATE TABLE beliefs (
            interview TEXT PRIMARY KEY NOT NULL REFERENCES interviews (id), version INTEGER NOT NULL,
            body {bytes} NOT NULL)""",
        """CREATE TABLE progress (
            interview TEXT PRIMARY KEY NOT NULL REFERENCES interviews (id), version INTEGER NOT NULL,
            answers INTEGER NOT NULL, expected_loss {real}, finished BOOLEAN NOT NULL,
            importance TEXT NOT NULL)""",
    )


def _priors(connection: Connection) -> None:
    """What earlier people were like. Interviews name theirs in their strategy, so their table stays as it is."""
    _run(
        connection,
        """CREATE TABLE priors (
            catalogue TEXT NOT NULL, version INTEGER NOT NULL, digest TEXT NOT NULL REFERENCES catalogues (digest),
            source TEXT NOT NULL, people INTEGER, finished INTEGER NOT NULL, document TEXT NOT NULL,
            created {moment} NOT NULL, PRIMARY KEY (catalogue, version))""",
    )


MIGRATIONS: tuple[Migration, ...] = (_first, _priors)


def migrate(engine: Engine, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Run the steps that the database lacks, all or none, and say how many there were.

    Of several servers that start at once, one does it and the others wait for it.
    """
    with engine.begin() as connection:
        _take_turns(connection)
        _run(
            connection,
            "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY NOT NULL, applied {moment} NOT NULL)",
        )
        connection.execute(delete(ledger).where(false()))  # what cannot be written says so now, not at the first answer
        done = schema_version(connection)
        if done > len(migrations):
            raise NewerSchema(found=done, known=len(migrations))
        for number, migration in enumerate(migrations[done:], done + 1):
            migration(connection)
            connection.execute(insert(ledger).values(number=number, applied=datetime.now(UTC)))
        return len(migrations) - done


def schema_version(connection: Connection) -> int:
    """The number of the last step that ran."""
    return connection.scalar(select(func.coalesce(func.max(ledger.c.number), 0))) or 0


def _take_turns(connection: Connection) -> None:
    """SQLite's transaction is alone from its beginning; PostgreSQL needs to be told."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement.format(**WORDS[connection.dialect.name]))
