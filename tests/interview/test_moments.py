"""Interviews that look ahead, forget, and go on from a belief that was kept: always as if all had been replayed."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from setmargin.answers import Answer, Choice, NoDifference, Question, Skip
from setmargin.errors import AnswerError, InfeasibleSpace
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Dropped, Required
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import Belief
from setmargin.strategies.options import no_option
from setmargin.strategies.rivals.random import RandomStrategy
from tests.interview.talks import SPACE, STRATEGIES, Make, asked, assert_same, eventful


def kept(interview: Interview, place: int) -> Interview:
    """The same interview with nothing but its events and a belief that went through a pickle."""
    before = Interview(SPACE, interview.strategy, seed=interview.seed, events=interview.events[:place])
    belief = pickle.loads(pickle.dumps(before.belief))
    return Interview(SPACE, interview.strategy, seed=interview.seed, events=interview.events, known=(place, belief))


def test_going_on_from_a_kept_belief_is_like_a_replay(make: Make) -> None:
    interview = eventful(make)
    for place in (0, 3, len(interview.events)):
        assert_same(kept(interview, place), interview)


def test_what_came_before_a_kept_belief_can_be_undone_and_changed(make: Make) -> None:
    interview, other = eventful(make), kept(eventful(make), 6)
    for each in (interview, other):
        each.change(1, Choice(0))
    assert_same(other, interview)
    other = kept(interview, len(interview.events))
    while interview.events:
        assert other.undo() == interview.undo()
        assert_same(other, interview)


@dataclass(frozen=True, kw_only=True)
class Noting(RandomStrategy):
    """Notes what it learns from."""

    learnt: list[Question] = no_option(factory=list)

    def update(self, belief: Belief, question: Question, answer: Answer) -> Belief:
        self.learnt.append(question)
        return super().update(belief, question, answer)


def test_a_kept_belief_saves_the_replay() -> None:
    interview, strategy = Interview(SPACE, RandomStrategy(), seed=4), Noting()
    for _ in range(5):
        interview.tell(0)
    before = Interview(SPACE, RandomStrategy(), seed=4, events=interview.events[:4])
    later = Interview(SPACE, strategy, seed=4, events=interview.events, known=(4, before.belief))
    assert len(strategy.learnt) == 1
    later.change(0, 1)
    assert len(strategy.learnt) == 6


def test_forgetting_changes_nothing_that_can_be_seen(make: Make) -> None:
    interview, forgetful = eventful(make), make()
    for event in interview.events:
        forgetful.forget()
        forgetful = forgetful.after(event)
    forgetful.forget()
    assert_same(forgetful, interview)
    for each in (interview, forgetful):
        each.change(0, Skip())
        each.forget()
    assert_same(forgetful, interview)
    while interview.events:
        forgetful.forget()
        assert forgetful.undo() == interview.undo()
        assert_same(forgetful, interview)


def test_the_question_of_an_undone_answer_is_the_one_that_was_shown_even_if_it_was_forgotten(make: Make) -> None:
    interview = make()
    for _ in range(3):
        interview.tell(0)
    interview.change(0, 1)  # the strategy would now ask something else for the second and third question
    shown = interview.events[-1]
    assert isinstance(shown, Answered)
    interview.forget()
    interview.undo()
    assert interview.ask() == shown.question


def test_looking_ahead_is_what_happens_and_leaves_no_trace(make: Make) -> None:
    interview = make()
    interview.tell(0)
    question = asked(interview)
    belief, events = interview.belief, interview.events
    ahead = {answer: interview.after(Answered(question, answer)) for answer in (Choice(0), Choice(1), NoDifference())}
    narrow = interview.after(Required("size >= 2"), Required("colour != blue"))
    assert interview.belief is belief
    assert (interview.events, interview.ask()) == (events, question)
    for answer, then in ahead.items():
        told = Interview(SPACE, interview.strategy, seed=4, events=events)
        told.tell(answer)
        assert_same(then, told)
    assert narrow.must_haves == ("size >= 2", "colour != blue")
    ahead[Choice(1)].undo()
    assert_same(ahead[Choice(1)], interview)


def test_what_cannot_happen_next_is_refused(make: Make) -> None:
    interview = make()
    question = asked(interview)
    with pytest.raises(AnswerError):
        interview.after(Answered(question, Choice(9)))
    with pytest.raises(InfeasibleSpace):
        interview.after(Required("size > 3"))
    assert interview.events == ()


@pytest.mark.parametrize("name", STRATEGIES)
def test_importance_is_what_the_explanation_says(name: str) -> None:
    interview = Interview(SPACE, STRATEGIES[name](), seed=4)
    interview.tell(0)
    assert interview.importance() == interview.explain().importance


# Must-haves that follow each other


def test_must_haves_that_follow_each_other_are_compiled_together(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[int] = []

    def counting(space: Space, *, must: Sequence[Any] = ()) -> Oracle:
        compiled.append(len(must))
        return oracle_for(space, must=must)

    monkeypatch.setattr("setmargin.interview.moments.oracle_for", counting)
    first = Interview(SPACE, STRATEGIES["bayes"](), seed=4)
    first.tell(0)
    rules = ["size >= 2", "colour != blue", "box = no"]
    events = [*map(Required, rules), Dropped("box = no"), *first.events, Required("size <= 2")]
    again = Interview(SPACE, STRATEGIES["bayes"](), seed=4, events=events)
    assert compiled == [2, 3]
    assert again.must_haves == ("size >= 2", "colour != blue", "size <= 2")
    assert again.undo() == Required("size <= 2")
    assert list(again.must_haves) == ["size >= 2", "colour != blue"]


def test_must_haves_come_to_the_same_one_by_one_and_together(make: Make) -> None:
    live = make()
    live.tell(0)
    for rule in ("size >= 2", "colour != blue", "box = no"):
        live.require(rule)
        live.ask()
    live.drop("box = no")
    again = make()
    again = Interview(again.space, again.strategy, seed=again.seed, events=live.events)
    assert again.ask() == live.ask()
    assert (again.recommend(), again.stakes()) == (live.recommend(), live.stakes())
