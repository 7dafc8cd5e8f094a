"""What answers say: how likely each answer is for a person with certain weights and a certain manner of answering.

Every answer is one or more *choices* of one option out of several (a ranking is a choice of the best, then of the best
of the rest, and so on), or a *tie*. A choice has one row for each option that was not taken: the features of the taken
one minus those of the other. With d a row times the weights, times the person's sharpness, the taken option has

    p = 1 / (1 + Σ exp(-d)),    e = exp(-(largest utility - smallest utility))

and e is how much all of them look the same. Two manners of seeing no difference are known, and which one a person has
is inferred: `plain` people say so with probability e, others with e / (1 + e); so somebody who rarely says "no
difference" is understood too. A `forced` choice could not be left undecided, so that it was made says nothing. With
probability `lapse` people take any option, whatever they think.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setmargin.answers import Answer, Change, Choice, Comparisons, NoDifference, Outcome, Question, Ranking
from setmargin.arrays import Bools, Floats, Ints
from setmargin.space.space import Space

Singles = NDArray[np.float32]
"""Single precision is four times as fast here, and far finer than anything people say."""
Table = tuple[tuple[float, float], ...]
"""Numbers, each with how likely it is."""
FARTHEST = np.float32(40.0)
LEAST = np.float32(1e-4)
"""No answer is impossible."""
SHARPNESS = ((10.0, 0.1), (20.0, 0.15), (50.0, 0.25), (100.0, 0.3), (200.0, 0.2))
"""By how much utilities between 0 and 1 are multiplied before they meet the noise, and how likely that is."""
LAPSES = ((0.01, 0.6), (0.1, 0.25), (0.25, 0.15))
"""How often people take the wrong option, and how likely such people are."""
PLAIN = 0.5
"""How likely people always say so when there is no difference."""
PICK_SHARPNESS = ((5.0, 0.1), (15.0, 0.2), (40.0, 0.25), (100.0, 0.3), (200.0, 0.15))
PICK_LAPSES = ((0.02, 0.5), (0.15, 0.2), (0.4, 0.2), (0.8, 0.1))
"""The same for reasons and changes, which some people give without much thought."""
CHOOSING = ("sharpness", "lapse", "plain")
TABLES = {"sharpness": SHARPNESS, "lapse": LAPSES} | {
    f"{said}_{name}": table
    for said in ("reason", "change")
    for name, table in (("sharpness", PICK_SHARPNESS), ("lapse", PICK_LAPSES))
}


@dataclass(frozen=True, eq=False)
class Manner:
    """How each of many people answers: one entry per person."""

    sharpness: Singles
    lapse: Singles
    plain: Bools
    reason_sharpness: Singles
    reason_lapse: Singles
    change_sharpness: Singles
    change_lapse: Singles

    @classmethod
    def drawn(cls, rng: np.random.Generator, size: int) -> Manner:
        """From the prior."""
        (other,) = rng.spawn(1)  # so that choices without reasons are learnt from as if there were none
        return cls(**{name: cls.part(name, rng if name in CHOOSING else other, size) for name in cls.__annotations__})

    @staticmethod
    def part(name: str, rng: np.random.Generator, size: int) -> Any:
        """One part of it from the prior."""
        return rng.random(size) < PLAIN if name == "plain" else drawn_from(TABLES[name], rng, size)

    def __getitem__(self, chosen: Ints | Bools) -> Manner:
        return Manner(**{name: part[chosen] for name, part in vars(self).items()})

    @classmethod
    def joined(cls, manners: Sequence[Manner]) -> Manner:
        """All of them, one after the other."""
        return cls(**{name: np.concatenate([getattr(each, name) for each in manners]) for name in vars(manners[0])})

    def where(self, taken: Bools, other: Manner) -> Manner:
        """The other manner for those, the own one for everybody else."""
        return Manner(**{name: np.where(taken, getattr(other, name), part) for name, part in vars(self).items()})


def drawn_from(table: Table, rng: np.random.Generator, size: int) -> Singles:
    """So many of the numbers in the table."""
    values, ends = _steps(table)
    return values[np.searchsorted(ends, rng.random(size))]


@cache
def _steps(table: Table) -> tuple[Singles, Floats]:
    """The numbers, and up to where between 0 and 1 each of them goes but for the last."""
    values, chances = zip(*table, strict=True)
    return np.array(values, dtype=np.float32), np.cumsum(chances)[:-1]


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that was said: rows of feature differences; `starts` says where each choice's or tie's rows begin."""

    rows: Singles
    starts: Ints
    tie: Bools
    forced: Bools

    @cached_property
    def lengths(self) -> Ints:
        """How many rows each choice has."""
        lengths: Ints = np.diff(np.append(self.starts, len(self.rows)))
        return lengths

    @cached_property
    def rows_each(self) -> int:
        """How many rows every choice has; 0 where they differ."""
        return int(self.lengths[0]) if len(self.lengths) and (self.lengths == self.lengths[0]).all() else 0

    @cached_property
    def padded(self) -> Ints:
        """The rows of each choice: choices × rows, the last one again where others have more."""
        return padded(np.append(self.starts, len(self.rows)))

    @cached_property
    def counted(self) -> Bools:
        """Which of the padded rows count."""
        return np.asarray(np.arange(self.padded.shape[1]) < self.lengths[:, None])[:, :, None]

    @property
    def is_pairs(self) -> bool:
        """Whether every choice was one of two."""
        return len(self.starts) == len(self.rows)

    @cached_property
    def slips(self) -> Singles:
        """How often a slip ends at what was said: equally often at each option, and never at a tie."""
        return np.where(self.tie, 0, 1 / (1 + self.lengths)).astype(np.float32)[:, None]

    @cached_property
    def has_ties(self) -> bool:
        """Whether anything was a tie."""
        return bool(self.tie.any())

    @cached_property
    def has_forced(self) -> bool:
        """Whether any choice was forced."""
        return bool(self.forced.any())

    def about(self, rows: Bools) -> tuple[Ints, Evidence]:
        """The choices that some of these rows belong to, and the numbers of all their rows."""
        kept = rows if self.is_pairs else np.logical_or.reduceat(rows, self.starts)
        taken = np.flatnonzero(rows if self.is_pairs else np.repeat(kept, self.lengths))
        lengths = self.lengths[kept]
        part = Evidence(self.rows[taken], np.cumsum(lengths) - lengths, self.tie[kept], self.forced[kept])
        vars(part).update(lengths=lengths, slips=self.slips[kept])  # they would come out the same
        if self.rows_each:
            vars(part)["rows_each"] = self.rows_each
        return taken, part


