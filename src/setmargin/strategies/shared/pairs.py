"""Answers as differences of utility: what every learner from pairs learns from.

Most are differences of two configurations, y₊ − y₋, in one-hot values. An answer that says more gives more of them:

- a reason t for taking a: what t adds to a, beside the mean of the others, is more than what any other thing adds that
  they differ in and that was not named before it;
- no difference because of t: what t adds is the same in all options;
- a change: with it the configuration is better than it was, than with any other value of the same attribute, and than
  with the other changes on average; if nothing is to be changed, it is better than with a change on average.

What a thing adds is not what configurations differ in: of a bicycle with another motor the motor adds something, and so
does its price. Therefore rows may also speak of quantities alone, `beside` the values that they follow from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.answers import Answer, Change, Choice, NoDifference, Question, Ranking, differing, preferences
from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.space import Configuration, Space
from setmargin.strategies.shared.changes import STEP, changes_of, column_of

NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Pairs:
    """What the answers say, as rows of one-hot values: strict ones y₊ − y₋, and equal ones."""

    strict: Floats
    equal: Floats
    strict_beside: Floats | None = None
    """What the strict rows say about quantities beside what their values do to them; None: nothing."""
    equal_beside: Floats | None = None
    answer: Ints | None = None
    """Which answer each row is of, strict ones first; None: each row counts as an answer of its own."""

    def __len__(self) -> int:
        return len(self.strict) + len(self.equal)

    @property
    def answers(self) -> int:
        """How many answers there are to be held out one by one."""
        return len(self) if self.answer is None else len(np.unique(self.answer))

    def counts(self) -> tuple[Floats, Floats]:
        """How much each strict and each equal row counts, so that all answers count the same."""
        if self.answer is None:
            return np.ones(len(self.strict)), np.ones(len(self.equal))
        _, place, sizes = np.unique(self.answer, return_inverse=True, return_counts=True)
        shares = 1.0 / sizes[place]
        return shares[: len(self.strict)], shares[len(self.strict) :]

    def at(self, chosen: Ints) -> Pairs:
        """Some of the answers; where each row is one of its own they are numbered with the strict ones first."""
        if self.answer is None:
            cut = len(self.strict)
            return Pairs(self.strict[chosen[chosen < cut]], self.equal[chosen[chosen >= cut] - cut])
        return self._rows(np.isin(self.answer, np.unique(self.answer)[chosen]))

    def of_values_alone(self) -> Pairs:
        """Without what speaks of quantities beside values, for those who have no weights of quantities."""
        beside = (self.strict_beside, self.equal_beside)
        sizes = (len(self.strict), len(self.equal))
        plain = [np.ones(n, bool) if b is None else ~b.any(axis=1) for n, b in zip(sizes, beside, strict=True)]
        kept = self._rows(np.concatenate(plain))
        return Pairs(kept.strict, kept.equal, answer=kept.answer)

    def _rows(self, kept: Bools) -> Pairs:
        strict, equal = np.split(kept, [len(self.strict)])
        return Pairs(
            self.strict[strict],
            self.equal[equal],
            None if self.strict_beside is None else self.strict_beside[strict],
            None if self.equal_beside is None else self.equal_beside[equal],
            None if self.answer is None else self.answer[kept],
        )

    def in_features(self, space: Space) -> tuple[Floats, Floats]:
        """Strict and equal rows over all features: values, quantities and trends."""
        lift = features_of_values(space)
        return with_beside(self.strict @ lift, self.strict_beside), with_beside(self.equal @ lift, self.equal_beside)

    def ahead(self, value_weights: Floats, quantity_weights: Floats) -> tuple[Floats, Floats]:
        """By how much the better ones are better, and the equal ones apart; weights of one person, or columns of them.

        The weights of values are those that quantities are folded into.
        """
        strict, equal = self.strict @ value_weights, self.equal @ value_weights
        if self.strict_beside is not None:
            strict = strict + self.strict_beside @ quantity_weights
        if self.equal_beside is not None:
            equal = equal + self.equal_beside @ quantity_weights
        return strict, equal


def features_of_values(space: Space) -> Floats:
    """One-hot values × features: what each value adds to each feature."""
    return np.concatenate([np.eye(int(space.offsets[-1])), space.costs.T], axis=1)


def with_beside(rows: Floats, beside: Floats | None) -> Floats:
    """Rows over features with what is said about quantities beside values, which is added in place."""
    if beside is not None:
        rows[:, rows.shape[1] - beside.shape[1] :] += beside
    return rows


def pairs_of(space: Space, history: Sequence[tuple[Question, Answer]]) -> Pairs:
    """All that the answers say as pairs."""
    strict, equal = _Collected(space), _Collected(space)
    for number, (question, answer) in enumerate(history):
        options = space.onehot(np.array([space.indices(option) for option in question.options]))
        for better, worse, is_strict in preferences(question, answer):
            (strict if is_strict else equal).add(number, options[better] - options[worse])
        for row, is_strict in _said_more(space, question, answer):
            (strict if is_strict else equal).add_features(number, row)
    says_more = strict.says_more or equal.says_more
    answer_of = np.array([*strict.numbers, *equal.numbers], dtype=np.int64) if says_more else None
    return Pairs(strict.values(), equal.values(), strict.beside(), equal.beside(), answer_of)


class _Collected:
    """Rows in the making."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._rows: list[Floats] = []
        self._beside: list[Floats] = []
        self.numbers: list[int] = []
        self.says_more = False

    def add(self, number: int, row: Floats) -> None:
        self._rows.append(row)
        self._beside.append(np.zeros(len(self._space.costs)))
        self.numbers.append(number)

    def add_features(self, number: int, row: Floats) -> None:
        """A row over features: ⟨f, w⟩ = ⟨f_B, v⟩ + ⟨f_R − C f_B, w_R⟩."""
        cut = int(self._space.offsets[-1])
        beside = row[cut:] - self._space.costs @ row[:cut]
        self.add(number, row[:cut])
        self._beside[-1] = np.where(np.abs(beside) < NOTHING, 0.0, beside)
        self.says_more = True

    def values(self) -> Floats:
        return np.array(self._rows).reshape(len(self._rows), int(self._space.offsets[-1]))

    def beside(self) -> Floats | None:
        """None where no row speaks of quantities alone."""
        beside = np.array(self._beside).reshape(len(self._rows), len(self._space.costs))
        return beside if beside.any() else None


