"""Weighted particles: answers change their weights, and when few of them carry most of it they are made anew.

What an answer makes unlikely loses weight. Once the effective sample size falls below a share of all, particles are
drawn again by their weight, and each takes some steps of slice sampling: in a random direction it moves to a random
point of the line at which it is likely enough, found by shrinking the whole line inside the box towards where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.strategies.rivals.particles.likelihood import Likelihood
from setmargin.strategies.rivals.particles.prior import Prior, Singles
from setmargin.strategies.shared.evidence import Evidence

RENEWED = 0.25
"""The share of effective particles below which all are made anew."""
MOVES = 10
SHRINKINGS = 60
"""Attempts at a move; then the particle stays, which is also right."""


@dataclass(frozen=True, eq=False)
class Particles:
    """People who may be the person: rows of feature weights, and the logarithm of how much each counts."""

    weights: Singles
    log_counts: Singles

    @cached_property
    def shares(self) -> Floats:
        """How much each counts; the sum is 1."""
        counts = np.exp((self.log_counts - self.log_counts.max()).astype(float))
        shares: Floats = counts / counts.sum()
        return shares

    @property
    def effective(self) -> float:
        """How many equal particles would be worth as much."""
        return float(1.0 / (self.shares**2).sum())

    @cached_property
    def mean(self) -> Floats:
        """The average weights."""
        mean: Floats = self.shares @ self.weights
        return mean


def first_particles(prior: Prior, size: int, features: int, rng: np.random.Generator) -> Particles:
    """Drawn from the prior; all count the same."""
    return Particles(prior.drawn(rng, size, features), np.zeros(size, dtype=np.float32))


def learnt(
    particles: Particles,
    prior: Prior,
    likelihood: Likelihood,
    evidence: Evidence,
    new: Evidence,
    rng: np.random.Generator,
) -> Particles:
    """After `new`, which is also the last part of all `evidence`."""
    log_new = likelihood.log(new.rows @ particles.weights.T, new)
    heavier = Particles(particles.weights, particles.log_counts + log_new)
    if heavier.effective >= RENEWED * len(particles.weights):
        return heavier
    return renewed(heavier, prior, likelihood, evidence, rng)


def renewed(
    particles: Particles, prior: Prior, likelihood: Likelihood, evidence: Evidence, rng: np.random.Generator
) -> Particles:
    """Drawn again by what they count, then moved."""
    size = len(particles.weights)
    drawn = rng.choice(size, size, p=particles.shares)
    weights = particles.weights[drawn]
    for _ in range(MOVES):
        weights = moved(weights, prior, likelihood, evidence, rng)
    return Particles(weights, np.zeros(size, dtype=np.float32))


def moved(
    weights: Singles, prior: Prior, likelihood: Likelihood, evidence: Evidence, rng: np.random.Generator
) -> Singles:
    """One step of hit-and-run slice sampling for everybody; directions follow the spread of the particles."""
    spread = np.maximum(weights.std(axis=0), 1e-3 * (prior.high - prior.low))
    directions = rng.standard_normal(weights.shape, dtype=np.float32) * spread.astype(np.float32)
    line = Line.through(weights, directions, prior, likelihood, evidence)
    steps = _slice(line, *_inside(weights, directions, prior), rng)
    stepped = weights + steps[:, None] * directions
    kept: Singles = stepped.clip(np.float32(prior.low), np.float32(prior.high))
    return kept


@dataclass(frozen=True, eq=False)
class Line:
    """How likely everybody becomes along their own line, up to a constant: all that a step's length changes."""

    likelihood: Likelihood
    evidence: Evidence
    here: Singles
    slopes: Singles
    """Differences of utility (rows × people) where they are, and what a step of length 1 adds."""
    linear: Singles
    quadratic: Singles
    """What a step of length s adds to the log prior: linear · s + quadratic · s²."""

    @classmethod
    def through(
        cls, weights: Singles, directions: Singles, prior: Prior, likelihood: Likelihood, evidence: Evidence
    ) -> Line:
        """Through everybody's weights, in their directions."""
        precision = np.float32(prior.bend**-2)
        linear = -precision * np.einsum("ij,ij->i", weights - np.float32(prior.centre), directions)
        quadratic = -0.5 * precision * np.einsum("ij,ij->i", directions, directions)
        rows = evidence.rows
        return cls(likelihood, evidence, rows @ weights.T, rows @ directions.T, linear, quadratic)

    def log(self, who: Ints, steps: Singles) -> Singles:
        """For some of the people, after steps of these lengths."""
        differences = self.here[:, who] + steps * self.slopes[:, who]
        added = (self.linear[who] + self.quadratic[who] * steps) * steps
        summed: Singles = self.likelihood.log(differences, self.evidence) + added
        return summed


def _inside(weights: Singles, directions: Singles, prior: Prior) -> tuple[Singles, Singles]:
    """How far everybody can go back and forth without leaving the box."""
    safe = np.where(directions == 0, np.float32(1e-30), directions)
    ends = np.stack([(np.float32(prior.low) - weights) / safe, (np.float32(prior.high) - weights) / safe])
    return np.minimum(ends.min(axis=0).max(axis=1), 0), np.maximum(ends.max(axis=0).min(axis=1), 0)


def _slice(line: Line, low: Singles, high: Singles, rng: np.random.Generator) -> Singles:
    """A step for everybody to a point above a random level below where they are; intervals shrink until one is."""
    steps = np.zeros(len(low), dtype=np.float32)
    who = np.arange(len(low))
    level = line.log(who, steps) + np.log(1 - rng.random(len(low), dtype=np.float32))
    for _ in range(SHRINKINGS):
        tried = low + (high - low) * rng.random(len(who), dtype=np.float32)
        accepted = line.log(who, tried) >= level
        steps[who[accepted]] = tried[accepted]
        missed = ~accepted
        who, level, tried = who[missed], level[missed], tried[missed]
        if not len(who):
            break
        low, high = np.where(tried < 0, tried, low[missed]), np.where(tried < 0, high[missed], tried)
    return steps
