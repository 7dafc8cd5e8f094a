"""Favourites learnt from sales: the tree over attributes that explains best what was sold (Chow and Liu 1968).

What two attributes say about each other is their mutual information; the tree has the largest sum of it. How likely a
value is, given another attribute's, is counted, and pooled towards how likely it is at all:

    P(v | u) = (count of v and u + strength · P(v)) / (count of u + strength)

Counts below LEAST_COUNT stand for few people: they are put together with the strength. The strength is the one that
explains other sales best: the sales are dealt out into folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from setmargin.arrays import Floats, Ints
from setmargin.errors import LearningError
from setmargin.space.space import Space
from setmargin.strategies.bayes.learnt.prior import LEAST_PEOPLE, Favourite, Favourites

LEAST_COUNT = 5
"""Whatever fewer people bought together is not told apart."""
STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 5
EVERYWHERE = 0.5
"""How often every value is counted beside the sales, so that none is impossible."""


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
    order: tuple[int, ...]
    """Columns, each after the one that it is given."""
    parents: Mapping[int, int]


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
    sizes = _sizes(sales)
    tree, strength = _tree_of(sales.rows, sizes), _best_strength(sales.rows, sizes)
    tables = _tables(sales.rows, sizes, tree, strength)
    return Favourites(len(sales), tuple(_favourite(sales, tree, column, tables[column]) for column in tree.order))


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
        logs += np.log2(each.table[row, values])
    return float(-logs.mean())


def _sizes(sales: Sales) -> tuple[int, ...]:
    return tuple(sales.space.domains[number] for number in sales.attributes)


def _favourite(sales: Sales, tree: _Tree, column: int, table: Floats) -> Favourite:
    def attribute(which: int) -> tuple[str, tuple[str, ...]]:
        found = sales.space.attributes[sales.attributes[which]]
        return found.name, tuple(found.labels)

    name, values = attribute(column)
    given, given_values = attribute(tree.parents[column]) if column in tree.parents else (None, ())
    return Favourite(name, values, given, given_values, table)


def _onehot(rows: Ints, sizes: Sequence[int]) -> tuple[Floats, Ints]:
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ones = np.zeros((len(rows), int(offsets[-1])), dtype=np.float32)
    np.put_along_axis(ones, rows + offsets[:-1], 1.0, axis=1)
    return ones.astype(np.float64, copy=False), offsets


def _tree_of(rows: Ints, sizes: Sequence[int]) -> _Tree:
    """The tree with the most mutual information, from the attribute that has most to say on."""
    ones, offsets = _onehot(rows, sizes)
    together = (ones.T @ ones + EVERYWHERE / max(len(rows), 1)) / len(rows)
    alone = np.diag(together)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(together > 0, together * np.log(together / np.outer(alone, alone)), 0.0)
    sums = np.add.reduceat(np.add.reduceat(parts, offsets[:-1], axis=0), offsets[:-1], axis=1)
    information = np.maximum(sums, 0.0)
    np.fill_diagonal(information, 0.0)
    if len(sizes) == 1:
        return _Tree((0,), {})
    # The largest sum is the smallest of what is missing to more than the largest.
    spanning = minimum_spanning_tree(1.0 + information.max() - information)
    root = int(information.sum(axis=1).argmax())
    order, before = breadth_first_order(spanning, root, directed=False)
    return _Tree(tuple(map(int, order)), {int(each): int(before[each]) for each in order if each != root})


def _tables(rows: Ints, sizes: Sequence[int], tree: _Tree, strength: float) -> dict[int, Floats]:
    """For each column how likely its values are, by the value of the column that it is given."""
    found = {}
    for column in tree.order:
        counts = np.bincount(rows[:, column], minlength=sizes[column]).astype(float)
        rare = counts < LEAST_COUNT
        counts[rare] = counts[rare].mean() if rare.any() else 0.0
        usual = (counts + EVERYWHERE) / (counts + EVERYWHERE).sum()
        if column not in tree.parents:
            found[column] = usual[None]
            continue
        given = tree.parents[column]
        both = np.zeros((sizes[given], sizes[column]))
        np.add.at(both, (rows[:, given], rows[:, column]), 1.0)
        pooled = strength + np.where(both < LEAST_COUNT, both, 0.0).sum(axis=1, keepdims=True)
        both[both < LEAST_COUNT] = 0.0
        found[column] = (both + pooled * usual) / (both.sum(axis=1, keepdims=True) + pooled)
    return found


def _best_strength(rows: Ints, sizes: Sequence[int]) -> float:
    """The strength with which the tree of four folds explains the fifth best."""
    fold = np.arange(len(rows)) % FOLDS
    losses = np.zeros(len(STRENGTHS))
    for each in range(FOLDS):
        kept, held = rows[fold != each], rows[fold == each]
        tree = _tree_of(kept, sizes)
        for number, strength in enumerate(STRENGTHS):
            losses[number] -= _log_chances(held, tree, _tables(kept, sizes, tree, strength)).sum()
    return STRENGTHS[int(losses.argmin())]


def _log_chances(rows: Ints, tree: _Tree, tables: Mapping[int, Floats]) -> Floats:
    logs = np.zeros(len(rows))
    for column in tree.order:
        given = rows[:, tree.parents[column]] if column in tree.parents else np.zeros(len(rows), dtype=np.int64)
        logs += np.log(tables[column][given, rows[:, column]])
    return logs
