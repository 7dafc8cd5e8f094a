"""How likely answers are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.experiments.responses import Response
from setmargin.space.space import Space
from setmargin.strategies.shared.evidence import (
    LEAST,
    Evidence,
    Manner,
    answer_chances,
    choice_chances,
    evidence_of,
    log_each,
    log_likelihood,
)

SPACE = Space({"a": [0, 1, 2, 3], "b": [0, 1]})
QUESTION = Question(tuple(SPACE.configuration(row) for row in ([0, 0], [1, 1], [2, 0], [3, 1])))
PAIR = Question(QUESTION.options[:2])
ORDER = (2, 0, 3, 1)
VARIED: tuple[tuple[Question, Answer], ...] = (
    (PAIR, Choice(1)),
    (QUESTION, Choice(2)),
    (QUESTION, Ranking(ORDER)),
    (PAIR, NoDifference()),
    (QUESTION, NoDifference()),
    (QUESTION, Comparisons(((0, 1, Outcome.FIRST), (2, 3, Outcome.EQUAL)))),
    (PAIR, Skip()),
)


def manner(*, sharpness: float = 1.0, lapse: float = 0.0, plain: bool = False, people: int = 1) -> Manner:
    return replace(
        Manner.drawn(np.random.default_rng(0), people),
        sharpness=np.full(people, sharpness, dtype=np.float32),
        lapse=np.full(people, lapse, dtype=np.float32),
        plain=np.full(people, plain),
    )


def likelihood(question: Question, answer: Answer, weights: Floats, how: Manner) -> float:
    evidence = evidence_of(SPACE, [(question, answer)])
    return float(np.exp(log_likelihood(evidence.rows @ weights[:, None].astype(np.float32), evidence, how))[0])


weights_of_people = st.lists(st.floats(0, 5, width=16), min_size=6, max_size=6).map(np.array)


@given(weights=weights_of_people, plain=st.booleans())
@settings(max_examples=50, derandomize=True, deadline=None)
def test_a_pair_is_answered_as_simulated_people_do(weights: Floats, plain: bool) -> None:
    chances = Response(model="tree" if plain else "proportional").of_pair(
        float(weights @ (SPACE.encode(PAIR.options[0]) - SPACE.encode(PAIR.options[1])))
    )
    answers: tuple[Answer, ...] = (Choice(0), Choice(1), NoDifference())
    for answer, chance in zip(answers, chances, strict=True):
        assert likelihood(PAIR, answer, weights, manner(plain=plain)) == pytest.approx(chance, abs=2 * float(LEAST))


def test_one_of_four_is_chosen_as_simulated_people_do() -> None:
    weights = np.array([3.0, 9.0, 1.0, 0.0, 2.0, 0.0])
    utilities = np.array([weights @ SPACE.encode(option) for option in QUESTION.options])
    for option, chance in enumerate(softmax(utilities)):
        assert likelihood(QUESTION, Choice(option), weights, manner()) == pytest.approx(chance, abs=2e-3)


def test_a_ranking_is_one_choice_after_the_other() -> None:
    weights = np.array([3.0, 2.0, 4.0, 0.0, 1.0, 0.5])
    rest = [Question(tuple(QUESTION.options[o] for o in ORDER[place:])) for place in range(3)]
    product = np.prod([likelihood(question, Choice(0), weights, manner()) for question in rest])
    assert likelihood(QUESTION, Ranking(ORDER), weights, manner()) == pytest.approx(product, rel=1e-3)


def test_comparisons_are_pairs() -> None:
    weights = np.array([3.0, 2.0, 4.0, 0.0, 1.0, 0.5])
    compared = Comparisons(((0, 1, Outcome.SECOND), (2, 3, Outcome.EQUAL)))
    alone = likelihood(PAIR, Choice(1), weights, manner())
    tied = likelihood(Question(QUESTION.options[2:]), NoDifference(), weights, manner())
    assert likelihood(QUESTION, compared, weights, manner()) == pytest.approx(alone * tied, rel=1e-3)


@given(weights=weights_of_people, lapse=st.sampled_from([0.0, 0.2]), plain=st.booleans())
@settings(max_examples=30, derandomize=True, deadline=None)
def test_a_forced_choice_is_as_likely_as_a_choice_of_those_who_cannot_be_undecided(
    weights: Floats, lapse: float, plain: bool
) -> None:
    forced, how = Question(QUESTION.options, forced=True), manner(lapse=lapse, plain=plain)
    utilities = np.array([[weights @ SPACE.encode(option)] for option in QUESTION.options], dtype=np.float32)
    expected = (1 - lapse) * softmax(utilities[:, 0]) + lapse / 4
    chances = [likelihood(forced, Choice(option), weights, how) for option in range(4)]
    assert chances == pytest.approx(expected, abs=2 * float(LEAST))
    assert choice_chances(utilities, how)[:, 0] == pytest.approx(expected, abs=1e-5)


def test_a_skip_says_nothing() -> None:
    assert not len(evidence_of(SPACE, [(PAIR, Skip())]).rows)


def test_people_who_slip_may_take_anything_but_say_no_tie_by_mistake() -> None:
    sure = np.array([5.0, 0, 0, 0, 0, 0]) * 8
    assert likelihood(PAIR, Choice(1), sure, manner(lapse=0.2)) == pytest.approx(0.1, abs=1e-3)
    assert likelihood(PAIR, NoDifference(), sure, manner(lapse=0.2)) == pytest.approx(0.0, abs=1e-3)


def test_no_answer_is_impossible() -> None:
    weights = np.array([1.0, 0, 0, 0, 0, 0])
    assert likelihood(PAIR, Choice(1), weights, manner(sharpness=1000.0)) > 0


def test_choices_of_equal_and_of_different_sizes_are_counted_alike() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6, 5)).astype(np.float32)
    nobody = np.zeros((6, 0), dtype=np.float32)
    same = Evidence(nobody, np.array([0, 3]), np.array([False, True]), np.zeros(2, dtype=bool))
    ties, free = np.array([False, True, False]), np.zeros(3, dtype=bool)
    mixed = Evidence(np.zeros((7, 0), dtype=np.float32), np.array([0, 3, 6]), ties, free)
    how = manner(people=5)
    apart = log_each(np.vstack([rows, rows[:1]]), mixed, how)[:2]
    assert log_each(rows, same, how) == pytest.approx(apart, abs=1e-5)


@pytest.mark.parametrize("feature", range(6))
def test_answers_about_a_feature_are_those_that_it_changes(feature: int) -> None:
    evidence = evidence_of(SPACE, VARIED)
    rng = np.random.default_rng(feature)
    before = rng.random((6, 3)).astype(np.float32)
    after = before.copy()
    after[feature] += 0.5
    how = manner(people=3)
    rows, about = evidence.about(evidence.rows[:, feature] != 0)
    whole = [log_likelihood(evidence.rows @ w, evidence, how) for w in (before, after)]
    part = [log_likelihood((evidence.rows @ w)[rows], about, how) for w in (before, after)]
    assert whole[1] - whole[0] == pytest.approx(part[1] - part[0], abs=1e-4)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_the_chances_of_all_answers_are_one(size: int) -> None:
    utilities = np.random.default_rng(1).normal(size=(7, 4, size)).astype(np.float32)
    chances = answer_chances(utilities, manner(people=7, lapse=0.1))
    assert chances.shape == (size + 1, 4, 7)
    assert chances.sum(axis=0) == pytest.approx(1.0, abs=1e-5)


def test_foreseen_answers_are_as_likely_as_given_ones() -> None:
    weights = np.array([3.0, 2.0, 4.0, 0.0, 1.0, 0.5])
    utilities = np.array([[[weights @ SPACE.encode(option) for option in QUESTION.options]]], dtype=np.float32)
    foreseen = answer_chances(utilities, manner())[:, 0, 0]
    answers: tuple[Answer, ...] = (*map(Choice, range(4)), NoDifference())
    given_ = [likelihood(QUESTION, answer, weights, manner()) for answer in answers]
    assert foreseen == pytest.approx(np.array(given_) / sum(given_), abs=1e-4)
