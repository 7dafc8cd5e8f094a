"""People whose weights follow from normal numbers: what they are like, and whether they follow the posterior."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Change, Choice, NoDifference, Question, Ranking
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.domination import domination
from setmargin.space.space import Space
from setmargin.strategies.bayes.picks import statements_in
from setmargin.strategies.bayes.prior import Prior, shape_of
from setmargin.strategies.bayes.sampler import first_population, learnt
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.bayes.tastes import NO_ORDER, OrdinaryTastes, decided_tastes, first_people, moved_people
from setmargin.strategies.shared.changes import possible_values
from setmargin.strategies.shared.evidence import Singles

SPACE = Space(
    [
        Attribute("memory", [8, 16, 32, 64], better="higher"),
        Attribute("weight", [3, 1, 2], better="lower"),
        Attribute("screen", [11, 13, 14, 15, 17], better="peak"),
        Attribute("colour", ["red", "green"]),
    ],
    quantities=[Quantity("price", {"memory": 1.0}, better="lower")],
)
TASTES = OrdinaryTastes(SPACE, 1.0, (1.0,) * len(SPACE.things))
FOLLOWS = np.float32(0)
"""A normal number of somebody who follows the direction."""


def numbers_of(seed: int, people: int = 50, *, follow: bool) -> Singles:
    numbers = np.random.default_rng(seed).standard_normal((len(TASTES.blocks), people), dtype=np.float32)
    if follow:
        numbers[TASTES.starts[: len(SPACE.attributes)] + 1] = FOLLOWS
    return numbers


def block(weights: Singles, name: str) -> Singles:
    return weights[SPACE.features_of(name)[: SPACE.plain_features]]


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, derandomize=True, deadline=None)
def test_who_follows_the_directions_wants_more_of_what_is_better(seed: int) -> None:
    weights = TASTES.weights(numbers_of(seed, follow=True))
    assert (np.diff(block(weights, "memory"), axis=0) >= 0).all()
    assert (np.diff(block(weights, "weight")[[0, 2, 1]], axis=0) >= 0).all()
    rises = np.diff(block(weights, "screen"), axis=0) > 1e-6
    assert (np.diff(rises.astype(int), axis=0) <= 0).all()  # no rise behind a fall
    assert (block(weights, "price") >= 0).all()


def test_weights_are_never_negative_and_some_people_have_no_order() -> None:
    weights = TASTES.weights(numbers_of(0, 20_000, follow=False))
    assert (weights >= 0).all()
    disorderly = (np.diff(block(weights, "memory"), axis=0) < 0).any(axis=0).mean()
    assert disorderly == pytest.approx(NO_ORDER * 23 / 24, abs=0.01)


def test_what_cannot_matter_does_not() -> None:
    never = OrdinaryTastes(SPACE, 1.0, (0.0, 1.0, 1.0, 0.0, 0.0))
    weights = never.weights(numbers_of(1, follow=False))
    for name in ("colour", "price"):
        assert not block(weights, name).any()
    follow = never.weights(numbers_of(1, follow=True))
    assert not block(follow, "memory").any()


SMALL = Space(
    [Attribute("a", [0, 1, 2], better="higher"), Attribute("b", ["x", "y"])],
    quantities=[Quantity("price", {"a": 1.0}, better="lower")],
)


def ask(*rows: tuple[int, int], forced: bool = False) -> Question:
    return Question(tuple(SMALL.configuration(row) for row in rows), forced=forced)


HISTORIES: dict[str, tuple[tuple[Question, Answer], ...]] = {
    "choices": ((ask((0, 0), (1, 1)), Choice(1)), (ask((0, 0), (2, 1), (1, 0), forced=True), Choice(2))),
    "ties": ((ask((0, 0), (0, 1)), NoDifference()), (ask((2, 0), (1, 1), (0, 1)), Ranking((1, 0, 2)))),
    "talk": ((ask((0, 0), (2, 1)), Choice(0, because=("price",))), (ask((1, 0)), Change("b", "y"))),
}


@pytest.mark.parametrize("talk", HISTORIES)
def test_moving_agrees_with_importance_sampling(talk: str) -> None:
    tastes = OrdinaryTastes(SMALL, 1.0, (1.0, 1.0, 1.0))
    said = statements_in(SMALL, HISTORIES[talk], possible_values(SMALL))
    many = first_people(tastes, 200_000, np.random.default_rng(0))
    weights = tastes.weights(many.numbers)
    chances = np.exp(said.log_likelihood(weights, many.manner).astype(float))
    expected = (weights @ chances) / chances.sum()
    rng = np.random.default_rng(1)
    drawn = rng.choice(len(chances), size=3000, p=chances / chances.sum())
    people = type(many)(many.numbers[:, drawn], many.manner[drawn])
    for _ in range(4):
        people = moved_people(tastes, people, said, rng)
    moved = tastes.weights(people.numbers)
    error = moved.std(axis=1) / np.sqrt(len(drawn))
    assert moved.mean(axis=1) == pytest.approx(expected, abs=5 * float(error.max()))
    assert (moved != tastes.weights(many.numbers[:, drawn])).any(axis=0).mean() > 0.9


def test_everybody_is_kept_with_their_own_numbers() -> None:
    shape = shape_of(Prior(ordinary=0.5), SMALL)
    rng = np.random.default_rng(0)
    population = first_population(shape, 100, rng)
    for history in (HISTORIES["choices"][:1], HISTORIES["choices"]):
        before = statements_in(SMALL, history[-1:], possible_values(SMALL))
        said = statements_in(SMALL, history, possible_values(SMALL))
        population = learnt(population, shape, said, before, rng)
        ordinary = population.kind == shape.kinds
        assert ordinary.sum() == population.numbers[0].shape[1]
        again = shape.tastes[0].weights(population.numbers[0].astype(np.float32))
        assert population.weights[:, ordinary] == pytest.approx(again, abs=5e-3)
    assert population.size == 100


def test_an_answer_about_two_values_says_something_about_a_third() -> None:
    values = [64, 256, 512]
    shares = []
    for better in (None, "higher"):
        space = Space([Attribute("b", ["x", "y"]), Attribute("m", values, better=better)])
        strategy = Bayes(policy="comparisons", set_size=2, ordinary=0.95, samples=2000)
        belief = strategy.start(space)
        shown = tuple(space.configuration(row) for row in ([0, 0], [1, 2]))
        weights = strategy.learn(belief, Question(shown), Choice(1)).samples.weights
        shares.append(float((weights[3] >= weights[2]).mean()))  # 256 against 64, though 512 was taken
    assert shares[1] > 0.9 > shares[0]


def test_nobody_is_asked_to_choose_what_is_worse_by_every_direction() -> None:
    strategy = Bayes(policy="comparisons", set_size=2, until=0.0, samples=96)
    belief = strategy.start(SPACE)
    for _ in range(8):
        question = strategy.ask(belief)
        assert question is not None
        rows = np.stack([SPACE.indices(option) for option in question.options])
        assert not domination(SPACE, rows, rows).any()
        belief = strategy.learn(belief, question, Choice(0))


def test_whoever_wants_less_of_a_quantity_loses_nothing_with_their_best() -> None:
    shape = shape_of(Prior(ordinary=0.5), SMALL)
    population = first_population(shape, 60, np.random.default_rng(3))
    weights = population.weights.copy()
    weights[-1] *= -1
    turned = type(population)(weights, population.kind, population.manner)
    samples = Samples.of(oracle_for(SMALL), turned)
    everything = np.array([[a, b] for a in range(3) for b in range(2)])
    worth = samples.worth(everything)[samples.cares]
    assert worth.max(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert worth.min() >= -1e-4


def test_decided_people_follow_nearly_every_direction_and_leave_what_hints_leave() -> None:
    hinted = (1.0, 0.05, 1.0, 1.0, 1.0)
    tastes = decided_tastes(SPACE, 1.0, hinted)
    weights = tastes.weights(numbers_of(3, 2000, follow=False))
    rising = (np.diff(block(weights, "memory"), axis=0) >= 0).all(axis=0)
    assert 0.96 < rising.mean() < 1
    assert (block(weights, "weight").max(axis=0) > 0).mean() < 0.1


def test_ways_from_the_worst_to_the_best_are_straight_bent_and_steep_in_places() -> None:
    heights = block(TASTES.weights(numbers_of(4, 2000, follow=True)), "memory")
    heights = heights[:, heights[-1] > 0] / heights[-1][heights[-1] > 0]
    largest = np.diff(heights, axis=0).max(axis=0)
    assert (largest < 0.5).mean() > 0.15
    assert (largest > 0.8).mean() > 0.15
    assert 0.2 < (heights[1] > 1 / 3).mean() < 0.8
