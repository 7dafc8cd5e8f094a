"""Coactive critiquing (Teso, Dragone and Passerini, AAAI 2017): what would you change about the best so far?

It shows the best configuration x for its weights. Whoever answers points at something better, x̄, and the weights move:

    w ← w + φ(x̄) − φ(x)

Here x̄ is x with one value changed or one quantity better by a step; the rest need not fit, as the weights alone matter.
A wish that leads to no other best configuration is known from then on, and the next one is asked for. Where nothing
else is to be changed, or nobody says so, the best is compared with its runners-up: rules may keep two wishes apart, and
only a choice says which one counts more.

Left out is the published search for new features, as the features are the catalogue's. Reasons are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from setmargin.answers import Answer, Change, Question, Skip
from setmargin.arrays import Floats
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value
from setmargin.strategies.base import Recommendation, Strategy
from setmargin.strategies.options import option
from setmargin.strategies.rivals.perceptron import PerceptronBelief, corrected, not_negative, stepped
from setmargin.strategies.shared.changes import changes_of
from setmargin.strategies.shared.configurations import best_unasked_pair
from setmargin.strategies.shared.ties import with_better_quantities


@dataclass(frozen=True, kw_only=True)
class Coactive(Strategy[PerceptronBelief]):
    """Asks what to change about the best so far, and moves towards it.

    The published method sees every answer once; `passes` lets it go over the whole history again, up to so many times,
    while it still gets an answer wrong.
    """

    name = "coactive"

    set_size: int = option(2, give="2, as coactive compares pairs only", allowed=lambda size: size == 2)
    passes: int = option(100, give="0 to see every answer once, or more", allowed=lambda passes: passes >= 0)

    def _start(self, space: Space, seed: int) -> PerceptronBelief:
        return PerceptronBelief(space, seed, weights=np.zeros(len(space.feature_names)))

    def _learn(self, belief: PerceptronBelief, question: Question, answer: Answer) -> PerceptronBelief:
        if isinstance(answer, Skip):
            return belief
        weights = stepped(belief.space, belief.weights, question, answer)
        return replace(belief, weights=corrected(belief.space, weights, belief.history, self.passes))

    def _ask(self, belief: PerceptronBelief) -> Question | None:
        best = _best(belief)
        question = Question((best,), status="best so far", besides=known_wishes(belief, best))
        could_be = {change.name for change in changes_of(belief.space, question)}
        is_new = not belief.was_asked(frozenset(question.options), question.besides)
        if is_new and could_be & {attribute.name for attribute in belief.space.attributes}:
            return question
        return best_unasked_pair(belief, _values(belief))

    def _recommend(self, belief: PerceptronBelief) -> Recommendation:
        return Recommendation(_best(belief), not_negative(belief.space, belief.weights), status="heuristic")


def _values(belief: PerceptronBelief) -> Floats:
    return with_better_quantities(belief.space, belief.value_weights)


def _best(belief: PerceptronBelief) -> Configuration:
    return belief.space.configuration(belief.oracle.best_for_values(_values(belief)[None])[0])


def known_wishes(belief: PerceptronBelief, shown: Configuration) -> tuple[tuple[str, Value | None], ...]:
    """What was asked for instead when this configuration was shown, each once."""
    wishes = [
        (answer.name, answer.value)
        for question, answer in belief.history
        if isinstance(answer, Change) and answer.name is not None and question.options[answer.option] == shown
    ]
    return tuple(dict.fromkeys(wishes))
