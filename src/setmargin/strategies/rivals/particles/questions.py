"""What to ask: sets with the largest expected utility of selection, EUS(S) = Σ p_l max_{x in S} w_l·x.

Both searches are the paper's. *Greedy* starts from what is best on average and adds what adds most. *Query iteration*
replaces each option by what is best for those who would take it, as long as that adds anything. Selection is without
noise in both: only then is EUS submodular, and does iteration never lose.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import islice

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.strategies.rivals.particles.prior import Singles
from setmargin.strategies.rivals.particles.sampler import Particles
from setmargin.strategies.shared.configurations import Set, key

NEGLIGIBLE = 1e-12
"""Particles that count less than this share of the one that counts most; all of them together count for nothing."""
BLOCK = 4_000_000
"""Utilities held at once while configurations are judged."""
TRIES, FEW_TRIES = 20, 3
"""Draws of a particle for each option that a start of query iteration needs; fewer where the oracle is slow."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """Particles seen through one space: `values` are their weights per one-hot value."""

    oracle: Oracle
    values: Singles
    shares: Singles

    @classmethod
    def of(cls, oracle: Oracle, particles: Particles) -> Crowd:
        """Those who count for next to nothing are left out: they cost time (tiny numbers most) and change nothing."""
        counts = particles.shares > NEGLIGIBLE * particles.shares.max()
        values = oracle.space.value_weights(particles.weights[counts].astype(float)).astype(np.float32)
        return cls(oracle, values, particles.shares[counts].astype(np.float32))

    @cached_property
    def mean(self) -> Floats:
        """The average weights of values."""
        mean: Floats = self.shares.astype(float) @ self.values
        return mean

    def drawn(self, rng: np.random.Generator, count: int) -> Floats:
        """Weights of values of random particles, by how much they count."""
        shares = self.shares.astype(float)
        return self.values[rng.choice(len(shares), count, p=shares / shares.sum())].astype(float)

    def runners(self, count: int) -> Ints:
        """The best on average and its runners-up; fewer where there are no more."""
        return np.stack(list(islice(self.oracle.ranked_for_values(self.mean), count)))

    def worth(self, configurations: Ints) -> Singles:
        """Utilities, configurations × particles."""
        onehot = self.oracle.space.onehot(configurations).astype(np.float32)
        worth: Singles = onehot @ self.values.T
        return worth

    def gains(self, configurations: Ints, floor: Singles) -> Singles:
        """By how much each would raise EUS where `floor` is what everybody has already."""
        size = max(1, BLOCK // len(self.values))
        blocks = np.split(configurations, range(size, len(configurations), size))
        return np.concatenate([self._gains(block, floor) for block in blocks])

    def _gains(self, configurations: Ints, floor: Singles) -> Singles:
        above = self.worth(configurations)
        above -= floor
        gains: Singles = np.maximum(above, 0, out=above) @ self.shares
        return gains

    def selection(self, sets: Ints) -> Floats:
        """EUS of each of many sets (sets × options × attributes)."""
        worth = self.worth_in(sets)
        utility: Floats = (worth.max(axis=0) @ self.shares).astype(float)
        return utility

    def worth_in(self, sets: Ints) -> Singles:
        """Utilities, options × sets × particles."""
        count, size, attributes = sets.shape
        return self.worth(sets.swapaxes(0, 1).reshape(-1, attributes)).reshape(size, count, -1)


# Greedy


def greedy(crowd: Crowd, candidates: Ints, size: int, asked: Collection[Set]) -> Ints | None:
    """The best on average, then what adds most to EUS; the last so that the set is new. None if none is."""
    onehot = crowd.oracle.space.onehot(candidates)
    expected = onehot @ crowd.mean
    best = int(np.argmax(expected))
    chosen, heap = [best], _heap(crowd, candidates, expected, best)
    while len(chosen) < min(size, len(candidates)):
        taken = np.array([candidates[n] for n in chosen])
        last = len(chosen) + 1 == min(size, len(candidates))
        if last:
            heap = [entry for entry in heap if key(np.vstack([taken, candidates[entry[2]]])) not in asked]
            heapify(heap)
        if not heap:
            return None
        chosen.append(_add(crowd, candidates, heap, crowd.worth(taken).max(axis=0), fresh=len(chosen) == 1))
    return candidates[chosen] if len(chosen) > 1 else None


Heap = list[tuple[float, float, int]]
"""Minus the gain, minus the expected utility (which decides between equal gains), and the candidate."""


def _heap(crowd: Crowd, candidates: Ints, expected: Floats, best: int) -> Heap:
    gains = crowd.gains(candidates, crowd.worth(candidates[[best]])[0])
    heap = [(-float(g), -float(u), n) for n, (g, u) in enumerate(zip(gains, expected, strict=True)) if n != best]
    heapify(heap)
    return heap


def _add(crowd: Crowd, candidates: Ints, heap: Heap, floor: Singles, *, fresh: bool) -> int:
    """The candidate that adds most. Gains only fall as the set grows, so an old gain is an upper bound: what stays on
    top with its new gain is the best, and most others are never looked at."""
    current: set[int] = set()
    while not fresh and heap[0][2] not in current:
        _, utility, n = heap[0]
        current.add(n)
        heapreplace(heap, (-float(crowd.gains(candidates[[n]], floor)[0]), utility, n))
    return heappop(heap)[2]


# Query iteration


def iterated(crowd: Crowd, starts: Ints) -> tuple[Ints, Floats]:
    """Each start (starts × options × attributes) after query iteration, and its EUS."""
    sets, values = starts, crowd.selection(starts)
    while True:
        following = one_iteration(crowd, sets)
        later = crowd.selection(following)
        better = later > values + 1e-6 * np.abs(values)
        if not better.any():
            return sets, values
        sets = np.where(better[:, None, None], following, sets)
        values = np.where(better, later, values)


def one_iteration(crowd: Crowd, sets: Ints) -> Ints:
    """T(S): each option gives way to what is best for those who would take it; it stays if nobody would."""
    taken = _first_best(crowd.worth_in(sets))
    shares = np.stack([(taken == option) * crowd.shares for option in range(sets.shape[1])], axis=1)
    masses = shares.sum(axis=2).astype(float)
    totals = shares.reshape(masses.size, -1) @ crowd.values  # one large product is much faster than many small ones
    means = totals / np.where(masses > 0, masses, 1.0).reshape(-1, 1)
    best = crowd.oracle.best_for_values(means).reshape(sets.shape)
    return np.where(masses[:, :, None] > 0, best, sets)


def _first_best(worth: Singles) -> Ints:
    """Along the first axis, the first of the largest; NumPy's own is slow where that axis is short."""
    best, taken = worth[0], np.zeros(worth.shape[1:], dtype=np.int64)
    for option, here in enumerate(worth[1:], 1):
        taken[here > best] = option
        best = np.maximum(best, here)
    return taken


def sampled_starts(crowd: Crowd, size: int, count: int, rng: np.random.Generator) -> Ints | None:
    """Sets of the best on average and what different particles would take; None if there is a single configuration.

    Particles that agree too much leave room for runners-up on average.
    """
    runners = crowd.runners(size)
    if len(runners) < 2:
        return None
    draws = (TRIES if crowd.oracle.is_quick else FEW_TRIES) * (size - 1)
    optima = crowd.oracle.best_for_values(crowd.drawn(rng, count * draws)).reshape(count, draws, -1)
    return np.stack([_different(np.concatenate([runners[:1], own, runners]), len(runners)) for own in optima])


def completed(crowd: Crowd, options: Ints) -> Ints:
    """Runners-up on average where iteration has made options equal."""
    return _different(np.concatenate([options, crowd.runners(len(options))]), len(options))


def _different(rows: Ints, size: int) -> Ints:
    """The first rows that differ from those before."""
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)[:size]]
