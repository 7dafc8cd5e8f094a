"""The process that learns: of low priority, with a time limit, and gone afterwards."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from setmargin.answers import Choice
from setmargin.interview.interview import Interview
from setmargin.interview.log import Answered, Entry, Finished, entry_document
from setmargin.server.errors import WorkError, WorkTimeout
from setmargin.server.work import beliefs
from setmargin.server.work.learning import FitRequest, LearningProcess, fit, histories
from setmargin.server.work.process import STANDS_BACK, Call, WorkerProcess
from setmargin.server.work.sessions import DocumentNeeded, Sessions
from setmargin.server.work.worker import Worker
from setmargin.strategies.bayes.learnt.prior import LearntPrior
from tests.server.learnt import SPACE, prior_of
from tests.server.work.calls import priority
from tests.server.work.talks import BAYES, new_job
from tests.systems import on_unix

REFERENCE = {"catalogue": "tea", "version": 1}


def log_of(seed: int, *, answers: int = 5, finished: bool = True) -> tuple[dict[str, Any], ...]:
    """Somebody who takes white tea where there is some, and else the first."""
    interview = Interview(SPACE, "random", seed=seed)
    for _ in range(answers):
        question = interview.ask()
        assert question is not None
        kinds = [option["kind"] for option in question.options]
        interview.tell(kinds.index("white") if "white" in kinds else 0)
    entries: list[Entry] = [Answered(question, answer) for question, answer in interview.history]
    if finished:
        entries.append(Finished(interview.recommend().configuration))
    return tuple(map(entry_document, entries))


def test_what_people_like_is_learnt_in_a_process_that_ends_with_it() -> None:
    logs = tuple(map(log_of, range(30)))
    with closing(LearningProcess(seconds=60)) as process:
        fitted = asyncio.run(process(FitRequest(SPACE.document(), logs, 30)))
        assert process._process is None
    assert fitted is not None
    prior = LearntPrior.from_document(fitted.document)
    assert (prior.people, fitted.people, prior.notes(SPACE)) == (30, 30, ())
    interview = Interview(SPACE, "bayes", seed=1)
    told = Interview(SPACE, replace(interview.strategy, prior=prior), seed=1)  # type: ignore[call-arg]
    assert told.recommend().configuration["kind"] == "white"


def test_too_few_people_are_not_learnt_from() -> None:
    logs = (*map(log_of, range(9)), *(log_of(seed, finished=False) for seed in range(5)), log_of(1, answers=0))
    with closing(LearningProcess(seconds=60)) as process:
        assert asyncio.run(process(FitRequest(SPACE.document(), logs, 10))) is None


def test_what_takes_too_long_is_given_up() -> None:
    with closing(LearningProcess(seconds=0.01)) as process, pytest.raises(WorkTimeout, match="took longer than"):
        asyncio.run(process(FitRequest(SPACE.document(), tuple(map(log_of, range(30))), 30)))


@on_unix
def test_a_process_that_learns_yields_to_all_others() -> None:
    process = WorkerProcess(seconds=60, yields=True)
    with closing(process):
        assert process.call(Call(priority, ()), seconds=60).value == min(19, os.nice(0) + STANDS_BACK)


def test_nothing_is_learnt_once_the_server_stops() -> None:
    process = LearningProcess(seconds=60)
    process.close()
    with pytest.raises((WorkError, RuntimeError)):
        asyncio.run(process(FitRequest(SPACE.document(), (), 10)))


def test_an_answer_counts_as_far_as_its_options_still_have_their_values() -> None:
    whole = log_of(0)
    gone = whole[0] | {"question": [{**option, "pot": "tin"} for option in whole[0]["question"]]}
    (history,) = histories(SPACE, [(gone, *whole[1:])])
    assert len(history) == 4
    assert all(isinstance(answer, Choice) for _, answer in history)
    assert histories(SPACE, [(gone, whole[-1])]) == []
    beyond = whole[0] | {"answer": {"choice": 7}}
    assert [len(each) for each in histories(SPACE, [(beyond, *whole[1:])])] == [4]


def test_a_damaged_interview_is_left_out_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    whole = log_of(0)
    damaged: list[tuple[Any, ...]] = [
        ({"nothing": "known"}, *whole),
        (None, *whole[1:]),
        ({"undo": True}, *whole),
        (whole[0] | {"answer": {"choice": "white"}}, *whole[1:]),
    ]
    assert histories(SPACE, [whole, *damaged, whole]) == histories(SPACE, [whole, whole])
    (warning,) = caplog.messages
    assert warning.startswith("4 of 6 finished interviews about tea cannot be read and are left out; the first: ")


def test_people_who_only_skipped_are_too_few_and_no_failure() -> None:
    skipped = tuple({**event, "answer": {"skip": True}} if "answer" in event else event for event in log_of(0))
    assert fit(FitRequest(SPACE.document(), (skipped,) * 12, 10)) is None


# Interviews with a prior


def test_a_process_is_sent_a_prior_once_and_asks_for_it_where_it_lacks_it() -> None:
    strategy = {**BAYES, "prior": REFERENCE}
    job = replace(new_job(strategy=strategy), digest="tea", catalogue=SPACE.document(), prior=prior_of())
    sessions = Sessions()
    with pytest.raises(DocumentNeeded):
        sessions.step(replace(job, prior=None))
    step = sessions.step(job)
    assert sessions.step(replace(job, prior=None, catalogue=None)) == step
    assert step.state.best.values["kind"] == "white"
    worker = Worker(seconds=20)
    worker.start()
    try:
        assert worker.submit(Sessions.step, job).result() == step
        assert worker._sent == {"tea", job.prior_key}
        assert worker.submit(Sessions.step, job).result() == step
        other = replace(
            job, strategy={**BAYES, "prior": {**REFERENCE, "version": 2}}, prior=prior_of(loved="kind=green")
        )
        worker._sent.add(other.prior_key)  # which is not true
        assert worker.submit(Sessions.step, other).result().state.best.values["kind"] == "green"
    finally:
        worker.close()
        worker.join(5)


def test_a_belief_of_one_version_is_none_of_another() -> None:
    sessions = Sessions()
    one = replace(
        new_job(strategy={**BAYES, "prior": REFERENCE}), digest="tea", catalogue=SPACE.document(), prior=prior_of()
    )
    happened = sessions.apply(one, {"answer": {"choice": 0}})
    one = replace(one, events=(happened.event or {},), version=1)
    kept = sessions.belief(one)
    two = replace(one, strategy={**BAYES, "prior": {**REFERENCE, "version": 2}}, prior=prior_of(loved="kind=green"))
    stamps = [[job.digest, dict(job.strategy), job.seed, kept.key] for job in (one, two)]
    loaded = [beliefs.load(kept.body, stamp=stamp, space=SPACE, history=()) for stamp in stamps]
    assert [belief is not None for belief in loaded] == [True, False]
    assert Sessions().step(replace(two, checkpoint=kept)) == Sessions().step(two)
    assert Sessions().step(replace(one, checkpoint=kept)) == Sessions().step(one)
    assert sessions.step(two) == Sessions().step(two)
