"""Tuning α, β and γ by cross-validation on the answers, as in the paper.

For each fold the plain max-margin problem (k = 1) is kept and re-solved warm for every setting, since only its
objective changes; what depends on α and β alone is solved once for all γ. A setting is given up as soon as it cannot
win any more, without solving anything where a milder one had no weights already. The current setting comes
first and stays unless another one orders more pairs rightly, since every change of setting changes the recommendation;
the others follow in an order that is spread over the grid, so that stopping early costs little.

The folds are not shared out over cores: one fold gives up settings for all others. Without that the folds of PC take
1.75 times as long in sum, so two cores could gain an eighth at best, and Python's lock would take its share of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf
from time import monotonic

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.errors import NoSolutionInTime, OptionError
from setmargin.solve.milp.model import Limits, Solver
from setmargin.solve.oracle import Oracle
from setmargin.strategies.setmargin.local_search import LocalSearch, WorkBudget
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, tells_nothing_apart
from setmargin.strategies.setmargin.weights import Fit, WeightFitter
from setmargin.strategies.shared.pairs import Pairs
from setmargin.strategies.shared.ties import without_last_digits

ALPHAS = (20.0, 10.0, 5.0, 1.0)
BETAS = GAMMAS = (10.0, 1.0, 0.1, 0.001)
TIE = 1e-6
TINY = 1e-7
# Of the hinge loss: what differs less is equal, and the setting that comes first stays.
HINGE_DIGITS = 5
GOLDEN = (5**0.5 - 1) / 2
# Linear problems of one tuning for each setting of the grid: many times what they take, but not without end.
FITS_EACH = 100


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """When and over what to tune; the defaults are the paper's."""

    alphas: tuple[float, ...] = ALPHAS
    betas: tuple[float, ...] = BETAS
    gammas: tuple[float, ...] = GAMMAS
    folds: int = 5
    every: int = 5
    seconds: float = 60.0
    """Only ends what takes far longer than it should: how much is tried is limited by linear problems."""

    def __post_init__(self) -> None:
        if self.folds < 2 or self.every < 1 or not self.seconds > 0:
            raise OptionError(
                f"tuning with folds={self.folds}, every={self.every}, seconds={self.seconds} is impossible; "
                f"give at least 2 folds, a positive number of questions and of seconds"
            )
        if not (self.alphas and self.betas and self.gammas):
            raise OptionError("tuning needs at least one alpha, beta and gamma")

    def grid(self) -> tuple[Hyperparameters, ...]:
        """All settings in steps of the golden section from the last, so that the first few are spread over all."""
        settings = [Hyperparameters(*each) for each in product(self.alphas, self.betas, self.gammas)][::-1]
        return tuple(settings[place] for place in sorted(range(len(settings)), key=lambda place: place * GOLDEN % 1))


@dataclass(frozen=True, order=True)
class Score:
    """How badly a setting orders the answers it has not seen: pairs in the wrong order, then hinge loss."""

    ranking: float
    hinge: float

    def __add__(self, other: Score) -> Score:
        return Score(self.ranking + other.ranking, self.hinge + other.hinge)


WORST = Score(inf, inf)
NO_WEIGHTS = np.zeros(0)


def score(value_weights: Floats, pairs: Pairs, quantity_weights: Floats = NO_WEIGHTS) -> Score:
    """A strict pair in the wrong order counts 1 and a tie ½; a pair that should tie and does not counts ½.

    The pairs of an answer that says more share what one pair counts. The hinge loss measures in units of the weights'
    own typical difference, so that their size does not matter.
    """
    strict, equal = pairs.ahead(value_weights, quantity_weights)
    count, count_equal = pairs.counts()
    wrong = (strict < -TIE) + 0.5 * (np.abs(strict) <= TIE)
    ranking = (count * wrong).sum() + 0.5 * (count_equal * (np.abs(equal) > TIE)).sum()
    unit = float(np.abs(np.concatenate([strict, equal])).mean()) or 1.0
    hinge = (count * np.maximum(0.0, 1.0 - strict / unit)).sum() + (count_equal * np.abs(equal) / unit).sum()
    return Score(float(ranking), round(float(hinge), HINGE_DIGITS))


@dataclass
class Learner:
    """Max-margin weights of values (k = 1) from some of the pairs, for one setting after the other."""

    fitter: WeightFitter
    oracle: Oracle
    effort: WorkBudget
    _favourites: dict[tuple[float, float], Ints] = field(default_factory=dict)

    def fit(self, setting: Hyperparameters) -> Fit:
        """Once without a favourite configuration, then climbing from its favourite."""
        task = LocalSearch(self.fitter, self.oracle, setting, self.effort)
        return task.climb(task.fit(self._favourite(setting))).fit

    def _favourite(self, setting: Hyperparameters) -> Ints:
        """Without a favourite γ has nothing to weigh, so α and β tell all."""
        key = setting.alpha, setting.beta
        if key not in self._favourites:
            nothing = np.zeros((1, int(self.oracle.space.offsets[-1])))
            self._favourites[key] = self.oracle.best_for_values(
                without_last_digits(self.fitter.fit(nothing, setting).value_weights)
            )
        return self._favourites[key]


