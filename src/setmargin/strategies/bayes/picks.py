"""What reasons and changes say: one thing picked out of several, the more likely the more it is worth to the person.

A *reason* names the thing t, an attribute or a quantity, that decided for an option a. With x̄ the mean of the others

    c_t = Σ_{f in t} w_f (a_f - x̄_f),    P(t) ∝ exp(γ c_t)    over the things in which the options differ.

A second reason is picked out of the rest. A *change* of a configuration x puts a value v in place of x_a, makes a
quantity better by a step, or is none; what a value does to quantities is seen along with it: with v = w_B + C'w_R

    g_v = v_v - v_{x_a},    g_q = STEP w_q,    g_nothing = 0,    P(m) ∝ exp(γ g_m)    over all that can be had.

Somebody who is careless picks anything with probability `lapse`. Care in reasons and in changes are two things, and
both are apart from care in choosing; all are inferred.

Every feature belongs to one thing, so moving one weight moves one term of each sum: all others are summed once a thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from setmargin.answers import Answer, Change, Choice, Question, Ranking, differing
from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.space import Space
from setmargin.strategies.shared.changes import STEP, column_of
from setmargin.strategies.shared.evidence import LEAST, Evidence, Manner, Singles, evidence_of, log_likelihood
from setmargin.strategies.shared.reasons import contrast

NEVER = np.float32(-1e9)
"""The logarithm of something that cannot be picked."""
TINY = 1e-300
"""Where no value of an attribute could be asked for."""
History = Iterable[tuple[Question, Answer]]


@dataclass(frozen=True, eq=False)
class Reasons:
    """Which things decided: one row per reason."""

    rows: Singles
    """Reasons × features: the option taken minus the mean of the others."""
    present: Bools
    """Reasons × things: what could have been named."""
    taken: Ints
    """The thing that was named."""
    starts: Ints
    """Where the features of each thing start; the last entry is the number of features."""

    def __len__(self) -> int:
        return len(self.taken)

    def worth(self, weights: Singles) -> Singles:
        """How much each thing decided: reasons × things × people."""
        ends = list(zip(self.starts[:-1], self.starts[1:], strict=True))
        return np.stack([self.rows[:, start:end] @ weights[start:end] for start, end in ends], axis=1)

    def log_each(self, worth: Singles, manner: Manner) -> Singles:
        """How likely each reason is: reasons × people."""
        logs = np.where(self.present[:, :, None], manner.reason_sharpness * worth, NEVER)
        taken = logs[np.arange(len(self)), self.taken]
        return log_said(taken - log_sum(logs, axis=1), manner.reason_lapse, self.present.sum(axis=1))


def reasons_in(space: Space, history: History) -> Reasons:
    """The reasons for choices and rankings, one after the other."""
    width = space.plain_features
    starts = np.append(space.offsets, np.arange(space.offsets[-1] + 1, width + 1))
    rows, present, taken = [], [], []
    for question, answer in history:
        if not isinstance(answer, Choice | Ranking) or not answer.because:
            continue
        best = answer.option if isinstance(answer, Choice) else answer.order[0]
        row, left = contrast(space, question, best)[:width], set(differing(space, question.options))
        for name in answer.because:
            rows.append(row)
            present.append([block in left for block in space.blocks])
            taken.append(space.blocks.index(name))
            left.discard(name)
    shape = (len(taken), len(space.blocks))
    return Reasons(
        np.array(rows, dtype=np.float32).reshape(len(taken), width),
        np.array(present, dtype=bool).reshape(shape),
        np.array(taken, dtype=np.int64),
        starts,
    )


@dataclass(frozen=True, eq=False)
class Changes:
    """What people would change: one row per change."""

    shown: Ints
    """Changes × attributes: the one-hot columns of what was shown."""
    possible: Bools
    """Changes × features: what could have been asked for instead, one-hot values and quantities."""
    taken: Ints
    """A one-hot column, or behind those a quantity, or behind all of them nothing."""
    costs: Singles
    """Quantities × one-hot values."""
    offsets: Ints
    """Where each attribute's one-hot values start."""

    def __len__(self) -> int:
        return len(self.taken)

    def values(self, weights: Singles) -> Singles:
        """What each one-hot value is worth, quantities included: values × people."""
        cut = self.costs.shape[1]
        worth: Singles = weights[:cut] + self.costs.T @ weights[cut:]
        return worth

    def block(self, attribute: int) -> slice:
        """The one-hot columns of an attribute."""
        return slice(int(self.offsets[attribute]), int(self.offsets[attribute + 1]))

    def of_attribute(self, attribute: int, values: Singles, manner: Manner, *, without: int = -1) -> Singles:
        """For one attribute, perhaps without one of its columns; what was shown is subtracted: changes × people."""
        block = self.block(attribute)
        columns = np.arange(block.start, block.stop)
        counted = self.possible[:, block] & (columns != self.shown[:, [attribute]]) & (columns != without)
        logs = np.where(counted[:, :, None], manner.change_sharpness * values[block], NEVER)
        return log_sum(logs, axis=1) - manner.change_sharpness * values[self.shown[:, attribute]]

    def picked(self, values: Singles, quantities: Singles, manner: Manner) -> Singles:
        """The logarithm of how much speaks for what was asked for: changes × people."""
        cut = self.costs.shape[1]
        gains = np.zeros((len(self), values.shape[1]), dtype=np.float32)
        is_value, is_quantity = self.taken < cut, (self.taken >= cut) & (self.taken < cut + len(quantities))
        changed = self.taken[is_value]
        instead = self.shown[is_value, self.attribute_of(changed)]
        gains[is_value] = values[changed] - values[instead]
        gains[is_quantity] = STEP * quantities[self.taken[is_quantity] - cut]
        return manner.change_sharpness * gains

    def attribute_of(self, columns: Ints) -> Ints:
        """Whose values these one-hot columns are."""
        found: Ints = np.searchsorted(self.offsets, columns, side="right") - 1
        return found

    def log_each(self, values: Singles, quantities: Singles, manner: Manner) -> Singles:
        """How likely each change is: changes × people."""
        logs = self.by_thing(values, quantities, manner)
        return self.log_picked(self.picked(values, quantities, manner) - log_sum(logs, axis=1), manner)

    def by_thing(self, values: Singles, quantities: Singles, manner: Manner) -> Singles:
        """The logarithms of how much speaks for each thing, and for nothing: changes × (things + 1) × people.

        One exponential for each value serves all changes.
        """
        scaled = manner.change_sharpness * values
        most = np.maximum.reduceat(scaled, self.offsets[:-1], axis=0)
        shares = np.exp((scaled - np.repeat(most, np.diff(self.offsets), axis=0)).astype(float))
        logs = np.zeros((len(self), self.shown.shape[1] + len(quantities) + 1, values.shape[1]), dtype=np.float32)
        for attribute, could in enumerate(self._could):
            speaks = np.log(could @ shares[self.block(attribute)] + TINY)
            logs[:, attribute] = speaks + most[attribute] - scaled[self.shown[:, attribute]]
        possible = self.possible[:, self.costs.shape[1] :, None]
        logs[:, len(self._could) : -1] = np.where(possible, manner.change_sharpness * STEP * quantities, NEVER)
        return logs

    @cached_property
    def _could(self) -> list[Floats]:
        """By attribute, changes × values: 1 for what could have been asked for."""
        return [self.possible[:, self.block(attribute)].astype(float) for attribute in range(self.shown.shape[1])]

    def log_picked(self, logs: Singles, manner: Manner) -> Singles:
        """The same from the share of what speaks for it, carelessness included."""
        return log_said(logs, manner.change_lapse, self.possible.sum(axis=1) + 1)


