"""Explanations add up, and the runner-up is really the second best."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice, NoDifference, Question
from setmargin.arrays import Floats, Ints
from setmargin.interview.explain import Explanation, decisive_answers, explain
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import Influence, Recommendation, Share
from tests.solve.spaces_with_rules import feasible, ruled_space, worth

claims = settings(derandomize=True, deadline=None, max_examples=50)
seeds = st.integers(0, 2**32 - 1)

DESK = Space(
    {"wood": ["oak", "pine"], "width": [100, 120, 140]},
    quantities=[Quantity("price", {"wood": {"oak": 300, "pine": 100}, "width": 1}, better="lower", unit="€")],
)
WEIGHTS = np.array([0.5, 0.0, 0.0, 0.1, 0.3, 0.4])


def explained(space: Space, weights: Floats, *, oracle: Oracle | None = None) -> Explanation:
    """The explanation of the best configuration for these weights."""
    oracle = oracle or oracle_for(space)
    return explain(oracle, Recommendation(oracle.best(weights), weights))


def some_weights(space: Space, seed: int) -> Floats:
    """As learnt: between 0 and 1, sometimes with many zeros and ties, sometimes negative."""
    rng = np.random.default_rng(seed)
    size = len(space.feature_names)
    kinds = (
        rng.random(size),
        (rng.random(size) < 0.3).astype(float),
        rng.integers(0, 4, size) / 10,
        rng.normal(size=size),
    )
    return np.asarray(kinds[seed % 4], dtype=np.float64)


@claims
@given(seed=seeds)
def test_contributions_add_up_to_the_utility(seed: int) -> None:
    space = ruled_space(seed)
    feasible(space)
    weights = some_weights(space, seed)
    why = explained(space, weights)
    assert set(why.contributions) <= set(space.feature_names)
    assert sum(why.contributions.values()) == pytest.approx(why.utility, abs=1e-12)
    assert why.utility == pytest.approx(float(weights @ space.encode(why.configuration)), abs=1e-12)
    assert why.amounts == space.amounts(why.configuration)


@claims
@given(seed=seeds)
def test_importance_is_a_sorted_share_of_all_that_is_at_stake(seed: int) -> None:
    space = ruled_space(seed)
    feasible(space)
    weights = some_weights(space, seed)
    why = explained(space, weights)
    assert set(why.importance) == {a.name for a in space.attributes} | {q.name for q in space.quantities}
    shares = list(why.importance.values())
    assert all(earlier >= later - 1e-9 for earlier, later in pairwise(shares))
    assert min(shares) >= 0.0
    stakes = stakes_by_hand(space, weights)
    assert sum(shares) == pytest.approx(1.0 if sum(stakes.values()) else 0.0)
    for name, stake in stakes.items():
        assert why.importance[name] * sum(stakes.values()) == pytest.approx(stake, abs=1e-12)


def stakes_by_hand(space: Space, weights: Floats) -> dict[str, float]:
    """How far apart the ends of each attribute and quantity are."""
    starts = [*space.offsets.tolist(), len(weights)]
    stakes = {
        attribute.name: float(np.ptp(weights[start:end]))
        for attribute, (start, end) in zip(space.attributes, pairwise(starts), strict=False)
    }
    for number, quantity in enumerate(space.quantities):
        everything = np.array(list(np.ndindex(space.domains)))
        amounts = space.features(everything)[:, starts[-2] + number]
        stakes[quantity.name] = abs(weights[starts[-2] + number]) * float(np.ptp(amounts))
    return stakes


@settings(claims, max_examples=80)
@given(seed=seeds)
def test_the_runner_up_is_the_second_best_and_the_lead_is_what_separates_it(seed: int) -> None:
    space = ruled_space(seed)
    rows = feasible(space)
    assume(len(rows) > 1)
    weights = some_weights(space, seed)
    why = explained(space, weights)
    assert why.runner_up is not None
    assert why.runner_up != why.configuration
    best, second = -np.sort(-worth(space, rows, weights))[:2]
    found = worth(space, row_of(space, why.configuration), weights)[0]
    other = worth(space, row_of(space, why.runner_up), weights)[0]
    assert (found, other) == (pytest.approx(best, abs=1e-12), pytest.approx(second, abs=1e-12))
    assert why.lead >= 0.0
    assert why.lead == pytest.approx(sum(why.separation.values()), abs=1e-8)
    assert why.lead == pytest.approx(best - second, abs=1e-8)


def row_of(space: Space, configuration: Configuration) -> Ints:
    row: Ints = space.indices(configuration)[None]
    return row


@claims
@given(seed=seeds)
def test_a_tie_has_no_lead_whatever_rounding_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = rng.random(4)
    space = Space({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, rules=["a = b", "a != c"])
    weights = np.zeros(6)
    weights[[0, 2, 5]] = parts[:3] * parts[3]
    weights[[1, 3, 4]] = weights[[5, 0, 2]]  # the same three numbers in another order
    why = explained(space, weights)
    assert why.runner_up is not None
    assert why.lead == 0.0


def test_everything_that_separates_is_named_and_nothing_else() -> None:
    why = explained(DESK, WEIGHTS)
    assert dict(why.configuration) == {"wood": "oak", "width": 140}
    assert why.runner_up is not None
    assert dict(why.runner_up) == {"wood": "oak", "width": 120}
    assert set(why.separation) == {"width", "price"}
    assert why.separation["width"] == pytest.approx(0.2)
    assert why.separation["price"] < 0
    assert why.lead == pytest.approx(0.2 + why.separation["price"])
    assert list(why.importance) == ["wood", "width", "price"]


def test_an_attribute_that_differs_is_named_also_if_it_is_worth_nothing() -> None:
    why = explained(DESK, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert set(why.importance.values()) == {0.0}
    assert why.runner_up is not None
    differing = {name for name in why.configuration if why.configuration[name] != why.runner_up[name]}
    assert differing <= set(why.separation)
    assert (why.lead, why.utility) == (0.0, 0.0)


def test_a_single_configuration_has_no_runner_up() -> None:
    only = DESK.with_rules("wood = oak", "width = 120")
    why = explained(only, WEIGHTS)
    assert why.runner_up is None
    assert why.separation == {}
    assert why.lead == 0.0
    assert why.document()["runner_up"] is None


def test_a_recommendation_that_is_not_the_best_trails_the_best() -> None:
    worst = DESK.configuration([1, 0])
    why = explain(oracle_for(DESK), Recommendation(worst, WEIGHTS))
    assert why.configuration == worst
    assert why.runner_up == oracle_for(DESK).best(WEIGHTS)
    assert why.lead < 0


def test_the_engine_makes_no_difference() -> None:
    by_milp = Oracle(DESK, engine=MilpEngine(lower(DESK)))
    assert explained(DESK, WEIGHTS) == explained(DESK, WEIGHTS, oracle=by_milp)


def test_the_document_is_plain_data_with_everything_in_it() -> None:
    why = explained(DESK, WEIGHTS)
    document = json.loads(json.dumps(why.document()))
    assert document == {
        "configuration": {"wood": "oak", "width": 140},
        "amounts": {"price": 440.0},
        "utility": why.utility,
        "contributions": why.contributions,
        "importance": why.importance,
        "runner_up": {"wood": "oak", "width": 120},
        "separation": why.separation,
        "lead": why.lead,
        "intervals": None,
        "decisive": None,
    }


# What a strategy knows besides


def known() -> Explanation:
    best, other = DESK.configuration([0, 2]), DESK.configuration([1, 0])
    history = ((Question((best, other)), Choice(0)), (Question((other, best)), NoDifference()))
    return explain(
        oracle_for(DESK),
        Recommendation(best, WEIGHTS),
        shares={"wood": Share(0.6, 0.5, 0.8), "width": Share(0.4, 0.1, 0.5), "price": Share(0.0, 0.0, 0.0)},
        decisive=decisive_answers(history, [Influence(1, 0.25, other)]),
    )


def test_importance_is_what_the_strategy_says_it_is_with_its_intervals() -> None:
    assert known().importance == {"wood": 0.6, "width": 0.4, "price": 0.0}
    assert known().intervals == {"wood": (0.5, 0.8), "width": (0.1, 0.5), "price": (0.0, 0.0)}


def test_a_decisive_answer_comes_with_what_was_asked_and_said() -> None:
    why = known()
    document = json.loads(json.dumps(why.document()))
    assert document == why.document()
    assert document["intervals"]["wood"] == [0.5, 0.8]
    oak, pine = {"wood": "oak", "width": 140}, {"wood": "pine", "width": 100}
    (decisive,) = document["decisive"]
    assert decisive == {"number": 1, "question": [pine, oak], "answer": {"equal": True}, "instead": pine, "gain": 0.25}
