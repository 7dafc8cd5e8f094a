"""What is told about attributes that say what is better: trends are part of their attribute."""

from __future__ import annotations

import numpy as np
import pytest

from setmargin import Attribute, Choice, Configuration, Interview, Quantity, Question, Space, oracle_for
from setmargin.answers import Change, differing
from setmargin.interview.explain import alternatives, explain, importance_by, tradeoffs, worth_apart
from setmargin.space.domination import dominates
from setmargin.strategies.base import Recommendation
from setmargin.strategies.shared.changes import gains_of
from setmargin.strategies.shared.reasons import contributions_of

SPACE = Space(
    [
        Attribute("memory", [8, 16, 32], unit="GB", better="higher"),
        Attribute("screen", [13, 14, 17], better="peak"),
        Attribute("colour", ["red", "green"]),
    ],
    quantities=[Quantity("price", {"memory": 10, "screen": 1}, better="lower")],
)
SMALL, LARGE = (Configuration({"memory": memory, "screen": 14, "colour": "red"}) for memory in (8, 32))
WEIGHTS = SPACE.weights({"memory>=16": 0.4, "memory (more)": 0.2, "memory=32": 0.1, "screen~14": 0.3, "price": 0.2})
BEST = Recommendation(oracle_for(SPACE).best(WEIGHTS), WEIGHTS)


def test_contributions_name_values_and_quantities_alone() -> None:
    told = explain(oracle_for(SPACE), BEST)
    assert set(told.contributions) <= {"memory=32", "screen=14", "colour=red", "colour=green", "price"}
    assert sum(told.contributions.values()) == pytest.approx(told.utility)
    assert told.contributions["memory=32"] == pytest.approx(0.7)
    assert set(told.importance) == set(told.separation) | set(SPACE.things) == set(SPACE.things)


def test_an_attribute_is_as_important_as_all_its_trends_together() -> None:
    stakes = {"memory": 0.7, "screen": 0.3 * 0.75, "colour": 0.0}
    found = importance_by(SPACE, WEIGHTS)
    for name, stake in stakes.items():
        assert found[name] / found["memory"] == pytest.approx(stake / 0.7)
    assert next(iter(found)) == "memory"


def test_what_two_are_apart_is_told_by_attribute() -> None:
    apart = worth_apart(SPACE, WEIGHTS, LARGE, SMALL)
    assert set(apart) == {"memory", "price"}
    assert apart["memory"] == pytest.approx(0.7)
    assert sum(apart.values()) == pytest.approx(float(WEIGHTS @ (SPACE.encode(LARGE) - SPACE.encode(SMALL))))


def test_options_differ_in_attributes_and_quantities() -> None:
    assert differing(SPACE, (SMALL, LARGE)) == ("memory", "price")


def test_reasons_and_changes_count_trends_as_the_attributes_own() -> None:
    names, worth = contributions_of(SPACE, WEIGHTS, Question((LARGE, SMALL)), 0)
    assert dict(zip(names, worth, strict=True))["memory"] == pytest.approx(0.7)
    changes, gains = gains_of(SPACE, WEIGHTS, Question((SMALL,)))
    larger = gains[changes.index(Change("memory", 32))]
    assert larger == pytest.approx(float(WEIGHTS @ (SPACE.encode(LARGE) - SPACE.encode(SMALL))))


def test_tradeoffs_are_told_by_attribute() -> None:
    (found,) = tradeoffs(SPACE, BEST, ((Question((SMALL, LARGE)), Choice(1)),))
    assert (found.gave_up, found.gained) == ("price", "memory")


def test_alternatives_that_have_nothing_for_them_come_last() -> None:
    free = Space(SPACE.attributes)
    weights = free.weights({"memory>=16": 0.5, "memory=32": 0.5, "screen~14": 0.4, "colour=red": 0.6})
    best = Recommendation(oracle_for(free).best(weights), weights)
    found = [each.configuration for each in alternatives(oracle_for(free), best, most=6)]
    beaten = [dominates(free, best.configuration, other) for other in found]
    assert beaten == sorted(beaten)
    assert not beaten[0]
    assert any(beaten)


@pytest.mark.parametrize("strategy", ["setmargin", "perceptron", "rivoi", "regret"])
def test_an_interview_never_speaks_of_trends(strategy: str) -> None:
    interview = Interview(SPACE, strategy)
    for _ in range(3):
        if (question := interview.ask()) is None:
            break
        worth = [float(WEIGHTS @ SPACE.encode(option)) for option in question.options]
        interview.tell(int(np.argmax(worth)))
    told = interview.explain().document()
    trends = [trend.name for trend in SPACE.trends]
    assert not any(trend in str(told) for trend in trends)