def changes_in(space: Space, history: History, possible: Bools) -> Changes:
    """The changes that were asked for, one after the other; `possible` says which one-hot values can be had."""
    asked = [(question, answer) for question, answer in history if isinstance(answer, Change)]
    shown = [space.indices(question.options[change.option]) + space.offsets[:-1] for question, change in asked]
    taken = [column_of(space, change.name, change.value) for _, change in asked]
    could = np.tile(np.append(possible, np.ones(len(space.quantities), dtype=bool)), (len(asked), 1))
    for row, (question, _) in enumerate(asked):
        could[row, shown[row]] = False
        could[row, [column_of(space, *wish) for wish in question.besides]] = False
        could[row, [column for column in taken[row : row + 1] if column < could.shape[1]]] = True  # it could be then
    return Changes(
        np.array(shown, dtype=np.int64).reshape(len(asked), len(space.domains)),
        could,
        np.array(taken, dtype=np.int64),
        space.costs[: len(space.quantities)].astype(np.float32),
        space.offsets,
    )


def log_sum(logs: Singles, axis: int) -> Singles:
    """log Σ exp along an axis."""
    most = logs.max(axis=axis, keepdims=True)
    summed: Singles = np.log(np.exp(logs - most).sum(axis=axis)) + most.squeeze(axis)
    return summed


