"""What reasons and changes say: one thing picked out of several, the more likely the more it is worth to the person.

A *reason* names the thing t, an attribute or a quantity, that decided for an option a. With x̄ the mean of the others

    c_t = Σ_{f in t} w_f (a_f - x̄_f),    P(t) ∝ exp(γ c_t)    over the things in which the options differ.

A second reason is picked out of the rest. A *change* of a configuration x puts a value v in place of x_a, makes a
quantity better by a step, or is none; what a value does to quantities is seen along with it: with v = w_B + C'w_R

    g_v = v_v - v_{x_a},    g_q = STEP w_q,    g_nothing = 0,    P(m) ∝ exp(γ g_m)    over all that can be had.

Somebody who is careless picks anything with probability `lapse`. Care in reasons and in changes are two things, and
both are apart from care in choosing; all are inferred.

Every feature belongs to one thing, so moving one weight moves one term of each sum: all others are summed once a thing.
What speaks for things is kept as it is, and not as its logarithm, in double precision: sums are sums then.
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
from setmargin.strategies.shared.evidence import (
    LEAST,
    Evidence,
    Manner,
    Singles,
    evidence_of,
    log_likelihood,
    padded,
)
from setmargin.strategies.shared.reasons import contrast

NEVER = np.float32(-1e9)
"""The logarithm of something that cannot be picked."""
NEVER_MIND = np.float32(80.0)
"""The logarithm of how much more may speak for something than for what was picked: more makes no difference."""
FAR, FARTHER = 340.0, 600.0
"""Logarithms are cut off here, far beyond what decides: two of the former or one of the latter can be summed up."""
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

    @cached_property
    def _rows_by_thing(self) -> Singles:
        """Reasons times things × features: each row with the features of one thing only."""
        owners = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        own = owners == np.arange(len(self.starts) - 1)[:, None]
        return np.asarray((self.rows[:, None] * own).reshape(-1, self.rows.shape[1]), dtype=np.float32)

    def worth(self, weights: Singles) -> Singles:
        """How much each thing decided: reasons × things × people."""
        worth: Singles = self._rows_by_thing @ weights
        return worth.reshape(*self.present.shape, weights.shape[1])

    def log_each(self, worth: Singles, manner: Manner) -> Singles:
        """How likely each reason is: reasons × people."""
        taken = worth[np.arange(len(self)), self.taken]
        ahead = manner.reason_sharpness * (worth - taken[:, None])
        speaks = np.exp(np.minimum(ahead, NEVER_MIND)) * self.present[:, :, None]
        return log_said(1 / speaks.sum(axis=1), manner.reason_lapse, self.present.sum(axis=1))


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

    @cached_property
    def _columns(self) -> Ints:
        """Attributes × values: the one-hot columns of each, the last one again where others have more."""
        return padded(self.offsets)

    @cached_property
    def could(self) -> list[Floats]:
        """By attribute, changes × values: 1 for what could have been asked for."""
        return [self.possible[:, self.block(attribute)].astype(float) for attribute in range(self.shown.shape[1])]

    @cached_property
    def could_better(self) -> Floats:
        """Changes × quantities: 1 for what could have been asked to be better."""
        return self.possible[:, self.costs.shape[1] :].astype(float)

    @cached_property
    def _could_by_attribute(self) -> Floats:
        """Changes times attributes × values: each row with the values of one attribute only."""
        rows = np.zeros((*self.shown.shape, self.costs.shape[1]))
        for attribute, could in enumerate(self.could):
            rows[:, attribute, self.block(attribute)] = could
        return rows.reshape(-1, rows.shape[2])

    @cached_property
    def _asked(self) -> tuple[Bools, Ints, Ints, Bools, Ints]:
        """For which changes a value was asked for, which one, and instead of which; and for which which quantity."""
        cut = self.costs.shape[1]
        is_value = self.taken < cut
        is_quantity = ~is_value & (self.taken < self.possible.shape[1])
        values, better = self.taken[is_value], self.taken[is_quantity] - cut
        return is_value, values, self.shown[is_value, self.attribute_of(values)], is_quantity, better

    def picked(self, values: Singles, quantities: Singles, manner: Manner) -> Singles:
        """The logarithm of how much speaks for what was asked for: changes × people."""
        is_value, wanted, instead, is_quantity, better = self._asked
        gains = np.zeros((len(self), values.shape[1]), dtype=np.float32)
        gains[is_value] = values[wanted] - values[instead]
        gains[is_quantity] = STEP * quantities[better]
        return manner.change_sharpness * gains

    def attribute_of(self, columns: Ints) -> Ints:
        """Whose values these one-hot columns are."""
        found: Ints = np.searchsorted(self.offsets, columns, side="right") - 1
        return found

    def log_each(self, values: Singles, quantities: Singles, manner: Manner) -> Singles:
        """How likely each change is: changes × people."""
        picked = self.picked(values, quantities, manner)
        speaks = self.by_thing(values, quantities, manner, picked, most=FARTHER).sum(axis=1)
        return self.log_picked(1 / np.maximum(speaks, 1.0), manner)

    def by_thing(
        self, values: Singles, quantities: Singles, manner: Manner, against: Singles | None, *, most: float
    ) -> Floats:
        """How much speaks for each thing, and for nothing: changes × (things + 1) × people.

        It is divided by that of which `against` (changes × people) is the logarithm. One exponential for each value
        serves all changes.
        """
        scaled = manner.change_sharpness * values
        best = scaled[self._columns].max(axis=1)
        shares = np.exp((scaled - np.repeat(best, np.diff(self.offsets), axis=0)).astype(float))
        count, people = self.shown.shape[1], values.shape[1]
        logs = np.zeros((len(self), count + len(quantities) + 1, people), dtype=np.float32)
        np.subtract(best, scaled[self.shown], out=logs[:, :count])
        logs[:, count:-1] = manner.change_sharpness * STEP * quantities
        if against is not None:
            logs -= against[:, None]
        speaks: Floats = np.exp(np.minimum(logs, most).astype(float))
        speaks[:, :count] *= (self._could_by_attribute @ shares).reshape(len(self), count, people)
        speaks[:, count:-1] *= self.could_better[:, :, None]
        return speaks

    def log_picked(self, picked: Floats, manner: Manner) -> Singles:
        """How likely something is asked for, from how likely it is with care."""
        return log_said(picked, manner.change_lapse, self.possible.sum(axis=1) + 1)


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


def log_said(picked: Singles | Floats, lapse: Singles, count: Ints) -> Singles:
    """From how likely something is picked with care, out of so many, to the logarithm of how likely it is said."""
    slips = lapse / count.astype(np.float32)[:, None] + LEAST
    said: Singles = (1 - lapse) * picked.astype(np.float32) + slips
    np.log(said, out=said)
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


def _speaks(logs: Singles) -> Floats:
    """How much speaks for something, from its logarithm."""
    speaks: Floats = np.exp(logs.clip(-FAR, FAR).astype(float))
    return speaks


def _others(parts: Floats, thing: int) -> Floats:
    """The sum over all things but one: ... × things × people."""
    summed: Floats = parts[:, :thing].sum(axis=1) + parts[:, thing + 1 :].sum(axis=1)
    return summed


class MovingReasons:
    """Reasons with the worth of all things kept up to date."""

    def __init__(self, reasons: Reasons, weights: Singles, manner: Manner) -> None:
        self.said, self.manner = reasons, manner
        self.worth = reasons.worth(weights)
        self.parts = _speaks(manner.reason_sharpness * self.worth) * reasons.present[:, :, None]
        self.count = reasons.present.sum(axis=1)

    def begin(self, thing: int) -> None:
        self.thing, self.present = thing, self.said.present[:, thing]
        self.rest = _others(self.parts, thing)
        self.picked = self.parts[np.arange(len(self.said)), self.said.taken]

    def tried(self, feature: int, moves: Singles) -> Singles:
        effects = self.said.rows[:, feature]
        rows = np.flatnonzero((effects != 0) & self.present)
        if not len(rows):
            return np.zeros_like(moves)
        moved = self.worth[rows, self.thing] + effects[rows, None] * moves[:, None, :]
        own = _speaks(self.manner.reason_sharpness * moved)
        picked = np.where((self.said.taken[rows] == self.thing)[:, None], own, self.picked[rows])
        logs = log_said(picked / (own + self.rest[rows]), self.manner.reason_lapse, self.count[rows])
        summed: Singles = logs.sum(axis=1)
        return summed

    def move(self, feature: int, by: Singles) -> None:
        rows = np.flatnonzero(self.said.rows[:, feature])
        if len(rows):
            self.worth[rows, self.thing] += self.said.rows[rows, feature][:, None] * by
            own = _speaks(self.manner.reason_sharpness * self.worth[rows, self.thing])
            self.parts[rows, self.thing] = own * self.present[rows, None]

    def replaced(self, weights: Singles) -> Singles:
        block = slice(*self.said.starts[self.thing : self.thing + 2])
        self.instead = self.said.rows[:, block] @ weights
        own = _speaks(self.manner.reason_sharpness * self.instead) * self.present[:, None]
        here = (self.said.taken == self.thing)[:, None]
        self.own, before = own, self.parts[:, self.thing]
        more: Singles = self._logs(np.where(here, own, self.picked), own) - self._logs(
            np.where(here, before, self.picked), before
        )
        return more

    def _logs(self, picked: Floats, own: Floats) -> Singles:
        logs = log_said(picked / (own + self.rest), self.manner.reason_lapse, self.count)
        summed: Singles = logs.sum(axis=0)
        return summed

    def replace(self, weights: Singles, accepted: Bools) -> None:  # noqa: ARG002
        self.worth[:, self.thing] = np.where(accepted, self.instead, self.worth[:, self.thing])
        self.parts[:, self.thing] = np.where(accepted, self.own, self.parts[:, self.thing])


class MovingChanges:
    """Changes with the worth of all values kept up to date."""

    def __init__(self, changes: Changes, weights: Singles, manner: Manner) -> None:
        self.said, self.manner = changes, manner
        self.weights = weights.copy()
        self.counted = changes.possible.sum(axis=1) + 1
        self.where = changes.attribute_of(changes.taken)
        self._look()

    def _look(self) -> None:
        self.values = self.said.values(self.weights)
        self.parts = self.said.by_thing(self.values, self._quantities, self.manner, None, most=FAR)
        self.picked = _speaks(self.said.picked(self.values, self._quantities, self.manner))

    @property
    def _quantities(self) -> Singles:
        return self.weights[self.said.costs.shape[1] :]

    def begin(self, thing: int) -> None:
        self.thing, self.rest = thing, _others(self.parts, thing)
        if self._is_attribute:
            self.shown = self.said.shown[:, thing]
            self.best = (self.manner.change_sharpness * self.values[self.said.block(thing)]).max(axis=0)
            self.shares, self.ahead = self._seen(self.values)

    @property
    def _is_attribute(self) -> bool:
        return self.thing < int(self.said.shown.shape[1])

    def _seen(self, values: Singles) -> tuple[Floats, Floats]:
        """How much speaks for each of the begun attribute's values, and for the best against what was shown."""
        scaled = self.manner.change_sharpness * values[self.said.block(self.thing)]
        shown = self.manner.change_sharpness * values[self.shown]
        return np.exp((scaled - self.best).astype(float)), _speaks(self.best - shown)

    def tried(self, feature: int, moves: Singles) -> Singles:
        if not self._is_attribute:
            return self._with(feature, moves)
        up = _speaks(self.manner.change_sharpness * moves)[:, None]
        could, column = self.said.could[self.thing], feature - self.said.block(self.thing).start
        own = (could[:, column, None] * self.shares[column] * self.ahead) * up
        others = could.copy()
        others[:, column] = 0.0
        is_shown, wanted = self.shown == feature, self.said.taken == feature
        rest = (others @ self.shares) * self.ahead
        own += rest / up if is_shown.all() else np.where(is_shown[:, None], rest / up, rest) if is_shown.any() else rest
        own += self.rest
        instead = is_shown & (self.where == self.thing)
        picked = self.picked
        if wanted.any() or instead.any():
            picked = picked * np.where(wanted[:, None], up, np.where(instead[:, None], 1 / up, 1.0))
        self.feature = column, is_shown, wanted, instead
        logs = log_said(picked / own, self.manner.change_lapse, self.counted)
        summed: Singles = logs.sum(axis=1)
        return summed

    def move(self, feature: int, by: Singles) -> None:
        self.weights[feature] += by
        if not self._is_attribute:
            return self._look()
        up = _speaks(self.manner.change_sharpness * by)
        column, is_shown, wanted, instead = self.feature  # that was tried last
        self.values[feature] += by
        self.shares[column] *= up
        self.ahead[is_shown] /= up
        self.picked[wanted] *= up
        self.picked[instead] /= up
        self.parts[:, self.thing] = (self.said.could[self.thing] @ self.shares) * self.ahead
        return None

    def replaced(self, weights: Singles) -> Singles:
        if not self._is_attribute:
            return np.zeros(self.values.shape[1], dtype=np.float32)  # a quantity is alone, and trades with itself
        block, self.instead = self.said.block(self.thing), self.values.copy()
        self.instead[block] += weights - self.weights[block]
        shares, ahead = self._seen(self.instead)
        self.own = (self.said.could[self.thing] @ shares) * ahead
        self.would_pick = _speaks(self.said.picked(self.instead, self._quantities, self.manner))
        before, after = (
            log_said(picked / (own + self.rest), self.manner.change_lapse, self.counted).sum(axis=0)
            for picked, own in ((self.picked, self.parts[:, self.thing]), (self.would_pick, self.own))
        )
        more: Singles = after - before
        return more

    def replace(self, weights: Singles, accepted: Bools) -> None:
        if not self._is_attribute:
            return
        block = self.said.block(self.thing)
        self.values = np.where(accepted, self.instead, self.values)
        self.weights[block] = np.where(accepted, weights, self.weights[block])
        self.parts[:, self.thing] = np.where(accepted, self.own, self.parts[:, self.thing])
        self.picked = np.where(accepted, self.would_pick, self.picked)

    def _with(self, feature: int, moves: Singles) -> Singles:
        """With a quantity's weight moved, which everything follows: all tries side by side."""
        tries, people = moves.shape
        weights = np.tile(self.weights, tries)
        weights[feature] += moves.ravel()
        many = self.manner[np.tile(np.arange(people), tries)]
        cut = self.said.costs.shape[1]
        logs = self.said.log_each(self.said.values(weights), weights[cut:], many).sum(axis=0)
        summed: Singles = logs.reshape(tries, people)
        return summed
