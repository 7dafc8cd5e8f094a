"""Exact search under linear rows: partial configurations, layer by layer, as long as they can still win.

A label is a node with a value and a sum for each row. It is dropped when a row must fail, when its bound does not beat
the target, and when another label at its node is no worse in anything. Two bounds are needed: the one at the best
multipliers prunes what the rows make dear, the one at multiplier zero what is poor anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.solve.absorb import smallest_remaining
from setmargin.solve.diagram import Diagram
from setmargin.solve.limits import TooLarge
from setmargin.solve.lowered import Bools, Floats, Ints
from setmargin.solve.multipliers import Rows
from setmargin.solve.residual import distinct

_TOLERANCE = 1e-12
_SHARES = (1 / 64, 1 / 8, 1.0)


@dataclass(frozen=True, eq=False)
class Bounds:
    """What can still follow each node, for one weight vector: all that a search needs to judge a label."""

    rows: Rows
    weights: Floats
    multipliers: Floats
    free: list[Floats]
    priced: list[Floats]
    smallest: list[Ints]
    """For each layer, rows × nodes: the smallest sum that must still come."""
    tolerance: float
    noise: float

    @staticmethod
    def of(diagram: Diagram, rows: Rows, weights: Floats, multipliers: Floats, smallest: list[Ints]) -> Bounds:
        """Two sweeps: at multiplier zero, and at the given ones."""
        priced = weights - multipliers @ rows.costs
        scale = _scale(diagram, weights)
        rounding = np.finfo(np.float64).eps * len(diagram.layers)
        dear = _scale(diagram, priced) + 2.0 * float(np.abs(multipliers) @ np.abs(rows.bounds))
        return Bounds(
            rows,
            weights,
            multipliers,
            diagram.remaining(weights),
            diagram.remaining(priced),
            smallest,
            _TOLERANCE * scale,
            rounding * (scale + dear),
        )

    def at(self, level: int, nodes: Ints, values: Floats, sums: Ints) -> tuple[Floats, Bools]:
        """The most that labels can become, and whether the rows can still hold."""
        room = self.rows.bounds - sums
        priced = values + room @ self.multipliers + self.priced[level][nodes]
        free = values + self.free[level][nodes]
        feasible: Bools = (room >= self.smallest[level][:, nodes].T).all(axis=1)
        return np.minimum(priced + self.noise, free), feasible


def _scale(diagram: Diagram, weights: Floats) -> float:
    """The largest size that a sum of weights can take, for judging rounding errors."""
    return float(sum(np.abs(weights[layer.labels]).max() for layer in diagram.layers))


def smallest_sums(diagram: Diagram, rows: Rows) -> list[Ints]:
    """For each layer, rows × nodes: the smallest sum of each row that must still come."""
    each = [smallest_remaining(diagram.layers, [cost[layer.labels] for layer in diagram.layers]) for cost in rows.costs]
    return [np.stack(layer) for layer in zip(*each, strict=True)]


def search(
    diagram: Diagram, bounds: Bounds, *, upper: float, lower: float, incumbent: Ints, max_labels: int
) -> Ints | None:
    """The best configuration under the rows; None if there is none.

    `incumbent` is worth `lower`, or `lower` is -inf. The optimum is mostly close to the upper bound, so the target
    starts there and comes down only when nothing is found above it.
    """
    known = lower > -np.inf
    bottom = lower if known else -float(diagram.remaining(-bounds.weights)[0][0])
    for share in _SHARES:
        last = share == 1.0
        target = bottom if last else upper - share * (upper - bottom)
        if last and not known:
            target = -np.inf
        found = _above(diagram, bounds, target + bounds.tolerance, max_labels)
        if found is not None:
            return found
    return incumbent if known else None


def _above(diagram: Diagram, bounds: Bounds, target: float, max_labels: int) -> Ints | None:
    """The best configuration worth more than `target`, if any."""
    nodes, values = np.zeros(1, dtype=np.int64), np.zeros(1)
    sums = np.zeros((1, len(bounds.rows.bounds)), dtype=np.int64)
    trail: list[tuple[Ints, Ints]] = []
    for level, layer in enumerate(diagram.layers):
        children = layer.children[nodes]
        sources, columns = np.nonzero(children >= 0)
        nodes = children[sources, columns]
        values = values[sources] + bounds.weights[layer.labels[columns]]
        sums = sums[sources] + bounds.rows.costs[:, layer.labels[columns]].T
        most, feasible = bounds.at(level + 1, nodes, values, sums)
        kept = np.flatnonzero(feasible & (most > target))
        kept = kept[undominated(nodes[kept], values[kept], sums[kept])]
        if len(kept) > max_labels:
            raise TooLarge(f"{len(kept):,} labels passed the limit of {max_labels:,} under linear rows")
        nodes, values, sums = nodes[kept], values[kept], sums[kept]
        trail.append((sources[kept], layer.values[columns[kept]]))
    return _traced(diagram, trail, int(values.argmax())) if len(values) else None


def _traced(diagram: Diagram, trail: Sequence[tuple[Ints, Ints]], label: int) -> Ints:
    configuration = np.empty(len(diagram.domains), dtype=np.int64)
    for layer, (sources, values) in zip(reversed(diagram.layers), reversed(trail), strict=True):
        configuration[layer.attribute] = values[label]
        label = int(sources[label])
    return configuration


def undominated(nodes: Ints, values: Floats, sums: Ints) -> Ints:
    """Indices of labels that no other label at the same node beats; with several rows only equal sums compare."""
    if sums.shape[1] == 1:
        return _staircase(nodes, values, sums[:, 0])
    best_first = np.argsort(-values, kind="stable")
    shifted = sums - sums.min(axis=0, initial=0)
    columns = np.column_stack([nodes, shifted])[best_first]
    first, _ = distinct(columns, (columns.max(axis=0, initial=0) + 1).tolist())
    return best_first[first]


def _staircase(nodes: Ints, values: Floats, sums: Ints) -> Ints:
    """At each node by rising sum, only labels worth more than all before them."""
    order = np.lexsort((-values, sums, nodes))
    _, ranks = np.unique(values, return_inverse=True)
    # Later nodes have larger keys, so one running maximum serves all nodes.
    keys = (nodes * (len(nodes) + 1) + ranks.reshape(-1))[order]
    highest = np.maximum.accumulate(keys)
    better = np.ones(len(keys), dtype=bool)
    better[1:] = (keys[1:] > highest[:-1]) | (nodes[order][1:] > nodes[order][:-1])
    result: Ints = order[better]
    return result
