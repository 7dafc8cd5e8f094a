"""Priors in the store: every version of what earlier people were like, by the name of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from setmargin.server.errors import UnknownPrior
from setmargin.server.store.tables import catalogues, events, interviews, priors, progress, put, to_text

Source = Literal["learnt", "given"]


@dataclass(frozen=True)
class StoredPrior:
    """One version of a prior.

    `digest` is the catalogue that it was made for, `people` how many people it was learnt from (None where a file does
    not say), and `finished` how many interviews were finished when it was made.
    """

    catalogue: str
    version: int
    digest: str
    source: Source
    people: int | None
    finished: int
    document: dict[str, Any]
    created: datetime


def put_prior(connection: Connection, prior: Mapping[str, Any], *, document: Mapping[str, Any], at: datetime) -> bool:
    """Write this version; False, and nothing, where there is one of this number."""
    row = {**prior, "document": to_text(document), "created": at}
    added = put(connection, priors, row, replacing=()).returning(priors.c.version)
    return connection.scalar(added) is not None


def newest_prior(connection: Connection, catalogue: str, source: Source | None) -> StoredPrior | None:
    """The version with the highest number, of this source where one is named."""
    query = select(priors).where(priors.c.catalogue == catalogue).order_by(priors.c.version.desc()).limit(1)
    row = connection.execute(query if source is None else query.where(priors.c.source == source)).one_or_none()
    return None if row is None else _as_prior(row)


def prior_of(connection: Connection, catalogue: str, version: int) -> StoredPrior:
    """One version; UnknownPrior where there is none."""
    query = select(priors).where(priors.c.catalogue == catalogue, priors.c.version == version)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownPrior(catalogue, version)
    return _as_prior(row)


def all_priors(connection: Connection) -> tuple[StoredPrior, ...]:
    """Every version, by catalogue, the newest first."""
    rows = connection.execute(select(priors).order_by(priors.c.catalogue, priors.c.version.desc()))
    return tuple(map(_as_prior, rows))


def count_finished(connection: Connection) -> dict[str, dict[str, int]]:
    """How many interviews with an answer are finished, by the name and then the digest of their catalogue."""
    named = (catalogues.c.name, catalogues.c.digest)
    joined = progress.join(interviews).join(catalogues)
    query = select(*named, func.count().label("finished")).select_from(joined).where(_is_finished())
    counts: dict[str, dict[str, int]] = {}
    for row in connection.execute(query.group_by(*named)):
        counts.setdefault(row.name, {})[row.digest] = row.finished
    return counts


def finished_logs(connection: Connection, catalogue: str, most: int) -> tuple[tuple[Any, ...], ...]:
    """The events of the interviews that `count_finished` counts, of those that began last; no more is told of them.

    An event that is no JSON is None, so that one damaged interview does not keep all others from being learnt from.
    """
    joined = progress.join(interviews).join(catalogues)
    query = select(interviews.c.id).select_from(joined).where(_is_finished(), catalogues.c.name == catalogue)
    chosen = query.order_by(interviews.c.created.desc(), interviews.c.id).limit(most).subquery()
    wanted = select(events.c.interview, events.c.body).join(chosen, chosen.c.id == events.c.interview)
    logs: dict[str, list[Any]] = {}
    for id, body in connection.execute(wanted.order_by(events.c.interview, events.c.number)):
        logs.setdefault(id, []).append(_event(body))
    return tuple(map(tuple, logs.values()))


def _event(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _is_finished() -> ColumnElement[bool]:
    return and_(progress.c.finished, progress.c.answers > 0)


def _as_prior(row: Row[Any]) -> StoredPrior:
    return StoredPrior(**{**row._mapping, "document": json.loads(row.document)})
