"""Catalogues in the database, one row for each version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from setmargin.server.errors import UnknownCatalogue
from setmargin.server.store.tables import DIGEST, catalogues


@dataclass(frozen=True)
class StoredCatalogue:
    """One version of a catalogue; the digest stands for its name and document, to the last comma."""

    name: str
    digest: str
    document: dict[str, Any]
    created: datetime


def catalogue_of(connection: Connection, digest: str) -> StoredCatalogue:
    """The version of a catalogue that this digest stands for."""
    row = (
        connection.execute(select(catalogues).where(catalogues.c.digest == digest)).one_or_none()
        if DIGEST.fullmatch(digest)
        else None
    )
    if row is None:
        raise UnknownCatalogue(digest)
    return as_catalogue(row)


def name_of(connection: Connection, digest: str) -> str:
    """The name of the catalogue that this digest stands for, without reading what it holds."""
    query = select(catalogues.c.name).where(catalogues.c.digest == digest)
    name: str | None = connection.scalar(query) if DIGEST.fullmatch(digest) else None
    if name is None:
        raise UnknownCatalogue(digest)
    return name


def as_catalogue(row: Row[Any]) -> StoredCatalogue:
    """The version of a catalogue in a row."""
    return StoredCatalogue(row.name, row.digest, json.loads(row.document), row.created)
