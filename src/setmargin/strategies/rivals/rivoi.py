"""Restricted informed value of information (Guo and Sanner, 2010), the paper's rival with the simplest belief.

Weights are independent Gaussians. An answer moves them as a game moves the skills of two teams in TrueSkill: with a the
features of one option minus those of the other, the first wins if a·v > ε, where v is the weights with noise β on each;
it loses if a·v < -ε, else it is a draw. The best configuration i* is the one with the largest mean; what it may lose at
most is

    MEL = max_k E[max(0, u_k - mean of u_i*)]

and the question is the pair (i*, j) whose answer lowers MEL most on average. The printed equations (8) and (10) have
the wrong sign, and the maximum must include k = i*, or the same pair is asked for ever.

Reasons and changes are ignored, but that a change of one of several options says that this option is the best of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, ndtr

from setmargin.answers import Answer, Question, preferences
from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.particles import PRIORS, feature_shares
from setmargin.strategies.shared.configurations import (
    LISTED,
    OptionSet,
    asked_sets,
    best_unasked_pair,
    candidate_pool,
    list_configurations,
)

JITTER = 1e-6
"""Breaks ties between means."""
TINY = 1e-12
RANKED, DRAWS = 50, 50
"""The pool of a large space: so many best ones for the means, and for weights drawn from the belief."""
UNCERTAINTY_BONUSES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The pool has also what is best when uncertainty counts as a merit, more or less."""
PREDICTIONS = 1000
"""Weights drawn to say what a person takes; one more is counted as anybody's guess."""
BLOCK = 2_000_000
"""Numbers held at once while pairs are judged."""


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Mean and variance of each weight, all independent; or rows of them, one for each of many beliefs."""

    mean: Floats
    variance: Floats

    def sums(self, features: Floats) -> tuple[Floats, Floats]:
        """Means and variances of the utilities of configurations (rows of features)."""
        return self.mean @ features.T, self.variance @ (features**2).T


@dataclass(frozen=True)
class AnswerModel:
    """How options become answers: `beta` is the noise on each weight, `epsilon` is how little is no difference."""

    beta: float = 1.0
    epsilon: float = 10.0

    def after(self, belief: Gaussians, differences: Floats, *, draw: bool) -> Gaussians:
        """The beliefs after each of these pairs (rows: better minus worse, or either way round for a draw)."""
        squared = differences**2
        c2 = squared @ (belief.variance + self.beta**2)
        c = np.sqrt(c2)
        v, w = (draw_moments if draw else win_moments)(differences @ belief.mean / c, self.epsilon / c)
        shift = differences * belief.variance * (v / c)[:, None]
        shrink = squared * belief.variance * (w / c2)[:, None]
        return Gaussians(belief.mean + shift, belief.variance * np.maximum(1.0 - shrink, TINY))

    def chances(self, belief: Gaussians, differences: Floats) -> tuple[Floats, Floats, Floats]:
        """How likely win, loss and draw are for each pair; the noise is left out, as in the paper."""
        mean = differences @ belief.mean
        deviation = np.sqrt(np.maximum(differences**2 @ belief.variance, TINY))
        win, loss = ndtr((mean - self.epsilon) / deviation), ndtr((-self.epsilon - mean) / deviation)
        return win, loss, np.maximum(1.0 - win - loss, 0.0)


def win_moments(t: Floats, e: Floats) -> tuple[Floats, Floats]:
    """TrueSkill's v and w for a win: how much the mean of a·v moves, and how much its variance shrinks."""
    ahead = t - e
    v = np.exp(_log_density(ahead) - log_ndtr(ahead))
    return v, np.clip(v * (v + ahead), 0.0, 1.0)


