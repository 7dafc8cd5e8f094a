"""Insert or replace, in the words of both databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = sqlite.Insert | postgresql.Insert


def put(connection: Connection, table: Table, row: Mapping[str, Any], *, replacing: Sequence[str]) -> Insert:
    """Insert the row; where its primary key is there already, replace these columns and nothing else."""
    statement = _insert(connection, table).values(row)
    keys = list(table.primary_key)
    if not replacing:
        return statement.on_conflict_do_nothing(index_elements=keys)
    return statement.on_conflict_do_update(index_elements=keys, set_={name: row[name] for name in replacing})


def keep_newest(connection: Connection, table: Table, row: Mapping[str, Any]) -> Insert:
    """Insert the row, or replace the one that is there unless that has a higher version."""
    statement = _insert(connection, table).values(row)
    newer: ColumnElement[bool] = table.c.version <= statement.excluded.version
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=dict(row), where=newer)


def _insert(connection: Connection, table: Table) -> Insert:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
