"""What people did, as the owner's view tells it, and what is noted for it after replies, so that nobody waits."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, Literal

from setmargin import documents
from setmargin.errors import InfeasibleSpace, SetmarginError
from setmargin.lru import Lru
from setmargin.server.errors import RequestError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.store import CatalogueCounts, Histogram, Store, noted
from setmargin.server.store.wanted import CatalogueWants, TakenConfiguration, wants
from setmargin.space.document import from_document
from setmargin.space.presentation_document import split_document

LOGGER: Final = logging.getLogger(__name__)
MOST_KNOWN: Final = 10_000
MOST_LATER: Final = 100
"""Notes that may wait to be written; beyond that they are left out."""
MOST_RULES: Final = 10
LIMIT: Final = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"<>=]+))\s*(<=?|>=?)\s*(-?\d+(?:\.\d+)?)\s*')
"""A limit on one thing, as the page writes it."""


class OwnerService:
    """Counts for the owner, and notes what only the owner's view needs."""

    def __init__(self, store: AsyncStore, catalogues: CatalogueService) -> None:
        self._store, self._catalogues = store, catalogues
        self._seen: Lru[str, None] = Lru(MOST_KNOWN)
        self._later: set[asyncio.Task[None]] = set()

    # Noting

    def result_seen(self, id: str) -> None:
        """Somebody was sent the result of this interview."""
        if id not in self._seen:
            self._seen[id] = None
            self._afterwards(self._store.write(noted.note_result_seen, id))

    def refused(self, rule: str, error: InfeasibleSpace, *, id: str) -> None:
        """A must-have was refused in this interview."""
        self._afterwards(self._refused(rule, error.conflict, id))

    def refused_at_start(self, wanted: documents.Start, error: InfeasibleSpace) -> None:
        """Must-haves were refused before an interview began; the last of those in conflict stands for them."""
        own = [rule for rule in wanted.must_haves if rule.strip() in error.conflict]
        if own:
            self._afterwards(self._refused_of(own[-1], error.conflict, wanted.catalogue))

    async def _refused(self, rule: str, conflict: Sequence[str], id: str) -> None:
        digest = await self._store.read(noted.digest_of_interview, id)
        if digest is not None:
            await self._store.write(noted.note_refusal, rule, conflict, digest=digest)

    async def _refused_of(self, rule: str, conflict: Sequence[str], name: str) -> None:
        digest = (await self._catalogues.named(name)).digest
        await self._store.write(noted.note_refusal, rule, conflict, digest=digest)

    def _afterwards(self, what: Coroutine[Any, Any, None]) -> None:
        if len(self._later) >= MOST_LATER:
            return what.close()
        task = asyncio.create_task(_harmless(what))
        self._later.add(task)
        task.add_done_callback(self._later.discard)
        return None

    async def aclose(self) -> None:
        """Wait for the last notes."""
        if self._later:
            await asyncio.wait(list(self._later), timeout=2.0)

    # Counting

    async def summary(self, since: datetime | None) -> documents.Summary:
        """What people did, by catalogue."""
        since = None if since is None else in_utc(since)
        titles = {each.name: each for each in (await self._catalogues.owned()).catalogues}
        found = await self._store.patient(Store.summary, since=since)
        wanted = await self._store.patient(wants, since=since)
        return documents.Summary(
            since=since.isoformat() if since else None,
            catalogues=tuple(
                [await self._summary(each, titles.get(each.name), wanted.get(each.name)) for each in found]
            ),
        )

    async def _summary(
        self, counts: CatalogueCounts, known: documents.OwnersCatalogue | None, wanted: CatalogueWants | None
    ) -> documents.CatalogueSummary:
        wanted = wanted or CatalogueWants()
        questions, quantities = counts.questions, await self._quantities(known)
        return documents.CatalogueSummary(
            name=counts.name,
            title=known.title if known else "",
            interviews=counts.interviews,
            answered=counts.answered,
            finished=counts.finished,
            questions=documents.Needed(
                median=questions.quantile(0.5),
                p90=questions.quantile(0.9),
                histogram=tuple(documents.CountOfQuestions(count, number) for number, count in questions.counts),
            ),
            left=tuple(documents.CountOfAnswers(count, number) for number, count in counts.left.counts),
            importance=tuple(documents.Named(name, share) for name, share in counts.importance.items()),
            five=counts.five,
            result_seen=counts.result_seen,
            taken=counts.taken,
            stopped=documents.Stopped(*counts.stopped),
            configurations=tuple([await self._taken(each) for each in wanted.configurations]),
            values=tuple(_values(name, values) for name, values in wanted.values.items()),
            must_haves=_others(wanted.must_haves, quantities),
            budgets=budgets(wanted.must_haves, quantities),
            refused=tuple(documents.RefusedRule(each.count, each.rule, each.conflict) for each in wanted.refused),
        )

    async def _taken(self, taken: TakenConfiguration) -> documents.TakenOption:
        amounts: dict[str, float] = {}
        with suppress(SetmarginError):  # of a version that had other attributes
            document = (await self._catalogues.of(taken.digest)).document
            amounts = await asyncio.to_thread(lambda: from_document(document).amounts(taken.values))
        return documents.TakenOption(taken.count, documents.Option(taken.values, amounts))

    async def _quantities(self, known: documents.OwnersCatalogue | None) -> set[str]:
        if known is None:
            return set()
        return set(split_document((await self._catalogues.of(known.digest)).document)[0].get("quantities", {}))


def _values(name: str, values: Mapping[str, int]) -> documents.TakenValues:
    return documents.TakenValues(name, tuple(documents.CountOfValue(many, value) for value, many in values.items()))


def budgets(must_haves: Mapping[str, int], quantities: set[str]) -> tuple[documents.Budget, ...]:
    """The limits that people set on quantities, and how often."""
    limits: dict[tuple[str, Literal["most", "least"]], dict[float, int]] = defaultdict(lambda: defaultdict(int))
    for rule, many in must_haves.items():
        if (limit := _limit(rule, quantities)) is not None:
            name, side, much = limit
            limits[name, side][much] += many
    ordered = sorted(limits.items(), key=lambda each: (-sum(each[1].values()), each[0]))
    return tuple(_budget(name, side, counts) for (name, side), counts in ordered)


def _limit(rule: str, quantities: set[str]) -> tuple[str, Literal["most", "least"], float] | None:
    """The quantity that a rule limits, from which side and where; None where it says anything else."""
    found = LIMIT.fullmatch(rule)
    name = (found[1] or found[2]) if found else ""
    if found is None or name not in quantities:
        return None
    return name, "most" if found[3].startswith("<") else "least", float(found[4])


def _others(must_haves: Mapping[str, int], quantities: set[str]) -> tuple[documents.CountOfRule, ...]:
    rules = [(rule, many) for rule, many in must_haves.items() if _limit(rule, quantities) is None]
    return tuple(documents.CountOfRule(many, rule) for rule, many in rules[:MOST_RULES])


def _budget(name: str, side: Literal["most", "least"], counts: Mapping[float, int]) -> documents.Budget:
    spread = Histogram.of(counts)
    low, median, high = (spread.quantile(share) or 0.0 for share in (0.1, 0.5, 0.9))
    return documents.Budget(name, side, spread.total, low, median, high)


async def _harmless(what: Coroutine[Any, Any, None]) -> None:
    try:
        await what
    except SetmarginError as error:
        LOGGER.warning("not noted: %s", error)


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC, which is meant where no zone is said."""
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except OverflowError:
        raise RequestError(f"{moment} is no time at which anybody was interviewed") from None
