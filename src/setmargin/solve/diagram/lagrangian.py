"""Lagrangian relaxation of linear rows on a diagram, for many weight vectors at once.

A multiplier λ ≥ 0 prices a row: max (w - λc)·x + λb over the diagram bounds the constrained maximum from above. The
bound is convex and piecewise linear in λ. For one row its minimum is found exactly: two configurations, one over the
bound and one within, are two lines, and where they cross is the next λ, until no configuration rises above the
crossing. Several rows take turns; that may end short of the best bound, but never in a wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.diagram.diagram import Diagram
from setmargin.solve.diagram.linear_rows import RowTable

_STEPS = 40
_ROUNDS = 2


@dataclass(eq=False)
class RelaxedBatch:
    """The state for a batch: multipliers with the lowest bounds, and the best feasible configurations met so far."""

    multipliers: Floats
    upper: Floats
    lower: Floats
    incumbents: Ints

    def of(self, which: Ints) -> RelaxedBatch:
        return RelaxedBatch(self.multipliers[which], self.upper[which], self.lower[which], self.incumbents[which])


def relax(diagram: Diagram, rows: RowTable, weights: Floats, *, cheapest: Ints) -> RelaxedBatch:
    """Low upper bounds and good feasible configurations for each row of weights.

    `cheapest` has the configuration with the smallest sum of each linear row.
    """
    size = len(weights)
    state = RelaxedBatch(
        np.zeros((size, len(rows.bounds))),
        np.full(size, np.inf),
        np.full(size, -np.inf),
        np.zeros((size, len(diagram.domains)), dtype=np.int64),
    )
    for one in cheapest:
        _offer(state, np.arange(size), np.tile(one, (size, 1)), rows, weights)
    for _ in range(_ROUNDS if len(rows.bounds) > 1 else 1):
        for r in range(len(rows.bounds)):
            _relax_row(diagram, rows, weights, state, r, cheapest[r])
    return state


def _relax_row(diagram: Diagram, rows: RowTable, weights: Floats, state: RelaxedBatch, r: int, cheapest: Ints) -> None:
    """The best multiplier of row r while those of the other rows stay."""
    trial = state.multipliers.copy()
    trial[:, r] = 0.0
    others = weights - trial @ rows.costs
    within = np.tile(cheapest, (len(weights), 1))
    beyond, _ = _sweep(diagram, rows, weights, state, np.arange(len(weights)), trial)
    active = np.flatnonzero(rows.sums(beyond)[:, r] > rows.bounds[r])
    for _ in range(_STEPS):
        if not len(active):
            return
        both = beyond[active], within[active]
        costs = [rows.sums(one)[:, r] for one in both]
        values = [rows.worth(one, others[active]) for one in both]
        apart = np.maximum(costs[0] - costs[1], 1)
        trial[active, r] = np.maximum((values[0] - values[1]) / apart, 0.0)
        crossing = values[1] + trial[active, r] * (rows.bounds[r] - costs[1])
        found, reached = _sweep(diagram, rows, weights, state, active, trial[active])
        rest = (trial[active] * rows.bounds).sum(axis=1) - trial[active, r] * rows.bounds[r]
        rises = reached - rest > crossing + 1e-9 * (1e-9 + np.abs(crossing) + np.abs(values[0] - values[1]))
        over = rows.sums(found)[:, r] > rows.bounds[r]
        beyond[active[over]] = found[over]
        within[active[~over]] = found[~over]
        active = active[rises]


def _sweep(
    diagram: Diagram, rows: RowTable, weights: Floats, state: RelaxedBatch, which: Ints, multipliers: Floats
) -> tuple[Ints, Floats]:
    """The best configurations at these multipliers; remembers bounds and feasible ones on the way."""
    found, values = diagram.solve(weights[which] - multipliers @ rows.costs)
    bounds = values + multipliers @ rows.bounds
    better = bounds < state.upper[which]
    state.upper[which[better]] = bounds[better]
    state.multipliers[which[better]] = multipliers[better]
    _offer(state, which, found, rows, weights)
    return found, bounds


def _offer(state: RelaxedBatch, which: Ints, configurations: Ints, rows: RowTable, weights: Floats) -> None:
    values = rows.worth(configurations, weights[which])
    good = rows.hold(configurations) & (values > state.lower[which])
    state.lower[which[good]] = values[good]
    state.incumbents[which[good]] = configurations[good]
