"""What people answered, as choices between rows of features: choices, rankings, ties, reasons and changes alike.

A ranking is a choice of the best, then of the best of the rest. In a tie each option was taken, but counts only as one
part. A reason is a choice between the things in which options differ, each with its part of the difference between the
option taken and the others; a change is one between what each change adds. Of the many changes that somebody could
have asked for, a few stand for all, which in a logit leaves the estimates where they are (McFadden 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.logits.rows import ChoiceRows
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.bayes.picks import Changes, Reasons, changes_in, reasons_in
from setmargin.strategies.shared.changes import STEP, possible_values
from setmargin.strategies.shared.evidence import Evidence, evidence_of

LAPSE = 0.02
PICK_LAPSE = 0.15
"""Reasons and changes are given with less thought than choices."""
PICK_SHARPNESS = 0.7
"""How surely people go by their weights when they give them, beside how surely they choose."""
MOST_CHANGES = 12
"""Changes that stand for all others that could have been asked for."""


@dataclass(frozen=True, eq=False)
class Said:
    """One choice: rows of what was taken minus what was not, how likely a lapse is, and how much it counts."""

    rows: Floats
    lapse: float
    weight: float = 1.0


def rows_of(space: Space, histories: Sequence[History], *, seed: int = 0) -> ChoiceRows:
    """What these people answered, over values and quantities; whoever said nothing that can be learnt from has none."""
    possible = possible_values(space)
    rng = np.random.default_rng([seed, 7])
    people = []
    for history in histories:
        evidence = evidence_of(space, history)
        found = [*_comparisons(evidence, space.plain_features), *_reasons(reasons_in(space, history))]
        found += _changes(space, changes_in(space, history, possible), rng)
        people.append([each for each in found if each.rows.any()])
    everything = [each for person in people for each in person]
    lengths = np.array([len(each.rows) for each in everything], dtype=np.int64)
    return ChoiceRows(
        rows=np.concatenate([np.zeros((0, space.plain_features)), *(each.rows for each in everything)]),
        starts=np.cumsum(lengths) - lengths,
        people=np.repeat(np.arange(len(people)), [len(person) for person in people]),
        count=len(people),
        lapses=np.array([each.lapse for each in everything]),
        weights=np.array([each.weight for each in everything]),
    )


def _comparisons(evidence: Evidence, width: int) -> Iterator[Said]:
    rows = evidence.rows[:, :width].astype(float)
    ends = np.append(evidence.starts, len(rows))
    for number, is_tie in enumerate(evidence.tie):
        block = rows[ends[number] : ends[number + 1]]
        if not is_tie:
            yield Said(block, LAPSE)
            continue
        options = np.concatenate([np.zeros((1, width)), -block])  # seen from the first of them
        for taken in range(len(options)):
            yield Said(np.delete(options[taken] - options, taken, axis=0), LAPSE, 1 / len(options))


def _reasons(reasons: Reasons) -> Iterator[Said]:
    starts = reasons.starts
    for row, present, taken in zip(reasons.rows, reasons.present, reasons.taken, strict=True):
        parts = np.zeros((len(present), len(row)))
        for thing in np.flatnonzero(present):
            block = slice(starts[thing], starts[thing + 1])
            parts[thing, block] = row[block]
        others = np.flatnonzero(present)
        others = others[others != taken]
        if len(others):
            yield Said(PICK_SHARPNESS * (parts[taken] - parts[others]), PICK_LAPSE)


def _changes(space: Space, changes: Changes, rng: np.random.Generator) -> Iterator[Said]:
    cut, width = int(space.offsets[-1]), space.plain_features
    for row in range(len(changes)):
        taken = min(int(changes.taken[row]), width)  # the last one is no change
        others = np.append(np.flatnonzero(changes.possible[row]), width)
        others = others[others != taken]
        if len(others) > MOST_CHANGES:
            others = rng.choice(others, MOST_CHANGES, replace=False)
        gains = [_gain(space, changes.shown[row], int(each), cut, width) for each in [taken, *others]]
        if len(others):
            yield Said(PICK_SHARPNESS * (gains[0] - np.stack(gains[1:])), PICK_LAPSE)


def _gain(space: Space, shown: Ints, change: int, cut: int, width: int) -> Floats:
    """What a change adds, as features: a value for another one with its quantities, a step of a quantity, nothing."""
    gain = np.zeros(width)
    if change < cut:
        instead = shown[np.searchsorted(space.offsets, change, side="right") - 1]
        gain[change], gain[instead] = 1.0, -1.0
        gain[cut:] = space.costs[: width - cut] @ gain[:cut]
    elif change < width:
        gain[change] = STEP
    return gain
