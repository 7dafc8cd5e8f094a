"""How an interview begins: the same for everybody who asks for the same, and so worked out once."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Final

from setmargin import documents
from setmargin.lru import Lru
from setmargin.server.services.catalogues import CatalogueService
from setmargin.server.services.priors import PriorService
from setmargin.server.services.resuming import ResumingPool
from setmargin.server.store.store import ID_BYTES
from setmargin.server.work.describe import Step
from setmargin.server.work.job import Job
from setmargin.strategies.options import options_of
from setmargin.strategies.registry import strategy_class

MOST_BEGINNINGS: Final = 200
USUAL_SIZES: Final[Mapping[str | None, int]] = {"comparisons": 2, "conversation": 4}


class Beginnings:
    """The first question of each kind of interview that somebody asked for lately."""

    def __init__(self, workers: ResumingPool, catalogues: CatalogueService, priors: PriorService) -> None:
        self._workers, self._catalogues, self._priors = workers, catalogues, priors
        self._known: Lru[str, tuple[Job, Step]] = Lru(MOST_BEGINNINGS)

    async def of(self, wanted: documents.Start) -> tuple[Job, Step]:
        """What such an interview begins with: its job, and the first step of it."""
        catalogue = await self._catalogues.named(wanted.catalogue)
        opening = self._catalogues.presentation_of(catalogue).wishes(wanted.opening)
        rules = [
            *opening.must_haves,
            *(rule.strip() for rule in wanted.must_haves if rule.strip() not in opening.must_haves),
        ]
        strategy = _strategy(wanted, opening.hints) | await self._priors.option_for(catalogue, wanted.strategy)
        key = f"{catalogue.digest} {strategy} {_text(wanted)}"
        if (known := self._known.get(key)) is not None:
            return known
        job = Job(
            id=token_urlsafe(),  # any will do, and so any process
            digest=catalogue.digest,
            catalogue=catalogue.document,
            strategy=strategy,
            seed=wanted.seed or 0,
            events=tuple({"require": rule} for rule in rules),
            version=len(rules),
            prior=await self._priors.document_of(strategy),
        )
        step = await self._workers.step(job)
        job = replace(job, questions={job.version: step.question})
        self._known[key] = job, step
        return job, step


def id_of(key: str, wanted: documents.Start) -> str:
    """The same request under the same key is the same interview; who cannot guess the key cannot guess the id."""
    digest = sha256(f"{key} {_text(wanted)}".encode()).digest()
    return urlsafe_b64encode(digest[:ID_BYTES]).decode()


def _strategy(wanted: documents.Start, hints: Mapping[str, float]) -> dict[str, Any]:
    """The strategy as the registry takes it, which refuses what only others have; hints are for those that take them.

    The size and the policy are written down even where they are usual: what is usual may change, and interviews that
    are under way must not change with it.
    """
    known = options_of(strategy_class(wanted.strategy))
    usual = {name: known[name].default for name in ("set_size", "policy") if name in known}
    own = {"until": wanted.until, "differences": wanted.differences, "policy": wanted.policy}
    given = usual | {name: value for name, value in own.items() if value is not None}
    size = wanted.set_size or USUAL_SIZES.get(given.get("policy"), given["set_size"])
    told = {"hints": dict(hints)} if hints and "hints" in known else {}
    return {"name": wanted.strategy, **given, "set_size": size, **told}


def _text(wanted: documents.Start) -> str:
    said = {key: part for key, part in asdict(wanted).items() if part or key != "opening"}  # as before there were any
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)
