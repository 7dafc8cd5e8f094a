"""What a learnt prior says, in words: what matters most to people, and what tells segments apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats
from setmargin.space.space import Space
from setmargin.strategies.bayes.learnt.prior import LearntPrior, Segment
from setmargin.strategies.bayes.learnt.tastes import LearntTastes

DRAWN = 2000
MOST = 6


@dataclass(frozen=True)
class Thing:
    """An attribute or quantity: its share of all that matters to people, and what they like best of it on average."""

    name: str
    share: float
    best: str


@dataclass(frozen=True)
class SegmentSummary:
    """How many people a segment has, and its things, the most important first."""

    share: float
    things: tuple[Thing, ...]


def describe_prior(prior: LearntPrior, space: Space) -> tuple[SegmentSummary, ...]:
    """The segments of its tastes, the largest first; none where it knows favourites alone."""
    if prior.tastes is None:
        return ()
    return tuple(_described(segment, space) for segment in prior.tastes.segments)


def _described(segment: Segment, space: Space) -> SegmentSummary:
    tastes = LearntTastes(space, 1.0, segment, ((1.0, 1.0),))
    rng = np.random.default_rng(0)
    weights = tastes.weights(rng.standard_normal((len(tastes.blocks), DRAWN), dtype=np.float32)).astype(float)
    cut = int(space.offsets[-1])
    values = weights[:cut] + space.costs[: len(space.quantities)].T @ weights[cut:]
    starts = space.offsets[1 : len(space.attributes)]
    ranges = [np.ptp(block, axis=0) for block in np.split(weights[: space.seen_values], starts)]
    ranges += [np.abs(row) for row in weights[cut:]]
    shares: Floats = np.mean(np.stack(ranges) / np.maximum(np.sum(ranges, axis=0), 1e-9), axis=1)
    best = [
        attribute.labels[int(block.mean(axis=1).argmax())]
        for attribute, block in zip(space.attributes, np.split(values[: space.seen_values], starts), strict=True)
    ]
    best += [
        each.better if row.mean() >= 0 else f"not {each.better}"
        for each, row in zip(space.quantities, weights[cut:], strict=True)
    ]
    order = np.argsort(-shares)
    return SegmentSummary(
        segment.share, tuple(Thing(space.things[n], float(shares[n]), str(best[n])) for n in order.tolist())
    )


def summary_lines(prior: LearntPrior, space: Space, *, most: int = MOST) -> Iterator[str]:
    """The same as lines to read."""
    yield f"{prior.people:,} people of {prior.catalogue}: {'; '.join(prior.sources) or 'no source is named'}"
    segments = describe_prior(prior, space)
    for number, segment in enumerate(segments, 1):
        what = "everybody" if len(segments) == 1 else f"segment {number}, {segment.share:.0%} of people"
        things = ", ".join(f"{each.name} {each.share:.0%} ({each.best})" for each in segment.things[:most])
        yield f"{what}: {things}"
    if prior.favourites:
        tree = prior.favourites.tree
        links = [f"{each.attribute} by {each.given}" for each in tree if each.given is not None]
        more = f" and {len(links) - most} more" if len(links) > most else ""
        yield f"favourites of {len(tree)} attributes: {', '.join(links[:most]) or tree[0].attribute}{more}"
    yield f"people as usual keep a share of {prior.usual:.0%}"
