"""The engine that compiles a space once and answers everything from its diagram.

Linear rows are multiplied into the diagram where they fit. A row that would need too many sums is *pending*: it stays
outside, and the answers are exact all the same. First comes the relaxation, for a whole batch at once; where its bound
and its best feasible configuration do not meet, a search over labels closes the gap. Whatever grows too large raises
`TooLarge`, and the MILP can take over.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from time import perf_counter

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.diagram.compile import compile_diagram
from setmargin.solve.diagram.diagram import Diagram, configuration_of
from setmargin.solve.diagram.label_search import LabelBounds, rounding, search, tolerance
from setmargin.solve.diagram.lagrangian import relax
from setmargin.solve.diagram.layers import checked_weights
from setmargin.solve.diagram.limits import ArcCounter, DiagramLimits, TooLarge
from setmargin.solve.diagram.linear_rows import RowTable, smallest_remaining, smallest_sums
from setmargin.solve.lowering import LinearRow, Lowered

_EXACT = 1e11
"""Sums of integers up to here differ by more than the tolerance of a search."""
_CELLS = 1 << 21
"""Nodes times vectors that are searched together."""
_DRAWS = 200
"""How many uniform configurations may be drawn for each one that pending rows let through."""

Partial = tuple[float, int, int, int, float, Ints, tuple[int, ...]]
"""Minus the bound, minus the layer, a number that breaks ties, node, value, sums and columns so far."""


class ConstrainedDiagram:
    """A diagram together with linear rows that are not in it."""

    def __init__(self, diagram: Diagram, pending_rows: tuple[LinearRow, ...], *, max_labels: int) -> None:
        self.diagram, self.pending_rows, self.max_labels = diagram, pending_rows, max_labels

    @cached_property
    def _table(self) -> RowTable:
        return RowTable.of(self.pending_rows, self.diagram.domains)

    @cached_property
    def _smallest(self) -> list[Ints]:
        return smallest_sums(self.diagram.layers, self._table)

    @cached_property
    def _cheapest(self) -> Ints:
        """The configuration with the smallest sum of each row."""
        return self.diagram.solve(-self._table.costs.astype(np.float64))[0]

    # -- the best --------------------------------------------------------------------------------------------

    def best(self, weights: Floats) -> Ints:
        """The best configuration for each row of weights (B × one-hot values), as B × attributes value indices."""
        result, _ = self.diagram.solve(weights)
        if self.pending_rows:
            over = np.flatnonzero(~self._table.hold(result))
            if len(over):
                result[over] = self._best_within(checked_weights(weights[over], self.diagram.total)[0])
        return result

    def _best_within(self, weights: Floats) -> Ints:
        if (self._smallest[0][:, 0] > self._table.bounds).any():
            raise ModelInfeasible("the smallest sum of a linear row is above its bound; raise the bound")
        step = max(1, _CELLS // self.diagram.nodes)
        parts = [self._best_of_chunk(weights[i : i + step]) for i in range(0, len(weights), step)]
        return np.concatenate(parts)

    def _best_of_chunk(self, weights: Floats) -> Ints:
        relaxed = relax(self.diagram, self._table, weights, cheapest=self._cheapest)
        doubt = rounding(self._table, weights, relaxed.multipliers)
        slack = tolerance(self._table, weights)
        gap = np.flatnonzero(relaxed.upper - doubt > relaxed.lower + slack)
        if len(gap):
            bounds = self._bounds(weights[gap], relaxed.multipliers[gap])
            found = search(self.diagram, bounds, relaxed.of(gap), max_labels=self.max_labels)
            relaxed.incumbents[gap] = found
        return relaxed.incumbents

    def _bounds(self, weights: Floats, multipliers: Floats) -> LabelBounds:
        return LabelBounds.of(self.diagram, self._table, weights, multipliers, self._smallest)

    def witness(self) -> Ints | None:
        """Some configuration that satisfies all rows, or None: the least of the first row under the others."""
        if not self.pending_rows:
            return None if self.diagram.empty else self.diagram.unrank(0)
        cost = self._table.costs[0].astype(np.float64)
        if np.abs(cost).sum() > _EXACT:
            raise TooLarge("the coefficients of a linear row are too large for exact sums")
        others = ConstrainedDiagram(self.diagram, self.pending_rows[1:], max_labels=self.max_labels)
        try:
            found = others.best(-cost[None])
        except ModelInfeasible:
            return None
        return found[0] if self._table.hold(found)[0] else None

    # -- best first ------------------------------------------------------------------------------------------

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All configurations under the rows, best first, each once, found one by one."""
        if self.diagram.empty or not self.pending_rows:
            return self.diagram.ranked(weights)
        scaled, _ = checked_weights(weights[None], self.diagram.total)
        relaxed = relax(self.diagram, self._table, scaled, cheapest=self._cheapest)
        return self._ranked(self._bounds(scaled, relaxed.multipliers))

    def _ranked(self, bounds: LabelBounds) -> Iterator[Ints]:
        """A complete partial configuration has its value as bound, so whatever comes first is the best left."""
        layers, numbers = self.diagram.layers, count()
        nothing = np.zeros(len(self.pending_rows), dtype=np.int64)
        heap: list[Partial] = [(-np.inf, 0, next(numbers), 0, 0.0, nothing, ())]
        while heap:
            _, depth, _, node, value, sums, columns = heappop(heap)
            if -depth == len(layers):
                yield configuration_of(layers, columns)
                continue
            for bound, child, worth, total, column in self._continued(bounds, -depth, node, value, sums):
                item = (-bound, depth - 1, next(numbers), child, worth, total, (*columns, column))
                heappush(heap, item)
            if len(heap) > self.max_labels:
                raise TooLarge(f"more than {self.max_labels:,} partial configurations under linear rows")

    def _continued(
        self, bounds: LabelBounds, level: int, node: int, value: float, sums: Ints
    ) -> Iterator[tuple[float, int, float, Ints, int]]:
        layer = self.diagram.layers[level]
        columns = np.flatnonzero(layer.children[node] >= 0)
        children = layer.children[node, columns]
        labels = layer.labels[columns]
        worth = value + bounds.weights[0, labels]
        totals = sums + self._table.costs[:, labels].T
        most, feasible = bounds.at(level + 1, np.zeros_like(children), children, worth, totals)
        for i in np.flatnonzero(feasible):
            yield float(most[i]), int(children[i]), float(worth[i]), totals[i], int(columns[i])

    # -- what is possible ------------------------------------------------------------------------------------

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some configuration of `allowed` values that satisfies all rows.

        Each row alone is settled by its smallest sum through every arc. Several rows together are tried value by
        value, and every configuration found on the way settles all its values.
        """
        narrowed, left = self._narrowed(allowed)
        if len(self.pending_rows) <= 1 or not left.any():
            return left
        open_values, found = left.copy(), np.zeros_like(left)
        while open_values.any():
            label = int(np.flatnonzero(open_values)[0])
            fixed = ConstrainedDiagram(_fixed(narrowed, label), self.pending_rows, max_labels=self.max_labels)
            witness = fixed.witness()
            open_values[label] = False
            if witness is not None:
                found[witness + self._table.offsets] = True
                open_values &= ~found
        return found

    def _narrowed(self, allowed: Bools) -> tuple[Diagram, Bools]:
        """Without the values that some row alone rules out, until nothing changes."""
        left = self.diagram.possible(allowed)
        diagram = self.diagram if left.all() else self.diagram.restrict(left)
        while left.any():
            fits = np.logical_and.reduce([left, *(_within(diagram, row) for row in self._row_parts())])
            remaining = diagram.possible(fits)
            if np.array_equal(remaining, left):
                break
            left = remaining
            diagram = diagram.restrict(left)
        return diagram, left

    def _row_parts(self) -> Iterator[tuple[Ints, int]]:
        return zip(self._table.costs, self._table.bounds.tolist(), strict=True)


class DiagramEngine(ConstrainedDiagram):
    """Exact answers from a decision diagram; linear rows that do not fit into it stay pending.

    Raises `ModelInfeasible` for a space without configurations, and `TooLarge` (here or in any call) where the
    space is not made for diagrams, so that another engine can take over.
    """

    def __init__(self, lowered: Lowered, *, limits: DiagramLimits | None = None, seed: int = 0) -> None:
        limits = limits or DiagramLimits()
        started = perf_counter()
        diagram = compile_diagram(lowered, limits=limits, seed=seed)
        diagram, pending = _with_rows(diagram, lowered.rows, limits)
        super().__init__(diagram, pending, max_labels=limits.labels)
        if self.witness() is None:
            raise ModelInfeasible("no configuration satisfies all relations and linear rows; relax one of them")
        self.compile_seconds = perf_counter() - started

    @property
    def name(self) -> str:
        pending = len(self.pending_rows)
        beside = f" with {pending} pending row{'s' * (pending > 1)}" if pending else ""
        return f"decision diagram{beside}"

    def count(self) -> int | None:
        """The exact number of configurations; None where a linear row is not in the diagram."""
        return None if self.pending_rows else self.diagram.count()

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Uniform random configurations; with pending rows by rejection, `TooLarge` where too few pass."""
        if not self.pending_rows:
            return self.diagram.sample(rng, size)
        kept, found, drawn = [], 0, 0
        while found < size:
            if drawn > _DRAWS * (size + 100):
                raise TooLarge(f"only {found} of {drawn:,} random configurations satisfy the linear rows")
            draws = self.diagram.sample(rng, size + 100)
            kept.append(draws[self._table.hold(draws)])
            found, drawn = found + len(kept[-1]), drawn + len(draws)
        return np.concatenate([np.zeros((0, len(self.diagram.domains)), dtype=np.int64), *kept])[:size]


