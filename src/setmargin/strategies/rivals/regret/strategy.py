"""Minimax regret as a strategy: recommend what loses least at worst, and ask what the worst depends on.

The current-solution question (Boutilier and others 2006) shows the recommendation beside what an adversary would have
rather taken; larger ones go on with what the adversary says to the whole set. The setwise question (Viappiani and
Boutilier 2009) is the set with which, after the choice, least is lost at worst.

Reasons and changes narrow the weights like pairs, so what is guaranteed holds for people whose reasons are true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite
from typing import Literal, get_args

import numpy as np

from setmargin.answers import Question
from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.base import Belief, History, Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.regret.compatible_weights import (
    USUAL_MARGINS,
    AnswerMargins,
    CompatibleWeights,
    compatible_with,
    favouring,
)
from setmargin.strategies.rivals.regret.minimax import Minimax, MinimaxEffort, QuickAdversary, adversary, minimax
from setmargin.strategies.shared.configurations import best_unasked_pair
from setmargin.strategies.shared.ties import with_better_quantities

Kind = Literal["current", "setwise"]
RIVALS = 8
"""Earlier rivals that a further option is looked for from."""


@dataclass(frozen=True)
class Guarantee:
    """The most that can be lost with a configuration, and how: the weights, and what would have been better.

    On the scale of weights from 0 to 1, so that one attribute is worth 1 at most.
    """

    regret: float
    better: Configuration
    weights: Floats


def max_regret(
    space: Space,
    history: History,
    configuration: Mapping[str, Value],
    *,
    reading: AnswerMargins = USUAL_MARGINS,
    seconds: float = 60.0,
) -> Guarantee:
    """What may be lost at worst with this configuration, whoever recommended it, given the answers of any interview."""
    compatible = compatible_with(space, history, reading)
    space.check(configuration)
    chosen = space.indices(configuration)[None]
    with QuickAdversary(compatible, 1) as quick:
        known = quick.climb(chosen, []).better
    pick = adversary(compatible, chosen, limits=Limits(seconds=seconds), known=known)
    return Guarantee(pick.bound, space.configuration(pick.better), pick.weights)


@dataclass(frozen=True, kw_only=True)
class Regret(Strategy[Belief]):
    """Recommends what loses least at worst, and stops when that is no more than `until`.

    `kind` is `current`, the recommendation and its rivals, or `setwise`, the best set of all, which takes longer. Where
    answers contradict one another they are bent as little as possible; `margin` and `indifference` say how they are
    read (see `AnswerMargins`). `rounds` and `seconds` limit what one question may cost.
    """

    name = "regret"
    keeps_time = True
    until_means = "regret"

    kind: Kind = option("current", choices=get_args(Kind))
    until: float = option(1e-6, give="the regret to stop at, 0 or more", allowed=lambda regret: regret >= 0)
    margin: float = USUAL_MARGINS.margin
    indifference: float = USUAL_MARGINS.indifference
    rounds: int = option(20, give="1 or more", allowed=lambda rounds: rounds >= 1)
    seconds: float = option(60.0, give="a positive number of seconds", allowed=lambda seconds: seconds > 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        AnswerMargins(margin=self.margin, indifference=self.indifference)  # refuses what cannot be

    @property
    def reading(self) -> AnswerMargins:
        return AnswerMargins(margin=self.margin, indifference=self.indifference)

    @property
    def effort(self) -> MinimaxEffort:
        return MinimaxEffort(rounds=self.rounds, seconds=self.seconds)

    def minimax(self, belief: Belief) -> Minimax:
        """The recommendation, with what may be lost at worst."""
        return _least_regret(belief.space, belief.history, self.reading, self.effort)

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        found = self.minimax(belief)
        if found.regret <= self.until:
            return None
        for rows in self._sets(belief, found):
            options = tuple(dict.fromkeys(belief.space.configuration(row) for row in rows))
            if len(options) > 1 and not belief.was_asked(frozenset(options)):
                return Question(options, status=found.status, gap=_gap(found))
        return best_unasked_pair(belief, belief.space.value_weights(found.worst.weights))

    def _sets(self, belief: Belief, found: Minimax) -> Iterator[Ints]:
        """The question that the method asks, then the recommendation beside each of its rivals, newest first."""
        compatible = self._compatible(belief)
        current = current_set(compatible, found, self.set_size)
        if self.kind == "setwise":
            yield minimax(compatible, current, effort=self.effort, picks=found.picks).chosen
        yield current
        yield from (np.stack([found.chosen[0], pick.better]) for pick in reversed(found.picks))

    def _recommend(self, belief: Belief) -> Recommendation:
        found = self.minimax(belief)
        weights = _weights_for(self._compatible(belief), found)
        configuration = belief.space.configuration(found.chosen[0])
        return Recommendation(configuration, weights, status=found.status, gap=_gap(found))

    def _compatible(self, belief: Belief) -> CompatibleWeights:
        return compatible_with(belief.space, belief.history, self.reading)


@lru_cache(maxsize=64)
def _least_regret(space: Space, history: History, reading: AnswerMargins, effort: MinimaxEffort) -> Minimax:
    """MMR, from what is best for weights deep inside the answers, which wins wherever several lose the same."""
    compatible = compatible_with(space, history, reading)
    deep = favouring(compatible, compatible.pairs.strict, compatible.pairs.strict_beside)
    start = oracle_for(space).best_for_values(with_better_quantities(space, space.value_weights(deep))[None])
    return minimax(compatible, start, effort=effort)


def current_set(compatible: CompatibleWeights, found: Minimax, size: int) -> Ints:
    """The recommendation, its rival, and one after the other the rival of the whole set so far."""
    chosen, starts = np.stack([found.chosen[0], found.worst.better]), [pick.better for pick in found.picks[-RIVALS:]]
    while len(chosen) < size:
        with QuickAdversary(compatible, len(chosen)) as quick:
            rival = quick.climb(chosen, starts).better
        if (chosen == rival).all(axis=1).any():
            break
        chosen = np.vstack([chosen, rival])
    return chosen


def _weights_for(compatible: CompatibleWeights, found: Minimax) -> Floats:
    """The weights that speak for the recommendation most, against all its rivals."""
    onehot = compatible.space.onehot(np.stack([found.chosen[0], *(pick.better for pick in found.picks)]))
    apart = onehot[0] - onehot[1:]
    return favouring(compatible, apart[np.abs(apart).any(axis=1)])


def _gap(found: Minimax) -> float:
    """How much of the regret could be saved at most with another choice; infinite where nothing is proven."""
    if not isfinite(found.regret):
        return inf
    return (found.regret - found.lower) / found.regret if found.regret > found.lower else 0.0
