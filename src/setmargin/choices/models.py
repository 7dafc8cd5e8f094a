"""What predicts choices: a model learns everybody's first answers, and says how likely each later option is.

A model has a name and `predict`; one of your own can stand beside those here. The logits know the options by the usual
coding of conjoint analysis (`coding`); `strategies` has the strategies as models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from setmargin.arrays import Floats
from setmargin.choices.coding import Coding
from setmargin.choices.study import Predictions, Study
from setmargin.logits.population import fit_population
from setmargin.logits.ridge import best_penalty, pooled_tastes, ridge_tastes
from setmargin.logits.rows import ChoiceRows, choice_rows, probabilities

Watch = Callable[[float], None]
"""Is told what part of the work is done, from 0 to 1."""


class ChoiceModel(Protocol):
    """Something that predicts choices."""

    @property
    def name(self) -> str:
        """What tables and figures call it."""
        ...

    def predict(self, study: Study, watch: Watch) -> Predictions:
        """Learn everybody's first answers, as many as each of `study.by` says, and predict `study.held_out`.

        From those it is told about, a model may also learn about others; from what is held out it may learn nothing
        about the person whose it is.
        """
        ...


@dataclass(frozen=True)
class Chance:
    """Every option is as likely as any other: the floor."""

    name: str = "chance"

    def predict(self, study: Study, watch: Watch) -> Predictions:
        even = [[np.full(len(task.options), 1 / len(task.options)) for task in study.held_out(p)] for p in study.people]
        watch(1.0)
        return dict.fromkeys(study.by, even)


@dataclass(frozen=True)
class PooledLogit:
    """One logit for all people: knows what most take, and nothing about the person."""

    name: str = "pooled logit"

    def predict(self, study: Study, watch: Watch) -> Predictions:
        return _logit(study, watch, lambda data, _: np.tile(pooled_tastes(data), (1, data.count, 1)))


@dataclass(frozen=True)
class RidgeLogit:
    """A logit for each person, with one ridge for all that predicts their own answers best from one another."""

    name: str = "ridge logit"

    def predict(self, study: Study, watch: Watch) -> Predictions:
        return _logit(study, watch, lambda data, _: ridge_tastes(data, best_penalty(data))[None])


@dataclass(frozen=True)
class HierarchicalLogit:
    """A hierarchical Bayes logit by MCMC: everybody's tastes are from one normal population, which is learnt along.

    Parameters
    ----------
    segments : int
        Of how many normals the population is a mixture.
    draws, warm_up : int
        How long the Markov chain is: see `fit_population`.
    seed : int
    """

    segments: int = 1
    draws: int = 500
    warm_up: int = 1000
    seed: int = 0

    @property
    def name(self) -> str:
        return "hierarchical logit" if self.segments == 1 else f"hierarchical logit, {self.segments} segments"

    def predict(self, study: Study, watch: Watch) -> Predictions:
        def tastes(data: ChoiceRows, watch: Watch) -> Floats:
            return fit_population(
                data,
                segments=self.segments,
                draws=self.draws,
                warm_up=self.warm_up,
                seed=self.seed,
                watch=lambda done, of: watch(done / of),
            ).tastes

        return _logit(study, watch, tastes)


def usual_models(*, seed: int = 0) -> tuple[ChoiceModel, ...]:
    """The models that strategies are measured against."""
    return Chance(), PooledLogit(), RidgeLogit(), HierarchicalLogit(seed=seed)


def _logit(study: Study, watch: Watch, tastes: Callable[[ChoiceRows, Watch], Floats]) -> Predictions:
    """Predictions by tastes (draws × people × features) that are learnt from everybody's answers."""
    coding = Coding.of(study)
    shown = [[(coding.features(task.options), task.taken) for task in person.tasks] for person in study.people]
    predicted = {}
    for number, learnt in enumerate(study.by):

        def watch_one(done: float, number: int = number) -> None:
            watch((number + done) / len(study.by))

        data = choice_rows([tasks[:learnt] for tasks in shown], width=coding.width)
        found = tastes(data, watch_one)
        held_out = slice(study.learn, study.learn + study.predict)
        predicted[learnt] = [
            [probabilities(options, found[:, person]) for options, _ in tasks[held_out]]
            for person, tasks in enumerate(shown)
        ]
        watch_one(1.0)
    return predicted
