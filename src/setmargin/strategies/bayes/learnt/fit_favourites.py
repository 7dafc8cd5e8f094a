"""Favourites learnt from sales: the tree over attributes that explains best what was sold (after Chow and Liu 1968).

Two attributes are neighbours in the tree where they explain most about each other, and nowhere where they explain
nothing; `pooling.py` says how much that is, and how likely a value is by another attribute's. How strongly all is
pooled is what explains other sales best: the sales are dealt out into folds. So is the share of people whom the tree
does not explain, who take *anything* that can be built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from setmargin.arrays import Floats, Ints
from setmargin.errors import LearningError
from setmargin.space.space import Space
from setmargin.strategies.bayes.learnt.buildable import Buildable, buildable_shares, one_hot
from setmargin.strategies.bayes.learnt.pooling import Strengths, pooled
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, Favourite, Favourites

STRENGTHS = tuple(Strengths(*each) for each in product((1.0, 5.0, 20.0), (1.0, 3.0, 10.0), (0.0, 0.5, 1.0)))
FOLDS = 5
FEW = 100
"""With fewer sales there are twice as many folds, so that each is explained by nearly all others."""
STEPS = 50
"""Of expectation and maximisation, for the share of people who take anything."""


@dataclass(frozen=True, eq=False)
class Sales:
    """What people took: sales × attributes, as the numbers of values; the columns are these attributes of a space."""

    space: Space
    attributes: tuple[int, ...]
    rows: Ints
    left_out: tuple[str, ...] = ()
    """Sales that could not be used, each with its place and the reason."""

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class _Tree:
    """Columns, each after the one that it is given, with how likely their values are by those of that one."""

    parents: Mapping[int, int | None]
    tables: Mapping[int, Floats]

    def log_chances(self, rows: Ints) -> Floats:
        """How likely the tree is to give each row."""
        logs = np.zeros(len(rows))
        for column, given in self.parents.items():
            before = np.zeros(len(rows), dtype=np.int64) if given is None else rows[:, given]
            logs += np.log(self.tables[column][before, rows[:, column]])
        return logs


def fit_favourites(sales: Sales, *, least: int = LEAST_PEOPLE) -> Favourites:
    """Learn what people's favourites are from what these took.

    Raises
    ------
    LearningError
        Where there are fewer than `least` sales.
    """
    if len(sales) < max(least, LEAST_PEOPLE):
        raise LearningError(
            f"there are {len(sales):,} sales that can be learnt from; wait for {max(least, LEAST_PEOPLE):,}, "
            f"so that nobody is read out of the figures"
        )
    buildable = buildable_shares(sales.space, sales.attributes)
    strengths, anything = _best_strengths(sales.rows, buildable)
    tree = _tree(_counts(sales.rows, buildable), buildable, strengths)
    favourites = tuple(_favourite(sales, tree, column) for column in tree.parents)
    return Favourites(len(sales), favourites, anything)


def held_out_bits(sales: Sales, favourites: Favourites) -> float:
    """How many bits each sale takes, on average, if people's favourites are like that: the fewer, the better known."""
    labels = [sales.space.attributes[number].labels for number in sales.attributes]
    columns = {sales.space.attributes[number].name: place for place, number in enumerate(sales.attributes)}
    logs = np.zeros(len(sales))
    for each in favourites.tree:
        place = columns[each.attribute]
        values = np.array([each.values.index(label) for label in labels[place]])[sales.rows[:, place]]
        row = np.zeros(len(sales), dtype=np.int64)
        if each.given is not None:
            other = columns[each.given]
            row = np.array([each.given_values.index(label) for label in labels[other]])[sales.rows[:, other]]
        logs += np.log(each.table[row, values])
    if favourites.anything:
        logs = _mixed(logs, buildable_shares(sales.space, sales.attributes).log_count, favourites.anything)
    return float(-logs.mean() / np.log(2))


def _favourite(sales: Sales, tree: _Tree, column: int) -> Favourite:
    def attribute(which: int) -> tuple[str, tuple[str, ...]]:
        found = sales.space.attributes[sales.attributes[which]]
        return found.name, tuple(found.labels)

    name, values = attribute(column)
    before = tree.parents[column]
    given, given_values = (None, ()) if before is None else attribute(before)
    return Favourite(name, values, given, given_values, tree.tables[column])


# The tree


def _counts(rows: Ints, buildable: Buildable) -> Floats:
    """Values × values: how many sales have both."""
    ones = one_hot(rows, buildable.offsets)
    counts: Floats = ones.T @ ones
    return counts


def _tree(counts: Floats, buildable: Buildable, strengths: Strengths) -> _Tree:
    found, offsets = pooled(counts, buildable, strengths), buildable.offsets
    parents = dict(_largest_forest(found.gains()))
    all_tables = found.tables()
    tables = {}
    for column, given in parents.items():
        values = slice(*offsets[column : column + 2])
        tables[column] = (
            found.alone[None, values] if given is None else all_tables[slice(*offsets[given : given + 2]), values]
        )
    return _Tree(parents, tables)


def _largest_forest(gains: Floats) -> Iterator[tuple[int, int | None]]:
    """Columns with the one that each is given: the trees that gain most, from what explains most in each tree on."""
    gains = np.maximum(gains, 0.0)
    np.fill_diagonal(gains, 0.0)
    # The largest sum is the smallest of what is missing to more than the largest; 0 is no edge.
    missing = np.where(gains > 0, 1.0 + gains.max() - gains, 0.0)
    spanning = minimum_spanning_tree(missing)
    left = set(range(len(gains)))
    for root in np.argsort(-gains.sum(axis=1), kind="stable").tolist():
        if root in left:
            order, before = breadth_first_order(spanning, root, directed=False)
            yield from ((int(each), None if each == root else int(before[each])) for each in order)
            left.difference_update(order.tolist())


# How strongly to pool


def _best_strengths(rows: Ints, buildable: Buildable) -> tuple[Strengths, float]:
    """The strengths with which the other folds explain each fold best, and the share of people who take anything."""
    folds = FOLDS if len(rows) >= FEW else min(2 * FOLDS, len(rows))
    fold = np.arange(len(rows)) % folds
    everything = _counts(rows, buildable)
    logs = np.zeros((len(STRENGTHS), len(rows)))
    for each in range(folds):
        held = rows[fold == each]
        kept = everything - _counts(held, buildable)
        for number, strengths in enumerate(STRENGTHS):
            logs[number, fold == each] = _tree(kept, buildable, strengths).log_chances(held)
    shares = [_share_of_anything(each, buildable.log_count) for each in logs]
    sums = [_mixed(each, buildable.log_count, share).sum() for each, share in zip(logs, shares, strict=True)]
    best = int(np.argmax(sums))
    return STRENGTHS[best], shares[best]


def _share_of_anything(logs: Floats, log_count: float) -> float:
    """The share of people who take anything that explains these sales best; never none, and never all."""
    share = 0.5
    for _ in range(STEPS):
        part = np.exp(np.log(share) - log_count - _mixed(logs, log_count, share))
        share = (float(part.sum()) + 1) / (len(logs) + 2)
    return share


def _mixed(logs: Floats, log_count: float, anything: float) -> Floats:
    """How likely each sale is, where such a share of people take anything that can be built."""
    mixed: Floats = np.logaddexp(np.log1p(-anything) + logs, np.log(anything) - log_count)
    return mixed