def log_add(one: Singles, other: Singles) -> Singles:
    """log (exp + exp), several times as fast as NumPy's own."""
    most = np.maximum(one, other)
    summed: Singles = most + np.log1p(np.exp(np.minimum(one, other) - most))
    return summed


def log_said(logs: Singles, lapse: Singles, count: Ints) -> Singles:
    """From how likely something is picked with care, out of so many things, to how likely it is said."""
    slips = lapse / count.astype(np.float32)[:, None]
    said: Singles = np.log((1 - lapse) * np.exp(logs) + slips + LEAST)
    return said


# Everything together


@dataclass(frozen=True, eq=False)
class Statements:
    """All that was said: comparisons, reasons and changes."""

    comparisons: Evidence
    reasons: Reasons
    changes: Changes

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said that could be learnt from."""
        return not (len(self.comparisons.rows) or len(self.reasons) or len(self.changes))

    @cached_property
    def named(self) -> Bools:
        """The features that were compared, given as a reason, changed, or seen changed."""
        rows: Bools = np.asarray(np.concatenate([self.comparisons.rows != 0, self.reasons.rows != 0]).any(axis=0))
        if len(self.changes):
            rows[self.changes.taken[self.changes.taken < len(rows)]] = True
            rows[self.changes.shown] = True
            rows[self.changes.costs.shape[1] :] = True  # quantities: every change is about them too
        return rows

    @cached_property
    def passed_over(self) -> Bools:
        """All other features that could have been changed, and were not."""
        rows = np.zeros(len(self.named), dtype=bool)
        if len(self.changes):
            rows[:] = self.changes.possible.any(axis=0)
        return rows & ~self.named

    def log_likelihood(self, weights: Singles, manner: Manner) -> Singles:
        """How likely all of it is, for people with these weights (features × people)."""
        logs = log_likelihood(self.comparisons.rows @ weights, self.comparisons, manner)
        return logs + self.log_reasons(weights, manner) + self.log_changes(weights, manner)

    def log_reasons(self, weights: Singles, manner: Manner) -> Singles:
        """How likely the reasons alone are."""
        if not len(self.reasons):
            return np.zeros(weights.shape[1], dtype=np.float32)
        summed: Singles = self.reasons.log_each(self.reasons.worth(weights), manner).sum(axis=0)
        return summed

    def log_changes(self, weights: Singles, manner: Manner) -> Singles:
        """How likely the changes alone are."""
        if not len(self.changes):
            return np.zeros(weights.shape[1], dtype=np.float32)
        cut = self.changes.costs.shape[1]
        summed: Singles = self.changes.log_each(self.changes.values(weights), weights[cut:], manner).sum(axis=0)
        return summed

    def moving(self, weights: Singles, manner: Manner) -> list[Moving]:
        """Reasons and changes, where there are any, ready for weights that move."""
        found: list[Moving] = []
        if len(self.reasons):
            found.append(MovingReasons(self.reasons, weights, manner))
        if len(self.changes):
            found.append(MovingChanges(self.changes, weights, manner))
        return found


def nothing_said(starts: Ints) -> Statements:
    """No answer at all about things whose features start here."""
    features, things = int(starts[-1]), len(starts) - 1
    none, rows = np.zeros(0, dtype=np.int64), np.zeros((0, features), dtype=np.float32)
    could, costs = np.zeros((0, features), dtype=bool), np.zeros((0, 0), dtype=np.float32)
    return Statements(
        Evidence(rows, none, np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)),
        Reasons(rows, np.zeros((0, things), dtype=bool), none, starts),
        Changes(np.zeros((0, 0), dtype=np.int64), could, none, costs, none),
    )


def statements_in(space: Space, history: History, possible: Bools) -> Statements:
    """What the answers say; `possible` says which one-hot values can be had."""
    history = tuple(history)
    evidence = evidence_of(space, history)
    if space.trends:
        evidence = replace(evidence, rows=np.ascontiguousarray(evidence.rows[:, : space.plain_features]))
    return Statements(evidence, reasons_in(space, history), changes_in(space, history, possible))


# While weights move


class Moving(Protocol):
    """Reasons or changes, while the weights of all people move one feature at a time."""

    def begin(self, thing: int) -> None:
        """Sum up all other things: from now on only weights of this one move."""

    def tried(self, feature: int, moves: Singles) -> Singles:
        """How likely all of it is with the feature's weight moved by so much (tries × people): the same shape."""

    def move(self, feature: int, by: Singles) -> None:
        """Add to the feature's weight for good."""

    def replaced(self, weights: Singles) -> Singles:
        """How much more likely all of it is with other weights of the begun thing, by person."""

    def replace(self, weights: Singles, accepted: Bools) -> None:
        """Take the weights that were last asked about for good, for those people."""


