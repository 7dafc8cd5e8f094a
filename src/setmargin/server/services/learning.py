"""When to learn from the people who were interviewed: looked at whenever somebody finishes, done where nobody waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Final, Literal

from setmargin.errors import SetmarginError
from setmargin.server.errors import NotOffered
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.priors import PriorService
from setmargin.server.store import Store, StoredCatalogue, StoredPrior
from setmargin.server.work.learning import Fit, FitRequest, Fitted

LOGGER: Final = logging.getLogger(__name__)
GROWTH: Final = 0.2
"""By which share the finished interviews have to grow until a catalogue is learnt from again."""
MOST_PEOPLE: Final = 2000
"""People who are learnt from at most, those who came last: more would say no more, and people change."""

Outcome = Literal["stored", "failed", "too few", "late"]
OnFit = Callable[[str, Outcome, float], None]
"""Told of the catalogue, what came of it, and how many seconds it took."""


class LearningService:
    """Learns from finished interviews, one catalogue after the other.

    A catalogue is learnt from once `least` interviews on it are finished, and again whenever there are a fifth more,
    or once `least` are finished on a new version of it. Of several servers on one store, whoever is ready first
    writes the next version.
    """

    def __init__(
        self,
        store: AsyncStore,
        catalogues: CatalogueService,
        priors: PriorService,
        fit: Fit,
        *,
        least: int,
        on_fit: OnFit,
        on_stored: Callable[[str], None],
    ) -> None:
        self._store, self._catalogues, self._priors, self._fit = store, catalogues, priors, fit
        self._least, self._on_fit, self._on_stored = least, on_fit, on_stored
        self._tried: dict[str, tuple[int, int]] = {}
        """How many interviews were finished, and on this version, when learning last led to nothing, by digest."""
        self._waiting: dict[str, None] = {}
        self._changed = asyncio.Event()

    def look(self, name: str) -> None:
        """Somebody finished an interview on this catalogue, or it is new here."""
        self._waiting[name] = None
        self._changed.set()

    def heard(self, name: str, kind: str, asked: bool) -> None:  # noqa: ARG002
        """Somebody did something."""
        if kind == "finish":
            self.look(name)

    async def run(self) -> None:
        """Look at what may have to be learnt, for ever; whatever goes wrong, people are served as before."""
        for catalogue in await self._catalogues.current():
            self.look(catalogue.name)
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._waiting:
                name = next(iter(self._waiting))
                del self._waiting[name]
                try:
                    await self.learn(name)
                except SetmarginError as error:  # of the store, which may be back when the next person finishes
                    LOGGER.warning("nothing was learnt about %s: %s", name, error)

    async def learn(self, name: str) -> Outcome | None:
        """Learn from the people of a catalogue if it is time to; None where it is not."""
        try:
            catalogue = await self._catalogues.named(name)
        except NotOffered:
            return None
        finished = (await self._store.patient(Store.count_finished)).get(name, {})
        last = await self._store.patient(Store.newest_prior, name, source="learnt")
        total = sum(finished.values())
        if self._priors.is_given(name) or not self._is_due(catalogue, finished, last):
            return None
        LOGGER.info("learning about %s from the people of %d interviews", name, total)
        loop = asyncio.get_running_loop()
        began = loop.time()
        outcome = await self._learnt(catalogue, total)
        if outcome in ("failed", "too few"):
            self._tried[catalogue.digest] = total, finished.get(catalogue.digest, 0)
        else:
            self._tried.pop(catalogue.digest, None)
            self._priors.refresh(name)
            self._on_stored(name)
        self._on_fit(name, outcome, loop.time() - began)
        return outcome

    async def _learnt(self, catalogue: StoredCatalogue, finished: int) -> Outcome:
        newest = await self._store.patient(Store.newest_prior, catalogue.name)
        version = 1 + (newest.version if newest else 0)
        logs = await self._store.patient(Store.finished_logs, catalogue.name, most=MOST_PEOPLE)
        try:
            fitted = await self._fit(FitRequest(catalogue.document, logs, self._least))
        except SetmarginError as error:
            LOGGER.warning("nothing was learnt about %s: %s", catalogue.name, error)
            return "failed"
        except Exception:
            LOGGER.exception("nothing was learnt about %s", catalogue.name)
            return "failed"
        if fitted is None:
            LOGGER.info("the answers of too few people fit the catalogue %s as it is now", catalogue.name)
            return "too few"
        return await self._kept(catalogue, version, fitted, finished)

    async def _kept(self, catalogue: StoredCatalogue, version: int, fitted: Fitted, finished: int) -> Outcome:
        more: dict[str, Any] = {"people": fitted.people, "finished": finished}
        is_ours = await self._store.patient(
            Store.put_prior,
            catalogue.name,
            version,
            fitted.document,
            digest=catalogue.digest,
            source="learnt",
            **more,
        )
        if is_ours:
            LOGGER.info("version %d of the prior of %s is learnt", version, catalogue.name)
        return "stored" if is_ours else "late"

    # When

    async def due(self) -> dict[str, int]:
        """At how many finished interviews each catalogue that is offered is going to be learnt from."""
        counts = await self._store.patient(Store.count_finished)
        found = {}
        for catalogue in await self._catalogues.current():
            if not self._priors.is_given(catalogue.name):
                last = await self._store.patient(Store.newest_prior, catalogue.name, source="learnt")
                found[catalogue.name] = self._due_at(catalogue, counts.get(catalogue.name, {}), last)
        return found

    def _is_due(self, catalogue: StoredCatalogue, finished: Mapping[str, int], last: StoredPrior | None) -> bool:
        return sum(finished.values()) >= self._due_at(catalogue, finished, last)

    def _due_at(self, catalogue: StoredCatalogue, finished: Mapping[str, int], last: StoredPrior | None) -> int:
        usual = self._least if last is None else grown(last.finished)
        tried, tried_here = self._tried.get(catalogue.digest, (None, 0))
        after = usual if tried is None else grown(tried)
        if (last is not None and last.digest == catalogue.digest) or tried_here >= self._least:
            return after
        missing = self._least - finished.get(catalogue.digest, 0)
        return min(after, sum(finished.values()) + max(0, missing))


def grown(finished: int) -> int:
    """So many interviews are enough more than these."""
    return max(finished + 1, ceil(finished * (1 + GROWTH) - 1e-9))
