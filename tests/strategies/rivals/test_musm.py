"""Multi-user max-margin: its box, setmargin as its special case, and what earlier people are worth."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice
from setmargin.arrays import Floats
from setmargin.errors import InterviewError, OptionError
from setmargin.interview.interview import Interview
from setmargin.laws.checks import interview, noiseless, small_space, taste
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import make_strategy
from setmargin.strategies.rivals import musm
from setmargin.strategies.rivals.musm import Musm, likeness, of_length_one, spread
from setmargin.strategies.setmargin.strategy import FIRST, SetMargin, SetMarginBelief
from setmargin.strategies.setmargin.tuning import Tuning

SPACE = Space({"a": ["x", "y", "z"], "b": [1, 2, 3], "c": ["p", "q"]})
SOMEBODY = [1.0, 0.0, 0.0, 0.0, 0.6, 0.0, 0.0, 0.3]


def asked_and_recommended(strategy: Strategy[Any], space: Space, *, seed: int, budget: int = 8) -> list[object]:
    beliefs = interview(strategy, strategy.start(space, seed=seed), taste(space, seed), budget=budget)
    return [(question, strategy.recommend(belief)) for belief, question in beliefs]


# The box


@given(seed=st.integers(0, 10**6), size=st.integers(2, 4))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_likeness_and_spread_are_the_published_ones(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    own, others = (of_length_one(rng.random((n, 8))) for n in (size, 3))
    for v, alike in enumerate(likeness(own, others, tau=0.7)):
        distances = [sum((x - y) ** 2 for x, y in zip(w, others[v], strict=True)) for w in own]
        assert alike == pytest.approx(exp(-0.7 * sum(distances) / size))
    apart = sum(float((own[i] - own[j]) @ (own[i] - own[j])) for j in range(size) for i in range(j))
    assert spread(own) == pytest.approx((1 + apart) / (2 * size * (size - 1)))
    assert 0 < spread(own) < 1


def test_the_box_is_the_published_one() -> None:
    own = of_length_one(np.array([[1.0, 0, 0, 1, 0, 0, 1, 0], [1.0, 0, 0, 0, 1, 0, 0, 1]]))
    earlier = [SOMEBODY, SOMEBODY[::-1]]
    unit = of_length_one(np.array(earlier))
    alike = likeness(own, unit, tau=0.25)
    share, shift = Musm(earlier=earlier, transfer="sumcov", weight=0.3).box(SPACE, own)
    assert share == pytest.approx(0.7)
    assert shift == pytest.approx(0.3 * (alike[0] * unit[0] + alike[1] * unit[1]))
    share, shift = Musm(earlier=earlier).box(SPACE, own)
    known = 1 - 1 / 4  # of an earlier person one vector is known, so all k of it are the same
    assert share == pytest.approx(1 - spread(own))
    assert shift == pytest.approx(spread(own) * known * (alike[0] * unit[0] + alike[1] * unit[1]))


def test_somebody_alike_counts_more_and_the_scale_of_weights_does_not_count() -> None:
    own = of_length_one(np.array([SOMEBODY, SOMEBODY]))
    alike = likeness(own, of_length_one(np.array([SOMEBODY, SOMEBODY[::-1]])), tau=4.0)
    assert alike[1] < alike[0] == pytest.approx(1.0)
    small, large = (
        make_strategy("musm", earlier=scale * np.array([SOMEBODY, SOMEBODY[::-1]])) for scale in (0.01, 100.0)
    )
    assert isinstance(small, Musm)
    assert isinstance(large, Musm)
    assert small.box(SPACE, own)[1] == pytest.approx(large.box(SPACE, own)[1])


def test_a_crowd_counts_as_a_few() -> None:
    own = of_length_one(np.array([SOMEBODY, SOMEBODY[::-1]]))
    few, many = (make_strategy("musm", earlier=[SOMEBODY] * count, crowd=3.0, tau=1e-9) for count in (3, 30))
    unlimited = make_strategy("musm", earlier=[SOMEBODY] * 30, crowd=None, tau=1e-9)
    shifts = [each.box(SPACE, own)[1] for each in (few, many, unlimited) if isinstance(each, Musm)]
    assert shifts[1] == pytest.approx(shifts[0])
    assert shifts[2] == pytest.approx(10 * shifts[0])


def test_a_taste_for_a_quantity_is_passed_on() -> None:
    space = Space(
        {"a": ["x", "y"], "b": [1, 2, 3]},
        quantities=[Quantity("price", {"a": {"x": 3, "y": 0}, "b": 2.0}, better="lower")],
    )
    frugal = Musm(earlier=[[0, 0, 0, 0, 0, 2.0]], transfer="sumcov")
    belief = frugal.start(space)
    assert belief.bounds is not None
    assert belief.bounds.lower[-1] > 0
    assert not belief.bounds.lower[:-1].any()
    assert dict(frugal.recommend(belief).configuration) == {"a": "y", "b": 1}


def test_the_box_follows_the_answers_and_a_skip_leaves_it() -> None:
    strategy = Musm(earlier=[SOMEBODY, SOMEBODY[::-1]], tau=4.0)
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    answered = strategy.update(belief, question, Choice(0))
    assert belief.bounds is not None
    assert answered.bounds is not None
    assert not np.allclose(answered.bounds.lower, belief.bounds.lower)
    narrow = SPACE.with_rules("a = x")
    assert strategy.restrict(answered, narrow).bounds is answered.bounds


# Setmargin as a special case


@pytest.mark.parametrize("options", [{}, {"set_size": 3}, {"form": "paper"}, {"mode": "exact"}])
@pytest.mark.parametrize("others", [{}, {"transfer": "indep"}], ids=["nobody", "indep"])
def test_without_others_it_is_setmargin(options: dict[str, Any], others: dict[str, Any]) -> None:
    for number, space in enumerate((small_space(), load("synthetic:3"))):
        earlier = [taste(space, 5).tolist()] if others else []
        plain = make_strategy("setmargin", setting=[10, 0.1, 0.1], tuning=None, **options)
        shared = make_strategy("musm", earlier=earlier, **options, **others)
        expected = asked_and_recommended(plain, space, seed=number, budget=3)
        assert asked_and_recommended(shared, space, seed=number, budget=3) == expected
        assert len(expected) == 3


def test_it_tunes_like_setmargin_where_that_is_wanted() -> None:
    tuning = Tuning(every=2, folds=2)
    plain, shared = SetMargin(tuning=tuning), Musm(tuning=tuning, setting=FIRST)
    assert asked_and_recommended(shared, SPACE, seed=3, budget=5) == asked_and_recommended(
        plain, SPACE, seed=3, budget=5
    )


def test_a_choice_of_three_gives_two_constraints() -> None:
    strategy = Musm(set_size=3, earlier=[SOMEBODY])
    belief = strategy.start(SPACE)
    question = strategy.ask(belief)
    assert question is not None
    assert len(question.options) == 3
    assert len(strategy.update(belief, question, Choice(1)).pairs.strict) == 2


# What earlier people are worth


def loss_after(strategy: Strategy[Any], space: Space, weights: Floats, answers: int, seed: int) -> float:
    belief = strategy.start(space, seed=seed)
    for _ in range(answers):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, noiseless(space, weights, question))
    best = float(weights @ space.encode(belief.oracle.best(weights)))
    return 1 - float(weights @ space.encode(strategy.recommend(belief).configuration)) / best


def similar_people(space: Space, count: int, *, seed: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    middle = rng.uniform(1, 100, len(space.feature_names)) * (rng.random(len(space.feature_names)) < 0.4)
    return [middle * rng.uniform(0.6, 1.4, len(middle)) for _ in range(count)]


@pytest.mark.parametrize("transfer", ["sumcov", "varsumvarcov"])
def test_people_like_those_before_need_fewer_questions(transfer: str) -> None:
    space = load("synthetic:3")
    losses = []
    for seed in range(3):
        *earlier, person = similar_people(space, 7, seed=seed)
        knowing = make_strategy("musm", earlier=earlier, transfer=transfer)
        losses.append([loss_after(each, space, person, 1, seed) for each in (knowing, Musm())])
    informed, alone = np.mean(losses, axis=0)
    assert informed < 0.1 < alone


def test_somebody_unlike_a_crowd_is_served_in_the_end() -> None:
    crowd = similar_people(SPACE, 40, seed=1)
    unlike = 101.0 - np.mean(crowd, axis=0)
    assert loss_after(Musm(earlier=crowd), SPACE, unlike, 25, seed=0) == pytest.approx(0.0, abs=1e-9)


def test_earlier_people_are_learnt_from_what_they_answered() -> None:
    space = load("synthetic:3")
    strategy, people = Musm(), similar_people(space, 5, seed=2)
    histories = []
    for person in people[:4]:
        *_, (last, _) = interview(strategy, strategy.start(space), person, budget=7)
        histories.append(last.history)
    knowing = strategy.knowing(space, histories)
    assert Musm.learns_from_others
    assert [len(weights) for weights in knowing.earlier] == [len(space.feature_names)] * 4
    alone = strategy.recommend(SetMarginBelief(space, 0, histories[0], strategy.setting))
    assert knowing.earlier[0] == tuple(alone.weights)
    assert len(knowing.knowing(space, histories[:1]).earlier) == 5
    assert loss_after(knowing, space, people[4], 1, seed=0) <= loss_after(strategy, space, people[4], 1, seed=0)
    others: list[Strategy[Any]] = [SetMargin(), make_strategy("random")]
    assert all(each.knowing(space, histories) is each for each in others if not each.learns_from_others)


# Files and mistakes


def test_a_saved_interview_keeps_earlier_people(tmp_path: Path) -> None:
    saved = Interview(SPACE, Musm(earlier=[SOMEBODY, SOMEBODY[::-1]], tau=2.0), seed=3)
    saved.tell(0)
    saved.tell(1)
    saved.save(tmp_path / "interview.json")
    again = Interview.load(tmp_path / "interview.json")
    assert again.strategy == saved.strategy
    assert repr(again.strategy) == "Musm(earlier=<2 people>, tau=2.0)"
    assert again.ask() == saved.ask()
    assert again.recommend() == saved.recommend()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"earlier": [[1, 2], [1, 2, 3]]}, "2 to 3 weights; give everybody equally many"),
        ({"earlier": [[1, 2], [1, -2]]}, "a weight of earlier person 2 is -2.0; give finite numbers, 0 or more"),
        ({"earlier": [[1, float("nan")]]}, "earlier person 1 is nan"),
        ({"earlier": 3}, "earlier is 3; give a list with a list of weights for each earlier person"),
        ({"earlier": ["101"]}, "give a list with a list of weights"),
        ({"earlier": [["much"]]}, "give a list with a list of weights"),
        ({"transfer": "all"}, "give indep or sumcov or varsumvarcov"),
        ({"tau": 0.0}, "tau is 0.0; give a positive number"),
        ({"crowd": 0.0}, "crowd is 0.0; give a positive number, or nothing for no limit"),
        ({"weight": 1.5}, "weight is 1.5; give a number from 0 to 1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as refused:
        make_strategy("musm", **options)
    assert words in str(refused.value)


def test_more_people_than_files_keep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(musm, "MOST_NUMBERS", 20)
    assert len(Musm(earlier=[SOMEBODY] * 2).earlier) == 2
    with pytest.raises(OptionError, match="3 earlier people are more than saved interviews keep; give 2 or fewer"):
        Musm(earlier=[SOMEBODY] * 3)


def test_weights_of_another_catalogue_are_refused() -> None:
    with pytest.raises(OptionError, match="8 weights, but synthetic:3 has 9 features; give weights that were learnt"):
        Musm(earlier=[SOMEBODY]).start(load("synthetic:3"))
    document = Interview(SPACE, Musm(earlier=[SOMEBODY])).document()
    document["strategy"]["earlier"] = [[1.0, 2.0]]
    with pytest.raises(InterviewError, match="2 weights"):
        Interview.from_document(document)