def draw_moments(t: Floats, e: Floats) -> tuple[Floats, Floats]:
    """The same for a draw; computed for |t|, as far out the other side loses all digits."""
    size = np.abs(t)
    upper, lower = e - size, -e - size
    log_mass = log_ndtr(upper) + np.log1p(-np.exp(np.minimum(log_ndtr(lower) - log_ndtr(upper), -TINY)))
    high, low = np.exp(_log_density(upper) - log_mass), np.exp(_log_density(lower) - log_mass)
    v = low - high
    return np.where(t < 0, -v, v), np.clip(v**2 + upper * high - lower * low, 0.0, 1.0)


def _log_density(x: Floats) -> Floats:
    log: Floats = -0.5 * (x**2 + np.log(2 * np.pi))
    return log


def largest_loss(mean: Floats, variance: Floats) -> Floats:
    """MEL of each row: how much better than the best mean any configuration may be, the best one included."""
    deviation = np.sqrt(np.maximum(variance, TINY))
    z = (mean - mean.max(axis=-1, keepdims=True)) / deviation
    losses = deviation * (z * ndtr(z) + np.exp(_log_density(z)))
    most: Floats = losses.max(axis=-1)
    return most


def values_of_information(belief: Gaussians, model: AnswerModel, features: Floats, best: int, others: Ints) -> Floats:
    """EVOI of the pair of `best` with each of the others: by how much its answer lowers MEL on average."""
    now = float(largest_loss(*belief.sums(features)))
    size = max(1, BLOCK // len(features))
    blocks = np.split(others, range(size, len(others), size))
    return now - np.concatenate([_loss_after(belief, model, features, features[best] - features[b]) for b in blocks])


def _loss_after(belief: Gaussians, model: AnswerModel, features: Floats, differences: Floats) -> Floats:
    win, loss, draw = model.chances(belief, differences)
    outcomes = ((win, differences, False), (loss, -differences, False), (draw, differences, True))
    total: Floats = np.zeros(len(differences))
    for chance, signed, is_draw in outcomes:
        total += chance * largest_loss(*model.after(belief, signed, draw=is_draw).sums(features))
    return total


@dataclass(frozen=True, repr=False)
class RivoiBelief(Belief):
    """The answers, and the Gaussians that they led to: a deterministic fold, so no part of identity.

    They are about the weights of features times what each feature counts (`feature_shares`).
    """

    gaussians: Gaussians = field(kw_only=True, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Rivoi(Strategy[RivoiBelief]):
    """Asks to compare the best configuration with the one that it is worth most to compare it with.

    `prior` says whose moments the Gaussians start with: `uniform` (weights from 1 to 100) or `normal` (about 25).
    Spaces of up to `listed` configurations are looked at completely, larger ones through a pool of candidates.
    """

    name = "rivoi"

    set_size: int = option(2, give="2, as rivoi asks about pairs only", allowed=lambda size: size == 2)
    prior: str = option("uniform", choices=tuple(PRIORS))
    beta: float = option(1.0, give="a number above 0", allowed=lambda beta: beta > 0)
    epsilon: float = option(10.0, give="a number above 0", allowed=lambda epsilon: epsilon > 0)
    listed: int = option(LISTED, give="0 to always use a pool, or more", allowed=lambda listed: listed >= 0)

    @cached_property
    def answer_model(self) -> AnswerModel:
        return AnswerModel(self.beta, self.epsilon)

    # Beliefs

    def _start(self, space: Space, seed: int) -> RivoiBelief:
        mean, deviation = PRIORS[self.prior].moments
        size = len(space.feature_names)
        jitter = JITTER * np.random.default_rng([seed, 0, 1]).standard_normal(size)
        return RivoiBelief(space, seed, gaussians=Gaussians(mean + jitter, np.full(size, deviation**2)))

    def _learn(self, belief: RivoiBelief, question: Question, answer: Answer) -> RivoiBelief:
        """One step for each pair that the answer orders, in their order."""
        gaussians = belief.gaussians
        features = np.stack([belief.space.encode(option) for option in question.options]) * feature_shares(belief.space)
        for better, worse, strict in preferences(question, answer):
            after = self.answer_model.after(gaussians, (features[better] - features[worse])[None], draw=not strict)
            gaussians = Gaussians(after.mean[0], after.variance[0])
        return replace(belief, gaussians=gaussians)

    # Questions and recommendations

    def _ask(self, belief: RivoiBelief) -> Question | None:
        candidates = self._candidates(belief)
        features = belief.space.features(candidates) * feature_shares(belief.space)
        best = int(np.argmax(features @ belief.gaussians.mean))
        others = np.flatnonzero(_unasked(candidates, best, asked_sets(belief)))
        if len(others):
            values = values_of_information(belief.gaussians, self.answer_model, features, best, others)
            return _question(belief, candidates[[best, others[np.argmax(values)]]])
        return best_unasked_pair(belief, _mean_value_weights(belief))

    def _candidates(self, belief: RivoiBelief) -> Ints:
        everything = list_configurations(belief.space, self.listed)
        return _pool(belief) if everything is None else everything

    def _recommend(self, belief: RivoiBelief) -> Recommendation:
        best = belief.oracle.best_for_values(_mean_value_weights(belief)[None])[0]
        weights = as_weights(belief.space, belief.gaussians.mean * feature_shares(belief.space))
        return Recommendation(belief.space.configuration(best), weights, status="expected")

    # What is known

    def predict(self, belief: RivoiBelief, options: Sequence[Mapping[str, Value]]) -> Floats:
        """How often each option is the best one for weights drawn from the belief, with noise β on each."""
        features = np.stack([belief.space.encode(option) for option in options]) * feature_shares(belief.space)
        mean, variance = belief.gaussians.mean, belief.gaussians.variance
        noise = belief.rng(purpose=3).standard_normal((PREDICTIONS, len(mean)))
        drawn = (mean + np.sqrt(variance + self.beta**2) * noise) @ features.T
        taken = np.bincount(drawn.argmax(axis=1), minlength=len(options))
        chances: Floats = (taken + 1 / len(options)) / (PREDICTIONS + 1)
        return chances


def _pool(belief: RivoiBelief) -> Ints:
    """Likely bests: for the means, for drawn weights, and where uncertainty is a merit."""
    mean, variance = belief.gaussians.mean, belief.gaussians.variance
    drawn = mean + np.sqrt(variance) * belief.rng(purpose=2).standard_normal((DRAWS, len(mean)))
    usual = np.sqrt(len(belief.space.domains) * variance.mean())
    optimistic = mean + np.outer(UNCERTAINTY_BONUSES, variance) / usual
    others = belief.space.value_weights(np.concatenate([drawn, optimistic]) * feature_shares(belief.space))
    return candidate_pool(belief.oracle, _mean_value_weights(belief), others, ranked=RANKED)


def _mean_value_weights(belief: RivoiBelief) -> Floats:
    return belief.space.value_weights(belief.gaussians.mean * feature_shares(belief.space))


def _unasked(candidates: Ints, best: int, asked: Iterable[OptionSet]) -> Bools:
    """Which candidates may be shown beside the best one."""
    first = tuple(candidates[best].tolist())
    met = {other for pair in asked if first in pair for other in pair if len(pair) == 2}
    return np.array([row != first and row not in met for row in map(tuple, candidates.tolist())], dtype=bool)


def _question(belief: Belief, options: Ints) -> Question:
    return Question(tuple(belief.space.configuration(row) for row in options), status="expected")


def as_weights(space: Space, mean: Floats) -> Floats:
    """Weights that order configurations as the mean does, and are never negative, as Gaussians may be.

    What speaks against a quantity is counted at its values, and each attribute's values are lifted together.
    """
    cut = int(space.offsets[-1])
    against = np.minimum(mean[cut:], 0.0)
    values = mean[:cut] + against @ space.costs
    lowest = np.minimum(np.minimum.reduceat(values, space.offsets[:-1]), 0.0)
    return np.concatenate([values - np.repeat(lowest, space.domains), mean[cut:] - against])
