"""Choices as rows of feature differences, and what logit models say of them.

A choice of one option out of several has a row for each option that was not taken: the features of the taken one minus
those of the other. With tastes b, and d = b · row, the taken option has the probability 1 / (1 + Σ exp(-d)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from setmargin.arrays import Floats, Ints

FARTHEST = 500.0
"""Differences of utility beyond it are as good as infinite; exp stays finite."""
Task = tuple[Floats, int]
"""The features of the options (a row each), and which of them was taken."""


@dataclass(frozen=True, eq=False)
class ChoiceRows:
    """The choices of several people.

    Parameters
    ----------
    rows : array, rows × features
        Taken minus not taken, choice after choice.
    starts : array of int
        Where the rows of each choice begin; every choice has a row at least.
    people : array of int
        Whose each choice is, ascending from 0; somebody may have none.
    count : int
        How many people there are.
    """

    rows: Floats
    starts: Ints
    people: Ints
    count: int

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.rows.shape[1])

    @cached_property
    def task_of_row(self) -> Ints:
        """Which choice each row belongs to."""
        lengths = np.diff(np.append(self.starts, len(self.rows)))
        return np.repeat(np.arange(len(self.starts)), lengths)

    @cached_property
    def person_of_row(self) -> Ints:
        """Whose each row is."""
        of_row: Ints = self.people[self.task_of_row]
        return of_row

    @cached_property
    def bounds(self) -> Ints:
        """Where each person's rows begin, and the end of all."""
        return np.searchsorted(self.person_of_row, np.arange(self.count + 1))

    @cached_property
    def by_person(self) -> csr_array:
        """Sums rows over people, as a sparse matrix."""
        ones = np.ones(len(self.rows))
        return csr_array((ones, np.arange(len(self.rows)), self.bounds), shape=(self.count, len(self.rows)))


def choice_rows(people: Sequence[Sequence[Task]], *, width: int) -> ChoiceRows:
    """The choices of these people, each a list of tasks, over so many features.

    Examples
    --------
    >>> import numpy as np
    >>> from setmargin.logits.rows import choice_rows
    >>> options = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> choice_rows([[(options, 1)], []], width=2).rows.tolist()
    [[-1.0, 1.0]]
    """
    blocks = [np.delete(options[taken] - options, taken, axis=0) for tasks in people for options, taken in tasks]
    lengths = np.array([len(block) for block in blocks], dtype=np.int64)
    return ChoiceRows(
        rows=np.concatenate([np.zeros((0, width)), *blocks]),
        starts=np.cumsum(lengths) - lengths,
        people=np.repeat(np.arange(len(people)), [len(tasks) for tasks in people]),
        count=len(people),
    )


def log_likelihoods(data: ChoiceRows, tastes: Floats) -> Floats:
    """How likely each person's choices are with tastes of their own (people × features)."""
    _, totals = _odds(data, tastes)
    return _summed(data, totals)


def gradients(data: ChoiceRows, tastes: Floats) -> tuple[Floats, Floats]:
    """The same, and its slopes: people × features."""
    odds, totals = _odds(data, tastes)
    shares = odds / totals[data.task_of_row]
    slopes: Floats = data.by_person @ (data.rows * shares[:, None])
    return _summed(data, totals), slopes


def information(data: ChoiceRows, tastes: Floats) -> Floats:
    """What each person's choices say about their tastes: minus the second derivatives, people × features × features."""
    odds, totals = _odds(data, tastes)
    shares = odds / totals[data.task_of_row]
    weighted = data.rows * shares[:, None]
    means = np.add.reduceat(weighted, data.starts, axis=0) if len(data.starts) else np.zeros((0, data.width))
    tasks = np.searchsorted(data.people, np.arange(data.count + 1))
    found = np.empty((data.count, data.width, data.width))
    for person in range(data.count):
        of_rows = slice(*data.bounds[person : person + 2])
        of_tasks = means[slice(*tasks[person : person + 2])]
        found[person] = data.rows[of_rows].T @ weighted[of_rows] - of_tasks.T @ of_tasks
    return found


def _summed(data: ChoiceRows, totals: Floats) -> Floats:
    return np.bincount(data.people, -np.log(totals), minlength=data.count).astype(np.float64)


def _odds(data: ChoiceRows, tastes: Floats) -> tuple[Floats, Floats]:
    """exp(-d) of each row, and 1 + Σ of it for each choice."""
    ahead = np.einsum("rf,rf->r", data.rows, tastes[data.person_of_row])
    odds = np.exp(np.clip(-ahead, -FARTHEST, FARTHEST))
    totals = 1.0 + np.add.reduceat(odds, data.starts) if len(data.starts) else np.ones(0)
    return odds, totals


def probabilities(options: Floats, tastes: Floats) -> Floats:
    """How likely each option (a row of features) is taken, on average over tastes (draws × features).

    Examples
    --------
    >>> import numpy as np
    >>> from setmargin.logits.rows import probabilities
    >>> probabilities(np.eye(2), np.array([[0.0, 0.0]])).tolist()
    [0.5, 0.5]
    """
    utilities = tastes @ options.T
    odds = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    mean: Floats = (odds / odds.sum(axis=1, keepdims=True)).mean(axis=0)
    return mean
