"""The choice perceptron (Dragone, Teso and Passerini, AAAI 2018): the cheap constructive rival.

Weights move towards what was chosen and away from the mean of what was not. A question shows the best configuration for
the weights, and others that are good and far from it and from one another. No weights are searched for, so a question
is a handful of oracle calls. A change of what was shown is a step towards the changed configuration; reasons are
ignored.

The published step size is left out: the weights start at zero and everything here is proportional to them, so that
whatever the step, questions and recommendations are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from setmargin.answers import Answer, Change, Choice, Preference, Question, Ranking, Skip, preferences
from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, History, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.shared.configurations import best_unasked_pair
from setmargin.strategies.shared.pairs import gain_row

RUNNERS_UP = 100
SWEEPS = 10
"""Times that every option is reconsidered at most; it takes two or three."""


@dataclass(frozen=True, repr=False)
class PerceptronBelief(Belief):
    """The answers, and the weights that they moved: a fold of the answers, so no part of identity."""

    weights: Floats = field(kw_only=True, compare=False, repr=False)

    @property
    def value_weights(self) -> Floats:
        """The weights folded onto values."""
        return self.space.value_weights(self.weights)


@dataclass(frozen=True, kw_only=True)
class Perceptron(Strategy[PerceptronBelief]):
    """Shows the best for its weights beside others that are good and different.

    `tradeoff` is how much difference counts beside utility, 0 to 1. The published perceptron sees every answer once;
    `passes` lets it go over the whole history again, up to so many times, while it still gets an answer wrong.
    """

    name = "perceptron"

    tradeoff: float = option(
        0.1,
        give="a number above 0, up to 1 for nothing but difference",
        allowed=lambda tradeoff: 0 < tradeoff <= 1,
    )
    passes: int = option(100, give="0 to see every answer once, or more", allowed=lambda passes: passes >= 0)

    def _start(self, space: Space, seed: int) -> PerceptronBelief:
        return PerceptronBelief(space, seed, weights=np.zeros(len(space.feature_names)))

    def _learn(self, belief: PerceptronBelief, question: Question, answer: Answer) -> PerceptronBelief:
        """One step for the answer, then some for those that it made wrong."""
        if isinstance(answer, Skip):
            return belief
        weights = stepped(belief.space, belief.weights, question, answer)
        return replace(belief, weights=corrected(belief.space, weights, belief.history, self.passes))

    def _ask(self, belief: PerceptronBelief) -> Question | None:
        spread = spread_of(belief.weights, self.tradeoff)
        values = (1.0 - self.tradeoff) * belief.value_weights
        chosen = far_and_good(belief.oracle, values, spread, self.set_size, belief.rng())
        for last in _last_options(belief, values, spread, chosen) if len(chosen) > 1 else ():
            options = tuple(belief.space.configuration(row) for row in (*chosen[:-1], last))
            if not belief.was_asked(frozenset(options)):
                return Question(options, status="heuristic")
        return best_unasked_pair(belief, belief.value_weights)

    def _recommend(self, belief: PerceptronBelief) -> Recommendation:
        weights = not_negative(belief.space, belief.weights)
        return Recommendation(belief.oracle.best(weights), weights, status="heuristic")


# Learning


def stepped(space: Space, weights: Floats, question: Question, answer: Answer) -> Floats:
    """The weights after one answer: w + φ(chosen) − mean φ(others); halfway back from a difference that is none."""
    features = _features(space, question)
    for direction in directions(features, question, answer) + _asked_for(space, question, answer):
        weights = _kept_good(space, weights + direction)
    for better, worse, strict in preferences(question, answer):
        if not strict:
            apart = features[better] - features[worse]
            weights = _kept_good(space, weights - 0.5 * (weights @ apart) / _squared(apart) * apart)
    return weights


def directions(features: Floats, question: Question, answer: Answer) -> list[Floats]:
    """Where the answer pulls: towards each thing chosen, away from the mean of what it was chosen from.

    A ranking is a choice of the best, then of the best of the rest, and so on.
    """
    match answer:
        case Choice(option) | Change(_, _, option) if question.is_comparison:
            return [_pull(features, option, [o for o in range(len(features)) if o != option])]
        case Ranking(order):
            return [_pull(features, option, order[n + 1 :]) for n, option in enumerate(order[:-1])]
    pairs: Sequence[Preference] = preferences(question, answer)
    return [_pull(features, better, [worse]) for better, worse, strict in pairs if strict]


def corrected(space: Space, weights: Floats, history: History, passes: int) -> Floats:
    """The weights after more steps for all pairs they order wrongly, until there are none or `passes` are over."""
    pulls = [_pulls(space, question, answer) for question, answer in history]
    apart = np.vstack([np.zeros((0, len(weights))), *pulls])
    for _ in range(passes):
        wrong = apart @ weights <= 0
        if not wrong.any():
            break
        for pull in apart[wrong]:
            if pull @ weights <= 0:
                weights = _kept_good(space, weights + pull)
    return weights


def _pulls(space: Space, question: Question, answer: Answer) -> Floats:
    features = _features(space, question)
    pairs = [(better, worse) for better, worse, strict in preferences(question, answer) if strict]
    rows = [features[better] - features[worse] for better, worse in pairs] + _asked_for(space, question, answer)
    return np.array(rows).reshape(len(rows), features.shape[1])


def _asked_for(space: Space, question: Question, answer: Answer) -> list[Floats]:
    """Towards the changed configuration, away from what was shown."""
    if not isinstance(answer, Change) or answer.name is None:
        return []
    return [gain_row(space, question.options[answer.option], answer)]


def _pull(features: Floats, chosen: int, others: Sequence[int]) -> Floats:
    pull: Floats = features[chosen] - features[list(others)].mean(axis=0)
    return pull


def _features(space: Space, question: Question) -> Floats:
    return space.features(np.array([space.indices(option) for option in question.options]))


def _squared(vector: Floats) -> float:
    return float(vector @ vector)


def _kept_good(space: Space, weights: Floats) -> Floats:
    """Nobody wants more of a quantity's bad side; values may have any sign, as only their differences matter."""
    cut = int(space.offsets[-1])
    return np.concatenate([weights[:cut], np.maximum(weights[cut:], 0.0)])


