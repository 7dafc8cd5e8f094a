"""People who say why, and what they would change: from their weights, and without disturbing all else they say."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice
from typing import Any, get_args

import numpy as np
import pytest

from setmargin.answers import (
    Answer,
    Change,
    Choice,
    Comparisons,
    How,
    NoDifference,
    Question,
    Ranking,
    Skip,
    check,
    differing,
    reasons_of,
)
from setmargin.errors import OptionError
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.shared.changes import changes_of
from setmargin.strategies.shared.reasons import contributions_of

SPACE = Space(
    [Attribute("size", ["S", "M", "L"]), Attribute("colour", ["red", "blue"])],
    quantities=[Quantity("price", {"size": {"S": 10, "M": 20, "L": 30}}, better="lower")],
)
BEFORE = "660e422cfa6efbad9552a5fc"


def ask(*rows: tuple[int, int], **more: Any) -> Question:
    return Question(tuple(SPACE.configuration(row) for row in rows), **more)


def somebody(*weights: float, **response: Any) -> Person:
    """By default nothing is left to chance."""
    return Person(space=SPACE, weights=np.array(weights), response=Response(**{"model": "noiseless", **response}))


def said(person: Person, question: Question, how: How = "choice", *, seed: int = 0) -> Answer:
    answer = person.answer(question, how, np.random.default_rng(seed), np.random.default_rng(seed + 1000))
    check(question, answer, person.space)
    return answer


def many(person: Person, question: Question, times: int = 1500) -> Counter[Answer]:
    return Counter(said(person, question, seed=seed) for seed in range(times))


def interview(person: Person, how: How, *, talk: bool = True) -> list[Answer]:
    """The answers to some questions of two and three options, with the person's own random numbers."""
    rows = list(islice(np.ndindex(*person.space.domains), 0, 300, 7))
    configurations = [person.space.configuration(row) for row in rows[:40]]
    sets = [tuple(configurations[n : n + 2 + n % 2]) for n in range(0, 36, 3)]
    noise, more = person.noise(), person.talk() if talk else None
    return [person.answer(Question(options), how, noise, more) for options in sets]


# Nothing changes for people who do not talk


def test_people_and_answers_are_what_they_were_before_anybody_talked() -> None:
    # Made by the version before; a new number here gives other people, or other answers, for old seeds.
    found = hashlib.sha256()
    for kind in ("uniform", "sparse-normal"):
        for response in (Response(), Response(model="tree", wrong=0.3)):
            space = load("bicycle")
            for person in draw_people(space, 2, weights=kind, quantities=True, response=response, seed=5):
                found.update(space.without_trends(person.weights).tobytes())  # there were no trends then
                found.update(str(person.strategy_seed).encode())
                for how in get_args(How):
                    found.update(repr(_plain(interview(person, how))).encode())
    assert found.hexdigest()[:24] == BEFORE


def _plain(answers: list[Answer]) -> list[tuple[object, ...]]:
    """Without what answers can say since then."""
    return [
        tuple(value for name, value in sorted(vars(answer).items()) if name != "because" and value is not None)
        for answer in answers
    ]


@pytest.mark.parametrize("how", ["choice", "ranking"])
def test_reasons_leave_the_choices_as_they_are(how: How) -> None:
    plain = next(draw_people(load("pc"), 1, response=Response(wrong=0.2)))
    talking = next(draw_people(load("pc"), 1, response=Response(wrong=0.2, reasons=0.6, careless=0.5)))
    assert talking.weights.tolist() == plain.weights.tolist()
    assert talking.strategy_seed == plain.strategy_seed
    without, having = interview(plain, how), interview(talking, how)
    assert _plain(having) == _plain(without)
    assert 0 < sum(bool(reasons_of(answer)) for answer in having) < len(having)
    assert not any(reasons_of(answer) for answer in without)


def test_the_same_seed_says_the_same() -> None:
    one, two = (next(draw_people(load("pc"), 1, response=Response(reasons=0.5, careless=0.3))) for _ in range(2))
    assert interview(one, "choice") == interview(two, "choice")


# Reasons


def test_contributions_are_the_weighted_differences_to_the_mean_of_the_others() -> None:
    weights = np.array([4.0, 2.0, 0.0, 1.0, 0.0, 3.0])
    question = ask((0, 0), (1, 0), (2, 1))
    names, worth = contributions_of(SPACE, weights, question, 0)
    prices = [SPACE.encode(option)[-1] for option in question.options]
    assert names == ["size", "colour", "price"]
    assert worth == pytest.approx([4 - (2 + 0) / 2, 1 - 1 / 2, 3 * (prices[0] - (prices[1] + prices[2]) / 2)])


