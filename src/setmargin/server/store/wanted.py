"""What people took and insisted on, counted by the database, catalogue by catalogue, for the owner's view."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import JSON, Connection, Select, Text, cast, func, select, true

from setmargin.server.store.summary import begun_since
from setmargin.server.store.tables import catalogues, interviews, progress, refusals

if TYPE_CHECKING:
    from setmargin.server.store.store import Store

MOST_CONFIGURATIONS: Final = 5
MOST_REFUSALS: Final = 10


@dataclass(frozen=True)
class TakenConfiguration:
    """A configuration that so many people took; the digest is of a catalogue that it is of."""

    values: dict[str, Any]
    digest: str
    count: int


@dataclass(frozen=True)
class RefusedMustHave:
    """A must-have that so many times nothing satisfied together with a conflict, the first there was."""

    rule: str
    conflict: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class CatalogueWants:
    """What people took of the catalogues of one name, and what they insisted on, each most frequent first.

    `values` counts the values of each attribute among all that was taken, as text; `must_haves` are those in force at
    the end, of all interviews with an answer, taken or not.
    """

    configurations: tuple[TakenConfiguration, ...] = ()
    values: dict[str, dict[str, int]] = field(default_factory=dict)
    must_haves: dict[str, int] = field(default_factory=dict)
    refused: tuple[RefusedMustHave, ...] = ()


def wants(store: Store, *, since: datetime | None = None) -> dict[str, CatalogueWants]:
    """By the name of the catalogue, over the interviews begun since then; must-haves refused since that day."""
    with store.transaction("report") as connection:
        configurations = _configurations(connection, since)
        values = _values(connection, since)
        must_haves = _must_haves(connection, since)
        refused = _refused(connection, since)
    return {
        name: CatalogueWants(
            tuple(configurations.get(name, ())),
            values.get(name, {}),
            must_haves.get(name, {}),
            tuple(refused.get(name, ())),
        )
        for name in {*configurations, *values, *must_haves, *refused}
    }


def _configurations(connection: Connection, since: datetime | None) -> dict[str, list[TakenConfiguration]]:
    """The few that most people took; equals by the text of their catalogue, which has one order of attributes."""
    count, digest = func.count().label("people"), func.max(catalogues.c.digest).label("digest")
    each = select(catalogues.c.name, progress.c.taken, digest, count)
    each = _of_people(each, since).where(progress.c.taken.is_not(None)).group_by(catalogues.c.name, progress.c.taken)
    counted = each.subquery()
    order = (counted.c.people.desc(), counted.c.taken)
    place = func.row_number().over(partition_by=counted.c.name, order_by=order).label("place")
    placed = select(counted, place).subquery()
    query = select(placed).where(placed.c.place <= MOST_CONFIGURATIONS).order_by(placed.c.name, placed.c.place)
    found: dict[str, list[TakenConfiguration]] = defaultdict(list)
    for row in connection.execute(query):
        found[row.name].append(TakenConfiguration(json.loads(row.taken), row.digest, row.people))
    return found


def _values(connection: Connection, since: datetime | None) -> dict[str, dict[str, dict[str, int]]]:
    each = _pairs(connection)
    value, count = cast(each.c.value, Text).label("value"), func.count().label("count")
    query = _of_people(select(catalogues.c.name, each.c.key, value, count), since).where(progress.c.taken.is_not(None))
    query = query.join(each, true()).group_by(catalogues.c.name, each.c.key, "value")
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for name, attribute, text, many in connection.execute(query.order_by(count.desc(), "value")):
        found[name][attribute][text] = many
    return found


def _must_haves(connection: Connection, since: datetime | None) -> dict[str, dict[str, int]]:
    each = _elements(connection)
    count = func.count().label("count")
    query = _of_people(select(catalogues.c.name, each.c.value, count), since).where(progress.c.answers > 0)
    query = query.join(each, true()).group_by(catalogues.c.name, each.c.value)
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for name, rule, many in connection.execute(query.order_by(count.desc(), each.c.value)):
        found[name][rule] = many
    return found


def _refused(connection: Connection, since: datetime | None) -> dict[str, list[RefusedMustHave]]:
    count = func.sum(refusals.c.count).label("count")
    query = select(catalogues.c.name, refusals.c.rule, func.min(refusals.c.conflict).label("conflict"), count)
    query = query.join(catalogues, catalogues.c.digest == refusals.c.digest)
    if since is not None:
        query = query.where(refusals.c.day >= since.replace(hour=0, minute=0, second=0, microsecond=0))
    query = query.group_by(catalogues.c.name, refusals.c.rule).order_by(count.desc(), refusals.c.rule)
    found: dict[str, list[RefusedMustHave]] = defaultdict(list)
    for name, rule, conflict, many in connection.execute(query):
        if len(found[name]) < MOST_REFUSALS:
            found[name].append(RefusedMustHave(rule, tuple(json.loads(conflict)), int(many)))
    return found


def _of_people(query: Select[Any], since: datetime | None) -> Select[Any]:
    """About the interviews begun since then, with what is known of how far they came."""
    joined = progress.join(interviews, interviews.c.id == progress.c.interview).join(catalogues)
    return query.select_from(joined).where(begun_since(since))


def _pairs(connection: Connection) -> Any:
    """The attributes of what was taken, with their values; the databases have other words for it."""
    if connection.dialect.name == "sqlite":
        return func.json_each(progress.c.taken).table_valued("key", "value")
    return func.json_each_text(cast(progress.c.taken, JSON)).table_valued("key", "value")


def _elements(connection: Connection) -> Any:
    if connection.dialect.name == "sqlite":
        return func.json_each(progress.c.must_haves).table_valued("value")
    return func.json_array_elements_text(cast(progress.c.must_haves, JSON)).table_valued("value")
