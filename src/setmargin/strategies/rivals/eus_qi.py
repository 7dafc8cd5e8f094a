"""The strategies `eus` and `qi`: the same belief in weighted particles, two ways to find the question.

Both look for sets with the largest expected utility of selection, EUS(S) = Σ p_l max_{x in S} w_l·x, as in the paper.
*Greedy* starts from what is best on average and adds what adds most. *Query iteration* replaces each option by what is
best for those who would take it, as long as that adds anything. Selection is without noise in both: only then is EUS
submodular, and does iteration never lose.

What decided a choice, and what somebody would change, is ignored; a change of one of several options still says that
this option is the best of them, and a thing that is said not to matter is a tie of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from setmargin.answers import Answer, Question
from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import Belief, History, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.particles import (
    INDIFFERENCE,
    PRIORS,
    Likelihood,
    Particles,
    Singles,
    feature_shares,
    first_particles,
    learnt,
)
from setmargin.strategies.shared.configurations import (
    LISTED,
    OptionSet,
    asked_sets,
    best_unasked_pair,
    candidate_pool,
    list_configurations,
    option_set,
)
from setmargin.strategies.shared.evidence import Evidence, evidence_of

PARTICLES = 50_000
RANKED, DRAWS, FEW_DRAWS = 50, 500, 50
"""The pool of a large space: so many best ones on average, and for particles; fewer where the oracle is slow."""
NEGLIGIBLE = 1e-12
"""Particles that count less than this share of the one that counts most; all of them together count for nothing."""
BLOCK = 4_000_000
"""Utilities held at once while configurations are judged."""
TRIES, FEW_TRIES = 20, 3
"""Draws of a particle for each option that a start of query iteration needs; fewer where the oracle is slow."""


# Particles and sets of configurations


@dataclass(frozen=True, eq=False)
class ParticlesInSpace:
    """Particles seen through one space: `values` are their weights per one-hot value."""

    oracle: Oracle
    values: Singles
    shares: Singles

    @classmethod
    def of(cls, oracle: Oracle, particles: Particles) -> ParticlesInSpace:
        """Those who count for next to nothing are left out: they cost time (tiny numbers most) and change nothing."""
        counts = particles.shares > NEGLIGIBLE * particles.shares.max()
        weights = particles.weights[counts].astype(float) * feature_shares(oracle.space)
        values = oracle.space.value_weights(weights).astype(np.float32)
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


def greedy(sample: ParticlesInSpace, candidates: Ints, size: int, asked: Collection[OptionSet]) -> Ints | None:
    """The best on average, then what adds most to EUS; the last so that the set is new. None if none is."""
    onehot = sample.oracle.space.onehot(candidates)
    expected = onehot @ sample.mean
    best = int(np.argmax(expected))
    chosen, heap = [best], _heap(sample, candidates, expected, best)
    while len(chosen) < min(size, len(candidates)):
        taken = np.array([candidates[n] for n in chosen])
        last = len(chosen) + 1 == min(size, len(candidates))
        if last:
            heap = [entry for entry in heap if option_set(np.vstack([taken, candidates[entry[2]]])) not in asked]
            heapify(heap)
        if not heap:
            return None
        chosen.append(_add(sample, candidates, heap, sample.worth(taken).max(axis=0), fresh=len(chosen) == 1))
    return candidates[chosen] if len(chosen) > 1 else None


Heap = list[tuple[float, float, int]]
"""Minus the gain, minus the expected utility (which decides between equal gains), and the candidate."""


def _heap(sample: ParticlesInSpace, candidates: Ints, expected: Floats, best: int) -> Heap:
    gains = sample.gains(candidates, sample.worth(candidates[[best]])[0])
    heap = [(-float(g), -float(u), n) for n, (g, u) in enumerate(zip(gains, expected, strict=True)) if n != best]
    heapify(heap)
    return heap


def _add(sample: ParticlesInSpace, candidates: Ints, heap: Heap, floor: Singles, *, fresh: bool) -> int:
    """The candidate that adds most. Gains only fall as the set grows, so an old gain is an upper bound: what stays on
    top with its new gain is the best, and most others are never looked at."""
    current: set[int] = set()
    while not fresh and heap[0][2] not in current:
        _, utility, n = heap[0]
        current.add(n)
        heapreplace(heap, (-float(sample.gains(candidates[[n]], floor)[0]), utility, n))
    return heappop(heap)[2]


# Query iteration


def iterated(sample: ParticlesInSpace, starts: Ints) -> tuple[Ints, Floats]:
    """Each start (starts × options × attributes) after query iteration, and its EUS."""
    sets, values = starts, sample.selection(starts)
    while True:
        following = one_iteration(sample, sets)
        later = sample.selection(following)
        better = later > values + 1e-6 * np.abs(values)
        if not better.any():
            return sets, values
        sets = np.where(better[:, None, None], following, sets)
        values = np.where(better, later, values)


def one_iteration(sample: ParticlesInSpace, sets: Ints) -> Ints:
    """T(S): each option gives way to what is best for those who would take it; it stays if nobody would."""
    taken = _first_best(sample.worth_in(sets))
    shares = np.stack([(taken == option) * sample.shares for option in range(sets.shape[1])], axis=1)
    masses = shares.sum(axis=2).astype(float)
    totals = shares.reshape(masses.size, -1) @ sample.values  # one large product is much faster than many small ones
    means = totals / np.where(masses > 0, masses, 1.0).reshape(-1, 1)
    best = sample.oracle.best_for_values(means).reshape(sets.shape)
    return np.where(masses[:, :, None] > 0, best, sets)


def _first_best(worth: Singles) -> Ints:
    """Along the first axis, the first of the largest; NumPy's own is slow where that axis is short."""
    best, taken = worth[0], np.zeros(worth.shape[1:], dtype=np.int64)
    for number, here in enumerate(worth[1:], 1):
        taken[here > best] = number
        best = np.maximum(best, here)
    return taken


