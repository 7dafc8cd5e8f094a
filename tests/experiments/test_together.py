"""People interviewed in turn, each learning from all others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from setmargin.errors import OptionError, PeopleError
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.experiments.together import Pick, Turn, interview_together
from setmargin.experiments.trial import run_trial
from setmargin.space.catalogue import load
from setmargin.strategies.rivals.musm import Musm

SPACE = load("synthetic:3")
NOISELESS = Response(model="noiseless")


def similar_people(count: int) -> list[Person]:
    rng = np.random.default_rng(3)
    middle = rng.uniform(1, 100, 9) * (rng.random(9) < 0.5)
    weights = [middle * rng.uniform(0.8, 1.2, 9) for _ in range(count)]
    return [
        Person(space=SPACE, weights=each, response=NOISELESS, number=number)
        for number, each in enumerate(weights, start=1)
    ]


def test_one_person_alone_is_interviewed_as_ever() -> None:
    person = next(draw_people(SPACE, 1, seed=2))
    together = interview_together([person], turns=4)
    alone = run_trial(Musm(), person, questions=4, how="choice")
    assert [each["loss"] for each in together] == [each["loss"] for each in alone]


@pytest.mark.parametrize(("pick", "rounds"), [("fewest", 2), ("spread", None), ("random", None)])
def test_everybody_gets_their_turns(pick: Pick, rounds: int | None) -> None:
    turns = list(interview_together(similar_people(3), turns=6, pick=pick))
    asked = Counter(each["person"] for each in turns)
    assert [each["turn"] for each in turns] == [1, 2, 3, 4, 5, 6]
    for person, count in asked.items():
        assert [each["question"] for each in turns if each["person"] == person] == list(range(1, count + 1))
    if rounds:
        assert set(asked.values()) == {rounds}
    assert turns == list(interview_together(similar_people(3), turns=6, pick=pick)), "the same seed, the same turns"


def test_those_who_are_asked_later_gain_from_those_before() -> None:
    people = similar_people(6)

    def lost(strategy: Musm) -> float:
        first = [each for each in interview_together(people, strategy, turns=6, pick="fewest") if each["turn"] > 3]
        return float(np.mean([each["relative_loss"] for each in first]))

    assert lost(Musm(transfer="sumcov")) < lost(Musm(transfer="indep"))


def test_it_ends_when_nobody_can_be_asked_anything() -> None:
    tiny = load("synthetic:2")
    people = [
        Person(space=tiny, weights=np.array(weights), response=NOISELESS, number=number)
        for number, weights in enumerate(([9.0, 1, 5, 2], [1.0, 8, 3, 7]), start=1)
    ]
    turns: list[Turn] = list(interview_together(people, turns=100))
    assert len(turns) < 20
    assert {each["person"]: each["loss"] for each in turns} == {1: 0.0, 2: 0.0}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"pick": "oldest"}, OptionError, "who is asked next is 'oldest'; there is"),
        ({"turns": 0}, OptionError, "0 questions are no trial"),
        ({"people": []}, PeopleError, "there are no people"),
        ({"people": "two spaces"}, OptionError, "different spaces"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    people = similar_people(2)
    if options.get("people") == "two spaces":
        options = {"people": [people[0], replace(people[1], space=SPACE.with_rules("x1 = 1"))]}
    with pytest.raises(error, match=words):
        interview_together(**{"people": people, **options})
