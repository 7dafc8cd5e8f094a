"""The setwise problem without branch and bound: linear problems and the oracle, in turn, from many starts.

With the x^i fixed, the best (w, ε, μ) is a linear problem (`fixed.py`), and its prices λ say what to try next. For any
other configurations X the same prices give a bound, by weak duality, since its dual has the same feasible set:

    φ(X) ≤ Σ_i Σ_z max over w⊥ ≤ w ≤ w⊤ of w c_{i,z}(X) + spare · μ_max
    c_i(X) = −β + Σ_h λ_{i,h} (y₊ − y₋)_h + (γ + Σ_j λ_{i,j}) x^i − Σ_j λ_{i,j} x^j

So a move is tried only if its bound beats what is held already, the most promising first. Moves set one value of one
x^i and let the oracle complete the configuration, so that rules are always obeyed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from setmargin.solve.lowered import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.fixed import Fit, FixedConfigurations
from setmargin.strategies.setmargin.problem import SetSolution, is_nothing
from setmargin.strategies.setmargin.setting import Setting

CLIMB = 20
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Found:
    """Configurations and the best weights for them."""

    fit: Fit
    rows: Ints


@dataclass
class Effort:
    """How much work a search may still do: linear problems are what costs."""

    fits: int
    deadline: float

    @classmethod
    def unlimited(cls) -> Effort:
        """For work that ends by itself."""
        return cls(10**9, float("inf"))

    @property
    def is_over(self) -> bool:
        """Whether to stop and return the best so far."""
        return self.fits <= 0 or monotonic() > self.deadline


class Search:
    """One search: the linear problem, the oracle and the setting that belong together."""

    def __init__(self, fixed: FixedConfigurations, oracle: Oracle, setting: Setting, effort: Effort) -> None:
        self._fixed, self._oracle, self._effort = fixed, oracle, effort
        self.setting = setting

    def fit(self, rows: Ints) -> Found:
        """The best weights for these configurations."""
        self._effort.fits -= 1
        return Found(self._fixed.fit(self._oracle.space.onehot(rows), self.setting), rows)

    def climb(self, found: Found) -> Found:
        """Alternate between weights and configurations, each the best for the other, until nothing improves."""
        for _ in range(CLIMB):
            rows = self._oracle.best_for_values(self._worth(found.fit))
            if self._effort.is_over or (rows == found.rows).all():
                break
            following = self.fit(rows)
            if following.fit.objective <= found.fit.objective + TINY:
                break
            found = following
        return found

    def improve(self, found: Found) -> Found:
        """Single moves, the most promising first, until none can be better (or time is over)."""
        improved = True
        while improved and not self._effort.is_over:
            improved = False
            for rows in self._promising(found):
                tried = self.fit(rows)
                if tried.fit.objective > found.fit.objective + TINY:
                    found, improved = self.climb(tried), True
                    break
                if self._effort.is_over:
                    break
        return found

    def _worth(self, fit: Fit) -> Floats:
        """What each configuration is worth to the Lagrangian with w fixed, per one-hot value."""
        own = (self.setting.gamma + fit.prices.sum(axis=1))[:, None] * fit.value_weights
        worth: Floats = own - fit.prices.T @ fit.value_weights
        return worth

    def _promising(self, found: Found) -> Iterator[Ints]:
        """Neighbours whose bound beats what is held, best bound first."""
        moves = self.neighbours(found)
        bounds = self.bound(found.fit, moves)
        for place in np.argsort(-bounds, kind="stable"):
            if bounds[place] <= found.fit.objective + TINY:
                return
            yield moves[place]

    def neighbours(self, found: Found) -> Ints:
        """All sets that differ in one configuration: one value forced, the rest completed by the oracle."""
        gains = self._gains(found)
        k, values = gains.shape
        force = 10.0 * (np.abs(gains).sum() + 1.0)
        forced = (gains[:, None, :] + force * np.eye(values)[None]).reshape(k * values, values)
        rows = self._oracle.best_for_values(forced)
        moves = np.repeat(found.rows[None], k * values, axis=0)
        moves[np.arange(k * values), np.repeat(np.arange(k), values)] = rows
        changed = (moves != found.rows).any(axis=(1, 2))
        return np.unique(moves[changed], axis=0) if changed.any() else moves[:0]

    def _gains(self, found: Found) -> Floats:
        """How the bound changes when x^i takes a value, the others staying as they are; per one-hot value."""
        basis, fit = self._fixed.basis, found.fit
        features = self._oracle.space.onehot(found.rows) @ basis
        own = self.setting.gamma + fit.prices.sum(axis=1)
        base = fit.pull - self.setting.beta - fit.prices @ features
        values = basis.shape[0]
        # One-hot features exactly, quantities by their slope where they stand.
        rest = base + own[:, None] * features
        slope = np.where(rest > 0, self._fixed.upper, self._fixed.lower)
        gain = self._box(base + own[:, None])[:, :values] - self._box(base)[:, :values]
        gain += (own[:, None] * slope[:, values:]) @ basis[:, values:].T
        without = rest[:, None, :] + fit.prices[:, :, None] * features[None]
        for i in range(len(own)):
            for j in range(len(own)):
                if i != j and fit.prices[j, i] > 0:
                    free = without[j, i]
                    gain[i] += (self._box(free - fit.prices[j, i]) - self._box(free))[:values]
                    gain[i] -= fit.prices[j, i] * (slope[j, values:] @ basis[:, values:].T)
        return gain

    def _box(self, c: Floats) -> Floats:
        """max of w c over w⊥ ≤ w ≤ w⊤."""
        return np.maximum(c * self._fixed.upper, c * self._fixed.lower)

    def bound(self, fit: Fit, moves: Ints) -> Floats:
        """No weights give these sets of configurations (n × k × attributes) more than this."""
        count, k, width = moves.shape
        onehot = self._oracle.space.onehot(moves.reshape(count * k, width))
        features = (onehot @ self._fixed.basis).reshape(count, k, self._fixed.basis.shape[1])
        own = self.setting.gamma + fit.prices.sum(axis=1)
        c = fit.pull - self.setting.beta + own[:, None] * features - np.einsum("ij,njf->nif", fit.prices, features)
        total: Floats = self._box(c).sum(axis=(1, 2)) + fit.spare * self._fixed.largest
        return total


def starts(oracle: Oracle, size: int, *, rng: np.random.Generator) -> Iterator[Ints]:
    """Sets of configurations to climb from, without end: optima of random weights, half of them sparse."""
    values = int(oracle.space.offsets[-1])
    while True:
        weights = rng.random((8 * size, values))
        weights[::2] *= rng.random((4 * size, values)) < 0.3
        yield from oracle.best_for_values(weights).reshape(8, size, -1)


def kicked(oracle: Oracle, rows: Ints, *, rng: np.random.Generator) -> Ints:
    """The same set with one configuration shaken: a few random values wanted, the rest kept where possible."""
    values = int(oracle.space.offsets[-1])
    which = int(rng.integers(len(rows)))
    wish = oracle.space.onehot(rows[which][None])[0]
    wish[rng.integers(values, size=3)] += 2.0 * rng.random(3) + 0.5
    shaken = rows.copy()
    shaken[which] = oracle.best_for_values(wish[None])[0]
    return shaken


def search(
    fixed: FixedConfigurations,
    oracle: Oracle,
    setting: Setting,
    *,
    size: int,
    rng: np.random.Generator,
    fits: int,
    seconds: float,
    first: Ints | None = None,
) -> SetSolution:
    """The best that so many linear problems find, or fewer if time runs out."""
    began = monotonic()
    effort = Effort(fits, began + seconds)
    task = Search(fixed, oracle, setting, effort)
    fresh = starts(oracle, size, rng=rng)
    best = _descend(task, oracle, next(fresh) if first is None else first)
    turn = 0
    while not effort.is_over:
        turn += 1
        rows = next(fresh) if turn % 2 else kicked(oracle, best.rows, rng=rng)
        found = _descend(task, oracle, rows)
        if found.fit.objective > best.fit.objective + TINY:
            best = found
    return solution(best, oracle, seconds=monotonic() - began)


def _descend(task: Search, oracle: Oracle, rows: Ints) -> Found:
    """Climb and improve; where β would make the weights vanish, first find something without its weight."""
    found = task.climb(task.fit(rows))
    if is_nothing(oracle.space, found.fit.value_weights) and task.setting.beta > 0.001:
        real = task.setting
        task.setting = replace(real, beta=0.001)
        found = task.improve(task.climb(task.fit(rows)))
        task.setting = real
        found = task.climb(task.fit(found.rows))
    return task.improve(found)


def solution(found: Found, oracle: Oracle, *, seconds: float) -> SetSolution:
    """What was found, in the words of the problem; without a proof its gap is unknown."""
    fit = found.fit
    width = len(oracle.space.feature_names) - fit.weights.shape[1]
    return SetSolution(
        weights=np.pad(fit.weights, ((0, 0), (0, width))),
        value_weights=fit.value_weights,
        configurations=found.rows,
        margin=fit.margin,
        objective=fit.objective,
        bound=float("inf"),
        gap=float("inf"),
        status="search",
        seconds=seconds,
    )