def not_negative(space: Space, weights: Floats) -> Floats:
    """The same order of configurations with weights that are not negative: every attribute's worst value gets 0."""
    cut = int(space.offsets[-1])
    blocks = np.split(weights[:cut], space.offsets[1:-1])
    return np.concatenate([*(block - block.min() for block in blocks), np.maximum(weights[cut:], 0.0)])


# Questions


def spread_of(weights: Floats, tradeoff: float) -> float:
    """What one unit of distance is worth: in proportion to the weights, and something where there are none yet."""
    return tradeoff * (float(np.linalg.norm(weights)) or 1.0)


def far_and_good(oracle: Oracle, values: Floats, spread: float, size: int, rng: np.random.Generator) -> Ints:
    """The best configuration and `size` − 1 others, each the best possible beside the rest; fewer in tiny spaces.

    The distance of one-hot rows is linear in one of them while the others stand, so each is one exact oracle call. A
    pair is therefore the best there is; of three or more, no single one can be exchanged for a better.
    """
    noise = 1e-9 * (1.0 + np.abs(values).max()) * rng.random(len(values))  # ties fall at random, not in order
    chosen = oracle.best_for_values((values + noise)[None])
    for _ in range(size - 1):
        added = _best_beside(oracle, values + noise, spread, chosen, size)
        chosen = chosen if added is None else np.vstack([chosen, added])
    for _ in range(SWEEPS if len(chosen) > 2 else 0):
        before = chosen
        for place in range(1, len(chosen)):
            rest = np.delete(chosen, place, axis=0)
            found = _best_beside(oracle, values + noise, spread, rest, size)
            chosen = np.insert(rest, place, chosen[place] if found is None else found, axis=0)
        if np.array_equal(before, chosen):
            break
    return chosen


def _best_beside(oracle: Oracle, values: Floats, spread: float, others: Ints, size: int) -> Ints | None:
    taken = {tuple(row) for row in others.tolist()}
    return oracle.best_other_indices(beside(oracle.space, values, spread, others, size), taken)


def beside(space: Space, values: Floats, spread: float, others: Ints, size: int) -> Floats:
    """What each value adds to a set's worth beside the others, times `size`, up to a constant.

    A set is worth its mean utility, and `spread` times the mean distance of two options.

    ‖x − y‖₁ = 2 (D − ⟨x, y⟩) for one-hot rows of D attributes, and there are size (size − 1) / 2 pairs.
    """
    crowded: Floats = values - 4.0 * spread / (size - 1) * space.onehot(others).sum(axis=0)
    return crowded


def _last_options(belief: PerceptronBelief, values: Floats, spread: float, chosen: Ints) -> Iterator[Ints]:
    """The last option, then what comes next beside the others."""
    yield chosen[-1]
    taken = set(map(tuple, chosen.tolist()))
    ranked = belief.oracle.ranked_for_values(beside(belief.space, values, spread, chosen[:-1], len(chosen)))
    yield from (row for row in islice(ranked, RUNNERS_UP) if tuple(row.tolist()) not in taken)
