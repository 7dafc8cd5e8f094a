"""The strategies `eus` and `qi`: the same belief in weighted particles, two ways to find the question."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from setmargin.answers import Answer, Question
from setmargin.arrays import Ints
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.particles.likelihood import INDIFFERENCE, Likelihood
from setmargin.strategies.rivals.particles.prior import PRIORS
from setmargin.strategies.rivals.particles.questions import Crowd, completed, greedy, iterated, sampled_starts
from setmargin.strategies.rivals.particles.sampler import Particles, first_particles, learnt
from setmargin.strategies.shared.configurations import LISTED, Set, asked_sets, key, listed, pooled
from setmargin.strategies.shared.evidence import evidence_of
from setmargin.strategies.shared.unasked import best_unasked_pair

PARTICLES = 50_000
RANKED, DRAWS, FEW_DRAWS = 50, 500, 50
"""The pool of a large space: so many best ones on average, and for particles; fewer where the oracle is slow."""


@dataclass(frozen=True, repr=False)
class ParticleBelief(Belief):
    """The answers, and particles that would have given them: a deterministic fold, so no part of identity."""

    particles: Particles = field(kw_only=True, compare=False, repr=False)

    @cached_property
    def crowd(self) -> Crowd:
        """The particles seen through the space as it is now restricted."""
        return Crowd.of(self.oracle, self.particles)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "crowd"}


@dataclass(frozen=True, kw_only=True)
class ParticleStrategy(Strategy[ParticleBelief]):
    """What `eus` and `qi` share: the belief, and what becomes of a set once it is found.

    `prior` says what people are like: `uniform` (weights from 1 to 100) or `normal` (about 25). `sharpness` and
    `indifference` (`proportional` or `tree`) say how they answer.
    """

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
        new = evidence_of(belief.space, [(question, answer)])
        if not len(new.rows):
            return belief
        evidence = evidence_of(belief.space, belief.history)
        prior, rng = PRIORS[self.prior], belief.rng(purpose=1)
        return replace(belief, particles=learnt(belief.particles, prior, self._likelihood, evidence, new, rng))

    def _ask(self, belief: ParticleBelief) -> Question | None:
        options = self._find(belief, asked_sets(belief))
        if options is None:
            return best_unasked_pair(belief, belief.crowd.mean)
        return Question(tuple(belief.space.configuration(row) for row in options), status="expected")

    @abstractmethod
    def _find(self, belief: ParticleBelief, asked: set[Set]) -> Ints | None:
        """A set that was not asked; None if this way of searching has none left."""

    def _recommend(self, belief: ParticleBelief) -> Recommendation:
        mean = belief.particles.mean
        return Recommendation(belief.oracle.best(mean), mean, status="expected")


@dataclass(frozen=True, kw_only=True)
class Eus(ParticleStrategy):
    """Greedy expected utility of selection.

    Spaces of up to `listed` configurations are looked at completely, larger ones through what particles would take.
    """

    name = "eus"

    listed: int = option(LISTED, give="0 to always use a pool, or more", allowed=lambda listed: listed >= 0)

    def _find(self, belief: ParticleBelief, asked: set[Set]) -> Ints | None:
        everything = listed(belief.space, self.listed)
        candidates = _pool(belief) if everything is None else everything
        return greedy(belief.crowd, candidates, self.set_size, asked)


def _pool(belief: ParticleBelief) -> Ints:
    crowd = belief.crowd
    drawn = crowd.drawn(belief.rng(purpose=2), DRAWS if belief.oracle.is_quick else FEW_DRAWS)
    return pooled(belief.oracle, crowd.mean, drawn, ranked=RANKED)


@dataclass(frozen=True, kw_only=True)
class Qi(ParticleStrategy):
    """Query iteration from `restarts` random starts. It needs nothing of a space but the oracle."""

    name = "qi"

    restarts: int = option(10, give="1 or more", allowed=lambda restarts: restarts >= 1)

    def _find(self, belief: ParticleBelief, asked: set[Set]) -> Ints | None:
        """The best set that is new: of those that iteration ended at, or else of those it started from."""
        crowd, rng = belief.crowd, belief.rng(purpose=2)
        starts = sampled_starts(crowd, self.set_size, self.restarts, rng)
        if starts is None:
            return None
        ends, values = iterated(crowd, starts)
        sets = [*ends[np.argsort(-values)], *starts[np.argsort(-crowd.selection(starts))]]
        whole = (completed(crowd, options) for options in sets)
        return next((options for options in whole if key(options) not in asked), None)
