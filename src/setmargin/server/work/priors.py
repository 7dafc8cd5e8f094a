"""What earlier people were like, as the store keeps it: read for a strategy, and put into words for the owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from setmargin.space.space import Space
from setmargin.strategies.bayes.learnt.prior import Favourites, LearntPrior, LearntSegments

MOST_NAMED: Final = 4


@dataclass(frozen=True)
class PriorReport:
    """A prior in words, and what has to be said where the catalogue is not the one that it was learnt with."""

    people: int
    summary: tuple[str, ...]
    notes: tuple[str, ...]


def read_prior(document: Mapping[str, Any]) -> LearntPrior:
    """The prior as a strategy takes it."""
    return LearntPrior.from_document(document)


def report_on(document: Mapping[str, Any], space: Space) -> PriorReport:
    """What the prior says; LearningError where it has nothing in common with the space."""
    prior = read_prior(document)
    prior.check(space)
    return PriorReport(prior.people, tuple(_summary(prior)), prior.notes(space))


def _summary(prior: LearntPrior) -> Iterator[str]:
    if prior.tastes is not None:
        yield from _tastes(prior.tastes)
    if prior.favourites is not None:
        yield from _favourites(prior.favourites)
    yield f"{prior.usual:.0%} of people are expected to be like nobody before"


def _tastes(tastes: LearntSegments) -> Iterator[str]:
    """The people of each segment, by what their weights are on average."""
    for segment in sorted(tastes.segments, key=lambda each: -each.share):
        order = np.argsort(-segment.mean, kind="stable")
        liked = [segment.features[place] for place in order if segment.mean[place] > 0][:MOST_NAMED]
        disliked = [segment.features[place] for place in order[::-1] if segment.mean[place] < 0][:MOST_NAMED]
        words = [f"weigh {', '.join(liked)} most"] * bool(liked) + [f"{', '.join(disliked)} least"] * bool(disliked)
        yield f"{segment.share:.0%} of {tastes.people:,} people {' and '.join(words) or 'have no taste in common'}"


def _favourites(favourites: Favourites) -> Iterator[str]:
    for each in [each for each in favourites.tree if each.given is None][:MOST_NAMED]:
        order = np.argsort(-each.table[0], kind="stable")[:MOST_NAMED]
        chances = ", ".join(f"{each.values[place]} {each.table[0][place]:.0%}" for place in order)
        yield f"{each.attribute} in {favourites.people:,} sales: {chances}"
    pairs = [f"{each.attribute} on {each.given}" for each in favourites.tree if each.given is not None]
    if pairs:
        more = f" and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else ""
        yield f"favourites depend on each other: {', '.join(pairs[:MOST_NAMED])}{more}"
