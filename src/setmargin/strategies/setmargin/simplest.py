"""The simplest weights behind a recommendation.

A large γ pushes every weight of the favourite to its bound, and then nothing seems to matter more than anything else.
The reasons that people are given should be no larger than they need to be: of all weights that obey the answers as
well as those found, and that have the same best configuration, these have the smallest sum, in which a quantity at
its largest counts no more than one value: "cheap" is a simpler reason than ten tastes that happen to be cheap.
"""

from __future__ import annotations

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.model import Columns, Limits, Rows, Solver, assemble, rows, total
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.problem import Pairs, is_nothing
from setmargin.strategies.setmargin.setting import Bounds

ROUNDS = 30
SAME = 1e-6


def simplest_weights(
    oracle: Oracle, pairs: Pairs, weights: Floats, best: Ints, *, margin: float, bounds: Bounds, solver: Solver
) -> Floats:
    """Weights of features with the smallest sum; those given where there is nothing simpler."""
    space = oracle.space
    features = np.concatenate([np.eye(int(space.offsets[-1])), space.costs.T], axis=1)
    columns = Columns()
    w = columns.add("w", len(weights), lower=bounds.lower, upper=bounds.upper, objective=bounds.counts)
    blocks = as_obedient(w, weights, pairs.strict @ features, pairs.equal @ features, margin=margin)
    here = space.features(best[None])[0]
    for _ in range(ROUNDS):
        found = np.maximum(solver.solve(assemble(columns, blocks), limits=Limits(seconds=5.0)).values[w], 0.0)
        rival = space.features(oracle.best_indices(found[None]))[0]
        if (rival - here) @ found <= SAME:
            return weights if is_nothing(space, space.value_weights(found)) else found
        # The rival may not win, nor come closer than it is under the weights given (by at most the margin).
        lead = min(float((here - rival) @ weights), margin)
        blocks = [*blocks, rows(total(w, here - rival), lower=max(lead, 0.0))]
    return weights


def as_obedient(w: Ints, weights: Floats, strict: Floats, equal: Floats, *, margin: float) -> list[Rows]:
    """No answer may be obeyed less than the given weights obey it; beyond the margin it does not matter."""
    reached = np.minimum(strict @ weights, margin)
    apart = np.abs(equal @ weights)
    return [
        rows(total(w, strict), lower=reached - 1e-9),
        rows(total(w, equal), lower=-apart - 1e-9, upper=apart + 1e-9),
    ]
