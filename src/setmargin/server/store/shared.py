"""Results that people share: what they came to at one version, under a link that opens nothing else."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, func, insert, select

from setmargin.server.errors import RequestError, UnknownShared
from setmargin.server.store.tables import ID, catalogues, interviews, shared, to_text

TOKEN_BYTES = 18
MOST_SHARED = 20
"""Links to one interview's results."""


@dataclass(frozen=True)
class StoredShared:
    """A result as it was shared, and the catalogue that it is about."""

    digest: str
    created: datetime
    document: dict[str, Any]


def token_at(connection: Connection, id: str, version: int) -> str | None:
    """The link to the result at this version; None where it was not shared."""
    place = and_(shared.c.interview == id, shared.c.version == version)
    found: str | None = connection.scalar(select(shared.c.token).where(place))
    return found


def share(connection: Connection, id: str, version: int, document: dict[str, Any], *, at: datetime) -> str:
    """Keep the result under a new link."""
    many = connection.scalar(select(func.count()).select_from(shared).where(shared.c.interview == id)) or 0
    if many >= MOST_SHARED:
        raise RequestError(f"this interview has {many} links to its results already", cure="use one of them")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    row = {"token": token, "interview": id, "version": version, "document": to_text(document), "created": at}
    connection.execute(insert(shared).values(row))
    return token


def shared_result(connection: Connection, token: str) -> StoredShared:
    """The result behind a link; UnknownShared if there is none."""
    if not ID.fullmatch(token):
        raise UnknownShared
    joined = shared.join(interviews, interviews.c.id == shared.c.interview).join(catalogues)
    query = select(shared.c.document, shared.c.created, interviews.c.digest).select_from(joined)
    row = connection.execute(query.where(shared.c.token == token)).one_or_none()
    if row is None:
        raise UnknownShared
    return StoredShared(row.digest, row.created, json.loads(row.document))
