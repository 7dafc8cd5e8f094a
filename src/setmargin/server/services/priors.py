"""Which prior a new interview begins with, and what each of the stored ones says.

An interview names the catalogue and the version of its prior among the options of its strategy. That is decided once,
when it begins, so whatever is learnt later changes nothing for people who are under way, on any server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from setmargin import documents
from setmargin.errors import SetmarginError
from setmargin.lru import Lru
from setmargin.server.errors import WorkError
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.store import Store, StoredCatalogue, StoredPrior
from setmargin.server.work.job import PRIOR
from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.priors import PriorReport
from setmargin.space.presentation_document import split_document
from setmargin.strategies.registry import takes_learnt_prior

LOGGER: Final = logging.getLogger(__name__)
FRESH_SECONDS: Final = 2.0
"""How long another server's new version may go unnoticed."""
MOST_KEPT: Final = 100


@dataclass(frozen=True)
class Judged:
    """What a prior says about the people of a catalogue, or why it cannot be used there."""

    report: PriorReport | None
    trouble: str = ""


class PriorService:
    """Priors by catalogue: given ones stay, and of learnt ones the newest counts."""

    def __init__(self, store: AsyncStore, workers: WorkerPool, catalogues: CatalogueService, *, learning: bool) -> None:
        self._store, self._workers, self._catalogues, self._learning = store, workers, catalogues, learning
        self._given: dict[str, StoredPrior] = {}
        self._newest: Lru[str, tuple[float, StoredPrior | None]] = Lru(MOST_KEPT)
        self._known: Lru[tuple[str, int], StoredPrior] = Lru(MOST_KEPT)
        self._judged: Lru[tuple[str, str, int], Judged] = Lru(MOST_KEPT)

    async def put(self, given: Mapping[str, Mapping[str, Any]]) -> None:
        """Use these from now on, by the name of the catalogue; one that the store has already is that version."""
        for name, document in given.items():
            catalogue = await self._catalogues.named(name)
            report = await self._workers.prior(document, catalogue.document, catalogue.digest)
            self._given[name] = await self._store.patient(_stored, catalogue, document, report.people)

    def is_given(self, name: str) -> bool:
        """Whether the catalogue of this name has a prior that stays as it is."""
        return name in self._given

    async def option_for(self, catalogue: StoredCatalogue, strategy: str) -> dict[str, Any]:
        """What a new interview's strategy has to be told of its prior: nothing, or which version it begins with."""
        if not takes_learnt_prior(strategy):
            return {}
        prior = await self._current(catalogue.name)
        if prior is None or (await self._judge(prior, catalogue)).report is None:
            return {}
        return {PRIOR: {"catalogue": prior.catalogue, "version": prior.version}}

    async def document_of(self, strategy: Mapping[str, Any]) -> dict[str, Any] | None:
        """The document of the prior that an interview's strategy names."""
        named = strategy.get(PRIOR)
        return None if named is None else (await self.version(named["catalogue"], named["version"])).document

    async def version(self, name: str, version: int) -> StoredPrior:
        """One version, which never changes; UnknownPrior where there is none."""
        known = self._known.get((name, version))
        if known is None:
            known = self._known[name, version] = await self._store.read(Store.prior, name, version)
        return known

    def refresh(self, name: str) -> None:
        """There may be a newer version."""
        self._newest[name] = float("-inf"), None

    async def _current(self, name: str) -> StoredPrior | None:
        if name in self._given or not self._learning:
            return self._given.get(name)
        now = asyncio.get_running_loop().time()
        at, newest = self._newest.get(name) or (float("-inf"), None)
        if now - at > FRESH_SECONDS:
            newest = await self._store.read(Store.newest_prior, name, source="learnt")
            self._newest[name] = now, newest
        return newest

    async def _judge(self, prior: StoredPrior, catalogue: StoredCatalogue) -> Judged:
        """Whether the prior can be used with this version of the catalogue; people never see that it cannot."""
        key = (catalogue.digest, prior.catalogue, prior.version)
        known = self._judged.get(key)
        if known is not None:
            return known
        try:
            judged = Judged(await self._workers.prior(prior.document, catalogue.document, catalogue.digest))
        except WorkError as error:
            LOGGER.warning("version %d of the prior of %s is left out: %s", prior.version, prior.catalogue, error)
            return Judged(None, "it could not be read in time")
        except SetmarginError as error:
            LOGGER.warning("version %d of the prior of %s is left out: %s", prior.version, prior.catalogue, error)
            judged = Judged(None, str(error))
        self._judged[key] = judged
        return judged

    # The owner's view

    async def described(self, *, least: int, due: Mapping[str, int]) -> documents.Priors:
        """Every catalogue that is offered, with the prior that its interviews begin with now.

        `due` says at how many finished interviews a catalogue is going to be learnt from again.
        """
        counts = await self._store.patient(Store.count_finished)
        versions = await self._store.patient(Store.priors)
        offered = await self._catalogues.current()
        return documents.Priors(
            learning=self._learning,
            least=least if self._learning else None,
            catalogues=tuple(
                [
                    await self._described(
                        each,
                        [version for version in versions if version.catalogue == each.name],
                        finished=sum(counts.get(each.name, {}).values()),
                        due=due.get(each.name),
                    )
                    for each in offered
                ]
            ),
        )

    async def _described(
        self, catalogue: StoredCatalogue, versions: Iterable[StoredPrior], *, finished: int, due: int | None
    ) -> documents.PriorOfCatalogue:
        prior = await self._current(catalogue.name)
        judged = Judged(None) if prior is None else await self._judge(prior, catalogue)
        return documents.PriorOfCatalogue(
            catalogue=catalogue.name,
            title=split_document(catalogue.document)[0].get("title", ""),
            used=None if prior is None or judged.report is None else _version(prior),
            summary=judged.report.summary if judged.report else (),
            notes=judged.report.notes if judged.report else (judged.trouble,) if judged.trouble else (),
            finished=finished,
            learnt_at=due,
            versions=tuple(map(_version, versions)),
        )


def _version(prior: StoredPrior) -> documents.PriorVersion:
    return documents.PriorVersion(prior.version, prior.source, prior.people, prior.created.isoformat(), prior.digest)


def _stored(store: Store, catalogue: StoredCatalogue, document: Mapping[str, Any], people: int | None) -> StoredPrior:
    while True:
        versions = [each for each in store.priors() if each.catalogue == catalogue.name]
        for each in versions:
            if each.source == "given" and each.document == document:
                return each
        version = 1 + max((each.version for each in versions), default=0)
        store.put_prior(catalogue.name, version, document, digest=catalogue.digest, source="given", people=people)
