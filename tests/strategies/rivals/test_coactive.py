"""Coactive critiquing: its step, its questions, and what it does when nothing else is to be changed."""

from __future__ import annotations

import numpy as np
import pytest

from setmargin.answers import Change, Choice, Question, Skip
from setmargin.errors import OptionError
from setmargin.laws.checks import noiseless, taste
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.rivals.coactive import Coactive

SPACE = Space(
    {"a": ["x", "y"], "b": [1, 2, 3]},
    quantities=[Quantity("price", {"b": 1.0}, better="lower")],
    rules=["a = y => b < 3"],
)


def test_the_weights_move_from_what_was_shown_to_what_was_asked_for() -> None:
    strategy = Coactive()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    shown = question.options[0]
    assert not question.is_comparison
    assert dict(shown) == {"a": "x", "b": 1}
    belief = strategy.update(belief, question, Change("a", "y"))
    wanted = SPACE.encode({**shown, "a": "y"}) - SPACE.encode(shown)
    assert belief.weights.tolist() == pytest.approx(wanted.tolist())
    assert dict(strategy.recommend(belief).configuration) == {"a": "y", "b": 1}


def test_a_better_quantity_moves_its_weight() -> None:
    strategy = Coactive()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    belief = strategy.update(belief, question, Change("price"))
    assert belief.weights[-1] > 0
    assert not belief.weights[:-1].any()


def test_a_wish_that_leads_nowhere_else_is_known_from_then_on() -> None:
    strategy = Coactive()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    belief = strategy.update(belief, question, Change("price"))
    again = strategy.ask(belief)
    assert again == Question(question.options, besides=(("price", None),))


@pytest.mark.parametrize("answer", [Change(), Choice(0), Skip()])
def test_where_nothing_else_is_to_be_changed_the_best_is_compared(answer: Change | Choice | Skip) -> None:
    strategy = Coactive()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    belief = strategy.update(belief, question, answer)
    compared = strategy.ask(belief)
    assert compared is not None
    assert compared.is_comparison
    assert question.options[0] in compared.options


@pytest.mark.parametrize("seed", range(5))
def test_wishes_lead_to_the_best_of_free_choices_in_as_many_questions_as_there_are_attributes(seed: int) -> None:
    space, strategy = load("synthetic:4"), Coactive()
    weights, belief = taste(space, seed), strategy.start(space)
    for _ in range(len(space.attributes)):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, noiseless(space, weights, question))
    assert strategy.recommend(belief).configuration == oracle_for(space).best(weights)


def test_it_compares_pairs_only() -> None:
    with pytest.raises(OptionError, match="pairs only"):
        Coactive(set_size=3)


def test_its_weights_are_never_negative() -> None:
    strategy = Coactive()
    belief = strategy.start(SPACE)
    for _ in range(6):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, noiseless(SPACE, np.arange(6.0), question))
    assert (strategy.recommend(belief).weights >= 0).all()
