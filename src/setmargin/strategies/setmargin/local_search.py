"""The setwise problem without branch and bound: linear problems and the oracle, in turn, from many starts.

With the x^i fixed, the best (w, ε, μ) is a linear problem (`weights.py`), and its prices λ say what to try next. For
any other configurations X the same prices give a bound, by weak duality, since its dual has the same feasible set:

    φ(X) ≤ Σ_i Σ_z max over w⊥ ≤ w ≤ w⊤ of w c_{i,z}(X) + spare · μ_max
    c_i(X) = −β + Σ_h λ_{i,h} (y₊ − y₋)_h + (γ + Σ_j λ_{i,j}) x^i − Σ_j λ_{i,j} x^j

All bounds met so far hold together, so a set is tried only if each of them leaves it better than what is held:
- `jump` goes to where the bound of the latest prices is largest, which soon finds the best region or rules it out;
- `climb` takes the best configurations for the weights, then the best weights for those, and so on;
- `improve` sets one value of one x^i and lets the oracle complete the configuration, so that rules are obeyed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.problem import Hyperparameters, SetSolution, tells_nothing_apart
from setmargin.strategies.setmargin.weights import Fit, Prices, WeightFitter
from setmargin.strategies.shared.ties import without_last_digits

LEAST_SECONDS = 0.001


@dataclass
class WorkBudget:
    """So many linear problems, and no longer than until the deadline."""

    fits: int
    deadline: float = float("inf")

    @classmethod
    def unlimited(cls) -> WorkBudget:
        """For work that ends by itself."""
        return cls(10**9)

    @property
    def is_over(self) -> bool:
        """Whether to stop and return the best so far."""
        return self.fits <= 0 or self.is_late

    @property
    def is_late(self) -> bool:
        """Whether it is the clock that ends the work, and not the work that was granted."""
        return monotonic() > self.deadline

    @property
    def seconds_left(self) -> float:
        """For a solver that wants to know, and wants a positive number."""
        return max(self.deadline - monotonic(), LEAST_SECONDS)

    def of(self, fits: int) -> WorkBudget:
        """Another number of linear problems before the same deadline."""
        return WorkBudget(fits, self.deadline)


CLIMB = 20
JUMPS = 12
TINY = 1e-9
# A β that hardly counts.
SLIGHT = 0.001
# So many of the latest bounds are kept: evaluating one costs as much as a small part of a linear problem.
BOUNDS = 6


@dataclass(frozen=True, eq=False)
class FittedSet:
    """Configurations and the best weights for them."""

    fit: Fit
    rows: Ints


@dataclass
class LocalSearch:
    """One search: the linear problem, the oracle and the setting that belong together, and the bounds met so far."""

    fitter: WeightFitter
    oracle: Oracle
    setting: Hyperparameters
    effort: WorkBudget
    known: deque[Prices] = field(default_factory=lambda: deque(maxlen=BOUNDS))
    tried: dict[tuple[Hyperparameters, bytes], FittedSet] = field(default_factory=dict)
    learn: Callable[[Prices], None] | None = None
    """Told of the prices of every set that is solved."""

    def fit(self, rows: Ints) -> FittedSet:
        """The best weights for these configurations; what was tried before costs nothing."""
        key = self.setting, rows.tobytes()
        if key not in self.tried:
            self.effort.fits -= 1
            self.tried[key] = self._fitted(rows)
            self.known.append(self.tried[key].fit.prices)
            if self.learn is not None:
                self.learn(self.tried[key].fit.prices)
        return self.tried[key]

    def _fitted(self, rows: Ints) -> FittedSet:
        """Weights with lower bounds may be unable to keep these apart; k times the first one they always can."""
        try:
            return FittedSet(self.fitter.fit(self.oracle.space.onehot(rows), self.setting), rows)
        except ModelInfeasible:
            alike = np.repeat(rows[:1], len(rows), axis=0)
            return FittedSet(self.fitter.fit(self.oracle.space.onehot(alike), self.setting), alike)

    def climb(self, found: FittedSet) -> FittedSet:
        """Alternate between weights and configurations, each the best for the other, until nothing improves."""
        for _ in range(CLIMB):
            rows = self.oracle.best_for_values(without_last_digits(self._worth(found.fit)))
            if self.effort.is_over or (rows == found.rows).all():
                break
            following = self.fit(rows)
            if following.fit.objective <= found.fit.objective + TINY:
                break
            found = following
        return found

    def jump(self, found: FittedSet) -> FittedSet:
        """Go to where the bound is largest, as long as that is better than the best; prices are smoothed on the way."""
        best, prices, rows = found, found.fit.prices, found.rows
        for _ in range(JUMPS if self.oracle.is_quick else 1):
            rows = self.largest_bound(prices, rows)
            if self.effort.is_over or self.bound(rows[None])[0] <= best.fit.objective + TINY:
                break
            tried = self.fit(rows)
            best = tried if tried.fit.objective > best.fit.objective + TINY else best
            prices = prices.towards(tried.fit.prices, 0.5)
        return best

    def improve(self, found: FittedSet) -> FittedSet:
        """Single moves, the most promising first, until none can be better (or time is over)."""
        improved = self.oracle.is_quick  # finding all neighbours takes an oracle call for every value
        while improved and not self.effort.is_over:
            improved = False
            for rows in self._promising(found):
                tried = self.fit(rows)
                if tried.fit.objective > found.fit.objective + TINY:
                    found, improved = self.climb(tried), True
                    break
                if self.effort.is_over:
                    break
        return found

    def _worth(self, fit: Fit) -> Floats:
        """What each configuration is worth to the Lagrangian with w fixed, per one-hot value."""
        apart = fit.prices.apart
        own = (self.setting.gamma + apart.sum(axis=1))[:, None] * fit.value_weights
        worth: Floats = own - apart.T @ fit.value_weights
        return worth

    def largest_bound(self, prices: Prices, rows: Ints) -> Ints:
        """Configurations of largest bound, one after the other, twice around."""
        for i in [*range(len(rows))] * 2:
            gains = self.gains(prices, rows)[i]
            rows = rows.copy()
            rows[i] = self.oracle.best_for_values(without_last_digits(gains[None]))[0]
        return rows

    def _promising(self, found: FittedSet) -> Iterator[Ints]:
        """Neighbours whose bound beats what is held, best bound first; what is learnt on the way counts at once."""
        moves = self.neighbours(found)
        features = self._features(moves)
        bounds = self._bound(features, self.known)
        while len(moves) and bounds.max() > found.fit.objective + TINY:
            place = int(bounds.argmax())
            yield moves[place]
            bounds[place] = -np.inf
            bounds = np.minimum(bounds, self._bound(features, [self.known[-1]]))

    def neighbours(self, found: FittedSet) -> Ints:
        """All sets that differ in one configuration: one value forced, the rest completed by the oracle."""
        gains = self.gains(found.fit.prices, found.rows)
        k, values = gains.shape
        force = 10.0 * (np.abs(gains).sum() + 1.0)
        forced = (gains[:, None, :] + force * np.eye(values)[None]).reshape(k * values, values)
        rows = self.oracle.best_for_values(forced)
        moves = np.repeat(found.rows[None], k * values, axis=0)
        moves[np.arange(k * values), np.repeat(np.arange(k), values)] = rows
        changed = (moves != found.rows).any(axis=(1, 2))
        return np.unique(moves[changed], axis=0) if changed.any() else moves[:0]

    def gains(self, prices: Prices, rows: Ints) -> Floats:
        """How the bound changes when x^i takes a value, the others staying as they are; per one-hot value.

        One-hot features exactly; quantities, which depend on several values at once, by their slope where they stand.
        """
        basis, apart = self.fitter.basis, prices.apart
        values = basis.shape[0]
        features = self.oracle.space.onehot(rows) @ basis
        own = self.setting.gamma + apart.sum(axis=1)
        base = prices.pull - self.setting.beta * self.fitter.counts - apart @ features
        now = base + own[:, None] * features
        gain = self._box(base + own[:, None])[:, :values] - self._box(base)[:, :values]
        # c_j without x^i, for all j and i at once; the diagonal has no price and adds nothing.
        without = now[:, None, :values] + apart[:, :, None] * features[None, :, :values]
        with_it = without - apart[:, :, None]
        upper, lower = self.fitter.upper[:values], self.fitter.lower[:values]
        change = np.maximum(with_it * upper, with_it * lower) - np.maximum(without * upper, without * lower)
        gain += change.sum(axis=0)
        slope = np.where(now > 0, self.fitter.upper, self.fitter.lower)[:, values:]
        gain += (own[:, None] * slope - apart.T @ slope) @ basis[:, values:].T
        return gain

    def _box(self, c: Floats) -> Floats:
        """max of w c over w⊥ ≤ w ≤ w⊤."""
        if not self.fitter.lower.any():
            return np.maximum(c, 0.0) * self.fitter.upper
        return np.maximum(c * self.fitter.upper, c * self.fitter.lower)

    def bound(self, moves: Ints) -> Floats:
        """No weights give these sets of configurations (n × k × attributes) more than this."""
        return self._bound(self._features(moves), self.known)

    def _features(self, moves: Ints) -> Floats:
        count, k, width = moves.shape
        onehot = self.oracle.space.onehot(moves.reshape(count * k, width))
        return (onehot @ self.fitter.basis).reshape(count, k, self.fitter.basis.shape[1])

    def _bound(self, features: Floats, known: Iterable[Prices]) -> Floats:
        """The tightest bound that any of these prices gives."""
        tightest = np.full(len(features), np.inf)
        for prices in known:
            mix = (self.setting.gamma + prices.apart.sum(axis=1)) * np.eye(len(prices.apart)) - prices.apart
            c = mix @ features
            c += prices.pull - self.setting.beta * self.fitter.counts
            total = self._box(c).sum(axis=(1, 2)) + prices.spare * self.fitter.largest
            tightest = np.minimum(tightest, total)
        return tightest


def starts(oracle: Oracle, size: int, *, rng: np.random.Generator) -> Iterator[Ints]:
    """Sets of configurations to climb from, without end: optima of random weights, half of them sparse."""
    values = int(oracle.space.offsets[-1])
    sets = 8 if oracle.is_quick else 1
    while True:
        weights = rng.random((sets * size, values))
        weights[::2] *= rng.random(weights[::2].shape) < 0.3
        yield from oracle.best_for_values(weights).reshape(sets, size, -1)


def with_one_shaken(oracle: Oracle, rows: Ints, *, rng: np.random.Generator) -> Ints:
    """The same set with one configuration shaken: a few random values wanted, the rest kept where possible."""
    values = int(oracle.space.offsets[-1])
    which = int(rng.integers(len(rows)))
    wish = oracle.space.onehot(rows[which][None])[0]
    wish[rng.integers(values, size=3)] += 2.0 * rng.random(3) + 0.5
    shaken = rows.copy()
    shaken[which] = oracle.best_for_values(wish[None])[0]
    return shaken


def climb_once(task: LocalSearch, *, rng: np.random.Generator, first: Ints | None = None) -> FittedSet:
    """Climb from a single start, where a tree will do the rest."""
    return task.climb(task.fit(next(starts(task.oracle, task.fitter.size, rng=rng)) if first is None else first))


def search_from_many_starts(
    task: LocalSearch, *, rng: np.random.Generator, patience: int, first: Ints | None = None
) -> FittedSet:
    """Descend from many starts, every second one near the best so far, until `patience` of them brought nothing."""
    fresh = starts(task.oracle, task.fitter.size, rng=rng)
    best = _descend(task, next(fresh) if first is None else first)
    turn = vain = 0
    while not task.effort.is_over and vain < patience:
        turn += 1
        found = _descend(task, next(fresh) if turn % 2 else with_one_shaken(task.oracle, best.rows, rng=rng))
        vain = 0 if found.fit.objective > best.fit.objective + TINY else vain + 1
        best = found if vain == 0 else best
    return best


def _descend(task: LocalSearch, rows: Ints) -> FittedSet:
    """Jump, climb and improve."""
    return task.improve(with_weights(task, task.climb(task.jump(task.fit(rows))), rows))


def with_weights(task: LocalSearch, found: FittedSet, rows: Ints) -> FittedSet:
    """Where β would make the weights vanish, what is found from the same start without its weight, and then with it."""
    if not tells_nothing_apart(task.oracle.space, found.fit.value_weights) or task.setting.beta <= SLIGHT:
        return found
    real = task.setting
    task.setting = replace(real, beta=SLIGHT)
    relaxed = task.climb(task.fit(rows))
    task.setting = real
    again = task.climb(task.fit(relaxed.rows))
    return again if again.fit.objective > found.fit.objective else found


def solution(found: FittedSet, oracle: Oracle, *, seconds: float) -> SetSolution:
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
