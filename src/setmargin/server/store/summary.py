"""What the owner's view shows, counted by the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import ceil
from typing import Any, Generic, TypeVar

from sqlalchemy import JSON, ColumnElement, Connection, Double, Row, Select, and_, cast, false, func, select, true

from setmargin.server.store.tables import catalogues, interviews, offered, progress

IDLE = timedelta(minutes=30)
N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Histogram(Generic[N]):
    """How often each number occurred, smallest number first."""

    counts: tuple[tuple[N, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[N, int]) -> Histogram[N]:
        """The histogram of a count by number."""
        return cls(tuple(sorted(counts.items())))

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(count for _, count in self.counts)

    def quantile(self, share: float) -> N | None:
        """The smallest number that at least this share does not exceed; None when there is nothing."""
        wanted = max(1, ceil(share * self.total - 1e-9))
        reached = accumulate(count for _, count in self.counts)
        return next((number for (number, _), sofar in zip(self.counts, reached, strict=True) if sofar >= wanted), None)


@dataclass(frozen=True)
class CatalogueCounts:
    """All interviews on the catalogues of one name.

    `answered` counts the interviews with at least one answer, `five` those with five, or with all that was asked,
    `result_seen` those whose result somebody looked at, `taken` those in which a configuration was taken, `finished`
    these and those in which nothing was left to ask. `questions` are the answers that finished interviews took, `left`
    the answers given in unfinished ones that nobody looked at for half an hour, and `stopped` says where those stand
    that nobody looked at for as long and that took nothing: before the first answer, while answering, at the result.
    `importance` is the mean share of each attribute or quantity over the interviews that are answered, largest first.
    """

    name: str
    interviews: int
    answered: int
    five: int
    result_seen: int
    taken: int
    finished: int
    questions: Histogram[int]
    left: Histogram[int]
    stopped: tuple[int, int, int]
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
    """The rows hold how many interviews share a number of answers, and how far they came."""

    def count(wanted: Callable[[Row[Any]], Any]) -> int:
        return sum(row.interviews for row in rows if wanted(row))

    return CatalogueCounts(
        name=name,
        interviews=count(lambda _: True),
        answered=count(lambda row: row.answers),
        five=count(lambda row: row.answers >= 5 or row.is_done),
        result_seen=count(lambda row: row.is_seen),
        taken=count(lambda row: row.is_taken),
        finished=count(lambda row: row.is_done),
        questions=_histogram(rows, lambda row: row.is_done),
        left=_histogram(rows, lambda row: row.is_idle and not row.is_done),
        stopped=(
            count(lambda row: _has_stopped(row) and not row.is_seen and not row.answers),
            count(lambda row: _has_stopped(row) and not row.is_seen and row.answers),
            count(lambda row: _has_stopped(row) and row.is_seen),
        ),
        importance=importance,
    )


def _has_stopped(row: Row[Any]) -> bool:
    return bool(row.is_idle and not row.is_taken)


def _histogram(rows: Sequence[Row[Any]], wanted: Callable[[Row[Any]], bool]) -> Histogram[int]:
    counts = Counter[int]()
    for row in filter(wanted, rows):
        counts[row.answers] += row.interviews
    return Histogram.of(counts)


def _counts(since: datetime | None, now: datetime) -> Select[Any]:
    answers = func.coalesce(progress.c.answers, 0).label("answers")
    done = func.coalesce(progress.c.done, false()).label("is_done")
    taken = func.coalesce(progress.c.finished, false()).label("is_taken")
    seen = interviews.c.result_seen.is_not(None).label("is_seen")
    idle = (interviews.c.seen < now - IDLE).label("is_idle")
    joined = interviews.join(catalogues).outerjoin(progress)
    stages = (answers, done, taken, seen, idle)
    query = select(catalogues.c.name, *stages, func.count().label("interviews")).select_from(joined)
    return query.where(begun_since(since)).group_by(catalogues.c.name, *(each.name for each in stages))


def _importance(connection: Connection, since: datetime | None) -> dict[str, dict[str, float]]:
    """The mean share of each attribute by catalogue, over the interviews with an answer."""
    each = _pairs(connection)
    mean = func.avg(cast(each.c.value, Double)).label("mean")
    joined = progress.join(interviews).join(catalogues).join(each, true())
    query = select(catalogues.c.name, each.c.key, mean).select_from(joined)
    query = query.where(and_(begun_since(since), progress.c.answers > 0)).group_by(catalogues.c.name, each.c.key)
    means = defaultdict[str, dict[str, float]](dict)
    for name, attribute, share in connection.execute(query.order_by(mean.desc(), each.c.key)):
        means[name][attribute] = share
    return means


def _pairs(connection: Connection) -> Any:
    """The keys and values of `importance`, one row each; the databases have other words for it."""
    if connection.dialect.name == "sqlite":
        return func.json_each(progress.c.importance).table_valued("key", "value")
    return func.json_each_text(cast(progress.c.importance, JSON)).table_valued("key", "value")


def begun_since(since: datetime | None) -> ColumnElement[bool]:
    """Whether an interview was begun since then."""
    return true() if since is None else interviews.c.created >= since
