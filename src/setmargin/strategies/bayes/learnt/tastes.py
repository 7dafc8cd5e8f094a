"""Weights that follow from normal numbers as earlier people's did: see `prior.py` here, and `tastes.py` above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from setmargin.arrays import Floats, Ints
from setmargin.space.attributes import Attribute
from setmargin.space.space import Space
from setmargin.strategies.bayes import tastes as ordinary
from setmargin.strategies.bayes.learnt.prior import Favourite, LearntPrior, Segment
from setmargin.strategies.bayes.tastes import OrdinaryTastes
from setmargin.strategies.shared.evidence import Singles, Table

FAVOURS = 1.0
"""How far above nothing the importance of a favourite is, in deviations of it."""


SURER: Table = ((0.5, 0.15), (1.0, 0.7), (2.0, 0.15))
"""How much surer than the population somebody is."""
LAPSES: Table = ((0.01, 0.5), (0.05, 0.35), (0.2, 0.15))


def learnt_tastes(prior: LearntPrior, space: Space, matters: tuple[float, ...]) -> list[ordinary.Tastes]:
    """The tastes of a prior as they are in a space; their shares are those among all people.

    `matters` says how likely each attribute and quantity matters to people as usual. Raises LearningError where prior
    and space have nothing in common.
    """
    prior.check(space)
    features, attributes = prior.common(space)
    parts = bool(features) + bool(attributes)
    share = (1.0 - prior.usual) / parts
    found: list[ordinary.Tastes] = []
    if features and prior.tastes:
        table = tuple((prior.tastes.sharpness * times, chance) for times, chance in SURER)
        total = sum(segment.share for segment in prior.tastes.segments)
        found += [
            LearntTastes(space, share * segment.share / total, segment, table) for segment in prior.tastes.segments
        ]
    if attributes and prior.favourites:
        found.append(FavouriteTastes(space, share, matters, prior.favourites.tree))
    return found


@dataclass(frozen=True, eq=False)
class LearntTastes:
    """One segment: weights = mean + factors · z + own · ε. What it does not know about deviates as usual."""

    space: Space
    share: float
    segment: Segment
    sharpness: Table
    lapses: Table = LAPSES

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        """The features that are known: where they are in the space, and in the segment."""
        here = {name: place for place, name in enumerate(self.space.feature_names[: self.space.plain_features])}
        pairs = [(here[name], place) for place, name in enumerate(self.segment.features) if name in here]
        return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])

    def _laid_out(self, numbers: Floats, usual: float) -> Singles:
        """Numbers by feature of the segment as those by feature of the space."""
        rows = np.full((self.space.plain_features, *numbers.shape[1:]), usual, dtype=np.float32)
        here, there = self._places
        rows[here] = numbers[there]
        return rows

    @cached_property
    def _mean(self) -> Singles:
        return self._laid_out(self.segment.mean, 0.0)

    @cached_property
    def _factors(self) -> Singles:
        return self._laid_out(self.segment.factors, 0.0)

    @cached_property
    def _own(self) -> Singles:
        return self._laid_out(self.segment.own, ordinary.SPREAD)

    @cached_property
    def _deviating(self) -> Ints:
        return np.flatnonzero(self._own)

    @cached_property
    def blocks(self) -> Ints:
        """Every factor moves for itself, and what features have of their own moves with their attribute."""
        count = self._factors.shape[1]
        return np.append(np.arange(count), count + self.space.owners[self._deviating]).astype(np.int64)

    def weights(self, numbers: Singles) -> Singles:
        """The weights (features × people) behind normal numbers (numbers × people)."""
        count = self._factors.shape[1]
        weights: Singles = self._mean[:, None] + self._factors @ numbers[:count]
        weights[self._deviating] += self._own[self._deviating, None] * numbers[count:]
        offsets, cut = self.space.offsets, int(self.space.offsets[-1])
        lowest = np.minimum.reduceat(weights[:cut], offsets[:-1], axis=0)
        weights[:cut] -= np.repeat(lowest, self.space.domains, axis=0)  # only differences count
        return weights


@dataclass(frozen=True, eq=False)
class FavouriteTastes:
    """Everybody has a favourite value of each attribute in the tree, and is as usual about all others.

    The numbers are those of ordinary people: where an attribute is in the tree, the one for its importance says how
    much the favourite is worth, and the next one, as a place in the table of chances, which value it is.
    """

    space: Space
    share: float
    matters: tuple[float, ...]
    tree: tuple[Favourite, ...]
    sharpness: Table = ordinary.SHARPNESS
    lapses: Table = ordinary.LAPSES

    @cached_property
    def _usual(self) -> OrdinaryTastes:
        return OrdinaryTastes(self.space, self.share, self.matters)

    @property
    def blocks(self) -> Ints:
        """What belongs to one attribute moves together."""
        return self._usual.blocks

    @cached_property
    def _heights(self) -> tuple[tuple[int, int | None, Singles], ...]:
        """For each attribute of the tree its number, that of the one it is given, and its table summed up along rows.

        Values that the space does not have are left out; those that the tree does not know are nobody's favourite.
        Where the attribute that it is given is gone, it goes by the average.
        """
        numbers = {each.name: place for place, each in enumerate(self.space.attributes)}
        found: list[tuple[int, int | None, Singles]] = []
        known: set[str] = set()
        for each in self.tree:
            if each.attribute not in numbers:
                continue
            place = numbers[each.attribute]
            given = numbers[each.given] if each.given in known and each.given is not None else None
            labels = self.space.attributes[place].labels
            columns = [(labels.index(value), n) for n, value in enumerate(each.values) if value in labels]
            if not columns:
                continue
            rows = _rows_for(each, None if given is None else self.space.attributes[given])
            table = np.zeros((len(rows), len(labels)))
            table[:, [here for here, _ in columns]] = rows[:, [there for _, there in columns]]
            table += 1e-9 * (table.sum(axis=1, keepdims=True) <= 0)
            heights = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1).astype(np.float32)
            found.append((place, given, heights))
            known.add(each.attribute)
        return tuple(found)

    def weights(self, numbers: Singles) -> Singles:
        """The weights (features × people) behind normal numbers (numbers × people)."""
        weights = self._usual.weights(numbers)
        starts, offsets = self._usual.starts, self.space.offsets
        everybody = np.arange(numbers.shape[1])
        favourites: dict[int, Ints] = {}
        for place, given, heights in self._heights:
            rows = heights[favourites[given]] if given is not None else heights[:1]
            drawn = (rows[:, :-1] < ndtr(numbers[starts[place] + 1])[:, None]).sum(axis=1)
            favourites[place] = drawn
            weights[offsets[place] : offsets[place + 1]] = 0
            worth = np.float32(ordinary.RISE) * np.maximum(numbers[starts[place]] + np.float32(FAVOURS), 0)
            weights[offsets[place] + drawn, everybody] = worth
        return weights


def _rows_for(each: Favourite, given: Attribute | None) -> Floats:
    """A row of chances for each value of the attribute that it is given; the average row where nothing is known."""
    average = each.table.mean(axis=0)
    if given is None:
        return average[None] if each.given is not None else each.table
    rows = dict(zip(each.given_values, each.table, strict=True))
    return np.stack([rows.get(label, average) for label in given.labels])
