"""Strategies as models of choices: they learn what people took, as if they had asked it themselves.

A strategy that says how likely each option is taken is taken at its word. Of one that knows weights alone, utilities
become chances by a logit whose one scale fits best what the *other* people took in the tasks that are predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed
from scipy.optimize import minimize_scalar

from setmargin.arrays import Floats
from setmargin.choices.data import ChoiceTask, Respondent
from setmargin.choices.models import Watch
from setmargin.choices.study import Predictions, Study
from setmargin.experiments.running import local_pool
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Belief, History, Strategy

FOLDS = 10
"""Groups of people: for each, scales and earlier people are those of the others."""
LOG_SCALES = (-4.0, 6.0)
"""Where scales are looked for, as powers of e: from about chance to about certainty."""


@dataclass(frozen=True)
class StrategyModel:
    """A strategy that learns the first answers of each person, and predicts the rest.

    Parameters
    ----------
    strategy : Strategy
    earlier : bool
        Whether it also knows the first answers of other people, where it can learn from them; of nine tenths of the
        others, as all people are dealt out into ten groups, and each group's answers are kept from itself.
    jobs : int
        How many processes work at once; -1: one per core.
    seed : int
    name : str
        What it is called; the strategy's name where nothing is said.
    """

    strategy: Strategy[Any]
    earlier: bool = False
    jobs: int = 1
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        usual = self.strategy.name + (" with earlier people" if self.earlier else "")
        object.__setattr__(self, "name", self.name or usual)

    def predict(self, study: Study, watch: Watch) -> Predictions:
        """The chances of all held-out options; see `ChoiceModel`."""
        groups = list(self._groups(study))
        found: dict[int, list[list[Saying]]] = {learnt: [[]] * len(study.people) for learnt in study.by}
        done, total = 0, sum(len(group.people) for group in groups)
        for group, said in zip(groups, _worked_out(groups, self.jobs), strict=True):
            for person, by_learnt in zip(group.people, said, strict=True):
                for learnt, sayings in by_learnt.items():
                    found[learnt][person] = sayings
            done += len(group.people)
            watch(done / total)
        return {learnt: _chances(study, sayings) for learnt, sayings in found.items()}

    def _groups(self, study: Study) -> Iterator[_Group]:
        """People whose beliefs are worked out together: those who share what is known of earlier people."""
        count = len(study.people)
        fold = np.arange(count) % FOLDS
        learns = self.earlier and self.strategy.learns_from_others
        parts = [(each,) for each in study.by] if learns else [study.by]
        members = (
            [np.flatnonzero(fold == each) for each in range(min(FOLDS, count))] if learns else np.arange(count)[:, None]
        )
        for by in parts:
            for people in members:
                others = [p for n, p in enumerate(study.people) if n not in set(people.tolist())] if learns else []
                yield _Group(
                    strategy=self.strategy,
                    space=study.space,
                    people=tuple(people.tolist()),
                    tasks=tuple((study.people[n], study.held_out(study.people[n])) for n in people),
                    by=by,
                    earlier=tuple(person.history(by[-1]) for person in others),
                    seed=self.seed,
                )


@dataclass(frozen=True)
class Saying:
    """What a strategy says of the options of a task: chances, or utilities where it knows no more."""

    numbers: Floats
    are_chances: bool


@dataclass(frozen=True)
class _Group:
    strategy: Strategy[Any]
    space: Space
    people: tuple[int, ...]
    tasks: tuple[tuple[Respondent, tuple[ChoiceTask, ...]], ...]
    by: tuple[int, ...]
    earlier: tuple[History, ...]
    seed: int


def _worked_out(groups: Sequence[_Group], jobs: int) -> Iterator[list[dict[int, list[Saying]]]]:
    if jobs == 1:
        yield from map(_work_out, groups)
        return
    with local_pool(jobs, in_order=True) as parallel:
        results: Iterable[Any] = parallel(delayed(_work_out)(group) for group in groups)
        yield from results


def _work_out(group: _Group) -> list[dict[int, list[Saying]]]:
    """For each person of the group, by the number of answers learnt, what is said of each held-out task."""
    strategy = group.strategy.knowing(group.space, group.earlier) if group.earlier else group.strategy
    return [_sayings(strategy, group, person, held_out) for person, held_out in group.tasks]


def _sayings(
    strategy: Strategy[Any], group: _Group, person: Respondent, held_out: Sequence[ChoiceTask]
) -> dict[int, list[Saying]]:
    belief = strategy.start(group.space, seed=group.seed)
    found = {}
    for learnt in range(group.by[-1] + 1):
        if learnt:
            task = person.tasks[learnt - 1]
            belief = strategy.update(belief, task.question, task.answer)
        if learnt in group.by:
            say = _sayer(strategy, belief)
            found[learnt] = [say(task) for task in held_out]
    return found


def _sayer(strategy: Strategy[Any], belief: Belief) -> Callable[[ChoiceTask], Saying]:
    first: list[Floats] = []  # the weights, once they are needed

    def say(task: ChoiceTask) -> Saying:
        different = task.question.options
        places = [different.index(option) for option in task.options]
        chances = strategy.predict(belief, different)
        if chances is not None:
            return Saying((chances / np.bincount(places))[places], True)  # alike options share their chance
        if not first:
            first.append(_evened(belief.space, strategy.recommend(belief).weights))
        return Saying(_utilities(belief.space, first[0], task.options), False)

    return say


def _evened(space: Space, weights: Floats) -> Floats:
    """Weights of values such that all attributes together are worth 1 at most; zeros where nothing matters."""
    values = space.value_weights(weights)
    blocks = np.split(values, space.offsets[1:-1])
    most = sum(float(np.ptp(block)) for block in blocks)
    evened: Floats = values / most if most > 0 else np.zeros_like(values)
    return evened


def _utilities(space: Space, values: Floats, options: Sequence[Configuration]) -> Floats:
    utilities: Floats = space.onehot(np.stack([space.indices(option) for option in options])) @ values
    return utilities


# From utilities to chances


def _chances(study: Study, sayings: Sequence[Sequence[Saying]]) -> list[list[Floats]]:
    if all(each.are_chances for said in sayings for each in said):
        return [[each.numbers for each in said] for said in sayings]
    taken = [[task.taken for task in study.held_out(person)] for person in study.people]
    fold = np.arange(len(sayings)) % FOLDS
    scales = {each: _best_scale(sayings, taken, fold != each) for each in np.unique(fold)}
    return [
        [each.numbers if each.are_chances else softmax(scales[fold[n]] * each.numbers) for each in said]
        for n, said in enumerate(sayings)
    ]


def softmax(utilities: Floats) -> Floats:
    """exp of each, divided by their sum."""
    odds = np.exp(utilities - utilities.max())
    chances: Floats = odds / odds.sum()
    return chances


def _best_scale(sayings: Sequence[Sequence[Saying]], taken: Sequence[Sequence[int]], kept: Iterable[bool]) -> float:
    """The scale with which these people's utilities explain what they took; 1 where there is nobody."""
    tasks = [
        each.numbers - each.numbers[which]
        for said, answers, keep in zip(sayings, taken, kept, strict=True)
        for each, which in zip(said, answers, strict=True)
        if keep and not each.are_chances
    ]
    if not tasks:
        return 1.0
    rows, starts = np.concatenate(tasks), np.cumsum([0, *map(len, tasks)])[:-1]

    def loss(log_scale: float) -> float:
        scaled = np.exp(log_scale) * rows
        most = np.maximum.reduceat(scaled, starts)
        odds = np.exp(scaled - np.repeat(most, np.diff(np.append(starts, len(rows)))))
        return float((np.log(np.add.reduceat(odds, starts)) + most).sum())

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SCALES, method="bounded").x))
