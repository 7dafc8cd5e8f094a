"""Weights that follow from normal numbers as earlier people's did: see `prior.py` here, and `tastes.py` above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
ONLY_SOLD = 0.5
"""The share of those who are like earlier buyers to whom nothing matters but what the sales name."""
OWN_WAY = 0.03
"""How often somebody's favourite does not follow from the tree."""
FEW_MOVING = (0.5, 0.2, 0.1, 0.04, 0.1, 0.04)
"""As MOVING is for ordinary people: a favourite gives way to another one only where few others move along."""
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
        found += _favourite_tastes(space, share, matters, prior.favourites.tree)
    return found


@dataclass(frozen=True, eq=False)
class LearntTastes:
    """One segment: weights = mean + factors · z + own · ε. What it does not know about deviates as usual."""

    space: Space
    share: float
    segment: Segment
    sharpness: Table
    lapses: Table = LAPSES
    moving: tuple[float, ...] = ordinary.MOVING
    moving_by_choices: tuple[float, ...] = ordinary.MOVING

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
        own = self._laid_out(self.segment.own, ordinary.SPREAD)
        own[self.space.seen_values : int(self.space.offsets[-1])] = 0.0
        return own

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
    """Everybody has a favourite value of each attribute in the tree, and is as usual about all others, or cares not.

    Each attribute of the tree has a number that says how much the favourite is worth, and one that says, as a place
    in the table of chances, which value it is. Where others matter the numbers are those of ordinary people, whose
    first two of an attribute are these.
    """

    space: Space
    share: float
    matters: tuple[float, ...]
    tree: tuple[Favourite, ...]
    others: bool = True
    """Whether anything matters that is not in the tree."""
    sharpness: Table = ordinary.SHARPNESS
    lapses: Table = ordinary.LAPSES
    moving: tuple[float, ...] = FEW_MOVING
    moving_by_choices: tuple[float, ...] = FEW_MOVING

    @cached_property
    def _usual(self) -> OrdinaryTastes:
        return OrdinaryTastes(self.space, self.share, self.matters)

    @cached_property
    def blocks(self) -> Ints:
        """What belongs to one attribute moves together."""
        return self._usual.blocks if self.others else np.repeat(np.arange(len(self._heights)), 2)

    @cached_property
    def _heights(self) -> tuple[tuple[int, int | None, Singles], ...]:
        """For each attribute of the tree its number, that of the one it is given, and its table summed up along rows.

        Values that the space does not have are left out; those that the tree does not know are nobody's favourite.
        Where the attribute that it is given is gone, it goes by the average.
        """
        numbers = {each.name: place for place, each in enumerate(self.space.attributes)}
        found: list[tuple[int, int | None, Singles]] = []
        known: set[str] = set()
        for each in _some_going_their_own_way(self.tree):
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
        count = numbers.shape[1]
        if self.others:
            weights = self._usual.weights(numbers)
        else:
            weights = np.zeros((self.space.plain_features, count), dtype=np.float32)
        offsets, everybody = self.space.offsets, np.arange(count)
        favourites: dict[int, Ints] = {}
        for number, (place, given, heights) in enumerate(self._heights):
            start = int(self._usual.starts[place]) if self.others else 2 * number
            rows = heights[favourites[given]] if given is not None else heights[:1]
            drawn = (rows[:, :-1] < ndtr(numbers[start + 1])[:, None]).sum(axis=1)
            favourites[place] = drawn
            weights[offsets[place] : offsets[place + 1]] = 0
            worth = np.float32(ordinary.RISE) * np.maximum(numbers[start] + np.float32(FAVOURS), 0)
            weights[offsets[place] + drawn, everybody] = worth
        return weights


def _favourite_tastes(
    space: Space, share: float, matters: tuple[float, ...], tree: tuple[Favourite, ...]
) -> list[FavouriteTastes]:
    """Those who are as usual about whatever the sales do not name, and those to whom only what they name matters."""
    sold = {each.attribute for each in tree}
    if not space.quantities and all(each.name in sold for each in space.attributes):
        return [FavouriteTastes(space, share, matters, tree)]
    return [
        FavouriteTastes(space, (1 - ONLY_SOLD) * share, matters, tree),
        FavouriteTastes(space, ONLY_SOLD * share, matters, tree, others=False),
    ]


def _some_going_their_own_way(tree: tuple[Favourite, ...]) -> Iterator[Favourite]:
    """The tree with a share of people in each table for whom it is any value, half of them by how often it is taken.

    A table may be nearly certain, by sales or by rules. People are not, and those who were drawn could not change.
    """
    alone: dict[str, Floats] = {}
    for each in tree:
        alone[each.attribute] = each.table[0] if each.given is None else alone[each.given] @ each.table
        own = (alone[each.attribute] + 1 / len(each.values)) / 2
        yield replace(each, table=(1 - OWN_WAY) * each.table + OWN_WAY * own)


def _rows_for(each: Favourite, given: Attribute | None) -> Floats:
    """A row of chances for each value of the attribute that it is given; the average row where nothing is known."""
    average = each.table.mean(axis=0)
    if given is None:
        return average[None] if each.given is not None else each.table
    rows = dict(zip(each.given_values, each.table, strict=True))
    return np.stack([rows.get(label, average) for label in given.labels])