def _said_more(space: Space, question: Question, answer: Answer) -> Iterator[tuple[Floats, bool]]:
    """Rows over features for what an answer says beyond which options are better, and whether they are strict."""
    match answer:
        case Choice(best, (_, *_) as names) | Ranking((best, *_), (_, *_) as names):
            for row in reason_rows(space, question, best, names):
                yield row, True
        case NoDifference((_, *_) as names):
            features = np.stack([space.encode(option) for option in question.options])
            apart = [(features[0] - other) * space.features_of(name) for name in names for other in features[1:]]
            yield from ((row, False) for row in apart if np.abs(row).max() > NOTHING)
        case Change():
            for row in change_rows(space, question, answer):
                yield row, True


def reason_rows(space: Space, question: Question, best: int, names: Sequence[str]) -> Iterator[Floats]:
    """What each reason adds, minus what each other thing adds that was not named before it."""
    features = np.stack([space.encode(option) for option in question.options])
    apart = features[best] - np.delete(features, best, axis=0).mean(axis=0)
    left = list(differing(space, question.options))
    for name in names:
        left.remove(name)
        own = apart * space.features_of(name)
        for other in left:
            yield own - apart * space.features_of(other)


def change_rows(space: Space, question: Question, change: Change) -> Iterator[Floats]:
    """What the change adds; the same minus what other values of its attribute add, and other changes on average."""
    shown = question.options[change.option]
    asked = Question((shown,), besides=question.besides)
    wishes = changes_of(space, asked)[:-1]
    if change.name is None:
        if wishes:
            yield -np.mean([gain_row(space, shown, wish) for wish in wishes], axis=0)
        return
    own = gain_row(space, shown, change)
    yield own
    others = [wish for wish in wishes if (wish.name, wish.value) != (change.name, change.value)]
    gains = [gain_row(space, shown, wish) for wish in others]
    yield from (own - row for wish, row in zip(others, gains, strict=True) if wish.name == change.name)
    if gains:
        yield own - np.mean(gains, axis=0)


def gain_row(space: Space, shown: Configuration, change: Change) -> Floats:
    """The features with the change minus those before; another value brings what follows from it along."""
    row, cut = np.zeros(len(space.feature_names)), int(space.offsets[-1])
    column = column_of(space, change.name, change.value)
    if change.name is None:
        return row
    if column >= cut:
        row[column] = STEP
        return row
    row[:cut] = -space.encode(shown)[:cut] * space.features_of(change.name)[:cut]
    row[column] += 1.0
    row[cut:] = space.costs @ row[:cut]
    return row
