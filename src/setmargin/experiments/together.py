"""Several people interviewed in turn by `musm`, each learning from all others, as its paper does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, TypedDict

import numpy as np

from setmargin.answers import How
from setmargin.errors import OptionError, PeopleError
from setmargin.experiments.people import Person
from setmargin.experiments.responses import check_one_of
from setmargin.experiments.trial import check_trial
from setmargin.strategies.base import Recommendation
from setmargin.strategies.rivals.musm import Musm, spread
from setmargin.strategies.setmargin.strategy import SetMarginBelief

Pick = Literal["spread", "fewest", "random"]
ALIKE = 1e-9


class Turn(TypedDict):
    """One question to one of the people, and where it left that person."""

    turn: int  # counted from 1 over all people
    person: int
    question: int  # counted from 1 for each person
    loss: float
    relative_loss: float


def interview_together(
    people: Sequence[Person],
    strategy: Musm | None = None,
    *,
    turns: int = 100,
    pick: Pick = "spread",
    how: How = "choice",
    seed: int = 0,
) -> Iterator[Turn]:
    """Interview people in turn; the weights learnt of each are known to the strategy when it asks the others.

    Parameters:
        people: who answers, all about the same space.
        strategy: the usual `Musm()` if nothing is said.
        turns: how many questions there are for all of them together. It ends before that when nobody is left who can
            be asked anything; whether somebody is content already is not looked at.
        pick: who is asked next. `spread`, about whom least is known (the largest s_u); `fewest`, who had the fewest
            questions; or `random`. Among equals one is drawn.
        how: how people answer, as in `simulate`.
        seed: for those draws.

    Raises:
        OptionError, PeopleError: if a word is not known, there are no people, or they differ in their spaces.

    >>> from setmargin import load
    >>> from setmargin.experiments import draw_people, interview_together
    >>> [turn["person"] for turn in interview_together(list(draw_people(load("synthetic:2"), 1)), turns=2)]
    [1, 1]
    """
    check_trial(questions=turns, how=how)
    check_one_of(pick, Pick, "who is asked next")
    if not people:
        raise PeopleError("there are no people; give at least one")
    if any(person.space != people[0].space for person in people):
        raise OptionError("the people are asked about different spaces; give people of one space")
    return islice(_turns(strategy or Musm(), people, pick, how, seed), turns)


@dataclass(eq=False)
class _Asked:
    """One of the people, with what is known about them so far."""

    person: Person
    belief: SetMarginBelief
    noise: np.random.Generator
    talk: np.random.Generator
    questions: int = 0
    spread: float = 1.0
    recommended: Recommendation | None = None


def _turns(strategy: Musm, people: Sequence[Person], pick: Pick, how: How, seed: int) -> Iterator[Turn]:
    rng = np.random.default_rng(seed)
    group = [
        _Asked(person, strategy.start(person.space, seed=person.strategy_seed), person.noise(), person.talk())
        for person in people
    ]
    left, turn = list(group), 0
    while left:
        who = _picked(left, pick, rng)
        others = [each.recommended.weights for each in group if each is not who and each.recommended]
        knowing = replace(strategy, earlier=[*strategy.earlier, *others])
        belief = knowing.near_others(who.belief)
        question = knowing.ask(belief)
        if question is None:
            left.remove(who)
            continue
        who.belief = knowing.update(belief, question, who.person.answer(question, how, who.noise, who.talk))
        who.recommended = knowing.recommend(who.belief)
        who.questions, turn = who.questions + 1, turn + 1
        if pick == "spread":
            who.spread = spread(knowing.vectors(who.belief))
        best = who.recommended.configuration
        yield {
            "turn": turn,
            "person": who.person.number,
            "question": who.questions,
            "loss": who.person.loss(best),
            "relative_loss": who.person.relative_loss(best),
        }


WORTH_ASKING: Mapping[Pick, Callable[[_Asked], float]] = {
    "spread": lambda each: each.spread,
    "fewest": lambda each: -each.questions,
    "random": lambda _: 0.0,
}


def _picked(left: Sequence[_Asked], pick: Pick, rng: np.random.Generator) -> _Asked:
    """Who is most worth asking; among equals one is drawn."""
    worth = [WORTH_ASKING[pick](each) for each in left]
    first = [each for each, value in zip(left, worth, strict=True) if value >= max(worth) - ALIKE]
    return first[int(rng.integers(len(first)))]