def padded(starts: Ints) -> Ints:
    """The numbers of each block, which begin at `starts`: blocks × numbers, the last one again where others have more.

    The last start is where all of them end.
    """
    lengths = np.diff(starts)
    within = np.minimum(np.arange(int(lengths.max(initial=1))), lengths[:, None] - 1)
    return np.asarray(starts[:-1, None] + within, dtype=np.int64)


def evidence_of(space: Space, history: Iterable[tuple[Question, Answer]]) -> Evidence:
    """What the answers say, one after the other."""
    blocks = [
        (rows, tie, question.forced) for question, answer in history for rows, tie in _choices(space, question, answer)
    ]
    width = len(space.feature_names)
    lengths = np.array([len(rows) for rows, _, _ in blocks], dtype=np.int64)
    return Evidence(
        rows=np.concatenate([np.zeros((0, width)), *(rows for rows, _, _ in blocks)]).astype(np.float32),
        starts=np.cumsum(lengths) - lengths,
        tie=np.array([tie for _, tie, _ in blocks], dtype=bool),
        forced=np.array([forced for _, _, forced in blocks], dtype=bool),
    )


def _choices(space: Space, question: Question, answer: Answer) -> Iterator[tuple[Floats, bool]]:
    options = space.features(np.stack([space.indices(option) for option in question.options]))
    everything = range(len(options))
    match answer:
        case Choice(taken) | Change(_, _, taken) if question.is_comparison:
            yield _against(options, taken, everything), False
        case Ranking(order):
            for place, taken in enumerate(order[:-1]):
                yield _against(options, taken, order[place:]), False
        case NoDifference(names):
            yield _against(options, 0, everything), True
            for name in names:  # what is said not to matter is a tie of its own
                yield _against(options, 0, everything) * space.features_of(name), True
        case Comparisons(outcomes):
            for first, second, outcome in outcomes:
                taken, other = (second, first) if outcome is Outcome.SECOND else (first, second)
                yield _against(options, taken, (other,)), outcome is Outcome.EQUAL