class MovingReasons:
    """Reasons with the worth of all things kept up to date."""

    def __init__(self, reasons: Reasons, weights: Singles, manner: Manner) -> None:
        self.said, self.manner = reasons, manner
        self.worth = reasons.worth(weights)
        self.count = reasons.present.sum(axis=1)

    def begin(self, thing: int) -> None:
        self.thing = thing
        others = self.said.present.copy()
        others[:, thing] = False
        scaled = self.manner.reason_sharpness * self.worth
        self.rest = log_sum(np.where(others[:, :, None], scaled, NEVER), axis=1)
        self.taken = scaled[np.arange(len(self.said)), self.said.taken]

    def tried(self, feature: int, moves: Singles) -> Singles:
        rows = np.flatnonzero((self.said.rows[:, feature] != 0) & self.said.present[:, self.thing])
        if not len(rows):
            return np.zeros_like(moves)
        effect = self.said.rows[rows, feature][:, None]
        own = self.manner.reason_sharpness * (self.worth[rows, self.thing] + effect * moves[:, None, :])
        taken = np.where((self.said.taken[rows] == self.thing)[:, None], own, self.taken[rows])
        logs = log_said(taken - log_add(own, self.rest[rows]), self.manner.reason_lapse, self.count[rows])
        summed: Singles = logs.sum(axis=1)
        return summed

    def move(self, feature: int, by: Singles) -> None:
        self.worth[:, self.thing] += self.said.rows[:, [feature]] * by

    def replaced(self, weights: Singles) -> Singles:
        block = slice(*self.said.starts[self.thing : self.thing + 2])
        self.instead = self.worth.copy()
        self.instead[:, self.thing] = self.said.rows[:, block] @ weights
        before, after = (self.said.log_each(worth, self.manner).sum(axis=0) for worth in (self.worth, self.instead))
        more: Singles = after - before
        return more

    def replace(self, weights: Singles, accepted: Bools) -> None:  # noqa: ARG002
        self.worth = np.where(accepted, self.instead, self.worth)


