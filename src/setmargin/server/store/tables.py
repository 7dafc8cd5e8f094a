"""The tables as they are now, and how values are written into them.

How a database gets there is told in migrations.py, and a test compares the two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)
from sqlalchemy.dialects import postgresql, sqlite

from setmargin.server.errors import StoreError

metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Every time goes in as UTC."""
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Every time comes out as UTC."""
        return value and (value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC))


# The migrations that ran, each once.
ledger = Table(
    "migrations",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("applied", Moment, nullable=False),
)

# Every version of every catalogue. Documents are text, not JSON of the database's own: the order of attributes counts.
catalogues = Table(
    "catalogues",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("created", Moment, nullable=False),
)

# Which version of a catalogue is offered; offering.py tells what the other two columns mean.
offered = Table(
    "shelf",
    metadata,
    Column("name", Text, primary_key=True),
    Column("digest", Text, ForeignKey("catalogues.digest"), nullable=False),
    Column("given", Text),
    Column("withdrawn", Moment),
)

interviews = Table(
    "interviews",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", Text, ForeignKey("catalogues.digest"), nullable=False),
    Column("strategy", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("created", Moment, nullable=False),
    Column("seen", Moment, nullable=False),
    Column("version", Integer, nullable=False),
    Column("checksum", Text, nullable=False, server_default=""),
    Column("result_seen", Moment),
)

# Append-only, numbered from 1. `key` and `request` are digests: of the idempotency key, and of what was asked with it.
# `question` is the id of the question that an answer is to, `checksum` is explained in chain.py.
events = Table(
    "events",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("key", Text),
    Column("request", Text),
    Column("created", Moment, nullable=False),
    Column("question", Text),
    Column("checksum", Text, nullable=False, server_default=""),
    UniqueConstraint("interview", "key"),
)

# What was asked after so many events, written when it was and never overwritten; a body of null: nothing was left to
# ask. It is no event: reading an interview gives a question where an older version stored none, and must not change
# the version that clients have seen. Written with the event that leads to it, it costs no transaction of its own.
questions = Table(
    "questions",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created", Moment, nullable=False),
)

# Results as they were at one version, each under a link of its own.
shared = Table(
    "shared",
    metadata,
    Column("token", Text, primary_key=True),
    Column("interview", Text, ForeignKey("interviews.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("interview", "version"),
)

# What receivers of webhooks are told, written with the event that it is about; once it is taken, without its body.
# Whoever sends one puts its `due` off first, so that nobody else does; a server that dies need not give it back.
outbox = Table(
    "outbox",
    metadata,
    Column("id", Text, primary_key=True),
    Column("receiver", Text, primary_key=True),
    Column("interview", Text, ForeignKey("interviews.id"), nullable=False),
    Column("body", Text, nullable=False),
    Column("created", Moment, nullable=False),
    Column("fate", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due", Moment, nullable=False),
    Column("problem", Text),
    Index("outbox_by_receiver", "receiver", "fate", "due"),
    Index("outbox_by_interview", "interview"),
)

# Interviews that somebody deleted lately, by the digests of their ids: a start that comes late begins none anew.
deleted = Table(
    "deleted",
    metadata,
    Column("interview", Text, primary_key=True),
    Column("at", Moment, nullable=False),
    Index("deleted_at", "at"),
)

# What earlier people were like, by the name of the catalogue; versions are numbered from 1 and never overwritten.
# `digest` is the catalogue that it was made for, `finished` how many interviews were finished then.
priors = Table(
    "priors",
    metadata,
    Column("catalogue", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("digest", Text, ForeignKey("catalogues.digest"), nullable=False),
    Column("source", Text, nullable=False),
    Column("people", Integer),
    Column("finished", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("created", Moment, nullable=False),
)

# Caches: both tables can be emptied at any time.
# Beliefs after so many events in force, for which `key` stands; `version` is that of the interview when it was written.
checkpoints = Table(
    "checkpoints",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("events", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# `state` is what was shown at this version, as packed JSON. The others are what the owner's view counts: `finished`: a
# configuration was taken, which is `taken`; `done`: that, or nothing was left to ask.
progress = Table(
    "progress",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("expected_loss", Double),
    Column("finished", Boolean, nullable=False),
    Column("importance", Text, nullable=False),
    Column("state", LargeBinary),
    Column("done", Boolean, nullable=False, server_default=false()),
    Column("taken", Text),
    Column("must_haves", Text, nullable=False, server_default="[]"),
)

# How often a must-have was refused on one day, and what it was in conflict with; of nobody in particular.
refusals = Table(
    "refusals",
    metadata,
    Column("digest", Text, ForeignKey("catalogues.digest"), primary_key=True),
    Column("rule", Text, primary_key=True),
    Column("day", Moment, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("conflict", Text, nullable=False),
)


# JSON as the store keeps it, and the digests and ids that it goes by

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def to_text(value: object) -> str:
    """JSON in ASCII, in the order given: the order of attributes counts. What would not come back equal is refused."""
    try:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"only plain JSON can be stored: {error}") from None
    if json.loads(text) != value:
        raise StoreError("only plain JSON can be stored: keys have to be words, and lists no tuples")
    return text


def sorted_text(value: object) -> str:
    """JSON in which the order of keys does not count."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def digest_of(text: str) -> str:
    """SHA-256 in hexadecimal; any text will do."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Insert or replace, in the words of both databases

Insert = sqlite.Insert | postgresql.Insert


def put(connection: Connection, table: Table, row: Mapping[str, Any], *, replacing: Sequence[str]) -> Insert:
    """Insert the row; where its primary key is there already, replace these columns and nothing else."""
    statement = _insert(connection.dialect.name, table).values(row)
    keys = list(table.primary_key)
    if not replacing:
        return statement.on_conflict_do_nothing(index_elements=keys)
    return statement.on_conflict_do_update(index_elements=keys, set_={name: row[name] for name in replacing})


def keep_newest(connection: Connection, table: Table) -> Insert:
    """Insert whole rows, each in place of the one that is there unless that has a higher version."""
    return _keeping_newest(connection.dialect.name, table)


@cache
def _keeping_newest(dialect: str, table: Table) -> Insert:
    statement = _insert(dialect, table)
    newer: ColumnElement[bool] = table.c.version <= statement.excluded.version
    keys = list(table.primary_key)
    return statement.on_conflict_do_update(index_elements=keys, set_=dict(statement.excluded), where=newer)


def _insert(dialect: str, table: Table) -> Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