@pytest.mark.parametrize(
    ("weights", "why"), [((9, 0, 0, 1, 0, 0), "size"), ((1, 0, 0, 5, 0, 0), "colour"), ((1, 0, 0, 1, 0, 9), "price")]
)
def test_who_makes_no_mistakes_names_what_contributes_most(weights: tuple[float, ...], why: str) -> None:
    assert said(somebody(*weights, reasons=1.0), ask((0, 0), (2, 1))) == Choice(0, (why,))
    assert said(somebody(*weights, reasons=1.0), ask((0, 0), (1, 1), (2, 1)), "ranking") == Ranking((0, 1, 2), (why,))


def test_reasons_are_named_in_proportion_to_what_they_contribute() -> None:
    person = somebody(2, 0, 0, 1, 0, 0, model="proportional", reasons=1.0, lambda1=0.7, lambda2=1e6)
    question = ask((0, 0), (2, 1))
    names, worth = contributions_of(SPACE, person.weights, question, 0)
    found = many(person, question)
    times = np.array([found[Choice(0, (name,))] for name in names])
    chances = np.exp(0.7 * worth) / np.exp(0.7 * worth).sum()
    assert np.abs(times / times.sum() - chances).max() < 0.06


def test_only_what_differs_is_named_even_by_the_careless() -> None:
    question = ask((0, 0), (0, 1))
    assert differing(SPACE, question.options) == ("colour",)
    assert set(many(somebody(0, 0, 0, 1, 0, 0, reasons=1.0, careless=1.0), question, 50)) == {Choice(0, ("colour",))}


def test_the_careless_name_anything_so_often() -> None:
    question = ask((0, 0), (2, 1))
    found = many(somebody(9, 0, 0, 1, 0, 0, reasons=1.0, careless=0.6), question)
    assert found[Choice(0, ("size",))] / 1500 == pytest.approx(0.4 + 0.2, abs=0.06)
    assert found[Choice(0, ("colour",))] / 1500 == pytest.approx(0.2, abs=0.05)


def test_no_difference_and_pairs_come_without_a_reason() -> None:
    person = somebody(0, 0, 0, 0, 0, 0, reasons=1.0)
    assert said(person, ask((0, 0), (2, 1))) == NoDifference()
    assert isinstance(said(somebody(1, 0, 0, 0, 0, 0, reasons=1.0), ask((0, 0), (2, 1)), "pairs"), Comparisons)


# Changes


def test_who_makes_no_mistakes_asks_for_what_gains_most() -> None:
    question = ask((0, 0))
    assert said(somebody(0, 0, 9, 1, 2, 0, changes=1.0), question) == Change("size", "L")
    assert said(somebody(0, 0, 0, 1, 2, 0, changes=1.0), question) == Change("colour", "blue")
    assert said(somebody(0, 0, 0, 0, 0, 9, changes=1.0), question) == Change("price")
    assert said(somebody(9, 0, 0, 2, 2, 0, changes=1.0), question) == Change()


@pytest.mark.parametrize("how", get_args(How))
def test_a_single_option_is_changed_or_skipped_however_people_answer(how: How) -> None:
    person = somebody(0, 0, 9, 1, 2, 0, changes=1.0)
    assert said(person, ask((0, 0)), how) == Change("size", "L")
    assert said(somebody(0, 0, 9, 1, 2, 0), ask((0, 0)), how) == Skip()


def test_the_best_of_several_is_changed_where_that_is_asked_for() -> None:
    weights = (0, 0, 9, 1, 2, 0)
    question = ask((0, 0), (2, 0), asks_for_change=True)
    assert said(somebody(*weights, changes=1.0, reasons=1.0), question) == Change("colour", "blue", option=1)
    assert said(somebody(*weights, reasons=1.0), question) == Choice(1, ("size",))
    assert said(somebody(*weights), question) == Choice(1)
    assert said(somebody(*weights, changes=1.0), ask((0, 0), (2, 0))) == Choice(1)
    some = many(somebody(*weights, changes=0.3), question)
    assert some[Change("colour", "blue", option=1)] / 1500 == pytest.approx(0.3, abs=0.05)


def test_known_wishes_are_not_named_again() -> None:
    question = ask((0, 0), besides=(("size", "L"), ("price", None)))
    assert said(somebody(0, 0, 9, 1, 2, 50, changes=1.0), question) == Change("colour", "blue")
    found = many(somebody(0, 0, 9, 1, 2, 50, changes=1.0, careless=1.0), question, 200)
    assert set(found) == {Change("size", "M"), Change("colour", "blue"), Change()}


def test_careless_changes_are_anything_that_can_be_had() -> None:
    question = ask((0, 0))
    found = many(somebody(0, 0, 9, 1, 2, 0, changes=1.0, careless=1.0), question)
    changes = changes_of(SPACE, question)
    assert set(found) == set(changes)
    assert [found[change] / 1500 for change in changes] == pytest.approx([1 / len(changes)] * len(changes), abs=0.05)


@pytest.mark.parametrize("rate", ["reasons", "changes", "careless"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_impossible_rates_are_refused(rate: str, value: float) -> None:
    with pytest.raises(OptionError, match=rf"the rate of .* is {value}; give a number from 0 to 1"):
        Response(**{rate: value})  # type: ignore[arg-type]
