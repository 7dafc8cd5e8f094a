"""How a database comes to the present schema: numbered steps, each of which runs once and is never edited again.

To change the schema, append a step to MIGRATIONS and bring tables.py up to date; a test compares the two.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from sqlalchemy import BigInteger, Connection, Engine, Text, delete, false, func, insert, inspect, select, text

from setmargin.server.errors import NewerSchema, StoreError
from setmargin.server.store import chain
from setmargin.server.store.tables import Moment, ledger

Migration = Callable[[Connection], None]
CHAINED_AT_ONCE = 500
"""Interviews whose events are held in memory while they get their checksums."""

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


def _questions_and_chains(connection: Connection) -> None:
    """Questions as they were given, and checksums; the events that are there get theirs now."""
    _run(
        connection,
        """CREATE TABLE questions (
            interview TEXT NOT NULL REFERENCES interviews (id), version INTEGER NOT NULL, id TEXT NOT NULL,
            body TEXT NOT NULL, created {moment} NOT NULL, PRIMARY KEY (interview, version))""",
        "ALTER TABLE interviews ADD COLUMN checksum TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE events ADD COLUMN question TEXT",
        "ALTER TABLE events ADD COLUMN checksum TEXT NOT NULL DEFAULT ''",
    )
    after: str | None = ""
    while after is not None:
        after = _chain_some(connection, after)


def _chain_some(connection: Connection, after: str) -> str | None:
    """Chain the events of the interviews that come next by their ids; returns the last id, None where there is none."""
    interviews = text(
        "SELECT id, digest, strategy, seed, created FROM interviews WHERE id > :after ORDER BY id LIMIT :most"
    ).columns(id=Text, digest=Text, strategy=Text, seed=BigInteger, created=Moment)
    rows = connection.execute(interviews, {"after": after, "most": CHAINED_AT_ONCE}).mappings().all()
    if not rows:
        return None
    ends = {row["id"]: chain.beginning(dict(row)) for row in rows}
    events = text(
        "SELECT interview, number, body, key, request, question, created FROM events "
        "WHERE interview > :after AND interview <= :last ORDER BY interview, number"
    ).columns(interview=Text, body=Text, key=Text, request=Text, question=Text, created=Moment)
    links: list[dict[str, object]] = []
    for event in connection.execute(events, {"after": after, "last": rows[-1]["id"]}).mappings():
        id = event["interview"]
        if id in ends:  # else it is of no interview, which `database verify` says
            ends[id] = chain.following(ends[id], dict(event))
            links.append({"interview": id, "number": event["number"], "checksum": ends[id]})
    heads = [{"id": id, "checksum": checksum} for id, checksum in ends.items()]
    if links:
        connection.execute(
            text("UPDATE events SET checksum = :checksum WHERE interview = :interview AND number = :number"), links
        )
    connection.execute(text("UPDATE interviews SET checksum = :checksum WHERE id = :id"), heads)
    return str(rows[-1]["id"])


def _checkpoints(connection: Connection) -> None:
    """Several beliefs for each interview, which say what they follow, and the state that was shown last.

    Beliefs from before do not say it; what they saved is worked out again.
    """
    _run(
        connection,
        "DROP TABLE beliefs",
        """CREATE TABLE checkpoints (
            interview TEXT NOT NULL REFERENCES interviews (id), events INTEGER NOT NULL, key TEXT NOT NULL,
            version INTEGER NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (interview, events))""",
        "ALTER TABLE progress ADD COLUMN state {bytes}",
    )


def _shared(connection: Connection) -> None:
    """Results under links of their own."""
    _run(
        connection,
        """CREATE TABLE shared (
            token TEXT PRIMARY KEY NOT NULL, interview TEXT NOT NULL REFERENCES interviews (id),
            version INTEGER NOT NULL, document TEXT NOT NULL, created {moment} NOT NULL,
            UNIQUE (interview, version))""",
    )


def _offering(connection: Connection) -> None:
    """Where catalogues come from, and which are withdrawn; what is there counts as from files."""
    _run(
        connection,
        "ALTER TABLE shelf ADD COLUMN given TEXT",
        "ALTER TABLE shelf ADD COLUMN withdrawn {moment}",
        "UPDATE shelf SET given = digest",
    )


def _wants(connection: Connection) -> None:
    """What people took and insisted on, results that were looked at, and must-haves that were refused.

    What interviews that are there came to is read from what they were shown last.
    """
    _run(
        connection,
        "ALTER TABLE interviews ADD COLUMN result_seen {moment}",
        "ALTER TABLE progress ADD COLUMN done BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE progress ADD COLUMN taken TEXT",
        "ALTER TABLE progress ADD COLUMN must_haves TEXT NOT NULL DEFAULT '[]'",
        "UPDATE progress SET done = finished",
        """CREATE TABLE refusals (
            digest TEXT NOT NULL REFERENCES catalogues (digest), rule TEXT NOT NULL, day {moment} NOT NULL,
            count INTEGER NOT NULL, conflict TEXT NOT NULL, PRIMARY KEY (digest, rule, day))""",
    )
    after: str | None = ""
    while after is not None:
        after = _read_some_wants(connection, after)


def _read_some_wants(connection: Connection, after: str) -> str | None:
    """Read what the interviews that come next by their ids showed last; returns the last id, None: there is none."""
    shown = text(
        "SELECT interview, state FROM progress WHERE interview > :after AND state IS NOT NULL "
        "ORDER BY interview LIMIT :most"
    )
    rows = connection.execute(shown, {"after": after, "most": CHAINED_AT_ONCE}).all()
    known = []
    for id, packed in rows:
        with suppress(ValueError, TypeError, KeyError, zlib.error):  # what cannot be read is not known
            state = json.loads(zlib.decompress(packed))
            taken = (
                None if state["finished"] is None else json.dumps(state["finished"]["values"], separators=(",", ":"))
            )
            must_haves = json.dumps(state["must_haves"], separators=(",", ":"))
            known.append({"id": id, "done": bool(state["done"]), "taken": taken, "must_haves": must_haves})
    if known:
        connection.execute(
            text("UPDATE progress SET done = :done, taken = :taken, must_haves = :must_haves WHERE interview = :id"),
            known,
        )
    return rows[-1][0] if rows else None


def _outbox(connection: Connection) -> None:
    """What receivers of webhooks are told."""
    _run(
        connection,
        """CREATE TABLE outbox (
            id TEXT NOT NULL, receiver TEXT NOT NULL, interview TEXT NOT NULL REFERENCES interviews (id),
            body TEXT NOT NULL, created {moment} NOT NULL, fate TEXT NOT NULL, attempts INTEGER NOT NULL,
            due {moment} NOT NULL, problem TEXT, PRIMARY KEY (id, receiver))""",
        "CREATE INDEX outbox_by_receiver ON outbox (receiver, fate, due)",
        "CREATE INDEX outbox_by_interview ON outbox (interview)",
    )


def _deleted(connection: Connection) -> None:
    """Interviews that somebody deleted lately."""
    _run(
        connection,
        "CREATE TABLE deleted (interview TEXT NOT NULL PRIMARY KEY, at {moment} NOT NULL)",
        "CREATE INDEX deleted_at ON deleted (at)",
    )


MIGRATIONS: tuple[Migration, ...] = (
    _first,
    _priors,
    _questions_and_chains,
    _checkpoints,
    _shared,
    _offering,
    _wants,
    _outbox,
    _deleted,
)


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


def check_current(engine: Engine) -> None:
    """Raise StoreError unless the database has the present schema."""
    with engine.begin() as connection:
        done = schema_version(connection) if inspect(connection).has_table(ledger.name) else 0
    if done > len(MIGRATIONS):
        raise NewerSchema(found=done, known=len(MIGRATIONS))
    if done < len(MIGRATIONS):
        raise StoreError(
            f"the database has schema {done} of {len(MIGRATIONS)}; start `setmargin serve` on it once to upgrade it"
        )


def _take_turns(connection: Connection) -> None:
    """SQLite's transaction is alone from its beginning; PostgreSQL needs to be told."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement.format(**WORDS[connection.dialect.name]))
