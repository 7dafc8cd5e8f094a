"""Expected utility of selection and query iteration: every set of a small space is the judge."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Outcome, Ranking, Skip
from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.experiments.people import draw_people
from setmargin.laws.checks import small_space
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.rivals.eus_qi import (
    Eus,
    ParticlesInSpace,
    ParticleStrategy,
    Qi,
    completed,
    greedy,
    iterated,
    one_iteration,
    sampled_starts,
)
from setmargin.strategies.rivals.particles import Particles
from setmargin.strategies.shared.configurations import OptionSet, list_configurations, option_set
from tests.strategies.rivals.getting_closer import large_space, losses_before_and_after

claims = settings(derandomize=True, deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)
sizes = st.integers(2, 4)
BOTH = pytest.mark.parametrize("kind", [Eus, Qi])


def grid(attributes: int, values: int) -> Space:
    return Space({f"a{number}": list(range(values)) for number in range(attributes)})


def some_sample(space: Space, seed: int, count: int = 60) -> ParticlesInSpace:
    rng = np.random.default_rng(seed)
    values = space.value_weights(rng.uniform(1, 100, (count, len(space.feature_names))))
    shares = rng.dirichlet(np.ones(count))
    return ParticlesInSpace(oracle_for(space), values.astype(np.float32), shares.astype(np.float32))


def everything(space: Space) -> Ints:
    found = list_configurations(space)
    assert found is not None
    return found


def worth(sample: ParticlesInSpace, configurations: Ints) -> Floats:
    onehot = sample.oracle.space.onehot(configurations)
    utilities: Floats = onehot @ sample.values.T.astype(float)
    return utilities


def slow_selection(sample: ParticlesInSpace, options: Ints) -> float:
    return float(worth(sample, options).max(axis=0) @ sample.shares)


def slow_posterior(sample: ParticlesInSpace, options: Ints) -> float:
    """EPU without noise: what is best after each answer, times how likely the answer is."""
    taken, rows = worth(sample, options).argmax(axis=0), everything(sample.oracle.space)
    shares = [np.where(taken == n, sample.shares, 0) for n in range(len(options))]
    return float(sum((worth(sample, rows) @ share).max() for share in shares))


def slow_greedy(sample: ParticlesInSpace, rows: Ints, size: int) -> Ints:
    chosen = [int(np.argmax(worth(sample, rows) @ sample.shares))]
    while len(chosen) < size:
        rest = [n for n in range(len(rows)) if n not in chosen]
        chosen.append(max(rest, key=lambda n: slow_selection(sample, rows[[*chosen, n]])))
    return rows[chosen]


@given(seed=seeds, size=sizes)
@claims
def test_greedy_with_bounds_is_greedy_without(seed: int, size: int) -> None:
    sample = some_sample(grid(3, 3), seed)
    rows = everything(sample.oracle.space)
    found = greedy(sample, rows, size, set())
    assert found is not None
    np.testing.assert_array_equal(found, slow_greedy(sample, rows, size))


@given(seed=seeds)
@claims
def test_a_greedy_pair_has_three_quarters_of_the_best_at_least(seed: int) -> None:
    sample = some_sample(small_space(), seed)
    rows = everything(sample.oracle.space)
    found = greedy(sample, rows, 2, set())
    assert found is not None
    best = max(slow_selection(sample, rows[list(pair)]) for pair in combinations(range(len(rows)), 2))
    assert 0.75 * best <= slow_selection(sample, found) <= best + 1e-3


@pytest.mark.parametrize("size", [2, 3])
def test_greedy_passes_over_what_was_asked_until_its_last_option_has_no_alternative(size: int) -> None:
    sample = some_sample(small_space(), 1)
    rows, last = everything(sample.oracle.space), np.inf
    asked: set[OptionSet] = set()
    for _ in range(len(rows) - size + 1):
        found = greedy(sample, rows, size, asked)
        assert found is not None
        assert option_set(found) not in asked
        asked.add(option_set(found))
        assert slow_selection(sample, found) <= last + 1e-3
        last = slow_selection(sample, found)
    assert greedy(sample, rows, size, asked) is None


def test_blocks_of_configurations_do_not_change_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = some_sample(grid(3, 3), 2)
    rows, floor = everything(sample.oracle.space), np.full(60, 150, dtype=np.float32)
    whole = sample.gains(rows, floor)
    monkeypatch.setattr("setmargin.strategies.rivals.eus_qi.BLOCK", 200)
    np.testing.assert_allclose(sample.gains(rows, floor), whole, rtol=1e-5)
    slow = np.maximum(worth(sample, rows) - 150, 0) @ sample.shares
    np.testing.assert_allclose(whole, slow, rtol=1e-3, atol=1e-3)


@given(seed=seeds, size=sizes)
@claims
def test_an_iteration_reaches_what_the_answer_to_the_set_was_worth(seed: int, size: int) -> None:
    """EUS(T(S)) ≥ EPU(S) ≥ EUS(S), so iteration never loses."""
    sample = some_sample(small_space(), seed)
    rows = everything(sample.oracle.space)
    options = rows[np.random.default_rng(seed).choice(len(rows), size, replace=False)]
    after = slow_selection(sample, one_iteration(sample, options[None])[0])
    assert after >= slow_posterior(sample, options) - 1e-3
    assert slow_posterior(sample, options) >= slow_selection(sample, options) - 1e-3


@given(seed=seeds, size=sizes)
@claims
def test_iteration_ends_where_options_are_best_for_those_who_take_them(seed: int, size: int) -> None:
    sample = some_sample(grid(3, 3), seed)
    starts = sampled_starts(sample, size, 4, np.random.default_rng(seed))
    assert starts is not None
    ends, values = iterated(sample, starts)
    for start, end, value in zip(starts, ends, values, strict=True):
        assert value == pytest.approx(slow_selection(sample, end), rel=1e-4)
        assert value >= slow_selection(sample, start) - 1e-2
        assert value == pytest.approx(slow_posterior(sample, end), rel=1e-4)


@given(seed=seeds, size=sizes)
@claims
def test_starts_are_different_options_led_by_the_best_on_average(seed: int, size: int) -> None:
    sample = some_sample(small_space(), seed, count=3)
    starts = sampled_starts(sample, size, 5, np.random.default_rng(seed))
    assert starts is not None
    for options in starts:
        assert len(option_set(options)) == size
        np.testing.assert_array_equal(options[0], sample.oracle.best_for_values(sample.mean[None])[0])


def test_equal_options_give_way_to_runners_up() -> None:
    sample = some_sample(small_space(), 3)
    first = sample.runners(3)
    np.testing.assert_array_equal(completed(sample, first[[0, 0]]), first[:2])
    np.testing.assert_array_equal(completed(sample, first[[1, 1, 1]]), first[[1, 0, 2]])


# The strategies

FEW = 1_500
"""Particles that are enough for small spaces."""


@BOTH
@pytest.mark.parametrize("size", [2, 6])
def test_questions_have_as_many_options_as_there_may_be(kind: type[ParticleStrategy], size: int) -> None:
    strategy = kind(set_size=size, particles=FEW)
    for space, wanted in ((small_space(), size), (grid(1, 3), min(size, 3))):
        question = strategy.ask(strategy.start(space))
        assert question is not None
        assert len(question.options) == wanted


ANSWERS: tuple[Answer, ...] = (
    Choice(1),
    Ranking((2, 0, 1)),
    NoDifference(),
    Comparisons(((0, 1, Outcome.FIRST), (1, 2, Outcome.EQUAL))),
)


@BOTH
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_every_kind_of_answer_moves_the_average_towards_it(kind: type[ParticleStrategy], answer: Answer) -> None:
    strategy = kind(set_size=3, particles=FEW)
    start = strategy.start(small_space())
    question = strategy.ask(start)
    assert question is not None
    rows = np.stack([start.space.encode(option) for option in question.options])
    before, after = (rows @ b.particles.mean for b in (start, strategy.update(start, question, answer)))
    match answer:
        case Choice(option) | Ranking((option, *_)):
            assert after[option] - after.mean() > before[option] - before.mean()
        case NoDifference():
            assert np.ptp(after) < 5
        case _:
            assert after[0] - after[1] > max(0, before[0] - before[1])
            assert abs(after[1] - after[2]) < 5


@BOTH
def test_a_skip_teaches_nothing_and_is_not_asked_again(kind: type[ParticleStrategy]) -> None:
    strategy = kind(particles=FEW)
    start = strategy.start(small_space())
    question = strategy.ask(start)
    assert question is not None
    after = strategy.update(start, question, Skip())
    assert after.particles is start.particles
    assert strategy.ask(after) not in (None, question)


@BOTH
def test_everything_may_be_asked_but_nothing_twice(kind: type[ParticleStrategy]) -> None:
    strategy, space = kind(particles=50), Space({"a": [0, 1], "b": [0, 1]})
    belief, asked = strategy.start(space), set()
    while (question := strategy.ask(belief)) is not None:
        asked.add(frozenset(question.options))
        belief = strategy.update(belief, question, Skip())
    assert len(asked) == 6


@BOTH
def test_a_large_space_is_asked_about_through_the_oracle(kind: type[ParticleStrategy]) -> None:
    first, last = losses_before_and_after(kind(particles=FEW), large_space(), questions=10)
    assert last < 0.8 * first


@BOTH
def test_people_of_the_paper_are_nearly_satisfied_after_seven_questions(kind: type[ParticleStrategy]) -> None:
    losses = []
    for person in draw_people(grid(3, 3), 8, seed=1):
        strategy, noise = kind(particles=FEW), person.noise()
        belief = strategy.start(person.space, seed=person.strategy_seed)
        for _ in range(7):
            question = strategy.ask(belief)
            assert question is not None
            belief = strategy.update(belief, question, person.answer(question, "pairs", noise))
        losses.append(person.loss(strategy.recommend(belief).configuration))
    assert np.mean(losses) < 10  # published: 0.3 and 6


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Eus, {"set_size": 7}),
        (Eus, {"listed": -1}),
        (Eus, {"prior": "flat"}),
        (Qi, {"restarts": 0}),
        (Qi, {"particles": 1}),
        (Qi, {"indifference": "never"}),
    ],
    ids=str,
)
def test_impossible_options_are_refused(kind: type[ParticleStrategy], options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        kind(**options)


def test_particles_that_count_for_nothing_are_left_out_and_change_nothing() -> None:
    """Also those that are so unlikely that a number of their kind makes computers slow."""
    space = grid(3, 3)
    rng = np.random.default_rng(0)
    weights = rng.uniform(1, 100, (200, 9)).astype(np.float32)
    log_counts = np.where(np.arange(200) % 2, 0.0, -95.0).astype(np.float32)
    sample = ParticlesInSpace.of(oracle_for(space), Particles(weights, log_counts))
    likely = ParticlesInSpace.of(oracle_for(space), Particles(weights[1::2], log_counts[1::2]))
    assert len(sample.shares) == 100
    np.testing.assert_allclose(sample.mean, likely.mean, rtol=1e-6)
    whole = Particles(weights, log_counts)
    np.testing.assert_allclose(sample.mean, whole.mean, rtol=1e-6)
