"""Everything that is learnt from earlier people, together."""

from __future__ import annotations

from collections.abc import Sequence

from setmargin.errors import LearningError
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.bayes.learnt.fit_favourites import Sales, fit_favourites
from setmargin.strategies.bayes.learnt.fit_tastes import Watch, fit_tastes
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, LearntPrior


def fit_prior(
    space: Space,
    *,
    histories: Sequence[History] = (),
    sales: Sales | None = None,
    sources: Sequence[str] = (),
    segments: int | None = None,
    least: int = LEAST_PEOPLE,
    seed: int = 0,
    watch: Watch | None = None,
) -> LearntPrior:
    """The prior that follows from what people answered, from what they bought, or from both.

    Raises
    ------
    LearningError
        Where there is nobody, or fewer than `least` people of either.
    """
    if not histories and sales is None:
        raise LearningError("there is nobody to learn from; give histories, choices or sales")
    tastes = fit_tastes(space, histories, segments=segments, least=least, seed=seed, watch=watch) if histories else None
    favourites = None if sales is None else fit_favourites(sales, least=least)
    found = LearntPrior(space.name, space.fingerprint, tuple(sources), tastes, favourites)
    return LearntPrior.from_document(found.document())  # as a file has it, so that it makes no difference
