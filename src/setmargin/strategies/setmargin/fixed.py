"""The setwise problem with the configurations fixed: a linear problem in (w, ε, μ), kept and re-solved warm.

Between one set of configurations and the next only the objective and the k(k−1) separating rows change, so each solve
starts from the last basis. Alternating it with the oracle is the search of `search.py`; with k = 1 it is the
plain max-margin learner that tuning solves hundreds of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from types import TracebackType
from typing import Self

import numpy as np

from setmargin.solve.lowered import Floats
from setmargin.solve.milp import Columns, Limits, Rows, Solver, assemble, one, rows, total
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import Form, Pairs, largest_margin
from setmargin.strategies.setmargin.setting import Bounds, Setting


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """The best weights for given configurations. λ_{i,j} is the price of the row that keeps x^i above x^j."""

    weights: Floats
    value_weights: Floats
    margin: float
    objective: float
    prices: Floats


class FixedConfigurations:
    """The kept linear problem. Use it as a context manager, so that the solver's memory is given back."""

    def __init__(
        self, space: Space, pairs: Pairs, *, size: int, bounds: Bounds, form: Form, solver: Solver, limits: Limits
    ) -> None:
        self._size, self._limits = size, limits
        self._basis = np.eye(int(space.offsets[-1])) if form is Form.PAPER else _features_of_values(space)
        self._columns = Columns()
        largest = largest_margin(space, pairs, size=size, bounds=bounds)
        bounds = bounds.of_values(space) if form is Form.PAPER else bounds
        self._w = self._columns.add("w", (size, len(bounds.lower)), lower=bounds.lower, upper=bounds.upper)
        self._mu = self._columns.add("mu", upper=largest)
        self._eps = self._columns.add("eps", (size, len(pairs)))
        model = assemble(self._columns, [self._separating(), *self._answered(pairs)], maximise=True)
        self._kept = solver.keep(model)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kept.close()

    def fit(self, onehot: Floats, setting: Setting) -> Fit:
        """The best weights when the k configurations are these one-hot rows."""
        features = onehot @ self._basis
        objective = np.zeros(len(self._columns))
        objective[self._w] = setting.gamma * features - setting.beta
        objective[self._mu] = 1.0
        objective[self._eps] = -setting.alpha
        self._kept.change_objective(objective)
        if self._size > 1:
            self._separate(features)
        found = self._kept.solve(limits=self._limits)
        weights = np.maximum(found.values[self._w], 0.0)
        return Fit(
            weights=weights,
            value_weights=weights @ self._basis.T,
            margin=max(float(found.values[self._mu]), 0.0),
            objective=found.objective,
            prices=self._prices(found.row_duals),
        )

    def _separate(self, features: Floats) -> None:
        """(2) with x fixed: ⟨w^i, x^i − x^j⟩ ≥ μ."""
        pairs = list(permutations(range(self._size), 2))
        width = features.shape[1]
        self._kept.change_coefficients(
            np.repeat(np.arange(len(pairs)), width),
            np.concatenate([self._w[i] for i, _ in pairs]),
            np.concatenate([features[i] - features[j] for i, j in pairs]),
        )

    def _prices(self, duals: Floats | None) -> Floats:
        prices = np.zeros((self._size, self._size))
        if duals is not None:
            for number, (i, j) in enumerate(permutations(range(self._size), 2)):
                prices[i, j] = max(-duals[number], 0.0)
        return prices

    def _separating(self) -> Rows:
        count = self._size * (self._size - 1)
        return rows(one(np.repeat(self._mu, count), -1.0), lower=np.zeros(count))

    def _answered(self, pairs: Pairs) -> Sequence[Rows]:
        """(1), and the rows of indifferent answers, in terms of w."""
        strict, equal = pairs.strict @ self._basis, pairs.equal @ self._basis
        w, eps = self._w[:, None, :], self._eps
        first, second = eps[:, : len(strict)], eps[:, len(strict) :]
        return [
            rows(total(w, strict[None]), one(self._mu, -1.0), one(first), lower=0.0),
            *(rows(one(second), total(w, sign * equal[None]), lower=0.0) for sign in (-1.0, 1.0)),
        ]


def _features_of_values(space: Space) -> Floats:
    """One-hot values × features: what each value adds to each feature."""
    return np.concatenate([np.eye(int(space.offsets[-1])), space.costs.T], axis=1)
