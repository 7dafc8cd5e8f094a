"""The strategy as a whole: people of every sort, what it claims, and what it says about its reasons."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Choice, NoDifference, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import AnswerError, OptionError
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.stakes import COMPARISONS, CONVERSATION, influence_of, questions_left
from setmargin.strategies.bayes.strategy import Bayes, BayesBelief
from setmargin.strategies.registry import make_strategy
from setmargin.strategies.shared.evidence import Manner

SPACE = Space(
    {"a": [0, 1, 2, 3], "b": [0, 1, 2], "c": [0, 1, 2]},
    quantities=[Quantity("price", {"a": 1.0, "b": 1.0}, better="lower")],
    rules=["a = 3 => b != 0"],
)
NOISELESS = Response(model="noiseless")


def person(**weights: float) -> Person:
    """Somebody who values only these features; a name such as a_2 is the feature a=2."""
    names = {name.replace("=", "_"): place for place, name in enumerate(SPACE.feature_names)}
    values = np.zeros(len(names))
    for name, weight in weights.items():
        values[names[name]] = weight
    return Person(space=SPACE, weights=values, response=NOISELESS)


def interviewed(strategy: Bayes, who: Person, questions: int, *, seed: int = 0) -> BayesBelief:
    belief, noise = strategy.start(who.space, seed=seed), who.noise()
    for _ in range(questions):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, who.answer(question, "choice", noise))
    return belief


def loss(strategy: Bayes, belief: BayesBelief, who: Person) -> float:
    return who.relative_loss(strategy.recommend(belief).configuration)


# People of every sort


@pytest.mark.parametrize("taste", [{"a_2": 80}, {"b_1": 5}, {"price": 60}])
def test_a_person_with_one_single_taste_gets_it(taste: dict[str, float]) -> None:
    strategy, who = Bayes(until=0.0), person(**taste)
    assert loss(strategy, interviewed(strategy, who, 12), who) == pytest.approx(0.0, abs=1e-9)


def test_somebody_who_sees_no_difference_anywhere_is_soon_left_in_peace() -> None:
    strategy = Bayes()
    belief = interviewed(strategy, person(), 30)
    assert len(belief.history) < 20
    SPACE.check(strategy.recommend(belief).configuration)


def test_contradictory_answers_are_put_down_to_noise() -> None:
    strategy = Bayes(until=0.0)
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    sure = strategy.learn(belief, question, Choice(0))
    torn = strategy.learn(sure, question, Choice(1))
    for _ in range(3):
        torn = strategy.learn(strategy.learn(torn, question, Choice(0)), question, Choice(1))
    assert torn.population.manner.sharpness.mean() < sure.population.manner.sharpness.mean()
    assert np.isfinite(torn.population.weights).all()


def test_one_wrong_answer_does_not_decide() -> None:
    who = person(a_1=90, b_2=60, c_0=30)
    strategy = Bayes(until=0.0)
    belief, noise = strategy.start(SPACE), who.noise()
    for turn in range(16):
        question = strategy.ask(belief)
        assert question is not None
        answer = who.answer(question, "choice", noise)
        instead = Choice(int(answer.option == 0)) if isinstance(answer, Choice) else answer
        wrong = instead if turn == 3 else answer
        belief = strategy.learn(belief, question, wrong)
    assert loss(strategy, belief, who) < 0.05


def test_attributes_that_nobody_cares_about_turn_out_unimportant() -> None:
    strategy, who = Bayes(until=0.0), person(a_1=90, a_0=20)
    shares = strategy.importance(interviewed(strategy, who, 14))
    assert next(iter(shares)) == "a"
    assert shares["a"].mean > 0.5 > 0.25 > max(shares["b"].mean, shares["c"].mean)


def test_a_must_have_in_the_middle_is_obeyed_and_what_was_learnt_stays() -> None:
    strategy, who = Bayes(until=0.0), person(a_1=90, a_2=60, b_2=30)
    belief = interviewed(strategy, who, 10)
    narrow = SPACE.with_rules("a != 1")
    held = strategy.restrict(belief, narrow)
    assert strategy.recommend(held).configuration["a"] != 1
    assert (held.population.weights == belief.population.weights).all()
    question = strategy.ask(held)
    assert question is not None
    assert all(option["a"] != 1 for option in question.options)


def test_one_configuration_is_recommended_without_doubt() -> None:
    strategy, space = Bayes(), Space({"a": [1], "b": ["x"]})
    belief = strategy.start(space)
    assert strategy.ask(belief) is None
    assert strategy.stakes(belief).expected_loss == pytest.approx(0.0, abs=1e-6)
    assert strategy.stakes(belief).questions_left == 0


def test_a_quantity_that_matters_is_noticed() -> None:
    strategy, who = Bayes(until=0.0), person(price=90, c_1=20)
    shares = strategy.importance(interviewed(strategy, who, 14))
    assert shares["price"].mean > 0.3


@pytest.mark.parametrize("answer", [Ranking((2, 0, 1)), NoDifference(), Choice(2)])
def test_every_kind_of_answer_teaches_something(answer: Answer) -> None:
    strategy = Bayes(set_size=3)
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    after = strategy.learn(belief, question, answer)
    assert not np.array_equal(after.population.weights, belief.population.weights)


def test_a_skip_teaches_nothing_and_another_question_follows() -> None:
    strategy = Bayes()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    after = strategy.learn(belief, question, Skip())
    assert after.population is belief.population
    assert strategy.ask(after) not in (None, question)


def test_an_answer_that_does_not_fit_is_refused() -> None:
    strategy = Bayes()
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    with pytest.raises(AnswerError):
        strategy.learn(belief, question, Choice(9))


# What it claims


def everybody(kind: Any, questions: int) -> tuple[Floats, Floats, Floats]:
    """True losses, expected ones, and the probability of being near the best, after so many questions."""
    strategy = Bayes(until=0.0, samples=192)
    rows = []
    for who in draw_people(SPACE, 30, weights=kind, response=NOISELESS, seed=7):
        belief = interviewed(strategy, who, questions, seed=who.strategy_seed)
        stakes = strategy.stakes(belief)
        rows.append((loss(strategy, belief, who), stakes.expected_loss, stakes.probability_within))
    lost, expected, near = np.array(rows).T
    return lost, expected, near


def test_claims_are_about_as_true_as_they_say(thorough: bool) -> None:
    found = [everybody(kind, 4 if thorough else 2) for kind in KINDS]
    lost, expected, near = (np.concatenate(parts) for parts in zip(*found, strict=True))
    error = lost.std() / np.sqrt(len(lost))
    assert abs(lost.mean() - expected.mean()) < 4 * error + 0.03  # nobody slips here, which is not known
    assert abs((lost <= 0.05).mean() - near.mean()) < 0.2


KINDS = ("uniform", "sparse-uniform")


def test_it_stops_when_little_is_expected_to_be_lost_and_not_before() -> None:
    strategy, who = Bayes(until=0.1), person(a_1=90, b_2=60, c_0=30)
    belief = interviewed(strategy, who, 40)
    assert strategy.ask(belief) is None
    assert strategy.stakes(belief).expected_loss < 0.1
    assert strategy.stakes(belief).questions_left == 0
    assert all(loss >= 0.1 for loss in belief.trail[:-1])


def test_the_questions_left_follow_the_pace_of_the_answers() -> None:
    quick, slow = [0.5, 0.2, 0.1], [0.5, 0.49, 0.48, 0.47, 0.46]
    assert 1 <= questions_left(quick, 0.03, COMPARISONS[2]) < questions_left(slow, 0.03, COMPARISONS[2])
    assert questions_left([*quick, 0.02], 0.03, COMPARISONS[2]) == 0


def test_answers_that_say_more_leave_fewer_questions() -> None:
    left = [questions_left([0.5], 0.03, pace) for pace in (CONVERSATION, *(COMPARISONS[k] for k in (4, 3, 2)))]
    assert left == sorted(left)
    assert left[0] <= 8


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
@settings(derandomize=True, deadline=None)
def test_the_questions_left_never_rise_and_end_where_the_goal_is_reached(trail: list[float]) -> None:
    said = [questions_left(trail[:length], 0.03, CONVERSATION) for length in range(1, len(trail) + 1)]
    open_ones = [left for left in said if left]
    assert open_ones == sorted(open_ones, reverse=True)
    assert all((left == 0) == (loss <= 0.03) for left, loss in zip(said, trail, strict=True))


def test_a_must_have_is_no_sign_of_quick_answers() -> None:
    strategy = Bayes(until=0.0)
    belief = interviewed(strategy, person(a_1=90, b_2=60), 4)
    held = strategy.restrict(belief, SPACE.with_rules("a = 1"))
    assert held.trail_now[-1] == pytest.approx(strategy.stakes(held).expected_loss)
    steps = [np.diff(np.log(each.trail_now)) for each in (belief, held)]
    assert steps[1] == pytest.approx(steps[0])


def test_a_stop_that_is_never_reached_keeps_asking() -> None:
    strategy, who = Bayes(until=0.0), person(a_1=90)
    assert len(interviewed(strategy, who, 25).history) == 25


# Its reasons


def test_shares_of_importance_are_a_whole_and_lie_in_their_intervals() -> None:
    strategy = Bayes()
    shares = strategy.importance(strategy.start(SPACE))
    assert set(shares) == {"a", "b", "c", "price"}
    assert sum(share.mean for share in shares.values()) == pytest.approx(1.0)
    assert all(0 <= share.low <= share.mean <= share.high <= 1 for share in shares.values())


def test_what_must_haves_settled_is_not_important_any_more() -> None:
    strategy = Bayes(until=0.0)
    belief = interviewed(strategy, person(a_1=90, b_2=60), 6)
    narrow = strategy.restrict(belief, SPACE.with_rules("a = 1", "b != 2"))
    shares = strategy.importance(narrow)
    assert (shares["a"].mean, shares["a"].high) == (0.0, 0.0)
    assert 0 < shares["b"].mean < 1
    weights = belief.population.weights.T.astype(float)
    b, c, price = weights[:, 4:6], weights[:, 7:10], weights[:, 10]
    spans = np.stack([np.ptp(b, axis=1), np.ptp(c, axis=1), price * np.ptp(SPACE.costs[0, 4:6])], axis=1)
    spans = spans[spans.sum(axis=1) > 0]
    assert shares["b"].mean == pytest.approx((spans / spans.sum(axis=1, keepdims=True))[:, 0].mean())


def test_the_answer_that_decided_is_named() -> None:
    """Two people like blue, one likes red and would hardly have given the first answer."""
    space = Space({"a": ["red", "blue"]})
    values = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    manner = Manner.drawn(np.random.default_rng(0), 3)
    optima, weights = np.array([[1], [1], [0]]), values.T.astype(np.float32)
    samples = Samples(oracle_for(space), oracle_for(space), values, optima, np.ones(3), manner, weights)
    (only,) = influence_of(samples, [(0, np.log([0.9, 0.9, 0.01])), (4, np.log([0.5, 0.5, 0.5]))])
    assert only.number == 0
    assert only.instead["a"] == "red"
    assert only.gain == pytest.approx((100 - 2 / 0.9) / (100 + 2 / 0.9))


def test_only_given_answers_have_influence() -> None:
    strategy = Bayes()
    belief = strategy.start(SPACE)
    for answer in (Skip(), Choice(0), Skip(), Choice(0), Choice(0)):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.learn(belief, question, answer)
    found = strategy.influence(belief)
    assert {each.number for each in found} <= {1, 3, 4}
    assert all(one.gain >= other.gain > 0 for one, other in pairwise(found))


def test_recommended_weights_make_the_recommendation_best() -> None:
    strategy = Bayes()
    belief = interviewed(strategy, person(a_1=90, b_2=60), 5)
    recommendation = strategy.recommend(belief)
    assert belief.oracle.best(recommendation.weights) == recommendation.configuration


# The belief as a value


def test_a_belief_is_small_even_in_a_large_space() -> None:
    space = Space({f"a{number}": list(range(20)) for number in range(20)})
    strategy = Bayes()
    belief = strategy.start(space)
    question = strategy.ask(belief)
    assert question is not None
    belief = strategy.learn(belief, question, Choice(0))
    assert len(pickle.dumps(belief.population)) < 400_000
    assert len(pickle.dumps(belief)) < 500_000


def test_replaying_the_answers_gives_the_same_people() -> None:
    strategy = Bayes()
    belief = interviewed(strategy, person(a_1=90, b_2=60), 4, seed=3)
    again = strategy.start(SPACE, seed=3)
    for question, answer in belief.history:
        again = strategy.learn(again, question, answer)
    assert (again.population.weights == belief.population.weights).all()
    assert again.trail == belief.trail


def test_a_restricted_belief_looks_at_the_new_space() -> None:
    strategy = Bayes()
    belief = strategy.start(SPACE)
    assert belief.samples.oracle.space == SPACE
    narrow = SPACE.with_rules("a = 0")
    assert strategy.restrict(belief, narrow).samples.oracle.space == narrow
    assert replace(belief, seed=1) != belief


# Options


@pytest.mark.parametrize(
    "options", [{"until": 1.0}, {"until": -0.1}, {"differences": 0}, {"samples": 1}, {"set_size": 7}, {"set_size": 1}]
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Bayes(**options)


def test_options_are_plain_data_from_which_the_registry_makes_an_equal_strategy() -> None:
    strategy = Bayes(set_size=3, until=0.05, differences=2, hints={"a": 0.5}, samples=100)
    again = make_strategy("bayes", **strategy.options())
    assert again.options() == strategy.options()


def test_hints_change_what_is_believed_at_first() -> None:
    told = Bayes(hints={"a": 0.0})
    shares = told.importance(told.start(SPACE))
    assert shares["a"].mean == 0.0
