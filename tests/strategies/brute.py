"""The setwise problem by brute force: an LP for every k configurations, written a second time and without a MILP."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from scipy.optimize import linprog

from setmargin.arrays import Floats, Ints
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters
from setmargin.strategies.shared.pairs import Pairs

Interval = tuple[float, float | None]
INFEASIBLE = 2
"""What SciPy calls it."""


def all_configurations(space: Space) -> Ints:
    grid = np.array(list(np.ndindex(*space.domains)), dtype=np.int64)
    return grid[space.feasible(grid)]


def best_objective(
    space: Space, pairs: Pairs, *, size: int, setting: Hyperparameters, bounds: Bounds, form: Form = Form.COUPLED
) -> float:
    """The optimum over all ordered choices of `size` configurations, equal ones included."""
    onehot = space.onehot(all_configurations(space))
    return max(
        fixed_objective(space, pairs, np.array(chosen), setting=setting, bounds=bounds, form=form)
        for chosen in product(onehot, repeat=size)
    )


def fixed_objective(
    space: Space, pairs: Pairs, chosen: Floats, *, setting: Hyperparameters, bounds: Bounds, form: Form = Form.COUPLED
) -> float:
    """max μ − α Σε − β Σw + γ Σ⟨w, x⟩ with the x fixed; variables are ordered μ, then (w, ε) of each vector."""
    if form is Form.PAPER:
        bounds, lift = bounds.of_values(space), np.eye(chosen.shape[1])
    else:
        lift = np.hstack([np.eye(chosen.shape[1]), space.costs.T])
    features, strict, equal = chosen @ lift, pairs.strict @ lift, pairs.equal @ lift
    k, width, answers = len(chosen), features.shape[1], len(pairs)
    stride = width + answers

    def row(i: int, weights: Floats, *, slack: int | None = None, margin: float = 0.0) -> Floats:
        line = np.zeros(1 + k * stride)
        line[0] = margin
        line[1 + i * stride : 1 + i * stride + width] = weights
        if slack is not None:
            line[1 + i * stride + width + slack] = -1.0
        return line

    lines: list[Floats] = []
    for i in range(k):
        lines += [row(i, -delta, slack=h, margin=1.0) for h, delta in enumerate(strict)]
        for h, delta in enumerate(equal):
            lines += [row(i, sign * delta, slack=len(strict) + h) for sign in (1.0, -1.0)]
    lines += [row(i, features[j] - features[i], margin=1.0) for i, j in permutations(range(k), 2)]
    cost = np.concatenate([[-1.0], *(_costs(setting, features[i], bounds.counts, answers) for i in range(k))])
    margin: Interval = (0.0, None if k > 1 or len(strict) else 0.0)
    weights: list[Interval] = [(float(low), float(high)) for low, high in zip(bounds.lower, bounds.upper, strict=True)]
    slacks: list[Interval] = [(0.0, None)] * answers
    limits = [margin, *([*weights, *slacks] * k)]
    if lines:
        result = linprog(cost, A_ub=np.array(lines), b_ub=np.zeros(len(lines)), bounds=limits)
    else:
        result = linprog(cost, bounds=limits)
    if result.status == INFEASIBLE:  # lower bounds may leave no weights that keep these apart
        return -np.inf
    assert result.status == 0, result.message
    assert result.fun is not None
    return -float(result.fun)


def _costs(setting: Hyperparameters, features: Floats, counts: Floats, answers: int) -> Floats:
    return np.concatenate([setting.beta * counts - setting.gamma * features, np.full(answers, setting.alpha)])
