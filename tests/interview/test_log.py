"""A log folded is what an interview holds after the same calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice, Question, from_document
from setmargin.errors import InterviewError, SetmarginError
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Log, Required, all_in_space, entry_document, fold, in_space, read_entry
from setmargin.space.space import Configuration
from setmargin.strategies.rivals.random import RandomStrategy
from tests.interview.talks import SPACE

ANSWERS: list[dict[str, Any]] = [{"choice": 0}, {"choice": 1}, {"equal": True}, {"skip": True}, {"ranking": [1, 0]}]
RULES = ["size >= 2", "size>=2", " colour != blue", "box = yes"]
acts = st.one_of(
    st.sampled_from(ANSWERS).map(lambda answer: {"answer": answer}),
    st.sampled_from(RULES).map(lambda rule: {"require": rule}),
    st.sampled_from(RULES).map(lambda rule: {"drop": rule}),
    st.just({"undo": True}),
    st.just({"finish": None}),
    st.tuples(st.integers(-1, 4), st.sampled_from(ANSWERS)).map(lambda said: {"change": said[0], "answer": said[1]}),
)


def in_force(log: list[dict[str, Any]]) -> Log:
    return fold(map(read_entry, log))


class Driven:
    """An interview that is driven by calls, and writes the log that a server would write."""

    def __init__(self) -> None:
        self.interview = Interview(SPACE, RandomStrategy(), seed=1)
        self.taken: dict[str, Any] | None = None
        self.log: list[dict[str, Any]] = []

    def do(self, act: dict[str, Any]) -> None:
        """Raises the errors of the interview, and then nothing has happened."""
        self.log.append(self._event(act))

    def _event(self, act: dict[str, Any]) -> dict[str, Any]:
        if "undo" in act and self.taken is not None:
            self.taken = None
            return act
        event = self._called(act)
        self.taken = event.get("finish")
        return event

    def _called(self, act: dict[str, Any]) -> dict[str, Any]:
        interview = self.interview
        match act:
            case {"change": number, "answer": answer}:
                interview.change(number, from_document(answer))
            case {"answer": answer}:
                interview.tell(from_document(answer))
                return dict(interview.document()["events"][-1])
            case {"require": rule}:
                interview.require(rule)
            case {"drop": rule}:
                interview.drop(rule)
            case {"undo": True}:
                interview.undo()
            case {"finish": None}:
                return {"finish": dict(SPACE.configuration([1, 1, 1]))}
        return act


@settings(derandomize=True, deadline=None, max_examples=60)
@given(wanted=st.lists(acts, max_size=14))
def test_the_log_comes_to_what_the_interview_holds(wanted: list[dict[str, Any]]) -> None:
    driven = Driven()
    for act in wanted:
        try:
            driven.do(act)
        except SetmarginError:
            assert set(act) & {"require", "drop", "undo", "change"}, "what can always be done was refused"
            continue
        now = in_force(driven.log)
        assert [entry_document(event) for event in now.events] == driven.interview.document()["events"]
        assert now.must_haves == driven.interview.must_haves
        assert now.finished == driven.taken
        assert (now.undo_of is None) == (not driven.interview.events and driven.taken is None)


def answered(choice: int) -> dict[str, Any]:
    options = [dict(SPACE.configuration([1, 0, place])) for place in (0, 1)]
    return {"question": options, "answer": {"choice": choice}, "status": "random"}


def test_that_a_choice_was_forced_is_kept() -> None:
    options = tuple(Configuration({"a": number}) for number in range(2))
    for question in (Question(options), Question(options, forced=True)):
        entry = Answered(question, Choice(0))
        assert read_entry(entry_document(entry)) == entry


def test_what_an_undo_would_take_back_is_named() -> None:
    log: list[dict[str, Any]] = []
    for event, named in (
        (answered(0), "answer"),
        ({"require": "size >= 2"}, "must-have"),
        ({"drop": "size >= 2"}, "must-have"),
        ({"finish": {"size": 2}}, "finish"),
        ({"undo": True}, "must-have"),
        ({"undo": True}, "must-have"),
        ({"undo": True}, "answer"),
        ({"undo": True}, None),
    ):
        log.append(event)
        assert in_force(log).undo_of == named


def test_whatever_is_said_after_a_finish_opens_the_interview_again() -> None:
    log = [answered(0), {"finish": {"size": 2}}]
    assert in_force(log).finished == Configuration({"size": 2})
    for event in (answered(1), {"require": "size >= 2"}, {"change": 0, "answer": {"choice": 1}}, {"undo": True}):
        assert in_force([*log, event]).finished is None


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({"undo": True}, "nothing to undo"),
        ({"change": 0, "answer": {"choice": 0}}, "there is no answer 0; 0 were given"),
        ({"change": "0", "answer": {"choice": 0}}, "is no event"),
        ({"answer": {"choice": 0}}, "is no event"),
        ({"finish": "red"}, "is no event"),
        ({"require": 3}, "is no event"),
        ({}, "is no event"),
    ],
)
def test_what_is_no_event_is_refused(event: dict[str, Any], message: str) -> None:
    with pytest.raises(InterviewError, match=message):
        in_force([event])


OPTIONS = st.fixed_dictionaries(
    {each.name: st.sampled_from([*each.values, "no such value"]) for each in SPACE.attributes}
).map(Configuration)
EVENTS = st.one_of(
    st.lists(OPTIONS, min_size=2, max_size=3, unique=True).map(
        lambda options: Answered(Question(tuple(options), "random"), Choice(0))
    ),
    st.sampled_from([Required("no rule at all"), Required("size  >= 2")]),
)


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=4))
def test_events_together_are_in_a_space_what_each_of_them_is(events: list[Any]) -> None:
    """Or nothing is, with the error of the first that is not."""

    def found(how: Callable[[], list[Any]]) -> Any:
        try:
            return how()
        except SetmarginError as error:
            return type(error), str(error)

    together = found(lambda: all_in_space(events, SPACE))
    assert together == found(lambda: [in_space(event, SPACE) for event in events])
