"""The prior that a catalogue file names."""

from __future__ import annotations

import os

from setmargin.errors import CatalogueError, LearningError
from setmargin.space.catalogue import prior_named_in
from setmargin.space.space import Space
from setmargin.strategies.bayes.learnt.document import load_prior
from setmargin.strategies.bayes.learnt.prior import LearntPrior


def prior_of_catalogue(source: str | os.PathLike[str], space: Space) -> LearntPrior | None:
    """The prior that the catalogue names, which was loaded as this space; None where it names none.

    Raises
    ------
    CatalogueError
        Where it cannot be read, or has nothing in common with the space: with the line that names it.
    """
    named = prior_named_in(source)
    if named is None:
        return None
    try:
        prior = load_prior(named.file)
        prior.check(space)
    except LearningError as error:
        message = f"prior: {error}, or leave this line out"
        raise CatalogueError(message, file=os.fsdecode(source), line=named.line) from None
    return prior
