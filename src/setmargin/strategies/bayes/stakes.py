"""What is still at stake, what matters to the person, and which answers decided: all read off the sample of people."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log
from typing import Final, NamedTuple

import numpy as np

from setmargin.arrays import Bools, Floats
from setmargin.solve.oracle import Oracle
from setmargin.space.space import Space
from setmargin.strategies.base import Influence, Share, Stakes
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.shared.changes import possible_values

NEAR = 0.05
"""Within this share of the best counts as about as good."""
INTERVAL = (0.05, 0.95)
ROUNDING = 1e-9
"""A loss below this is none."""


class Pace(NamedTuple):
    """By what factor an answer usually lowers the expected loss, and after how many the person's own pace counts as
    much as that."""

    step: float
    answers: int


CONVERSATION: Final = Pace(0.62, 4)
COMPARISONS: Final = {2: Pace(0.915, 20), 3: Pace(0.89, 15), 4: Pace(0.87, 12)}
"""By the number of options. Measured on simulated people who were asked about PCs, bicycles, laptops and trips."""


def stakes_of(samples: Samples, trail: Sequence[float], until: float, pace: Pace) -> Stakes:
    """From everybody's loss with the recommendation; the trail is the expected loss after each answer so far."""
    losses = samples.losses(samples.favourite)
    losses[losses < ROUNDING] = 0.0
    expected = float(losses.mean())
    return Stakes(expected, float((losses <= NEAR).mean()), questions_left(trail, until, pace) if expected else 0)


def questions_left(trail: Sequence[float], until: float, pace: Pace) -> int:
    """How many answers it will take until less than `until` is expected to be lost; 0 where that is so now.

    Every answer is taken to lower the expected loss by the same factor: the usual one at first, then the person's own.
    The number never rises from one answer to the next: what was said once holds, until it is reached or there is one.
    """
    goal = max(until, 0.001)
    if trail[-1] <= goal:
        return 0
    return max(1, min(_left_after(trail[: place + 1], goal, pace) for place in range(len(trail))))


def _left_after(trail: Sequence[float], goal: float, pace: Pace) -> int:
    expected = max(trail[-1], 1e-9)
    if expected <= goal:
        return 1
    fallen = log(max(trail[0], 1e-9) / expected)
    step = (fallen - pace.answers * log(pace.step)) / (len(trail) - 1 + pace.answers)
    return ceil(log(expected / goal) / max(step, 0.02))


def importance_of(oracle: Oracle, weights: Floats) -> dict[str, Share]:
    """By attribute and quantity, over people (rows of feature weights) who care about anything; the largest first.

    Only values that can still be had count: what must-haves have settled is at stake no more.
    """
    space = oracle.space
    spans = _spans(space, weights, possible_values(space))
    whole = spans.sum(axis=1, keepdims=True)
    cares = whole[:, 0] > 0
    shares = spans[cares] / whole[cares] if cares.any() else np.zeros((1, spans.shape[1]))
    low, high = np.quantile(shares, INTERVAL, axis=0)
    found = {
        name: Share(float(mean), float(least), float(most))
        for name, mean, least, most in zip(space.things, shares.mean(axis=0), low, high, strict=True)
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].mean))


def _spans(space: Space, weights: Floats, possible: Bools) -> Floats:
    """By how much utility may differ through each attribute and each quantity: people × things."""
    cut = int(space.offsets[-1])
    possible = possible | (np.arange(cut) >= space.seen_values)
    attributes = _range_by_attribute(space, weights[:, :cut], possible)[:, : len(space.attributes)]
    ranges = _range_by_attribute(space, space.costs[: len(space.quantities)], possible)
    return np.concatenate([attributes, np.abs(weights[:, cut:]) * ranges.sum(axis=1)], axis=1)


def _range_by_attribute(space: Space, rows: Floats, possible: Bools) -> Floats:
    """The largest minus the smallest of each attribute's possible values."""
    starts = space.offsets[:-1]
    most = np.maximum.reduceat(np.where(possible, rows, -np.inf), starts, axis=1)
    ranges: Floats = most - np.minimum.reduceat(np.where(possible, rows, np.inf), starts, axis=1)
    return ranges


def influence_of(samples: Samples, log_chances: Sequence[tuple[int, Floats]]) -> tuple[Influence, ...]:
    """The answers that moved the recommendation, most influential first.

    Each comes with its number and how likely everybody was to give it; dividing that out is believing all the others.
    """
    found = [_without(samples, number, logs) for number, logs in log_chances]
    return tuple(sorted((each for each in found if each.gain > 0), key=lambda each: -each.gain))


def _without(samples: Samples, number: int, logs: Floats) -> Influence:
    weights = np.exp(logs.min() - logs)
    mean = (weights / weights.sum()) @ samples.values
    instead = samples.oracle.best_for_values(mean[None])[0]
    onehot = samples.oracle.space.onehot(np.stack([instead, samples.favourite]))
    gain = float(mean @ (onehot[0] - onehot[1]))
    return Influence(number, gain if gain > 1e-9 else 0.0, samples.oracle.space.configuration(instead))