def sampled_starts(sample: ParticlesInSpace, size: int, count: int, rng: np.random.Generator) -> Ints | None:
    """Sets of the best on average and what different particles would take; None if there is a single configuration.

    Particles that agree too much leave room for runners-up on average.
    """
    runners = sample.runners(size)
    if len(runners) < 2:
        return None
    draws = (TRIES if sample.oracle.is_quick else FEW_TRIES) * (size - 1)
    optima = sample.oracle.best_for_values(sample.drawn(rng, count * draws)).reshape(count, draws, -1)
    return np.stack([_different(np.concatenate([runners[:1], own, runners]), len(runners)) for own in optima])


def completed(sample: ParticlesInSpace, options: Ints) -> Ints:
    """Runners-up on average where iteration has made options equal."""
    return _different(np.concatenate([options, sample.runners(len(options))]), len(options))


def _different(rows: Ints, size: int) -> Ints:
    """The first rows that differ from those before."""
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)[:size]]


# The strategies


@dataclass(frozen=True, repr=False)
class ParticleBelief(Belief):
    """The answers, and particles that would have given them: a deterministic fold, so no part of identity.

    The weights of particles are those of features times what each feature counts (`feature_shares`).
    """

    particles: Particles = field(kw_only=True, compare=False, repr=False)

    @cached_property
    def sample(self) -> ParticlesInSpace:
        """The particles seen through the space as it is now restricted."""
        return ParticlesInSpace.of(self.oracle, self.particles)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "sample"}


