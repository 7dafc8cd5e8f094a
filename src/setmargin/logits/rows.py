"""Choices as rows of feature differences, and what logit models say of them.

A choice of one option out of several has a row for each option that was not taken: the features of the taken one minus
those of the other. With tastes b, and d = b · row, the taken option has the probability 1 / (1 + Σ exp(-d)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from setmargin.arrays import Bools, Floats, Ints

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
    lapses : array, optional
        For each choice, how likely any option is taken whatever the tastes are; nowhere where nothing is said.
    weights : array, optional
        How much each choice counts; 1 where nothing is said.
    """

    rows: Floats
    starts: Ints
    people: Ints
    count: int
    lapses: Floats | None = None
    weights: Floats | None = None

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
    def blocks(self) -> tuple[_Block, ...]:
        """The rows person by person, those of people with about as many together."""
        lengths = np.diff(self.bounds)
        classes = np.ceil(np.log2(np.maximum(lengths, 1)))
        found = []
        for each in np.unique(classes[lengths > 0]):
            members = np.flatnonzero((classes == each) & (lengths > 0))
            place = np.arange(int(lengths[members].max()))
            is_row = place < lengths[members][:, None]
            cells = self.bounds[members][:, None] + place
            rows = np.zeros((*cells.shape, self.width))
            rows[is_row] = self.rows[cells[is_row]]
            found.append(_Block(members, cells[is_row], is_row, rows))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class _Block:
    """The rows of some people, filled up with zeros to equally many: products with all of them are fast."""

    members: Ints
    cells: Ints
    """The numbers of their rows."""
    is_row: Bools
    rows: Floats
    """People × rows × features."""


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


def some_choices(data: ChoiceRows, chosen: Bools) -> ChoiceRows:
    """Some of the choices, of all people."""
    lengths = np.bincount(data.task_of_row, minlength=len(data.starts))[chosen]
    return ChoiceRows(
        rows=data.rows[chosen[data.task_of_row]],
        starts=np.cumsum(lengths) - lengths,
        people=data.people[chosen],
        count=data.count,
        lapses=None if data.lapses is None else data.lapses[chosen],
        weights=None if data.weights is None else data.weights[chosen],
    )


def log_likelihoods(data: ChoiceRows, tastes: Floats) -> Floats:
    """How likely each person's choices are with tastes of their own (people × features)."""
    _, totals = _odds(data, tastes)
    return _summed(data, _said(data, totals)[0])


def gradients(data: ChoiceRows, tastes: Floats) -> tuple[Floats, Floats]:
    """The same, and its slopes: people × features."""
    odds, totals = _odds(data, tastes)
    logs, meant = _said(data, totals)
    shares = odds * (meant / totals)[data.task_of_row]
    slopes = np.zeros((data.count, data.width))
    for block in data.blocks:
        parts = np.zeros(block.is_row.shape)
        parts[block.is_row] = shares[block.cells]
        slopes[block.members] = (parts[:, None, :] @ block.rows)[:, 0]
    return _summed(data, logs), slopes


def information(data: ChoiceRows, tastes: Floats) -> Floats:
    """What each person's choices say about their tastes: minus the second derivatives, people × features × features.

    A choice that may be a lapse counts as much as it is likely to be none.
    """
    odds, totals = _odds(data, tastes)
    meant = _said(data, totals)[1]
    shares = odds * (meant / totals)[data.task_of_row]
    weighted = data.rows * shares[:, None]
    means = np.add.reduceat(weighted, data.starts, axis=0) if len(data.starts) else np.zeros((0, data.width))
    means /= np.sqrt(np.maximum(meant, 1e-12))[:, None]
    tasks = np.searchsorted(data.people, np.arange(data.count + 1))
    found = np.empty((data.count, data.width, data.width))
    for person in range(data.count):
        of_rows = slice(*data.bounds[person : person + 2])
        of_tasks = means[slice(*tasks[person : person + 2])]
        found[person] = data.rows[of_rows].T @ weighted[of_rows] - of_tasks.T @ of_tasks
    return found


def _summed(data: ChoiceRows, logs: Floats) -> Floats:
    return np.bincount(data.people, logs, minlength=data.count).astype(np.float64)


def _said(data: ChoiceRows, totals: Floats) -> tuple[Floats, Floats]:
    """For each choice, the log of its probability and how likely it is no lapse, both as much as the choice counts."""
    logs, meant = -np.log(totals), np.ones(len(totals))
    if data.lapses is not None:
        slips = data.lapses / (1 + np.bincount(data.task_of_row, minlength=len(totals)))
        careful = (1 - data.lapses) / totals
        logs, meant = np.log(careful + slips), careful / (careful + slips)
    return (logs, meant) if data.weights is None else (logs * data.weights, meant * data.weights)


def _odds(data: ChoiceRows, tastes: Floats) -> tuple[Floats, Floats]:
    """exp(-d) of each row, and 1 + Σ of it for each choice."""
    ahead = np.empty(len(data.rows))
    for block in data.blocks:
        ahead[block.cells] = (block.rows @ tastes[block.members][:, :, None])[:, :, 0][block.is_row]
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
