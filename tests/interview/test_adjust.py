"""Reasons and changes through an interview: what they do, what undo does, and that mistakes change nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from setmargin.answers import Change, Choice, NoDifference, Question, Ranking, Skip, differing
from setmargin.errors import AnswerError
from setmargin.interview.explain import surprising, tradeoffs
from setmargin.interview.interview import Interview
from setmargin.strategies.base import Recommendation
from setmargin.strategies.bayes.strategy import Bayes
from tests.interview.talks import SPACE, Make, asked, assert_same


def talkative() -> Interview:
    return Interview(SPACE, Bayes(policy="conversation", set_size=3, until=0.0, samples=64))


def something_else(interview: Interview, name: str) -> Any:
    """A possible value that the best so far does not have."""
    now = interview.recommend().configuration[name]
    return next(value for value in interview.belief.oracle.possible()[name] if value != now)


# Reasons


def test_a_reason_is_told_beside_the_answer(make: Make) -> None:
    interview = make()
    names = differing(SPACE, asked(interview).options)
    interview.tell(0, because=names[0])
    interview.tell(
        Ranking(tuple(range(len(asked(interview).options)))), because=differing(SPACE, asked(interview).options)
    )
    interview.tell(NoDifference(), because=[])
    first, second, third = (answer for _, answer in interview.history)
    assert first == Choice(0, (names[0],))
    assert isinstance(second, Ranking)
    assert second.because
    assert third == NoDifference()


@pytest.mark.parametrize(
    ("answer", "because", "message"),
    [
        (0, "weight", "the reason 'weight' is unknown; the options differ in"),
        (0, 3, "the reason is 3; name an attribute"),
        (Change("price"), "price", "Change has no reason"),
        (Skip(), "price", "Skip has no reason"),
        (Choice(0, ("price",)), "price", "given twice"),
    ],
)
def test_a_reason_that_means_nothing_is_refused_and_nothing_is_lost(
    make: Make, answer: Any, because: Any, message: str
) -> None:
    interview = make()
    refused(interview, lambda: interview.tell(answer, because=because), message)


def test_a_reason_that_does_not_differ_is_refused_and_nothing_is_lost() -> None:
    interview = Interview(SPACE, Bayes(differences=1, samples=48))
    names = differing(SPACE, asked(interview).options)
    same = next(name for name in SPACE.things if name not in names)
    refused(interview, lambda: interview.tell(0, because=same), f"{same} is the same in all options; they differ in")


def refused(interview: Interview, act: Callable[[], object], message: str) -> None:
    """The error names what is wrong, and the interview is as it was."""
    before = interview.events, interview.ask(), interview.belief
    with pytest.raises(AnswerError, match=message):
        act()
    assert (interview.events, interview.ask(), interview.belief) == before


# Changes


def test_the_best_so_far_is_changed_unasked_and_undone(make: Make) -> None:
    interview = make()
    interview.tell(0)
    question, best = asked(interview), interview.recommend().configuration
    value = something_else(interview, "colour")
    interview.adjust("colour", value)
    assert interview.history[-1] == (Question((best,)), Change("colour", value))
    assert interview.belief.wishes == (("colour", value),)
    interview.undo()
    assert interview.ask() is question
    assert not interview.belief.wishes


def test_undo_leads_back_to_what_the_strategy_asked_in_a_resumed_interview_too(make: Make) -> None:
    interview = make()
    interview.tell(0)
    question = asked(interview)
    interview.adjust("price")
    again = Interview.from_document(interview.document())
    assert_same(again, interview)
    again.undo()
    assert again.ask() == question


def test_earlier_wishes_are_known_and_whoever_repeats_one_means_it() -> None:
    interview = talkative()
    interview.adjust("price")
    colour = something_else(interview, "colour")
    interview.adjust("colour", colour)
    interview.adjust("price")
    interview.adjust()
    known = [question.besides for question, _ in interview.history]
    assert known == [(), (("price", None),), (("colour", colour),), (("price", None), ("colour", colour))]


def test_what_is_wished_for_is_recommended_sooner_or_later() -> None:
    interview = talkative()
    value = something_else(interview, "colour")
    for _ in range(4):
        if interview.recommend().configuration["colour"] != value:
            interview.adjust("colour", value)
    assert interview.recommend().configuration["colour"] == value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("weight",), "'weight' cannot be changed, as nothing is called so"),
        (("colour", "pink"), "pink"),
        (("colour",), "should be what"),
        (("price", 3), "follows from the choices"),
        ((None, "red"), "instead of what"),
        (("size", 3), "size cannot be 3 with the rules and must-haves"),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_nothing_is_lost(
    make: Make, change: tuple[Any, ...], message: str
) -> None:
    interview = make()
    interview.require("size <= 2")
    refused(interview, lambda: interview.adjust(*change), message)
    refused(interview, lambda: interview.tell(Change(*change)), message)
    if change[0] is not None:
        refused(interview, lambda: interview.with_change(*change), message)


def test_a_change_to_the_same_value_is_refused_and_nothing_is_lost(make: Make) -> None:
    interview = make()
    now = interview.recommend().configuration["box"]
    refused(interview, lambda: interview.adjust("box", now), f"box is {now} already")
    shown = asked(interview).options[1]["box"]
    refused(interview, lambda: interview.tell(Change("box", shown, option=1)), f"box is {shown} already")


def test_changes_and_reasons_survive_in_a_file(tmp_path: Path) -> None:
    interview = talkative()
    interview.tell(0, because=differing(SPACE, asked(interview).options)[:1])
    interview.adjust("price")
    interview.adjust("colour", something_else(interview, "colour"))
    interview.save(tmp_path / "mine.json")
    assert_same(Interview.load(tmp_path / "mine.json"), interview)


# What a wish comes to


def test_the_best_with_a_value_is_the_best_of_all_that_have_it(make: Make) -> None:
    interview = make()
    interview.tell(0)
    best, value = interview.recommend(), something_else(interview, "box")
    wish = interview.with_change("box", value)
    oracle = interview.belief.oracle
    worth = {each: float(best.weights @ SPACE.encode(each)) for each in oracle.top(best.weights, 100)}
    having = {each: worth[each] for each in worth if each["box"] == value}
    assert worth[wish.configuration] == pytest.approx(max(having.values()))
    assert next(iter(wish.changed)) == "box"
    assert {name: (best.configuration[name], wish.configuration[name]) for name in wish.changed} == wish.changed
    now, before = SPACE.amounts(wish.configuration), SPACE.amounts(best.configuration)
    assert wish.amounts == now
    assert wish.more.get("price", 0.0) == pytest.approx(now["price"] - before["price"])
    assert interview.recommend() == best
    assert wish.document()["changed"]["box"] == [best.configuration["box"], value]


def test_a_better_quantity_is_better_or_cannot_be(make: Make) -> None:
    interview = make()
    cheapest = interview.belief.oracle.range("price")[0]
    for _ in range(20):
        price = interview.recommend()
        if SPACE.amounts(price.configuration)["price"] == cheapest:
            break
        wish = interview.with_change("price")
        assert wish.more["price"] < 0
        interview.require(f"price <= {wish.amounts['price']}")
    refused(interview, lambda: interview.with_change("price"), "price cannot be better than")


# What is said about them


def test_everything_can_be_said_about_reasons_and_changes() -> None:
    interview = talkative()
    for _ in range(6):
        question = interview.ask()
        if question is None:
            break
        if question.is_comparison:
            interview.tell(0, because=differing(SPACE, question.options)[:1])
        else:
            interview.tell(Change())
    interview.adjust("box", something_else(interview, "box"))
    interview.adjust()
    why = interview.explain()
    assert why.decisive is not None
    assert why.document()
    assert all(0 <= number < len(interview.history) for number in interview.surprising())
    assert all(each.gave_up != each.gained for each in interview.tradeoffs())
    assert interview.alternatives()
    assert interview.stakes()
    interview.certain()


def test_a_wish_that_goes_against_all_other_answers_is_surprising() -> None:
    interview = Interview(SPACE, Bayes(until=0.0, samples=96, set_size=2, policy="comparisons"))
    for _ in range(8):
        question = asked(interview)
        interview.tell(min(range(2), key=lambda n: SPACE.amounts(question.options[n])["price"]))
    best = interview.recommend()
    assert best.configuration["size"] != 3
    interview.adjust("size", 3)
    assert surprising(SPACE, best, interview.history)[-1] == len(interview.history) - 1


def test_the_reason_is_what_was_gained() -> None:
    one, other = (SPACE.configuration(row) for row in ((0, 2, 1), (2, 1, 0)))
    weights = SPACE.weights({"colour=red": 2.0, "box=no": 1.0, "price": 5.0})
    best = Recommendation(one, weights)
    question = Question((one, other))
    (without,) = tradeoffs(SPACE, best, ((question, Choice(0)),))
    (given,) = tradeoffs(SPACE, best, ((question, Choice(0, ("box",))),))
    assert (without.gave_up, without.gained) == ("price", "colour")
    assert (given.gave_up, given.gained) == ("price", "box")
