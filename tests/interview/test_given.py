"""The question on the screen is kept in files, and an answer says which question it is to."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Question
from setmargin.errors import InterviewError, OtherQuestion
from setmargin.interview.interview import Interview
from setmargin.interview.log import question_document, read_question
from setmargin.space.space import Configuration
from setmargin.strategies.base import Belief
from setmargin.strategies.options import no_option
from setmargin.strategies.rivals.random import RandomStrategy
from tests.interview.talks import SPACE


@dataclass(frozen=True, kw_only=True)
class Fickle(RandomStrategy):
    """Asks something else every time, as a strategy may that stops by the clock."""

    times: list[int] = no_option(factory=list)

    def _ask(self, belief: Belief) -> Question | None:
        self.times.append(1)
        return super()._ask(replace(belief, seed=len(self.times)))


def test_a_saved_interview_goes_on_with_exactly_the_question_that_was_on_the_screen(tmp_path: Path) -> None:
    strategy = Fickle(set_size=3)
    interview = Interview(SPACE, strategy)
    interview.tell(0)
    shown = interview.ask()
    interview.save(tmp_path / "a.json")
    loaded = Interview.load(tmp_path / "a.json", strategy=strategy)
    assert loaded.ask() == shown
    assert loaded.document() == interview.document()
    assert shown is not None
    loaded.tell(1, question=shown.id)
    assert loaded.history[1][0] == shown


def test_that_nothing_was_left_to_ask_is_kept_too(interview: Interview) -> None:
    document = interview.document() | {"question": None}
    assert Interview.from_document(document).ask() is None
    assert Interview.from_document(interview.document()).ask() is not None


def test_an_answer_to_another_question_is_refused_and_changes_nothing(interview: Interview) -> None:
    first = interview.ask()
    assert first is not None
    interview.tell(0, question=first)
    for other in (first, first.id, "", "nonsense"):
        with pytest.raises(OtherQuestion, match="reload"):
            interview.tell(0, question=other)
    assert len(interview.history) == 1


@pytest.mark.parametrize(
    "question",
    [3, {}, {"options": [], "status": ""}, {"options": [{"colour": "pink"}], "status": ""}, {"options": [{}, {}]}],
)
def test_a_damaged_question_is_refused(interview: Interview, question: Any) -> None:
    with pytest.raises(InterviewError):
        Interview.from_document(interview.document() | {"question": question})


def test_a_question_that_breaks_a_must_have_is_refused(interview: Interview) -> None:
    interview.ask()
    shown = interview.document()["question"]
    sizes = {option["size"] for option in shown["options"]}
    interview.require(f"size != {min(sizes)}")
    with pytest.raises(InterviewError):
        Interview.from_document(interview.document() | {"question": shown})


VALUES = st.one_of(st.text(max_size=3), st.integers(-5, 5), st.floats(-5, 5))
OPTIONS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=3), min_size=2, max_size=4)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(OPTIONS, st.booleans(), st.booleans())
def test_a_question_comes_back_from_its_document_with_its_id(
    options: list[dict[str, Any]], asks: bool, forced: bool
) -> None:
    shown = tuple(dict.fromkeys(map(Configuration, options)))
    question = Question(shown, asks_for_change=asks, forced=forced)
    again = read_question(json.loads(json.dumps(question_document(question))))
    assert (again, again.id) == (question, question.id)
    turned = Question(tuple(reversed(shown)), asks_for_change=asks, forced=forced)
    assert (turned.id == question.id) == (turned == question)
