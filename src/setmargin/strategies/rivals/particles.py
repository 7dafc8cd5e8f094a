"""A belief in weighted particles, as `eus` and `qi` have it: who may be asked, how they answer, what that tells.

Before any answer weights are independent, all of one distribution, as the paper's people are drawn. People answer by
the logistic choice of the paper, with "no difference" added: out of a set the option x is taken with probability
p = exp(γ u(x)) / Σ exp(γ u(y)), and e = exp(-γ (largest utility - smallest utility)) is how much all of them look the
same. With *tree* people see no difference with probability e, and choose otherwise; with *proportional*, as in the
published runs, a choice and no difference are as p : e.

Particles that an answer makes unlikely lose weight. Once the effective sample size falls below a share of all, they are
drawn again by their weight, and each takes some steps of slice sampling: in a random direction it moves to a random
point of the line at which it is likely enough, found by shrinking the whole line inside the box towards where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from setmargin.arrays import Floats, Ints
from setmargin.space.space import Space
from setmargin.strategies.shared.evidence import Evidence

Singles = NDArray[np.float32]

INDIFFERENCE = ("proportional", "tree")
LEAST = np.float32(1e-30)
"""Even those who always see no difference between equals may choose."""
RENEWED = 0.25
"""The share of effective particles below which all are made anew."""
MOVES = 10
SHRINKINGS = 60
"""Attempts at a move; then the particle stays, which is also right."""


# Before any answer


@dataclass(frozen=True)
class WeightPrior:
    """Weights between `low` and `high`, normal in between; an infinite `bend` makes them uniform."""

    low: float
    high: float
    centre: float
    bend: float

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation; cutting off the ends of the normal one is neglected."""
        if self.bend == inf:
            return (self.low + self.high) / 2, (self.high - self.low) / sqrt(12)
        return self.centre, self.bend

    def drawn(self, rng: np.random.Generator, size: int, features: int) -> Singles:
        """Weights of `size` people."""
        chances = rng.random((size, features))
        return self._quantile(chances).clip(self.low, self.high).astype(np.float32)

    def _quantile(self, chances: Floats) -> Floats:
        if self.bend == inf:
            return self.low + (self.high - self.low) * chances
        ends = ndtr((np.array([self.low, self.high]) - self.centre) / self.bend)
        weights: Floats = self.centre + self.bend * ndtri(ends[0] + (ends[1] - ends[0]) * chances)
        return weights


PRIORS: Mapping[str, WeightPrior] = {
    "uniform": WeightPrior(1.0, 100.0, 50.5, inf),
    "normal": WeightPrior(0.0, 100.0, 25.0, 25.0 / 3.0),
}
"""The paper's two distributions of people."""


def feature_shares(space: Space) -> Floats:
    """What each feature counts before any answer: all the trends of an attribute together as much as one value.

    Else an attribute with many ordered values would matter more than others by their number alone.
    """
    shares = np.ones(len(space.feature_names))
    trends = shares[len(shares) - len(space.trends) :]
    of = np.array([trend.attribute for trend in space.trends], dtype=np.int64)
    trends[:] = 1.0 / np.bincount(of, minlength=1)[of]
    return shares


# How people answer


@dataclass(frozen=True)
class Likelihood:
    """How people answer: `sharpness` is γ."""

    sharpness: float = 1.0
    indifference: str = "proportional"

    def log(self, differences: Singles, evidence: Evidence) -> Singles:
        """The logarithm for everybody: from the differences of utility (rows of the evidence × people)."""
        if not len(evidence.starts):
            return np.zeros(differences.shape[1], dtype=np.float32)
        ahead = np.float32(self.sharpness) * differences
        spread = _spread(ahead, evidence)
        same = np.exp(-spread)
        alike = np.log1p(same)
        log_taken = np.minimum(ahead, 0) - alike if evidence.is_pairs else _log_taken(ahead, evidence)
        if self.indifference == "tree":
            said = np.where(evidence.tie[:, None], -spread, log_taken + np.log(np.maximum(1 - same, LEAST)))
        else:
            said = np.where(evidence.tie[:, None], -spread, log_taken) - alike
        summed: Singles = said.sum(axis=0)
        return summed


def _spread(ahead: Singles, evidence: Evidence) -> Singles:
    """By choice and person: how far the utilities are apart."""
    if evidence.is_pairs:
        return np.abs(ahead)
    most = np.maximum(np.maximum.reduceat(ahead, evidence.starts, axis=0), 0)
    return most - _least(ahead, evidence)


def _least(ahead: Singles, evidence: Evidence) -> Singles:
    """How far the option that was taken is ahead of the best one: 0 where it is the best."""
    least: Singles = np.minimum(np.minimum.reduceat(ahead, evidence.starts, axis=0), 0)
    return least


def _log_taken(ahead: Singles, evidence: Evidence) -> Singles:
    """By choice and person: log p of the option that was taken; of pairs it is known from their spread."""
    least = _least(ahead, evidence)
    # Utilities relative to the best option of each choice: all exponents are at most 0.
    others = np.exp(np.repeat(least, evidence.lengths, axis=0) - ahead)
    log: Singles = least - np.log(np.add.reduceat(others, evidence.starts, axis=0) + np.exp(least))
    return log


# What answers teach


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


def first_particles(prior: WeightPrior, size: int, features: int, rng: np.random.Generator) -> Particles:
    """Drawn from the prior; all count the same."""
    return Particles(prior.drawn(rng, size, features), np.zeros(size, dtype=np.float32))


def learnt(
    particles: Particles,
    prior: WeightPrior,
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
    particles: Particles,
    prior: WeightPrior,
    likelihood: Likelihood,
    evidence: Evidence,
    rng: np.random.Generator,
) -> Particles:
    """Drawn again by what they count, then moved."""
    size = len(particles.weights)
    drawn = rng.choice(size, size, p=particles.shares)
    weights = particles.weights[drawn]
    for _ in range(MOVES):
        weights = moved(weights, prior, likelihood, evidence, rng)
    return Particles(weights, np.zeros(size, dtype=np.float32))


def moved(
    weights: Singles, prior: WeightPrior, likelihood: Likelihood, evidence: Evidence, rng: np.random.Generator
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
        cls,
        weights: Singles,
        directions: Singles,
        prior: WeightPrior,
        likelihood: Likelihood,
        evidence: Evidence,
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


def _inside(weights: Singles, directions: Singles, prior: WeightPrior) -> tuple[Singles, Singles]:
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
