"""How well models predict what people took: hits, log-loss and calibration, by the number of answers learnt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import nan, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from setmargin.arrays import Bools, Floats
from setmargin.choices.models import ChoiceModel
from setmargin.choices.study import Study

LEAST = 1e-6
"""No option counts as less likely than this: a mistake of a model that is sure costs 14, and not infinity."""
SURE = 0.9
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, SURE, 1.0)
"""Options are put together by the chance that they were given: from one of these up to below the next."""


@dataclass(frozen=True)
class Reliability:
    """Options that were given a chance from `low` to `high`: how many, their mean chance, and what part was taken."""

    low: float
    high: float
    options: int
    given: float
    taken: float
    error: float
    """The standard error of `taken`."""


@dataclass(frozen=True)
class ModelScore:
    """How well a model predicts after so many answers.

    Errors are standard errors over people. `hits` is how often the likeliest option was taken, a tie counted by halves;
    `log_loss` is minus the mean log of the chance that the taken option was given.
    """

    model: str
    learnt: int
    people: int
    tasks: int
    hits: float
    hits_error: float
    log_loss: float
    log_loss_error: float
    sure: Reliability
    """The options that were given a chance of 90% or more."""
    reliability: tuple[Reliability, ...]
    seconds: float
    """What the model needed for all of `by` together."""
    losses: tuple[float, ...]
    """The log-loss of each person, so that models can be compared person by person."""

    def document(self) -> dict[str, Any]:
        """As plain data; what is not known, such as a share of nothing, is None."""
        return {key: _plain(value) for key, value in asdict(self).items() if key != "losses"}


Progress = Callable[[str, float], None]
"""Is told which model is at work, and what part of its work is done."""


def score_models(
    study: Study, models: Sequence[ChoiceModel], *, watch: Progress = lambda _model, _part: None
) -> list[ModelScore]:
    """Let each model learn and predict, and score it.

    Parameters
    ----------
    study : Study
        What is learnt and predicted: see `make_study`.
    models : sequence of ChoiceModel
        Such as `usual_models()`, or `StrategyModel(Bayes())`.
    watch : function, optional
        Is told which model is at work, and how far it is.

    Returns
    -------
    list of ModelScore
        For each model, one for each number of answers in `study.by`.
    """
    scores = []
    for model in models:
        began = perf_counter()
        watch(model.name, 0.0)

        def watch_one(part: float, name: str = model.name) -> None:
            watch(name, part)

        predictions = model.predict(study, watch_one)
        seconds = perf_counter() - began
        scores += [score(model.name, study, learnt, predictions[learnt], seconds) for learnt in study.by]
    return scores


def score(
    model: str, study: Study, learnt: int, chances: Sequence[Sequence[Floats]], seconds: float = nan
) -> ModelScore:
    """The score of these chances, given for each person to the options of each held-out task."""
    hits, losses = [], []
    given: list[Floats] = []
    taken: list[Bools] = []
    for person, own in zip(study.people, chances, strict=True):
        tasks = study.held_out(person)
        hits.append(np.mean([_hit(each, task.taken) for each, task in zip(own, tasks, strict=True)]))
        logs = [np.log(max(float(each[task.taken]), LEAST)) for each, task in zip(own, tasks, strict=True)]
        losses.append(-float(np.mean(logs)))
        given += own
        taken += [np.arange(len(task.options)) == task.taken for task in tasks]
    said, was = np.concatenate(given), np.concatenate(taken)
    return ModelScore(
        model=model,
        learnt=learnt,
        people=len(study.people),
        tasks=len(study.people) * study.predict,
        hits=float(np.mean(hits)),
        hits_error=_error(np.array(hits)),
        log_loss=float(np.mean(losses)),
        log_loss_error=_error(np.array(losses)),
        sure=_reliability(said, was, SURE, 1.0),
        reliability=tuple(_reliability(said, was, low, high) for low, high in pairwise(EDGES)),
        seconds=seconds,
        losses=tuple(losses),
    )


def _hit(chances: Floats, taken: int) -> float:
    best = chances >= chances.max() - 1e-12
    return float(best[taken]) / int(best.sum())


def _error(numbers: Floats) -> float:
    return float(numbers.std(ddof=1) / sqrt(len(numbers))) if len(numbers) > 1 else nan


def _reliability(given: Floats, taken: Bools, low: float, high: float) -> Reliability:
    within = (given >= low) & ((given < high) | (high == 1.0))
    count = int(within.sum())
    if not count:
        return Reliability(low, high, 0, nan, nan, nan)
    share = float(taken[within].mean())
    return Reliability(low, high, count, float(given[within].mean()), share, sqrt(share * (1 - share) / count))


def _plain(value: Any) -> Any:
    """NaN is no JSON."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and value != value else value