@dataclass
class CrossValidation:
    """Learners that each lack some pairs, those pairs, and a learner of all of them."""

    folds: Sequence[tuple[Learner, Pairs]]
    whole: Learner
    without_weights: list[Hyperparameters] = field(default_factory=list)

    def score(self, setting: Hyperparameters, bar: Score = WORST) -> Score:
        """Summed over the folds; the worst as soon as it is not below the bar, time is over or the weights vanish."""
        if self.is_hopeless(setting):
            return WORST
        summed = Score(0.0, 0.0)
        for learner, held_out in self.folds:
            if summed >= bar:
                return WORST
            fit = learner.fit(setting)
            weights = fit.value_weights[0]
            if learner.effort.is_over or self._vanish(weights, setting):
                return WORST
            summed = summed + score(weights, held_out, fit.weights[0, len(weights) :])
        return WORST if summed >= bar or self._vanish(self.whole.fit(setting).value_weights[0], setting) else summed

    def _vanish(self, weights: Floats, setting: Hyperparameters) -> bool:
        """Whether these weights tell no configuration from another; if they are zero, this is kept in mind."""
        if not (weights > TINY).any():
            self.without_weights.append(setting)
        return tells_nothing_apart(self.whole.oracle.space, weights)

    def is_hopeless(self, setting: Hyperparameters) -> bool:
        """Where no weights are worth more than none, none are with as much α, more β and less γ."""
        return not self.whole.fitter.lower.any() and any(
            _is_harsher(setting, than=mild) for mild in self.without_weights
        )


def _is_harsher(setting: Hyperparameters, *, than: Hyperparameters) -> bool:
    """Whether all weights are worth less with this setting, and none gain; equal β and γ leave room for ties."""
    costs, mild = (setting.alpha, setting.beta, -setting.gamma), (than.alpha, than.beta, -than.gamma)
    return costs[1:] != mild[1:] and all(here >= there for here, there in zip(costs, mild, strict=True))


@dataclass(frozen=True)
class Tuned:
    """The setting that was chosen, and whether the clock ended the choice."""

    setting: Hyperparameters
    cut_short: bool = False


def tune(
    oracle: Oracle,
    pairs: Pairs,
    current: Hyperparameters,
    *,
    tuning: Tuning,
    bounds: Bounds,
    form: Form,
    solver: Solver,
    rng: np.random.Generator,
) -> Tuned:
    """The setting that orders held-out answers best; the current one where nothing can be told in time."""
    if pairs.answers < 2:
        return Tuned(current)
    with cross_validation(oracle, pairs, tuning=tuning, bounds=bounds, form=form, solver=solver, rng=rng) as validation:
        setting = best_of(tuning.grid(), current, validation)
        return Tuned(setting, cut_short=validation.whole.effort.is_late)


@contextmanager
def cross_validation(
    oracle: Oracle,
    pairs: Pairs,
    *,
    tuning: Tuning,
    bounds: Bounds,
    form: Form,
    solver: Solver,
    rng: np.random.Generator,
) -> Iterator[CrossValidation]:
    """The learners of all folds and of the whole; their time starts now."""
    effort = WorkBudget(FITS_EACH * len(tuning.grid()), monotonic() + tuning.seconds)
    limits = Limits(seconds=tuning.seconds)
    with ExitStack() as stack:

        def learner(chosen: Pairs) -> Learner:
            fitter = WeightFitter(oracle.space, chosen, size=1, bounds=bounds, form=form, solver=solver, limits=limits)
            return Learner(stack.enter_context(fitter), oracle, effort)

        parts = folds_of(pairs.answers, tuning.folds, rng)
        yield CrossValidation([(learner(pairs.at(rest)), pairs.at(out)) for out, rest in parts], learner(pairs))


def best_of(
    settings: Sequence[Hyperparameters], current: Hyperparameters, validation: CrossValidation
) -> Hyperparameters:
    """The best setting that time allows to find; a change has to be worth a wrong order."""
    best = current
    with suppress(NoSolutionInTime):
        bar = replace(validation.score(current), hinge=0.0)
        for setting in settings:
            if validation.whole.effort.is_over:
                break
            found = validation.score(setting, bar)
            if found < bar:
                best, bar = setting, found
    return best


def folds_of(count: int, folds: int, rng: np.random.Generator) -> list[tuple[Ints, Ints]]:
    """Held-out answers and the rest, in random order, as even as they come."""
    order = rng.permutation(count)
    parts = np.array_split(order, min(folds, count))
    return [(part, np.setdiff1d(order, part)) for part in parts]
