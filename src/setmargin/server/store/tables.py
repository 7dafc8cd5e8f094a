"""The tables as they are now. How a database gets there is told in migrations.py, and a test compares the two."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

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

# Which version of a catalogue is offered now.
shelf = Table(
    "shelf",
    metadata,
    Column("name", Text, primary_key=True),
    Column("digest", Text, ForeignKey("catalogues.digest"), nullable=False),
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
)

# Append-only, numbered from 1. `key` and `request` are digests: of the idempotency key, and of what was asked with it.
events = Table(
    "events",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("key", Text),
    Column("request", Text),
    Column("created", Moment, nullable=False),
    UniqueConstraint("interview", "key"),
)

# Caches: both tables can be emptied at any time.
beliefs = Table(
    "beliefs",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

progress = Table(
    "progress",
    metadata,
    Column("interview", Text, ForeignKey("interviews.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("expected_loss", Double),
    Column("finished", Boolean, nullable=False),
    Column("importance", Text, nullable=False),
)
