"""Interviews: undo, change, must-haves, and one file that is written whole and read with care."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from setmargin.answers import Choice, NoDifference, Question, Ranking, Skip
from setmargin.errors import AnswerError, InfeasibleSpace, InterviewError, OptionError, RuleError
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Dropped, Required
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import no_option
from setmargin.strategies.registry import make_strategy
from tests.interview.talks import SPACE, STRATEGIES, Make, asked, assert_same, eventful

# Asking and telling


@dataclass(frozen=True, kw_only=True)
class Counting(Strategy[Belief]):
    """Asks about the next two configurations each time, and counts how often it was asked."""

    name = "counting"

    asks: list[Belief] = no_option(factory=list)

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:
        self.asks.append(belief)
        pairs = [(a, b) for a in belief.space.attributes[0].values for b in belief.space.attributes[1].values]
        here = pairs[len(belief.history) : len(belief.history) + 2]
        options = [{"colour": colour, "size": size, "box": "no"} for colour, size in here]
        return Question(tuple(map(belief.space.configuration, map(belief.space.indices, options)))) if here else None

    def _recommend(self, belief: Belief) -> Recommendation:
        raise NotImplementedError


def test_the_question_stays_until_it_is_told(make: Make) -> None:
    interview = make()
    first = asked(interview)
    interview.recommend()
    interview.explain()
    assert interview.ask() is first
    with pytest.raises(AnswerError):
        interview.tell(7)
    assert interview.ask() is first
    interview.tell(0)
    assert asked(interview) != first
    assert interview.history == ((first, Choice(0)),)


def test_a_strategy_is_asked_once_for_each_question_and_never_again_for_undo() -> None:
    strategy = Counting()
    interview = Interview(SPACE, strategy)
    for _ in range(3):
        assert interview.ask() is interview.ask()
        interview.tell(0)
    assert len(strategy.asks) == 3
    interview.change(0, 1)
    for _ in range(2):
        event = interview.undo()
        assert isinstance(event, Answered)
        assert interview.ask() == event.question
    assert len(strategy.asks) == 3


def test_skipping_goes_on_to_another_question(make: Make) -> None:
    interview = make()
    first = asked(interview)
    interview.skip()
    assert frozenset(asked(interview).options) != frozenset(first.options)
    assert interview.events == (Answered(first, Skip()),)
    assert interview.belief.answered == 0


@pytest.mark.parametrize("answer", [2.0, "0", None, True, Choice(9), Ranking((0,)), {"choice": 0}])
def test_what_is_no_answer_changes_nothing(interview: Interview, answer: Any) -> None:
    question = asked(interview)
    with pytest.raises(AnswerError):
        interview.tell(answer)
    assert interview.events == ()
    assert interview.ask() is question


def test_nothing_can_be_told_when_nothing_is_asked() -> None:
    interview = Interview(Space({"a": [1]}), STRATEGIES["random"]())
    assert interview.ask() is None
    with pytest.raises(InterviewError, match="no question left"):
        interview.tell(0)
    with pytest.raises(InterviewError, match="no question left"):
        interview.skip()
    assert dict(interview.recommend().configuration) == {"a": 1}


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "3"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(OptionError, match="the seed is"):
        Interview(SPACE, seed=seed)


def test_the_default_strategy_is_bayes() -> None:
    assert Interview(SPACE).strategy.name == "bayes"


# Undo and change


def test_undo_goes_back_step_by_step_to_exactly_what_was(make: Make) -> None:
    interview = make()
    steps: list[Callable[[], None]] = [
        lambda: interview.tell(0),
        lambda: interview.require("size >= 2"),
        lambda: interview.skip(),
        lambda: interview.tell(NoDifference()),
        lambda: interview.change(0, 1),
        lambda: interview.drop("size >= 2"),
        lambda: interview.tell(1),
    ]
    states = []
    for step in steps:
        states.append((interview.belief, interview.ask(), interview.must_haves, interview.events))
        step()
    for number in (6, 5):
        interview.undo()
        assert (interview.belief, interview.ask(), interview.must_haves, interview.events) == states[number]
    interview.change(0, 0)
    for number in (3, 2, 1, 0):
        interview.undo()
        assert (interview.belief, interview.ask(), interview.must_haves, interview.events) == states[number]
    with pytest.raises(InterviewError, match="nothing to undo"):
        interview.undo()


def test_undo_says_what_was_taken_back(interview: Interview) -> None:
    question = asked(interview)
    interview.tell(1)
    interview.require(" size >= 2 ")
    interview.drop("size >= 2")
    taken_back = [interview.undo(), interview.undo(), interview.undo()]
    assert taken_back == [Dropped("size >= 2"), Required("size >= 2"), Answered(question, Choice(1))]


def test_undo_shows_the_same_question_again_also_after_loading(make: Make) -> None:
    interview = eventful(make)
    loaded = Interview.from_document(interview.document())
    for each in (interview, loaded):
        event = each.undo()
        assert isinstance(event, Answered)
        assert each.ask() == event.question


def test_a_changed_answer_is_as_if_it_had_been_given(make: Make) -> None:
    changed = eventful(make)
    for number, answer in ((0, Choice(0)), (2, Choice(1)), (1, Skip())):
        changed.change(number, answer)
    document = eventful(make).document()
    answered = [event for event in document["events"] if "answer" in event]
    answered[0]["answer"], answered[2]["answer"], answered[1]["answer"] = {"choice": 0}, {"choice": 1}, {"skip": True}
    straight = Interview.from_document(document)
    assert [answer for _, answer in changed.history][:3] == [Choice(0), Skip(), Choice(1)]
    assert_same(changed, straight)


@pytest.mark.parametrize("number", [-1, 2, 10])
def test_only_answers_that_were_given_can_be_changed(interview: Interview, number: int) -> None:
    interview.tell(0)
    interview.require("size >= 2")
    interview.tell(0)
    with pytest.raises(InterviewError, match="there is no answer"):
        interview.change(number, 1)


def test_a_change_that_does_not_fit_changes_nothing(interview: Interview) -> None:
    interview.tell(0)
    interview.tell(0)
    before, question = interview.belief, interview.ask()
    with pytest.raises(AnswerError):
        interview.change(0, 5)
    assert interview.belief is before
    assert interview.ask() is question


# Must-haves


def test_nothing_that_breaks_a_must_have_appears_until_it_is_dropped(make: Make) -> None:
    interview = make()
    interview.tell(0)
    interview.require("colour = blue")
    narrow = SPACE.with_rules("colour = blue")
    for _ in range(4):
        question = interview.ask()
        shown = [] if question is None else list(question.options)
        explanation = interview.explain()
        for option in [*shown, explanation.configuration, explanation.runner_up or explanation.configuration]:
            narrow.check(option)
        if question is not None:
            interview.tell(0)
    interview.drop("colour = blue")
    assert interview.must_haves == ()
    assert interview.belief.space == SPACE


def test_what_was_dropped_comes_back(interview: Interview) -> None:
    interview.require("colour = blue")
    interview.drop(" colour = blue ")
    seen = set()
    for _ in range(10):
        seen |= {option["colour"] for option in asked(interview).options}
        interview.tell(0)
    assert seen == {"red", "green", "blue"}


def test_an_impossible_must_have_names_the_smallest_conflict_and_changes_nothing(make: Make) -> None:
    interview = make()
    interview.tell(0)
    interview.require("box = no")
    interview.require("colour != blue")
    interview.require("size >= 2")
    before, question, events = interview.belief, interview.ask(), interview.events
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("price <= 3")
    assert set(caught.value.conflict) == {"size >= 2", "price <= 3"}
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("colour = blue or size = 1")  # no rule of the catalogue is to blame
    assert set(caught.value.conflict) == {"colour != blue", "size >= 2", "colour = blue or size = 1"}
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("colour = green and price >= 5")  # only a rule of the catalogue is to blame
    assert caught.value.conflict == ("colour = green and price >= 5",)
    with pytest.raises(InfeasibleSpace) as caught:
        interview.require("size > 3")
    assert caught.value.conflict == ("size > 3",)
    assert interview.belief is before
    assert interview.ask() is question
    assert interview.events == events


def test_a_must_have_that_cannot_be_read_changes_nothing(interview: Interview) -> None:
    question = asked(interview)
    for wrong in ("colour = pink", "price <", "", 5):
        with pytest.raises(RuleError):
            interview.require(wrong)  # type: ignore[arg-type]
    assert interview.ask() is question
    assert interview.events == ()


def test_the_same_must_have_twice_is_one(interview: Interview) -> None:
    interview.require("size >= 2")
    question = asked(interview)
    interview.require("  size >= 2 ")
    assert interview.ask() is question
    assert interview.must_haves == ("size >= 2",)


def test_only_a_must_have_in_force_can_be_dropped(interview: Interview) -> None:
    with pytest.raises(InterviewError, match="no must-have 'size >= 2'; in force: none"):
        interview.drop("size >= 2")
    interview.require("size >= 2")
    with pytest.raises(InterviewError, match="no must-have 'size = 2'; in force: size >= 2"):
        interview.drop("size = 2")
    interview.drop("size >= 2")
    with pytest.raises(InterviewError, match="in force: none"):
        interview.drop("size >= 2")


def test_a_single_configuration_that_is_left_ends_the_questions(make: Make) -> None:
    interview = make()
    interview.require("colour = red and size = 2 and box = no")
    assert interview.ask() is None
    assert interview.explain().runner_up is None


def test_spaces_in_a_must_have_do_not_matter() -> None:
    interview = Interview(SPACE, make_strategy("random"))
    interview.require("size  =  2")
    interview.require("size=2")
    assert interview.must_haves == ("size  =  2",)
    interview.drop("size= 2")
    assert not interview.must_haves


def test_an_option_may_be_chosen_by_any_whole_number() -> None:
    interview = Interview(SPACE, make_strategy("random"))
    interview.ask()
    interview.tell(np.int64(1))  # type: ignore[arg-type]
    assert interview.history[0][1] == Choice(1)


# What is known


def test_what_is_known_comes_from_the_strategy_and_from_the_belief_of_now(make: Make) -> None:
    interview = eventful(make)
    stakes, why = interview.stakes(), interview.explain()
    assert stakes == interview.strategy.stakes(interview.belief)
    shares = interview.strategy.importance(interview.belief)
    assert (stakes is None) == (shares is None) == (why.intervals is None) == (why.decisive is None)
    assert (stakes is None) == (interview.strategy.name != "bayes")
    for each in why.decisive or ():
        assert (each.question, each.answer) == interview.history[each.number]
        interview.belief.space.check(each.instead)
        assert each.instead != why.configuration


def test_what_is_known_is_again_as_it_was_after_undo() -> None:
    interview = Interview(SPACE, STRATEGIES["bayes"](), seed=4)
    interview.tell(0)
    stakes, why = interview.stakes(), interview.explain()
    interview.tell(1)
    assert interview.stakes() != stakes
    interview.undo()
    assert (interview.stakes(), interview.explain()) == (stakes, why)


def test_a_must_have_that_leaves_one_thing_leaves_nothing_at_stake() -> None:
    interview = Interview(SPACE, STRATEGIES["bayes"](), seed=4)
    interview.tell(0)
    interview.require("colour = red and size = 2 and box = no")
    stakes = interview.stakes()
    assert stakes
    assert (stakes.expected_loss, stakes.probability_within, stakes.questions_left) == (0, 1, 0)
    assert interview.explain().decisive == ()


def test_no_questions_are_promised_where_none_can_be_asked() -> None:
    space = Space({"a": range(4), "b": range(4)}, rules=[f"a = {n} <=> b = {n}" for n in range(4)])
    interview = Interview(space, make_strategy("bayes", differences=1, policy="comparisons"))
    before = interview.stakes()
    assert before is not None
    assert before.questions_left > 0
    assert interview.ask() is None
    after = interview.stakes()
    assert after is not None
    assert (after.questions_left, after.expected_loss) == (0, before.expected_loss)
