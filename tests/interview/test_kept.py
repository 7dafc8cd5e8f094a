"""A result that is changed in place: previews are the best repairs, what is kept stays, and asking goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Change
from setmargin.errors import AnswerError, InterviewError
from setmargin.interview.adjustment import WORTH_CHANGING, fit_of, previews, with_kept
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, AskedOn, entry_document, read_entry
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.base import Recommendation
from setmargin.strategies.bayes.strategy import Bayes
from tests.interview.talks import SPACE, assert_same
from tests.interview.tastes import taste

claims = settings(derandomize=True, deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)


def stopped() -> Interview:
    """An interview that asks nothing by itself."""
    return Interview(SPACE, Bayes(samples=48, until=0.9))


@claims
@given(seed=seeds)
def test_a_preview_is_the_best_repair_of_all_that_have_the_value(seed: int) -> None:
    space, rows, weights, best = taste(seed)
    here, utility = space.indices(best.configuration), float(weights @ space.encode(best.configuration))
    place = seed % len(space.attributes)
    attribute = space.attributes[place]
    found = previews(oracle_for(space), best, attribute.name)
    assert set(found) == set(attribute.values) - {best.configuration[attribute.name]}
    worth = space.features(rows) @ weights + WORTH_CHANGING * utility * (rows == here).sum(axis=1)
    for value, preview in found.items():
        having = rows[:, place] == attribute.index(value)
        assert (preview is not None) == having.any()
        if preview is None:
            continue
        now = space.indices(preview.configuration)
        space.check(preview.configuration)
        mine = float(weights @ space.encode(preview.configuration)) + WORTH_CHANGING * utility * (now == here).sum()
        assert mine == pytest.approx(worth[having].max(), abs=1e-9)
        assert next(iter(preview.changed)) == attribute.name
        assert preview.loss * utility == pytest.approx(
            utility - float(weights @ space.encode(preview.configuration)), abs=1e-9
        )


def test_a_repair_changes_nothing_else_for_next_to_nothing() -> None:
    weights = SPACE.weights({"colour=red": 1.0, "colour=blue": 0.5, "size=2": 1.0, "size=3": 1.004})
    best = Recommendation(SPACE.configuration([0, 1, 0]), weights)
    preview = previews(oracle_for(SPACE), best, "colour")["blue"]
    assert preview is not None
    assert dict(preview.changed) == {"colour": ("red", "blue")}


def test_what_was_set_before_changes_only_where_it_has_to() -> None:
    weights = SPACE.weights({"colour=red": 1.0, "size=3": 1.0, "box=no": 0.1})
    best = Recommendation(SPACE.configuration([0, 2, 1]), weights)
    oracle = oracle_for(SPACE)
    size = previews(oracle, best, "size", {"box": "no"})[1]
    assert size is not None
    assert (size.configuration["colour"], size.configuration["box"]) != ("red", "yes")
    kept = with_kept(oracle, best, {"box": "yes", "size": 1, "colour": "red"})
    # Red needs size 2 or more: the earlier wish gives way, the latest holds.
    assert kept.configuration["colour"] == "red"
    assert kept.configuration["size"] != 1
    assert kept.configuration["box"] == "yes"


@pytest.mark.parametrize(
    ("loss", "word"), [(-0.1, "better"), (0.0, "same"), (0.03, "little"), (0.1, "less"), (0.5, "much")]
)
def test_a_loss_has_a_word(loss: float, word: str) -> None:
    assert fit_of(loss) == word


def test_what_is_kept_is_what_the_preview_showed_until_something_else_is_said(tmp_path: Path) -> None:
    interview = stopped()
    value, preview = next((value, each) for value, each in interview.previews("colour").items() if each)
    interview.adjust("colour", value, keep=True)
    assert interview.recommend().configuration == preview.configuration
    assert interview.history[-1][1] == Change("colour", value)
    interview.save(tmp_path / "mine.json")
    assert_same(Interview.load(tmp_path / "mine.json"), interview)
    other = next(value for value, each in interview.previews("box").items() if each)
    interview.adjust("box", other, keep=True)
    assert interview.recommend().configuration["colour"] == value
    interview.require("size >= 2")
    assert interview.recommend().configuration["box"] == other
    assert interview.recommend().configuration["size"] in (2, 3)
    for _ in range(3):
        interview.undo()
    assert interview.recommend() == stopped().recommend()


def test_numbers_may_be_written_as_text_and_mistakes_change_nothing() -> None:
    interview = stopped()
    now = interview.recommend().configuration["size"]
    with pytest.raises(AnswerError, match="already"):
        interview.adjust("size", now, keep=True)
    with pytest.raises(AnswerError, match="no attribute 'colours'; did you mean colour"):
        interview.previews("colours")
    assert interview.events == ()


def test_asking_goes_on_after_the_strategy_has_stopped(tmp_path: Path) -> None:
    interview = stopped()
    assert interview.ask() is None
    interview.ask_on()
    question = interview.ask()
    assert question is not None
    stakes = interview.stakes()
    assert stakes is not None
    assert stakes.questions_left > 0
    interview.tell(0)
    interview.save(tmp_path / "mine.json")
    assert_same(Interview.load(tmp_path / "mine.json"), interview)
    interview.undo()
    assert interview.ask() == question
    assert isinstance(interview.undo(), AskedOn)
    assert interview.ask() is None


def test_where_nothing_is_left_at_all_nobody_is_asked_on() -> None:
    interview = stopped()
    interview.require("colour = red and size = 2 and box = yes")
    with pytest.raises(InterviewError, match="nothing is left to ask"):
        interview.ask_on()
    assert interview.must_haves


def test_events_are_read_as_they_are_written() -> None:
    interview = stopped()
    event = interview.adjustment("colour", next(iter(interview.previews("colour"))), keep=True)
    assert isinstance(event, Answered)
    for entry in (event, AskedOn(0.01)):
        assert read_entry(entry_document(entry)) == entry
    for damaged in ({"ask_on": True}, {"ask_on": -1}, {"ask_on": "a lot"}):
        with pytest.raises(InterviewError):
            read_entry(damaged)
