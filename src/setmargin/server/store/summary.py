"""What the owner's view shows, counted by the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import ceil
from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, Double, Row, Select, and_, cast, false, func, select, true

from setmargin.server.store.tables import catalogues, interviews, offered, progress

IDLE = timedelta(minutes=30)


@dataclass(frozen=True)
class Histogram:
    """How often each number occurred, smallest number first."""

    counts: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Histogram:
        """The histogram of a count by number."""
        return cls(tuple(sorted(counts.items())))

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(count for _, count in self.counts)

    def quantile(self, share: float) -> int | None:
        """The smallest number that at least this share does not exceed; None when there is nothing."""
        wanted = max(1, ceil(share * self.total - 1e-9))
        reached = accumulate(count for _, count in self.counts)
        return next((number for (number, _), sofar in zip(self.counts, reached, strict=True) if sofar >= wanted), None)


@dataclass(frozen=True)
class CatalogueCounts:
    """All interviews on the catalogues of one name.

    `answered` counts the interviews with at least one answer. `questions` are the answers that finished interviews
    took, `left` the answers given in unfinished ones that nobody looked at for half an hour. `importance` is the mean
    share of each attribute or quantity over the interviews that are answered, largest first.
    """

    name: str
    interviews: int
    answered: int
    finished: int
    questions: Histogram
    left: Histogram
    importance: Mapping[str, float]


def count_by_catalogue(connection: Connection, *, since: datetime | None, now: datetime) -> tuple[CatalogueCounts, ...]:
    """Each catalogue that is offered or was ever answered on, by name."""
    counted = defaultdict[str, list[Row[Any]]](list)
    for row in connection.execute(_counts(since, now)):
        counted[row.name].append(row)
    importance = _importance(connection, since)
    names = {*connection.scalars(select(offered.c.name)), *counted}
    return tuple(_summary(name, counted[name], importance.get(name, {})) for name in sorted(names))


def _summary(name: str, rows: Sequence[Row[Any]], importance: dict[str, float]) -> CatalogueCounts:
    """The rows hold how many interviews share a number of answers, being finished, and being left."""
    return CatalogueCounts(
        name=name,
        interviews=sum(row.interviews for row in rows),
        answered=sum(row.interviews for row in rows if row.answers),
        finished=sum(row.interviews for row in rows if row.finished),
        questions=_histogram(rows, lambda row: row.finished),
        left=_histogram(rows, lambda row: row.idle and not row.finished),
        importance=importance,
    )


def _histogram(rows: Sequence[Row[Any]], wanted: Callable[[Row[Any]], bool]) -> Histogram:
    counts = Counter[int]()
    for row in filter(wanted, rows):
        counts[row.answers] += row.interviews
    return Histogram.of(counts)


def _counts(since: datetime | None, now: datetime) -> Select[Any]:
    answers = func.coalesce(progress.c.answers, 0).label("answers")
    finished = func.coalesce(progress.c.finished, false()).label("finished")
    idle = (interviews.c.seen < now - IDLE).label("idle")
    joined = interviews.join(catalogues).outerjoin(progress)
    query = select(catalogues.c.name, answers, finished, idle, func.count().label("interviews"))
    return query.select_from(joined).where(_begun(since)).group_by(catalogues.c.name, "answers", "finished", "idle")


def _importance(connection: Connection, since: datetime | None) -> dict[str, dict[str, float]]:
    """The mean share of each attribute by catalogue, over the interviews with an answer."""
    each = _pairs(connection)
    mean = func.avg(cast(each.c.value, Double)).label("mean")
    joined = progress.join(interviews).join(catalogues).join(each, true())
    query = select(catalogues.c.name, each.c.key, mean).select_from(joined)
    query = query.where(and_(_begun(since), progress.c.answers > 0)).group_by(catalogues.c.name, each.c.key)
    means = defaultdict[str, dict[str, float]](dict)
    for name, attribute, share in connection.execute(query.order_by(mean.desc(), each.c.key)):
        means[name][attribute] = share
    return means


def _pairs(connection: Connection) -> Any:
    """The keys and values of `importance`, one row each; the databases have other words for it."""
    if connection.dialect.name == "sqlite":
        return func.json_each(progress.c.importance).table_valued("key", "value")
    return func.json_each_text(cast(progress.c.importance, JSON)).table_valued("key", "value")


def _begun(since: datetime | None) -> ColumnElement[bool]:
    return true() if since is None else interviews.c.created >= since