@dataclass(frozen=True, kw_only=True)
class ParticleStrategy(Strategy[ParticleBelief]):
    """What `eus` and `qi` share: the belief, and what becomes of a set once it is found.

    `prior` says what people are like: `uniform` (weights from 1 to 100) or `normal` (about 25). `sharpness` and
    `indifference` (`proportional` or `tree`) say how they answer.
    """

    when_studied: ClassVar[Mapping[str, Any]] = {"particles": 5000}

    particles: int = option(PARTICLES, give="2 or more", allowed=lambda particles: particles >= 2)
    prior: str = option("uniform", choices=tuple(PRIORS))
    sharpness: float = option(1.0, give="a number above 0", allowed=lambda sharpness: sharpness > 0)
    indifference: str = option("proportional", choices=INDIFFERENCE)

    @cached_property
    def _likelihood(self) -> Likelihood:
        return Likelihood(self.sharpness, self.indifference)

    def _start(self, space: Space, seed: int) -> ParticleBelief:
        rng = np.random.default_rng([seed, 0, 1])
        particles = first_particles(PRIORS[self.prior], self.particles, len(space.feature_names), rng)
        return ParticleBelief(space, seed, particles=particles)

    def _learn(self, belief: ParticleBelief, question: Question, answer: Answer) -> ParticleBelief:
        """Every particle counts as much more as it was likely to say that."""
        new = _evidence(belief.space, ((question, answer),))
        if not len(new.rows):
            return belief
        evidence = _evidence(belief.space, belief.history)
        prior, rng = PRIORS[self.prior], belief.rng(purpose=1)
        return replace(belief, particles=learnt(belief.particles, prior, self._likelihood, evidence, new, rng))

    def _ask(self, belief: ParticleBelief) -> Question | None:
        options = self._find(belief, asked_sets(belief))
        if options is None:
            return best_unasked_pair(belief, belief.sample.mean)
        return Question(tuple(belief.space.configuration(row) for row in options), status="expected")

    @abstractmethod
    def _find(self, belief: ParticleBelief, asked: set[OptionSet]) -> Ints | None:
        """A set that was not asked; None if this way of searching has none left."""

    def _recommend(self, belief: ParticleBelief) -> Recommendation:
        mean = belief.particles.mean * feature_shares(belief.space)
        return Recommendation(belief.oracle.best(mean), mean, status="expected")

    def predict(self, belief: ParticleBelief, options: Sequence[Mapping[str, Value]]) -> Floats:
        """The particles' own chances to take each option, as much as each particle counts."""
        features = np.stack([belief.space.encode(option) for option in options]) * feature_shares(belief.space)
        utilities = self.sharpness * (belief.particles.weights @ features.T)
        odds = np.exp(utilities - utilities.max(axis=1, keepdims=True))
        chances = belief.particles.shares @ (odds / odds.sum(axis=1, keepdims=True))
        whole: Floats = chances / chances.sum()  # single precision adds up to nearly 1
        return whole


def _evidence(space: Space, history: History) -> Evidence:
    """What the answers say about the weights of particles."""
    said = evidence_of(space, history)
    return replace(said, rows=said.rows * feature_shares(space).astype(np.float32))


@dataclass(frozen=True, kw_only=True)
class Eus(ParticleStrategy):
    """Greedy expected utility of selection.

    Spaces of up to `listed` configurations are looked at completely, larger ones through what particles would take.
    """

    name = "eus"

    listed: int = option(LISTED, give="0 to always use a pool, or more", allowed=lambda listed: listed >= 0)

    def _find(self, belief: ParticleBelief, asked: set[OptionSet]) -> Ints | None:
        everything = list_configurations(belief.space, self.listed)
        candidates = _pool(belief) if everything is None else everything
        return greedy(belief.sample, candidates, self.set_size, asked)


def _pool(belief: ParticleBelief) -> Ints:
    sample = belief.sample
    drawn = sample.drawn(belief.rng(purpose=2), DRAWS if belief.oracle.is_quick else FEW_DRAWS)
    return candidate_pool(belief.oracle, sample.mean, drawn, ranked=RANKED)


@dataclass(frozen=True, kw_only=True)
class Qi(ParticleStrategy):
    """Query iteration from `restarts` random starts. It needs nothing of a space but the oracle."""

    name = "qi"

    restarts: int = option(10, give="1 or more", allowed=lambda restarts: restarts >= 1)

    def _find(self, belief: ParticleBelief, asked: set[OptionSet]) -> Ints | None:
        """The best set that is new: of those that iteration ended at, or else of those it started from."""
        sample, rng = belief.sample, belief.rng(purpose=2)
        starts = sampled_starts(sample, self.set_size, self.restarts, rng)
        if starts is None:
            return None
        ends, values = iterated(sample, starts)
        sets = [*ends[np.argsort(-values)], *starts[np.argsort(-sample.selection(starts))]]
        whole = (completed(sample, options) for options in sets)
        return next((options for options in whole if option_set(options) not in asked), None)