class MovingChanges:
    """Changes with the worth of all values kept up to date."""

    def __init__(self, changes: Changes, weights: Singles, manner: Manner) -> None:
        self.said, self.manner = changes, manner
        self.weights = weights.copy()
        self._look()

    def _look(self) -> None:
        self.values = self.said.values(self.weights)
        self.logs = self.said.by_thing(self.values, self._quantities, self.manner)
        self.picked = self.said.picked(self.values, self._quantities, self.manner)

    @property
    def _quantities(self) -> Singles:
        return self.weights[self.said.costs.shape[1] :]

    def begin(self, thing: int) -> None:
        self.thing = thing
        self.rest = log_sum(np.delete(self.logs, thing, axis=1), axis=1)

    def tried(self, feature: int, moves: Singles) -> Singles:
        if self.thing >= self.said.shown.shape[1]:
            return np.stack([self._with(feature, each) for each in moves])
        steps = (self.manner.change_sharpness * moves)[:, None, :]
        self.effect = self._effect(feature)[:, None]
        self.others = self.said.of_attribute(self.thing, self.values, self.manner, without=feature)
        own = self._own(feature, steps)
        logs = self.said.log_picked(self.picked + self.effect * steps - log_add(own, self.rest), self.manner)
        summed: Singles = logs.sum(axis=1)
        return summed

    def move(self, feature: int, by: Singles) -> None:
        self.weights[feature] += by
        if self.thing >= self.said.shown.shape[1]:
            return self._look()
        step = self.manner.change_sharpness * by  # of the feature that was tried last
        self.logs[:, self.thing] = self._own(feature, step)
        self.picked += self.effect * step
        self.values[feature] += by
        return None

    def _own(self, feature: int, steps: Singles) -> Singles:
        """What speaks for the begun attribute once the feature's weight has moved by so much."""
        shown = self.said.shown[:, self.thing]
        can = np.where(self.said.possible[:, feature], np.float32(0), NEVER)[:, None]
        ahead = self.manner.change_sharpness * (self.values[feature] - self.values[shown]) + can
        own: Singles = np.where((shown == feature)[:, None], self.others - steps, log_add(self.others, ahead + steps))
        return own

    def replaced(self, weights: Singles) -> Singles:
        if self.thing >= self.said.shown.shape[1]:
            return np.zeros(self.values.shape[1], dtype=np.float32)  # a quantity is alone, and trades with itself
        block, self.instead = self.said.block(self.thing), self.values.copy()
        self.instead[block] += weights - self.weights[block]
        self.own = self.said.of_attribute(self.thing, self.instead, self.manner)
        self.would_pick = self.said.picked(self.instead, self._quantities, self.manner)
        before, after = (
            self.said.log_picked(picked - log_add(own, self.rest), self.manner).sum(axis=0)
            for picked, own in ((self.picked, self.logs[:, self.thing]), (self.would_pick, self.own))
        )
        more: Singles = after - before
        return more

    def replace(self, weights: Singles, accepted: Bools) -> None:
        if self.thing >= self.said.shown.shape[1]:
            return
        block = self.said.block(self.thing)
        self.values = np.where(accepted, self.instead, self.values)
        self.weights[block] = np.where(accepted, weights, self.weights[block])
        self.logs[:, self.thing] = np.where(accepted, self.own, self.logs[:, self.thing])
        self.picked = np.where(accepted, self.would_pick, self.picked)

    def _effect(self, feature: int) -> Singles:
        """By how much the weight of a value counts in what was picked: for it, or against what was shown."""
        here = self.said.attribute_of(self.said.taken) == self.thing
        against = here & (self.said.shown[:, self.thing] == feature)
        effect: Singles = (self.said.taken == feature).astype(np.float32) - against
        return effect

    def _with(self, feature: int, move: Singles) -> Singles:
        weights = self.weights.copy()
        weights[feature] += move
        cut = self.said.costs.shape[1]
        summed: Singles = self.said.log_each(self.said.values(weights), weights[cut:], self.manner).sum(axis=0)
        return summed
