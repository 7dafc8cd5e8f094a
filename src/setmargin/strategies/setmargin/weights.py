"""The setwise problem with the configurations fixed: a linear problem in (w, ε, μ), kept and re-solved warm.

Between one set of configurations and the next only the objective and the k(k−1) separating rows change, so each solve
starts from the last basis. Alternating it with the oracle is the search of `local_search.py`; with k = 1 it is the
plain max-margin learner that tuning solves hundreds of times.

For a recommendation, of all weights that explain it as well, the simplest are wanted: `simplest_weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.model import Columns, Limits, ModelOwner, Rows, Solver, assemble, one, rows, total
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.strategies.setmargin.problem import (
    NEGLIGIBLE,
    Bounds,
    Form,
    Hyperparameters,
    largest_margin,
    tells_nothing_apart,
    without_noise,
)
from setmargin.strategies.shared.pairs import Pairs, features_of_values
from setmargin.strategies.shared.ties import tie_costs, without_last_digits

# What solvers call zero.
NOTHING = 1e-9
# How much everything else matters to somebody to whom one quantity is all that matters.
SLIGHTLY = 1e-3


@dataclass(frozen=True, eq=False)
class Prices:
    """The dual values of the rows, feasible for any configurations and any β and γ."""

    apart: Floats
    """λ_{i,j}, the price of the row that keeps x^i above x^j."""
    pull: Floats
    """Σ_h λ_{i,h} (y₊ − y₋)_h: where the answers pull each w^i, per feature."""
    spare: float
    """1 − Σ λ, the part of the margin's worth that only its own upper bound holds back."""

    def towards(self, other: Prices, share: float) -> Prices:
        """Between these and others: feasible too, as the feasible prices are a convex set."""
        keep = 1.0 - share
        return Prices(
            keep * self.apart + share * other.apart,
            keep * self.pull + share * other.pull,
            keep * self.spare + share * other.spare,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """The best weights for given configurations, and the prices of the rows they meet."""

    weights: Floats
    value_weights: Floats
    margin: float
    objective: float
    prices: Prices


class WeightFitter(ModelOwner):
    """The kept linear problem. Use it as a context manager, so that the solver's memory is given back."""

    def __init__(
        self, space: Space, pairs: Pairs, *, size: int, bounds: Bounds, form: Form, solver: Solver, limits: Limits
    ) -> None:
        self.size, self._limits = size, limits
        self.basis = np.eye(int(space.offsets[-1])) if form is Form.PAPER else features_of_values(space)
        # Weights for sets only lead to the next question; those for one are shown, and tuned by.
        self._tie_costs = tie_costs(space)[: self.basis.shape[1]] if size == 1 else np.zeros(self.basis.shape[1])
        self._columns = Columns()
        largest = largest_margin(space, pairs, size=size, bounds=bounds)
        bounds = bounds.of_values(space) if form is Form.PAPER else bounds
        self._w = self._columns.add("w", (size, len(bounds.lower)), lower=bounds.lower, upper=bounds.upper)
        self._mu = self._columns.add("mu", upper=largest)
        self._eps = self._columns.add("eps", (size, len(pairs)))
        self._others = list(permutations(range(size), 2))
        self._separation = np.zeros((len(self._others), self._w.shape[1]))
        strict, equal = (pairs.strict, pairs.equal) if form is Form.PAPER else pairs.in_features(space)
        self._blocks = without_noise(strict), without_noise(equal)
        self.lower, self.upper, self.counts, self.largest = bounds.lower, bounds.upper, bounds.counts, largest
        self._solver, self._opened = solver, False

    def _open(self) -> None:
        """When it is first needed: where nothing is worth any weights it is not."""
        model = assemble(self._columns, [self._separating(), *self._answered()], maximise=True)
        self._model, self._opened = self._solver.open(model), True

    def __exit__(self, *_: object) -> None:
        if self._opened:
            self._model.close()

    def fit(self, onehot: Floats, setting: Hyperparameters) -> Fit:
        """The best weights when the k configurations are these one-hot rows."""
        if not self._opened:
            self._open()
        features = onehot @ self.basis
        objective = np.zeros(len(self._columns))
        objective[self._w] = setting.gamma * features - setting.beta * self.counts - self._tie_costs
        objective[self._mu] = 1.0
        objective[self._eps] = -setting.alpha
        self._model.change_objective(objective)
        if self.size > 1:
            self._separate(features)
        found = self._model.solve(limits=self._limits)
        weights = np.where(found.values[self._w] < NOTHING, 0.0, found.values[self._w])
        return Fit(
            weights=weights,
            value_weights=weights @ self.basis.T,
            margin=max(float(found.values[self._mu]), 0.0),
            objective=found.objective + float((weights @ self._tie_costs).sum()),
            prices=self._prices(found.row_duals),
        )

    def worth_of(self, weights: Floats, onehot: Floats, setting: Hyperparameters) -> Fit | None:
        """What weights that another problem found are worth to these one-hot rows, at the best margin; None if they do
        not put each row first for its own weights. Prices are not known, and none are given."""
        features = onehot @ self.basis
        strict, equal = self._blocks
        ahead, own = (strict @ weights.T).ravel(), (weights * features).sum(axis=1)
        apart = min((float(own[i] - weights[i] @ features[j]) for i, j in self._others), default=self.largest)
        if apart < -NOTHING:
            return None
        margins = np.clip(np.append(ahead, apart), 0.0, max(min(apart, self.largest), 0.0))
        errors = np.maximum(margins[:, None] - ahead, 0.0).sum(axis=1) + np.abs(equal @ weights.T).sum()
        worth = margins - setting.alpha * errors
        return Fit(
            weights=weights,
            value_weights=weights @ self.basis.T,
            margin=float(margins[worth.argmax()]),
            objective=float(worth.max() - setting.beta * (weights @ self.counts).sum() + setting.gamma * own.sum()),
            prices=Prices(np.zeros((self.size, self.size)), np.zeros(weights.shape), 1.0),
        )

    def _separate(self, features: Floats) -> None:
        """(2) with x fixed: ⟨w^i, x^i − x^j⟩ ≥ μ. Only what differs from the last time is handed over."""
        wanted = without_noise(np.stack([features[i] - features[j] for i, j in self._others]))
        row, feature = np.nonzero(wanted != self._separation)
        first = np.array([i for i, _ in self._others])
        self._model.change_coefficients(row, self._w[first[row], feature], wanted[row, feature])
        self._separation = wanted

    def _prices(self, duals: Floats | None) -> Prices:
        k, count = self.size, len(self._others)
        apart = np.zeros((k, k))
        if duals is None:
            return Prices(apart, np.zeros(self._w.shape), 1.0)
        duals = np.maximum(-duals, 0.0)
        for number, (i, j) in enumerate(self._others):
            apart[i, j] = duals[number]
        strict, below, above = (
            part.reshape(k, -1) for part in np.split(duals[count:], np.cumsum([k * len(b) for b in self._blocks[:2]]))
        )
        pull = strict @ self._blocks[0] + (above - below) @ self._blocks[1]
        return Prices(apart, pull, max(1.0 - float(apart.sum() + strict.sum()), 0.0))

    def _separating(self) -> Rows:
        return rows(one(np.repeat(self._mu, len(self._others)), -1.0), lower=np.zeros(len(self._others)))

    def _answered(self) -> Sequence[Rows]:
        """(1), and the rows of indifferent answers, in terms of w."""
        strict, equal = self._blocks
        w, eps = self._w[:, None, :], self._eps
        first, second = eps[:, : len(strict)], eps[:, len(strict) :]
        return [
            rows(total(w, strict[None]), one(self._mu, -1.0), one(first), lower=0.0),
            *(rows(one(second), total(w, sign * equal[None]), lower=0.0) for sign in (-1.0, 1.0)),
        ]


ROUNDS = 30
SAME = 1e-6


def simplest_weights(
    oracle: Oracle, pairs: Pairs, weights: Floats, best: Ints, *, margin: float, bounds: Bounds, solver: Solver
) -> Floats:
    """Of all weights that obey the answers as well and have the same best configuration, those with the smallest sum.

    A large γ pushes every weight of the favourite to its bound, and then nothing seems to matter more than anything
    else; the reasons that people are given should be no larger than they need to be. A quantity at its largest counts
    no more than one value: "cheap" is a simpler reason than ten tastes that happen to be cheap. Where nothing is
    simpler, the weights given.
    """
    space = oracle.space
    columns = Columns()
    costs = bounds.counts + tie_costs(space)
    w = columns.add("w", len(weights), lower=bounds.lower, upper=bounds.upper, objective=costs)
    blocks = as_obedient(w, weights, *pairs.in_features(space), margin=margin)
    here = space.features(best[None])[0]
    for _ in range(ROUNDS):
        found = solver.solve(assemble(columns, blocks), limits=Limits(seconds=5.0)).values[w]
        found = np.where(found < NOTHING, 0.0, found)
        rival = space.features(oracle.best_for_values(without_last_digits(space.value_weights(found))[None]))[0]
        if (rival - here) @ found <= SAME:
            return weights if tells_nothing_apart(space, space.value_weights(found)) else found
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


def sole_quantity(space: Space, pairs: Pairs) -> int | None:
    """The first quantity that alone puts every answer in the right order, "no difference" included; None if none does.

    Margins cannot tell: two bicycles of nearly the same price leave little room for a taste for low prices, and much
    for a taste for anything else in which they differ.
    """
    cut = int(space.offsets[-1])
    strict, equal = (rows[:, cut : cut + len(space.quantities)] for rows in pairs.in_features(space))
    alone = (strict > NEGLIGIBLE).all(axis=0) & (np.abs(equal) < NEGLIGIBLE).all(axis=0)
    return int(alone.argmax()) if len(strict) and alone.any() else None


def mostly_one_quantity(space: Space, weights: Floats, quantity: int, bounds: Bounds) -> Floats:
    """Weights to which one quantity is all that matters, and whatever the others say decides among equals."""
    place = int(space.offsets[-1]) + quantity
    mostly: Floats = SLIGHTLY * weights
    mostly[place] = bounds.upper[place]
    return np.clip(mostly, bounds.lower, bounds.upper)
