"""The judge of histories: it finds every kind of wrong, and nothing wrong where nothing is."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from scripts.laboratory.history import Database, Fate, Sent, StoredAnswer, Verdict, judge

FATES = st.sampled_from(["acknowledged", "refused", "unknown there", "unknown lost"])


def made(fates: list[str]) -> tuple[list[Sent], Database]:
    """Answers to one interview, each with its fate, and the database that an honest server has then."""
    sent: list[Sent] = []
    stored: list[StoredAnswer] = []
    for place, fate in enumerate(fates):
        told: Fate = "unknown" if fate.startswith("unknown") else fate  # type: ignore[assignment]
        options = [{"colour": f"red {place}"}, {"colour": f"blue {place}"}]
        one = Sent("i", len(stored), f"key {place}", options, {"choice": place % 2}, f"q{place}", told)
        sent.append(one)
        if fate in ("acknowledged", "unknown there"):
            number = len(stored) + 1
            stored.append(StoredAnswer("i", number, one.digest, one.options, one.said, one.question))
    return sent, Database({"i": len(stored)}, {"i": range(1, len(stored) + 1)}, stored)


def judged(sent: list[Sent], database: Database) -> Verdict:
    return judge(["i"], sent, database)


def with_answers(answers: list[StoredAnswer]) -> Database:
    numbers = [answer.number for answer in answers]
    return Database({"i": len(numbers)}, {"i": numbers}, answers)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.lists(FATES, max_size=12))
def test_an_honest_server_is_found_to_be_one(fates: list[str]) -> None:
    sent, database = made(fates)
    found = judged(sent, database)
    assert found.is_good
    assert found.acknowledged == fates.count("acknowledged")


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(FATES, max_size=8), st.lists(FATES, max_size=8), st.data())
def test_whatever_happens_to_one_acknowledged_answer_is_found(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    sent, database = made([*before, "acknowledged", *after])
    victim = sent[len(before)]
    answers = list(database.answers)
    place = next(number for number, each in enumerate(answers) if each.digest == victim.digest)
    it = answers[place]
    lost = judged(sent, with_answers(answers[:place] + answers[place + 1 :]))
    assert lost.lost == 1
    shown = judged(sent, with_answers([*answers[:place], replace(it, options=[{}, {}]), *answers[place + 1 :]]))
    assert (shown.lost, shown.duplicated, shown.misattributed) == (0, 0, 1)
    other = replace(it, question="another")
    assert judged(sent, with_answers([*answers[:place], other, *answers[place + 1 :]])).misattributed == 1
    said = replace(it, said={"choice": 1 - it.said["choice"]})
    assert judged(sent, with_answers([*answers[:place], said, *answers[place + 1 :]])).misattributed == 1
    digest = data.draw(st.sampled_from([it.digest, "of nobody", None]))
    again = judged(sent, with_answers([*answers, replace(it, number=len(answers) + 1, digest=digest)]))
    assert again.duplicated == 1


def test_two_answers_in_the_wrong_order_are_found() -> None:
    sent, database = made(["acknowledged", "acknowledged"])
    first, second = database.answers
    swapped = [replace(second, number=1), replace(first, number=2)]
    assert judged(sent, with_answers(swapped)).misattributed == 2


def test_what_was_refused_must_not_be_there() -> None:
    sent, database = made(["unknown there"])
    sent[0].fate = "refused"
    assert judged(sent, database).duplicated == 1


def test_an_interview_that_is_gone_and_a_number_that_is_missing_are_found() -> None:
    sent, database = made(["acknowledged", "unknown there", "acknowledged"])
    assert judge(["i", "another"], sent, database).lost == 1
    gap = Database({"i": 3}, {"i": [1, 3]}, [database.answers[0], database.answers[2]])
    found = judged(sent, gap)
    assert (found.lost, found.is_good) == (0, False)
    assert "has the events [1, 3]" in found.problems[0]


def test_a_deleted_interview_is_gone_whole_and_its_answers_are_not_missed() -> None:
    sent, database = made(["acknowledged", "acknowledged"])
    gone = Database({}, {}, [])
    assert judge(["i"], sent, gone, deleted={"i": "acknowledged"}).is_good
    assert judge(["i"], sent, gone, deleted={"i": "unknown"}).is_good
    assert judge(["i"], sent, database, deleted={"i": "unknown"}).is_good
    assert judge(["i"], sent, database, deleted={"i": "acknowledged"}).undeleted == 1
    left = replace(gone, mentioned=frozenset({"i"}))
    assert judge(["i"], sent, left, deleted={"i": "acknowledged"}).undeleted == 1
    assert not judge(["i"], sent, left, deleted={"i": "unknown"}).is_good
    assert judge(["i"], sent, gone).lost == 3
