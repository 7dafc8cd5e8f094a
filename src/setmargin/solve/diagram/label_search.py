"""Exact search under linear rows: partial configurations, layer by layer, as long as they can still win.

A label is a node with a value and a sum for each row. It is dropped when a row must fail, when its bound does not
beat the target, and when another label at its node is no worse in anything. Two bounds are needed: the one at the
best multipliers prunes what the rows make dear, the one at multiplier zero what is poor anyway. The labels of all
weight vectors of a batch walk together, each knowing its owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.diagram.diagram import Diagram
from setmargin.solve.diagram.lagrangian import RelaxedBatch
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.diagram.linear_rows import RowTable
from setmargin.solve.relations import distinct
from setmargin.time_limit import check_time

_TOLERANCE = 1e-12
_SHARES = (1 / 64, 1 / 8, 1.0)
_FEW = 32
"""So few labels for each vector are not worth comparing with each other."""
_CELLS = 500_000
"""Continuations of labels that are looked at together."""
_TO_COMPARE = 5
"""So many times the limit of labels may wait to be compared with each other."""


@dataclass(frozen=True, eq=False)
class LabelBounds:
    """What can still follow each node, for a batch of weight vectors: all that is needed to judge a label."""

    rows: RowTable
    weights: Floats
    multipliers: Floats
    free: list[Floats]
    """For each layer, nodes × vectors: the best that can follow without the rows."""
    priced: list[Floats]
    """The same when the rows are priced at the multipliers."""
    smallest: list[Ints]
    """For each layer, rows × nodes: the smallest sum that must still come."""
    noise: Floats

    @staticmethod
    def of(diagram: Diagram, rows: RowTable, weights: Floats, multipliers: Floats, smallest: list[Ints]) -> LabelBounds:
        """Two sweeps: at multiplier zero, and at the given ones."""
        free = diagram.remaining_batch(weights)
        priced = diagram.remaining_batch(weights - multipliers @ rows.costs)
        noise = rounding(rows, weights, multipliers)
        return LabelBounds(rows, weights, multipliers, free, priced, smallest, noise)

    def at(self, level: int, owners: Ints, nodes: Ints, values: Floats, sums: Ints) -> tuple[Floats, Bools]:
        """The most that labels can become, and whether the rows can still hold."""
        room = self.rows.bounds - sums
        priced = values + (room * self.multipliers[owners]).sum(axis=1) + self.priced[level][nodes, owners]
        free = values + self.free[level][nodes, owners]
        feasible: Bools = np.all(room >= self.smallest[level][:, nodes].T, axis=1)
        return np.minimum(priced + self.noise[owners], free), feasible


def scale(rows: RowTable, weights: Floats) -> Floats:
    """The largest size that a sum of each row of weights can take."""
    largest: Floats = np.maximum.reduceat(np.abs(weights), rows.offsets, axis=1).sum(axis=1)
    return largest


def tolerance(rows: RowTable, weights: Floats) -> Floats:
    """Values this close count as equal: otherwise rounding would make every tie a search."""
    return _TOLERANCE * scale(rows, weights)


def rounding(rows: RowTable, weights: Floats, multipliers: Floats) -> Floats:
    """How wrong a priced bound may be, since it adds up numbers that are larger than the weights."""
    dear = scale(rows, rows.costs.astype(np.float64)) + np.abs(rows.bounds)
    added = scale(rows, weights) + (multipliers * dear).sum(axis=1)
    doubt: Floats = np.finfo(np.float64).eps * (len(rows.offsets) + 4) * added
    return doubt


def search(diagram: Diagram, bounds: LabelBounds, relaxed: RelaxedBatch, *, max_labels: int) -> Ints:
    """The best configuration under the rows for each vector.

    The optimum is mostly close to the upper bound, so the target starts there and comes down only where nothing is
    found above it, in the end to the best configuration known.
    """
    known = relaxed.lower > -np.inf
    bottom = np.where(known, relaxed.lower, -diagram.solve(-bounds.weights)[1])
    result = relaxed.incumbents.copy()
    slack = tolerance(bounds.rows, bounds.weights)
    waiting = np.arange(len(result))
    for share in _SHARES:
        targets = relaxed.lower if share == 1.0 else relaxed.upper - share * (relaxed.upper - bottom)
        found, configurations = _above(diagram, bounds, waiting, targets + slack, max_labels)
        result[found] = configurations
        known[found] = True
        waiting = np.setdiff1d(waiting, found, assume_unique=True)
    if not known.all():
        raise ModelInfeasible("no configuration satisfies all linear rows together; raise a bound")
    return result


def _above(diagram: Diagram, bounds: LabelBounds, owners: Ints, targets: Floats, max_labels: int) -> tuple[Ints, Ints]:
    """Which of these vectors have a configuration above their target, and the best one; in halves if too many."""
    try:
        return _walk(diagram, bounds, owners, targets, max_labels)
    except TooLarge:
        if len(owners) == 1:
            raise
    middle = len(owners) // 2
    parts = [_above(diagram, bounds, half, targets, max_labels) for half in (owners[:middle], owners[middle:])]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


@dataclass(frozen=True, eq=False)
class _Labels:
    """Partial configurations: whose they are, where they stand, what they are worth, and the sum of each row."""

    owners: Ints
    nodes: Ints
    values: Floats
    sums: Ints

    def __len__(self) -> int:
        return len(self.owners)

    def at(self, which: Ints | slice) -> _Labels:
        return _Labels(self.owners[which], self.nodes[which], self.values[which], self.sums[which])

    @staticmethod
    def joined(parts: Sequence[_Labels]) -> _Labels:
        owners, nodes, values, sums = zip(*((p.owners, p.nodes, p.values, p.sums) for p in parts), strict=True)
        return _Labels(np.concatenate(owners), np.concatenate(nodes), np.concatenate(values), np.concatenate(sums))


def _walk(diagram: Diagram, bounds: LabelBounds, owners: Ints, targets: Floats, max_labels: int) -> tuple[Ints, Ints]:
    few = _FEW * len(owners)
    nothing = np.zeros((len(owners), len(bounds.rows.bounds)), dtype=np.int64)
    labels = _Labels(owners, np.zeros(len(owners), dtype=np.int64), np.zeros(len(owners)), nothing)
    trail: list[tuple[Ints, Ints]] = []
    for level in range(len(diagram.layers)):
        labels, sources, values = _continued(diagram, bounds, level, labels, targets, max_labels)
        if len(labels) > few:
            places = labels.owners * len(bounds.free[level + 1]) + labels.nodes
            kept = undominated(places, labels.values, labels.sums)
            labels, sources, values = labels.at(kept), sources[kept], values[kept]
        if len(labels) > max_labels:
            raise _too_many(len(labels), max_labels)
        trail.append((sources, values))
    best = np.lexsort((-labels.values, labels.owners))
    found, first = np.unique(labels.owners[best], return_index=True)
    return found, _traced(diagram, trail, best[first])


def _continued(
    diagram: Diagram, bounds: LabelBounds, level: int, labels: _Labels, targets: Floats, max_labels: int
) -> tuple[_Labels, Ints, Ints]:
    """The labels of the next layer that can still win, which ones they come from, and the values they take.

    Some labels at a time: where attributes have thousands of values, all continuations at once would take gigabytes.
    """
    layer = diagram.layers[level]
    step = max(1, _CELLS // max(1, layer.children.shape[1]))
    parts: list[tuple[_Labels, Ints, Ints]] = []
    count = 0
    for start in range(0, max(len(labels), 1), step):
        check_time()
        some = labels.at(slice(start, start + step))
        children = layer.children[some.nodes]
        sources, columns = np.nonzero(children >= 0)
        taken = layer.labels[columns]
        owners, nodes = some.owners[sources], children[sources, columns]
        values = some.values[sources] + bounds.weights[owners, taken]
        sums = some.sums[sources] + bounds.rows.costs[:, taken].T
        most, feasible = bounds.at(level + 1, owners, nodes, values, sums)
        kept = np.flatnonzero(feasible & (most > targets[owners]))
        parts.append(
            (_Labels(owners, nodes, values, sums).at(kept), sources[kept] + start, layer.values[columns[kept]])
        )
        count += len(kept)
        if count > _TO_COMPARE * max_labels:
            raise _too_many(count, max_labels)
    found, sources_of, taken_by = zip(*parts, strict=True)
    return _Labels.joined(found), np.concatenate(sources_of), np.concatenate(taken_by)


def _too_many(count: int, most: int) -> TooLarge:
    return TooLarge(f"{count:,} labels passed the limit of {most:,} under linear rows")


def _traced(diagram: Diagram, trail: Sequence[tuple[Ints, Ints]], labels: Ints) -> Ints:
    configurations = np.empty((len(labels), len(diagram.domains)), dtype=np.int64)
    for layer, (sources, values) in zip(reversed(diagram.layers), reversed(trail), strict=True):
        configurations[:, layer.attribute] = values[labels]
        labels = sources[labels]
    return configurations


def undominated(places: Ints, values: Floats, sums: Ints) -> Ints:
    """Indices of labels that no other label at the same place beats; with several rows only equal sums compare."""
    if sums.shape[1] == 1:
        return _staircase(places, values, sums[:, 0])
    best_first = np.argsort(-values, kind="stable")
    shifted = sums - sums.min(axis=0, initial=0)
    columns = np.column_stack([places, shifted])[best_first]
    first, _ = distinct(columns, (columns.max(axis=0, initial=0) + 1).tolist())
    return best_first[first]


def _staircase(places: Ints, values: Floats, sums: Ints) -> Ints:
    """At each place by rising sum, only labels worth more than all before them."""
    order = np.lexsort((-values, sums, places))
    places = places[order]
    starts = np.append(True, places[1:] > places[:-1])
    _, ranks = np.unique(values[order], return_inverse=True)
    # Later places have larger keys, so one running maximum serves them all.
    keys = np.cumsum(starts) * len(order) + ranks.reshape(-1)
    better = starts
    better[1:] |= keys[1:] > np.maximum.accumulate(keys)[:-1]
    result: Ints = order[better]
    return result