def _against(options: Floats, taken: int, others: Iterable[int]) -> Floats:
    rows: Floats = options[taken] - options[[other for other in others if other != taken]]
    return rows


def log_likelihood(differences: Singles, evidence: Evidence, manner: Manner) -> Singles:
    """How likely all of it is, for people with these differences (... × rows × people): ... × people."""
    summed: Singles = log_each(differences, evidence, manner).sum(axis=-2)
    return summed


def log_each(differences: Singles, evidence: Evidence, manner: Manner) -> Singles:
    """The same, choice by choice: ... × choices × people."""
    said, same = _looks(differences * manner.sharpness, evidence)
    apart = np.where(manner.plain, 1 - same, 1 / (1 + same))
    slips = evidence.slips * manner.lapse
    # Who could have been undecided and slips is counted as a little less likely: simulated people are learnt faster so.
    careful = 1 - manner.lapse - slips
    if evidence.has_forced:
        apart = np.where(evidence.forced[:, None], np.float32(1), apart)
        careful = np.where(evidence.forced[:, None], 1 - manner.lapse, careful)
    said *= apart
    if evidence.has_ties:
        said = np.where(evidence.tie[:, None], 1 - apart, said)
    said *= careful
    said += slips + LEAST
    np.log(said, out=said)
    return said


def _looks(scaled: Singles, evidence: Evidence) -> tuple[Singles, Singles]:
    """How likely the taken option is to be taken, and how much all of them look the same."""
    if evidence.is_pairs:
        same = np.exp(-np.minimum(np.abs(scaled), FARTHEST))
        return _single(np.where(scaled > 0, np.float32(1), same) / (1 + same)), _single(same)
    ahead = _by_choice(np.maximum(scaled, -FARTHEST), evidence)
    np.minimum(ahead, FARTHEST, out=ahead)
    most, least = np.maximum(ahead.max(axis=-2), 0), np.minimum(ahead.min(axis=-2), 0)
    np.negative(ahead, out=ahead)
    np.exp(ahead, out=ahead)
    if not evidence.rows_each:
        ahead *= evidence.counted
    others = ahead.sum(axis=-2)
    others += 1
    return np.reciprocal(others, out=others), np.exp(least - most)


def _by_choice(rows: Singles, evidence: Evidence) -> Singles:
    """The rows of each choice side by side: ... × choices × rows × people. To reduce them in place takes far longer."""
    if evidence.rows_each:
        *outer, count, people = rows.shape
        return rows.reshape(*outer, count // evidence.rows_each, evidence.rows_each, people)
    return np.take(rows, evidence.padded, axis=-2)


def _single(numbers: NDArray[np.floating[Any]]) -> Singles:
    """Says what NumPy's types do not know: single precision stays single."""
    return numbers.astype(np.float32, copy=False)


def choice_chances(utilities: Singles, manner: Manner) -> Singles:
    """How likely each option is chosen where one has to be: options × people, as the utilities are."""
    scaled = np.maximum((utilities - utilities.max(axis=0)) * manner.sharpness, -FARTHEST)
    likes = np.exp(scaled)
    chances: Singles = (1 - manner.lapse) * likes / likes.sum(axis=0) + manner.lapse / len(utilities)
    return chances


def answer_chances(utilities: Singles, manner: Manner) -> Singles:
    """How likely each answer to a question is: (people × questions × options) to answers × questions × people.

    The last answer is that there is no difference. As `log_each` has it, but all options of a question at once.
    """
    options = utilities.transpose(2, 1, 0)
    size = len(options)
    scaled = (options - options.max(axis=0)) * manner.sharpness
    np.maximum(scaled, -FARTHEST, out=scaled)
    np.exp(scaled, out=scaled)
    same, slips = scaled.min(axis=0), manner.lapse / np.float32(size)
    apart = np.where(manner.plain, 1 - same, 1 / (1 + same))
    chances = np.empty((size + 1, *same.shape), dtype=np.float32)
    np.multiply(scaled, apart * (1 - manner.lapse - slips) / scaled.sum(axis=0), out=chances[:-1])
    chances[:-1] += slips
    np.multiply(1 - apart, 1 - manner.lapse, out=chances[-1])
    chances += LEAST
    chances /= chances.sum(axis=0)
    return chances
