"""What a process makes of a log is what an interview in Python makes of the same calls, however it gets there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from setmargin import documents
from setmargin.answers import from_document
from setmargin.errors import (
    AnswerError,
    ConfigurationError,
    InfeasibleSpace,
    InterviewError,
    OptionError,
    OtherQuestion,
    RuleError,
)
from setmargin.interview.interview import Interview
from setmargin.server.work import beliefs, process
from setmargin.server.work.describe import catalogue_of
from setmargin.server.work.sessions import DocumentNeeded, Sessions
from setmargin.solve.oracle import _compiled
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy
from tests.server.work.talks import BAYES, EVENTFUL, RANDOM, SETMARGIN, SPACE, following, happened, new_job

STRATEGIES = pytest.mark.parametrize("strategy", [BAYES, RANDOM, SETMARGIN], ids=lambda strategy: strategy["name"])
claims = settings(derandomize=True, deadline=None, max_examples=12)


def in_python(strategy: Mapping[str, Any]) -> Interview:
    """What the events of EVENTFUL come to, by plain calls."""
    interview = Interview(SPACE, make_strategy(**strategy), seed=4)
    interview.tell(1)
    interview.require("size >= 2")
    interview.tell(from_document({"equal": True}))
    interview.skip()
    interview.require("colour != blue")
    interview.undo()
    interview.tell(0)
    interview.drop("size >= 2")
    interview.change(1, 0)
    interview.tell(1)
    return interview


def plain(document: documents.Document) -> Any:
    """The document as JSON holds it."""
    return json.loads(TypeAdapter(type(document)).dump_json(document, by_alias=True))


@STRATEGIES
def test_an_interview_by_events_is_an_interview_by_calls(strategy: Mapping[str, Any]) -> None:
    sessions, interview = Sessions(), in_python(strategy)
    job = happened(sessions, new_job(strategy=strategy), *EVENTFUL)
    step, question = sessions.step(job), interview.ask()
    state = step.state
    assert sessions.export(job) == interview.document()
    assert (state.answered, state.must_haves) == (interview.belief.answered, interview.must_haves)
    assert state.best.values == dict(interview.recommend().configuration)
    assert question is not None
    assert state.question is not None
    assert [option.values for option in state.question.options] == [dict(option) for option in question.options]
    stakes = interview.stakes()
    assert state.stakes == (stakes and documents.Stakes(**asdict(stakes)))
    assert step.progress["importance"] == interview.importance()
    assert step.progress["answers"] == interview.belief.answered


@pytest.mark.parametrize("strategy", [BAYES, RANDOM], ids=lambda strategy: strategy["name"])
def test_every_process_comes_to_the_same_however_much_of_it_is_known(strategy: Mapping[str, Any]) -> None:
    sessions = Sessions()
    job = new_job(strategy=strategy)
    for event in EVENTFUL:
        step = sessions.apply(job, event)
        job = following(job, step)
        assert sessions.step(job) == replace(step, event=None)
    small, kept = Sessions(interviews=1), sessions.belief(job)
    assert small.step(job) == sessions.step(job)
    assert Sessions().step(replace(job, checkpoint=kept)) == sessions.step(job)


@claims
@given(
    steps=st.lists(st.sampled_from([0, 1, "undo", "change", "size >= 2", "box = no"]), max_size=8), small=st.booleans()
)
def test_what_is_at_hand_makes_no_difference(steps: list[Any], small: bool) -> None:
    sessions, job = Sessions(interviews=1 if small else 400), new_job()
    for step in steps:
        event: dict[str, Any] = {"require": step} if isinstance(step, str) else {"answer": {"choice": step}}
        if step == "undo":
            event = {"undo": True}
        if step == "change":
            event = {"change": 0, "answer": {"ranking": [2, 1, 0]}}
        try:
            job = happened(sessions, job, event)
        except InterviewError:
            assert step in ("undo", "change"), "what can always be done was refused"
            continue
        assert Sessions().step(job) == sessions.step(job)


def test_a_stored_belief_is_used_and_saves_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions()
    before = happened(sessions, new_job(strategy=BAYES), *EVENTFUL[:4])
    job = happened(sessions, before, {"answer": {"choice": 0}})
    loads: list[bool] = []
    load = beliefs.load

    def noting(*arguments: Any, **options: Any) -> Any:
        found = load(*arguments, **options)
        loads.append(found is not None)
        return found

    monkeypatch.setattr(beliefs, "load", noting)
    with_belief = replace(job, checkpoint=sessions.belief(before))
    assert Sessions().step(with_belief) == sessions.step(job)
    assert loads == [True]
    started = Sessions()
    started.step(new_job(strategy=BAYES))  # somebody else begins in the same way
    assert started.step(with_belief) == sessions.step(job)
    assert loads == [True, True]
    undone = happened(sessions, job, {"undo": True}, {"undo": True})
    assert Sessions().step(replace(undone, checkpoint=with_belief.checkpoint)) == sessions.step(undone)
    assert loads == [True, True]  # what was undone is no beginning of what is in force


@pytest.mark.parametrize("other", [{"seed": 5}, {"digest": "other"}, {"strategy": {**BAYES, "people": 33}}])
def test_the_belief_of_another_interview_is_not_used(other: dict[str, Any]) -> None:
    sessions = Sessions()
    job = happened(sessions, new_job(strategy=BAYES), {"answer": {"choice": 0}})
    elsewhere = happened(sessions, replace(new_job(strategy=BAYES), **other), {"answer": {"choice": 1}})
    lent = replace(elsewhere, checkpoint=sessions.belief(job))
    assert Sessions().step(lent) == sessions.step(elsewhere)


# What is refused


@pytest.mark.parametrize(
    ("event", "error", "message"),
    [
        ({"answer": {"choice": 7}}, AnswerError, "option 7 was chosen"),
        ({"answer": {"ranking": [0]}}, AnswerError, "must name each"),
        ({"answer": "first"}, AnswerError, "is no answer"),
        ({"change": 0, "answer": {"choice": 9}}, AnswerError, "option 9"),
        ({"change": 5, "answer": {"choice": 0}}, InterviewError, "there is no answer 6; 1 were given"),
        ({"require": "taste = good"}, RuleError, "no attribute or quantity 'taste'"),
        ({"require": "size >"}, RuleError, "size >"),
        ({"drop": "size >= 2"}, InterviewError, "no must-have 'size >= 2'"),
        ({"finish": {"colour": "red"}}, ConfigurationError, "lacks size"),
        ({"finish": {"colour": "red", "size": 1, "box": "no"}}, ConfigurationError, "breaks: colour = red"),
        ({"finish": 3}, ConfigurationError, "is no configuration"),
        ({"something": 1}, InterviewError, "is no event"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    event: dict[str, Any], error: type[Exception], message: str
) -> None:
    sessions = Sessions()
    job = happened(sessions, new_job(), {"answer": {"choice": 0}})
    before = sessions.step(job)
    with pytest.raises(error, match=message):
        sessions.apply(job, event)
    assert sessions.step(job) == before


def test_an_impossible_must_have_names_the_smallest_conflict() -> None:
    sessions = Sessions()
    job = happened(sessions, new_job(), {"require": "box = no"}, {"require": "size >= 2"})
    with pytest.raises(InfeasibleSpace) as caught:
        sessions.apply(job, {"require": "price <= 3"})
    assert set(caught.value.conflict) == {"size >= 2", "price <= 3"}


def test_an_answer_to_another_question_is_refused() -> None:
    sessions, job = Sessions(), new_job()
    shown = sessions.step(job).state.question
    assert shown is not None
    said = {"answer": {"choice": 0}, "question": shown.id}
    first = sessions.apply(job, said)
    assert first == sessions.apply(job, {"answer": {"choice": 0}})
    later = following(job, first)
    for event in (said, {"change": 0, "answer": {"choice": 1}, "question": "0" * 32}):
        with pytest.raises(OtherQuestion, match=r"what is asked is .*; reload"):
            sessions.apply(later, event)
    assert sessions.apply(later, {"change": 0, **said}).state.version == 2


def test_an_unknown_strategy_or_option_is_refused() -> None:
    for strategy in ({"name": "best"}, {"name": "bayes", "until": 7}, {"name": "random", "speed": 1}):
        with pytest.raises(OptionError):
            Sessions().step(new_job(strategy=strategy))


def test_the_catalogue_is_needed_only_once() -> None:
    sessions, job = Sessions(), new_job()
    with pytest.raises(DocumentNeeded):
        sessions.step(replace(job, catalogue=None))
    sessions.step(job)
    assert sessions.step(replace(job, catalogue=None)) == sessions.step(job)
    assert sessions.step(replace(job, catalogue=None, seed=9)).state.version == 0


# What is seen


def test_a_question_says_in_what_its_options_differ() -> None:
    question = Sessions().step(new_job()).state.question
    assert question is not None
    shown = [{**option.values, **option.amounts} for option in question.options]
    assert shown
    for name in shown[0]:
        values = {each[name] for each in shown}
        assert (name in question.alike) == (len(values) == 1)
        assert (name in question.differing) == (len(values) > 1)
    assert question.number == 1


def test_a_finished_interview_asks_nothing_until_it_is_opened_again() -> None:
    sessions = Sessions()
    job = happened(sessions, new_job(strategy=BAYES), {"answer": {"choice": 0}})
    asked = sessions.step(job).state.question
    step = sessions.apply(job, {"finish": None})
    finished = step.state
    assert finished.finished == finished.best
    assert (finished.question, finished.done, finished.undo_of) == (None, True, "finish")
    assert step.progress["finished"]
    opened = sessions.apply(following(job, step), {"undo": True}).state
    assert (opened.question, opened.finished) == (asked, None)
    taken = sessions.apply(job, {"finish": {"colour": "green", "size": "3", "box": "no"}}).state
    assert taken.finished is not None
    assert taken.finished.values == {"colour": "green", "size": 3, "box": "no"}
    assert taken.finished.amounts == {"price": 6.5}


def test_where_nothing_is_left_to_ask_the_interview_is_done() -> None:
    sessions = Sessions()
    job = happened(sessions, new_job(), {"require": "colour = red and size = 2 and box = no"})
    state = sessions.step(job).state
    assert (state.question, state.done, state.finished) == (None, True, None)
    with pytest.raises(InterviewError, match="no question left"):
        sessions.apply(job, {"answer": {"choice": 0}})


@pytest.mark.parametrize("strategy", [BAYES, RANDOM], ids=lambda strategy: strategy["name"])
def test_a_result_is_plain_data_with_all_reasons(strategy: Mapping[str, Any]) -> None:
    sessions, interview = Sessions(), in_python(strategy)
    job = happened(sessions, new_job(strategy=strategy), *EVENTFUL)
    document = plain(sessions.result(job))
    why = interview.explain()
    assert [each["name"] for each in document["importance"]] == list(why.importance)
    assert [each["option"]["values"] for each in document["alternatives"]] == [
        dict(each.alternative.configuration) for each in interview.offers()
    ]
    for each in document["alternatives"]:
        shown, best = each["option"], document["best"]
        differing = [n for n in shown["values"] if shown["values"][n] != best["values"][n]]
        assert each["differing"] == differing + ["price"] * (shown["amounts"] != best["amounts"])
    assert [each["answer"] for each in document["answers"]] == [
        event["answer"] for event in interview.document()["events"] if "answer" in event
    ]
    assert {n + 1 for n in interview.surprising()} == {a["number"] for a in document["answers"] if a["surprising"]}
    assert [each["answer"] for each in document["would_change"]] == [each.number + 1 for each in why.decisive or ()]
    gave_up = [each for each in document["reasons"] if each["kind"] == "gave-up"]
    assert [(each["gave_up"], each["for"], each["times"]) for each in gave_up] == [
        (each.gave_up, each.gained, each.times) for each in interview.tradeoffs()
    ]


def test_a_state_is_plain_data() -> None:
    document = plain(Sessions().apply(new_job(), {"answer": {"choice": 0}}).state)
    assert (document["id"], document["version"], document["answered"]) == ("one", 1, 1)
    assert document["catalogue"] == {"name": "boxes", "title": "Find your box"}
    assert document["strategy"] == {"name": "random", "set_size": 3, "differences": None, "policy": None}


def test_a_catalogue_is_counted_and_listed() -> None:
    document = plain(catalogue_of(SPACE, digest="d"))
    assert document["configurations"] == 16
    size = {"name": "size", "title": None, "unit": None, "values": [1, 2, 3], "numeric": True}
    size |= {"better": None, "ordered": False}
    price = {"name": "price", "title": None, "unit": "€", "better": "lower", "least": 2.5, "most": 7.0}
    assert document["attributes"][1].items() >= size.items()
    assert len(document["quantities"]) == 1
    assert document["quantities"][0].items() >= price.items()
    assert document["rules"] == ["colour = red => size >= 2"]
    with pytest.raises(InfeasibleSpace):
        catalogue_of(Space({"a": [1, 2]}, rules=["a > 2"]), digest="d")


def test_interviews_on_a_catalogue_that_was_met_share_what_is_known_of_it() -> None:
    met = Space({"a": range(3), "b": range(3)}, name="met")
    Sessions().prepare_catalogue(met.document())
    before = _compiled.cache_info().misses
    Sessions().step(replace(new_job(strategy=BAYES), digest="met", catalogue=met.document()))
    assert _compiled.cache_info().misses == before


# Time and memory


def test_a_strategy_with_a_clock_hurries() -> None:
    timed = {**SETMARGIN, "tuning": {"seconds": 20.0}, "seconds": 10.0}
    exported = Sessions(seconds=4.0).export(new_job(strategy=timed))
    assert exported["strategy"]["seconds"] == 1.0
    assert exported["strategy"]["tuning"]["seconds"] == 1.0
    assert Sessions(seconds=4.0).export(new_job(strategy={**timed, "seconds": 0.5}))["strategy"]["seconds"] == 0.5
    assert Sessions().export(new_job(strategy=timed))["strategy"]["seconds"] == 10.0


def test_no_more_interviews_are_kept_than_there_is_room_for() -> None:
    sessions = Sessions(interviews=3)
    job = new_job()
    for _ in range(6):
        job = happened(sessions, job, {"answer": {"choice": 0}})
    assert len(sessions) == 3


def test_where_interviews_fill_the_memory_the_oldest_half_goes_and_else_none(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions()
    for number in range(4):
        sessions.step(new_job(seed=number))
    monkeypatch.setattr(process, "_used_megabytes", lambda: 500.0)
    process.relieve(sessions, 1000)
    assert len(sessions) == 4
    process.relieve(sessions, 600)
    assert len(sessions) == 2
    assert sessions.step(new_job(seed=0)) == Sessions().step(new_job(seed=0))


def test_whatever_is_at_hand_of_somebody_is_forgotten_also_what_they_might_have_said() -> None:
    sessions = Sessions()
    one = happened(sessions, new_job("one", seed=1), *EVENTFUL)
    other = happened(sessions, new_job("other", seed=2), *EVENTFUL)
    sessions.apply(one, {"answer": {"skip": True}})
    kept = len(sessions)
    sessions.forget(["one", "nobody"])
    at_hand = len(sessions)
    assert 0 < at_hand < kept / 2
    sessions.step(other)
    assert len(sessions) == at_hand
    sessions.forget(["other"])
    assert len(sessions) == 0