def _with_rows(
    diagram: Diagram, rows: tuple[LinearRow, ...], limits: DiagramLimits
) -> tuple[Diagram, tuple[LinearRow, ...]]:
    """The diagram with every row that fits, rows over few attributes first, and the rows that did not fit.

    Raises `TooLarge` where these are too many to search under.
    """
    pending: list[LinearRow] = []
    work = 0
    for row in sorted(rows, key=lambda row: len(row.coefficients)):
        counter = ArcCounter(min(limits.row_arcs, limits.row_work - work))
        try:
            diagram = diagram.with_row(row, counter=counter)
        except TooLarge:
            pending.append(row)
        work = min(work + counter.arcs, limits.row_work)
        if len(pending) > limits.pending_rows:
            raise TooLarge(f"more than {limits.pending_rows} linear rows do not fit into the diagram")
    return diagram, tuple(pending)


def _within(diagram: Diagram, row: tuple[Ints, int]) -> Bools:
    """Which one-hot values lie on a path whose sum is within the bound of one row."""
    cost, bound = row
    costs = [cost[layer.labels] for layer in diagram.layers]
    ahead = smallest_remaining(diagram.layers, costs)
    result = np.zeros(diagram.total, dtype=bool)
    behind = np.zeros(1, dtype=np.int64)
    for layer, own, following in zip(diagram.layers, costs, ahead[1:], strict=True):
        alive = layer.children >= 0
        sums = behind[:, None] + own
        through = np.where(alive, sums + following[layer.children], bound + 1)
        result[layer.labels] = (through <= bound).any(axis=0)
        behind = np.full(len(following) - 1, 2**61, dtype=np.int64)
        np.minimum.at(behind, layer.children[alive], sums[alive])
    return result


def _fixed(diagram: Diagram, label: int) -> Diagram:
    """Only the configurations with this one-hot value."""
    allowed = np.ones(diagram.total, dtype=bool)
    for layer in diagram.layers:
        if label in layer.labels:
            allowed[layer.labels] = False
    allowed[label] = True
    return diagram.restrict(allowed)
