"""Tuning α, β and γ by cross-validation on the answers, as in the paper.

For each fold the plain max-margin problem (k = 1) is kept and re-solved warm for every setting, since only its
objective changes. A setting is dropped as soon as its loss exceeds the best one's, and never chosen if its weights
tell no configuration from another. A tie with the current setting keeps it, since every change of setting changes the
recommendation; other ties go to the smaller hinge loss, then to the order of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from math import inf
from time import monotonic

import numpy as np

from setmargin.errors import OptionError
from setmargin.solve.lowered import Floats, Ints
from setmargin.solve.milp import Limits, Solver
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.effort import Effort
from setmargin.strategies.setmargin.fixed import FixedConfigurations
from setmargin.strategies.setmargin.problem import Form, Pairs, is_nothing
from setmargin.strategies.setmargin.search import Search
from setmargin.strategies.setmargin.setting import Bounds, Setting

ALPHAS = (20.0, 10.0, 5.0, 1.0)
BETAS = GAMMAS = (10.0, 1.0, 0.1, 0.001)
TIE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """When and over what to tune; the defaults are the paper's."""

    alphas: tuple[float, ...] = ALPHAS
    betas: tuple[float, ...] = BETAS
    gammas: tuple[float, ...] = GAMMAS
    folds: int = 5
    every: int = 5
    seconds: float = 20.0

    def __post_init__(self) -> None:
        if self.folds < 2 or self.every < 1 or not self.seconds > 0:
            raise OptionError(
                f"tuning with folds={self.folds}, every={self.every}, seconds={self.seconds} is impossible; "
                f"give at least 2 folds, a positive number of questions and of seconds"
            )
        if not (self.alphas and self.betas and self.gammas):
            raise OptionError("tuning needs at least one alpha, beta and gamma")

    def grid(self) -> tuple[Setting, ...]:
        """All settings, neighbours side by side."""
        return tuple(Setting(*each) for each in product(self.alphas, self.betas, self.gammas))


@dataclass(frozen=True, order=True)
class Score:
    """How badly a setting orders the answers it has not seen: pairs in the wrong order, then hinge loss."""

    ranking: float
    hinge: float

    def __add__(self, other: Score) -> Score:
        return Score(self.ranking + other.ranking, self.hinge + other.hinge)


WORST = Score(inf, inf)


def score(weights: Floats, pairs: Pairs) -> Score:
    """A strict pair in the wrong order counts 1 and a tie ½; a pair that should tie and does not counts ½.

    The hinge loss measures in units of the weights' own typical difference, so that their size does not matter.
    """
    strict, equal = pairs.strict @ weights, pairs.equal @ weights
    ranking = (strict < -TIE).sum() + 0.5 * (np.abs(strict) <= TIE).sum() + 0.5 * (np.abs(equal) > TIE).sum()
    unit = float(np.abs(np.concatenate([strict, equal])).mean()) or 1.0
    hinge = np.maximum(0.0, 1.0 - strict / unit).sum() + (np.abs(equal) / unit).sum()
    return Score(float(ranking), float(hinge))


def tune(
    oracle: Oracle,
    pairs: Pairs,
    current: Setting,
    *,
    tuning: Tuning,
    bounds: Bounds,
    form: Form,
    solver: Solver,
    rng: np.random.Generator,
) -> Setting:
    """The setting that orders held-out answers best; the current one where nothing can be told in time."""
    if len(pairs) < 2:
        return current
    deadline = monotonic() + tuning.seconds
    with ExitStack() as stack:
        folds = [
            (stack.enter_context(_learner(oracle, pairs.at(rest), bounds, form, solver)), pairs.at(held_out))
            for held_out, rest in _folds(len(pairs), tuning.folds, rng)
        ]
        start = oracle.best_for_values(np.zeros((1, int(oracle.space.offsets[-1]))))
        here = _cross_validate(folds, oracle, current, start, WORST)
        best, best_score = current, here
        for setting in tuning.grid():
            if monotonic() > deadline:
                break
            found = _cross_validate(folds, oracle, setting, start, best_score)
            if found < best_score:
                best, best_score = setting, found
    # A change of setting changes what is recommended, so it has to be worth a wrong order.
    return best if best_score.ranking < here.ranking else current


def _folds(count: int, folds: int, rng: np.random.Generator) -> list[tuple[Ints, Ints]]:
    """Held-out pairs and the rest, in random order, as even as they come."""
    order = rng.permutation(count)
    parts = np.array_split(order, min(folds, count))
    return [(part, np.setdiff1d(order, part)) for part in parts]


def _learner(oracle: Oracle, pairs: Pairs, bounds: Bounds, form: Form, solver: Solver) -> FixedConfigurations:
    return FixedConfigurations(
        oracle.space, pairs, size=1, bounds=bounds, form=form, solver=solver, limits=Limits(seconds=5.0)
    )


def _cross_validate(
    folds: Sequence[tuple[FixedConfigurations, Pairs]], oracle: Oracle, setting: Setting, start: Ints, best: Score
) -> Score:
    """The summed score over the folds, or the worst one as soon as the setting is hopeless."""
    summed = Score(0.0, 0.0)
    for learner, held_out in folds:
        weights = learn(learner, oracle, setting, start)
        if is_nothing(oracle.space, weights):
            return WORST
        summed = summed + score(weights, held_out)
        if summed >= best:
            return WORST
    return summed


def learn(learner: FixedConfigurations, oracle: Oracle, setting: Setting, start: Ints) -> Floats:
    """The max-margin weights of values (k = 1): once without a favourite, then climbing from its favourite."""
    neutral = learner.fit(np.zeros((1, int(oracle.space.offsets[-1]))), setting)
    favourite = (
        start if is_nothing(oracle.space, neutral.value_weights) else oracle.best_for_values(neutral.value_weights)
    )
    task = Search(learner, oracle, setting, Effort.unlimited())
    weights: Floats = task.climb(task.fit(favourite)).fit.value_weights[0]
    return weights
