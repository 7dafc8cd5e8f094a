"""The sample of people is the posterior: judged by importance sampling and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from setmargin.answers import Answer, Change, Choice, NoDifference, Question, Ranking, differing
from setmargin.arrays import Floats, Ints
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.bayes.picks import statements_in
from setmargin.strategies.bayes.prior import Prior, shape_of
from setmargin.strategies.bayes.sampler import (
    WORST_R_HAT,
    Mixing,
    Population,
    _r_hat,
    _shares,
    first_population,
    learnt,
)
from setmargin.strategies.shared.changes import gains_of, possible_values
from setmargin.strategies.shared.evidence import Singles, answer_chances
from setmargin.strategies.shared.reasons import contrast

SPACE = Space({"a": [0, 1, 2], "b": [0, 1, 2]}, quantities=[Quantity("price", {"a": {0: 1, 1: 2, 2: 4}, "b": 1.0})])
SHAPE = shape_of(Prior(), SPACE)
POSSIBLE = possible_values(SPACE)


def ask(*rows: tuple[int, int]) -> Question:
    return Question(tuple(SPACE.configuration(row) for row in rows))


HISTORY: tuple[tuple[Question, Answer], ...] = (
    (ask((0, 0), (1, 1)), Choice(0)),
    (ask((0, 1), (1, 0)), Choice(1)),
    (ask((0, 0), (2, 1)), NoDifference()),
    (ask((0, 0), (1, 0), (2, 2)), Ranking((2, 1, 0))),
    (ask((1, 0), (2, 1)), Choice(0)),
)
WITH_REASONS: tuple[tuple[Question, Answer], ...] = (
    (ask((0, 0), (1, 1)), Choice(0, ("price",))),
    (ask((0, 1), (1, 0), (2, 2)), Choice(1, ("a", "b"))),
    (ask((0, 0), (2, 1)), NoDifference(("b",))),
    (ask((0, 0), (1, 0), (2, 2)), Ranking((2, 1, 0), ("b",))),
)
WITH_CHANGES: tuple[tuple[Question, Answer], ...] = (
    (ask((0, 0)), Change("a", 2)),
    (ask((2, 0), (0, 1)), Change("price", option=0)),
    (Question((SPACE.configuration((2, 0)),), besides=(("price", None),)), Change("b", 1)),
    (ask((2, 1)), Change()),
)


def followed(population: Population, history: tuple[tuple[Question, Answer], ...], seed: int) -> Population:
    for number, event in enumerate(history, 1):
        said, new = (statements_in(SPACE, part, POSSIBLE) for part in (history[:number], [event]))
        population = learnt(population, SHAPE, said, new, np.random.default_rng([seed, number]))
    return population


def means(weights: Floats, kind: Floats, chances: Floats) -> Floats:
    """What the posterior says, in figures that can be compared."""
    differences = weights[[0, 3]] - weights[[1, 4]]
    matters = (weights > 0).astype(float)
    kinds = (kind == np.arange(len(SHAPE.log_chances))[:, None]).astype(float)
    averaged: Floats = np.concatenate([weights, differences, matters, kinds]) @ chances
    return averaged


RUNS = 12


def sampled(history: tuple[tuple[Question, Answer], ...], seed: int) -> tuple[Floats, Floats]:
    """The same from several samples of people, with its standard error."""
    runs = [first_population(SHAPE, 1000, np.random.default_rng([seed, run])) for run in range(RUNS)]
    ends = [followed(start, history, seed=100 * seed + run) for run, start in enumerate(runs)]
    share = np.full(1000, 1 / 1000)
    return _with_error([means(end.weights.astype(float), end.kind.astype(float), share) for end in ends])


def judged(history: tuple[tuple[Question, Answer], ...]) -> tuple[Floats, Floats]:
    """The same from people of the prior, weighted by how likely all the answers are."""
    said, found = statements_in(SPACE, history, POSSIBLE), []
    for run in range(4):
        prior = first_population(SHAPE, 150_000, np.random.default_rng([7, run]))
        logs = said.log_likelihood(prior.weights.astype(np.float32), prior.manner).astype(float)
        chances = np.exp(logs - logs.max())
        chances /= chances.sum()
        assert 1 / (chances**2).sum() > 400  # else the judge would be no judge
        found.append(means(prior.weights.astype(float), prior.kind.astype(float), chances))
    return _with_error(found)


def _with_error(runs: list[Floats]) -> tuple[Floats, Floats]:
    return np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))


def assert_alike(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> None:
    """Within what chance explains; the errors are themselves estimated, so a little more than usual."""
    apart = np.abs(one[0] - other[0]) / (np.hypot(one[1], other[1]) + 1e-3)
    assert apart.max() < 4.5
    assert np.hypot(one[1], other[1]).max() < 0.05  # else anything would be alike


@pytest.mark.parametrize("history", [HISTORY, WITH_REASONS, WITH_CHANGES], ids=["choices", "reasons", "changes"])
def test_learning_answer_by_answer_agrees_with_importance_sampling(
    history: tuple[tuple[Question, Answer], ...],
) -> None:
    assert_alike(sampled(history, seed=2), judged(history))


def test_the_order_of_answers_does_not_matter() -> None:
    assert_alike(sampled(HISTORY, seed=3), sampled(HISTORY[::-1], seed=4))


def picked(logs: Floats, lapse: float, rng: np.random.Generator) -> int:
    """One of several things, with the care that the model assumes."""
    shares = np.exp(logs - logs.max())
    return int(rng.choice(len(logs), p=(1 - lapse) * shares / shares.sum() + lapse / len(logs)))


def reason_of(person: Population, question: Question, option: int, rng: np.random.Generator) -> str:
    """What decided, by name."""
    worth = contrast(SPACE, question, option) * person.weights[:, 0].astype(float)
    by_thing = dict(zip(SPACE.things, np.add.reduceat(worth, SHAPE.starts[:-1]), strict=True))
    names = differing(SPACE, question.options)
    logs = float(person.manner.reason_sharpness[0]) * np.array([by_thing[name] for name in names])
    return names[picked(logs, float(person.manner.reason_lapse[0]), rng)]


def change_of(person: Population, question: Question, rng: np.random.Generator) -> Change:
    """What they would change about the only option."""
    changes, gains = gains_of(SPACE, person.weights[:, 0].astype(float), question)
    return changes[picked(person.manner.change_sharpness[0] * gains, float(person.manner.change_lapse[0]), rng)]


def person_and_answers(seed: int) -> tuple[Population, tuple[tuple[Question, Answer], ...]]:
    """Somebody from the prior, and what they say to random questions: choices, choices with reasons, and changes."""
    rng = np.random.default_rng([9, seed])
    person = first_population(SHAPE, 1, rng)
    history: list[tuple[Question, Answer]] = []
    for turn in range(6):
        if turn % 3 == 2:
            alone = ask(tuple(rng.integers(3, size=2).tolist()))
            history.append((alone, change_of(person, alone, rng)))
            continue
        rows = np.unravel_index(rng.choice(9, size=2, replace=False), (3, 3))
        question = ask(*zip(*(row.tolist() for row in rows), strict=True))
        features = np.stack([SPACE.encode(option) for option in question.options])
        utilities = (features @ person.weights.astype(float)).T[:, None].astype(np.float32)
        chances = answer_chances(utilities, person.manner)[:, 0, 0].astype(float)
        said = int(rng.choice(3, p=chances / chances.sum()))
        reasons = (reason_of(person, question, said, rng),) if turn % 3 == 1 and said != 2 else ()
        history.append((question, NoDifference() if said == 2 else Choice(said, reasons)))
    return person, tuple(history)


def test_true_people_are_anywhere_among_those_who_answer_like_them(thorough: bool) -> None:
    """Simulation-based calibration: the rank of the truth in the sample is uniform."""
    probe = np.array([1.0, -0.5, -0.5, 0.7, -0.3, -0.4, 0.5])
    ranks = []
    for seed in range(120 if thorough else 40):
        person, history = person_and_answers(seed)
        found = followed(first_population(SHAPE, 150, np.random.default_rng([3, seed])), history, seed=seed)
        jitter = np.random.default_rng([4, seed]).normal(scale=1e-3, size=151)  # zeros tie; ties break evenly
        theirs = probe @ found.weights.astype(float) + jitter[1:]
        ranks.append(float((theirs < (probe @ person.weights.astype(float))[0] + jitter[0]).mean()))
    assert kstest(ranks, "uniform").pvalue > 0.01


def test_a_seed_gives_the_same_people_again() -> None:
    start = first_population(SHAPE, 64, np.random.default_rng(0))
    one, other = (followed(start, HISTORY, seed=5) for _ in range(2))
    assert (one.weights == other.weights).all()
    assert (one.kind == other.kind).all()


def test_learning_leaves_the_old_people_alone() -> None:
    start = first_population(SHAPE, 64, np.random.default_rng(0))
    before = start.weights.copy()
    followed(start, HISTORY, seed=5)
    assert (start.weights == before).all()


def test_people_of_a_dense_kind_are_found_out_and_so_are_sparse_ones() -> None:
    start = first_population(SHAPE, 2000, np.random.default_rng(0))
    ties = tuple((ask((i, j), ((i + 1) % 3, j)), NoDifference()) for i in range(2) for j in range(3))
    indifferent = followed(start, ties, seed=1)
    decided = tuple((question, Choice(0)) for question, _ in ties[:2])
    dense = len(SHAPE.log_chances) - 1
    assert (indifferent.kind == dense).mean() < 0.02
    assert (followed(start, decided, seed=1).kind == dense).mean() > 1.2 * (start.kind == dense).mean()


@pytest.mark.parametrize(
    ("mixing", "poor"),
    [
        (Mixing(effective=0.9, sweeps=0), True),
        (Mixing(effective=0.9, sweeps=1), False),
        (Mixing(effective=0.01, sweeps=2), True),
        (Mixing(effective=0.9, moved=0.05, sweeps=1), True),
        (Mixing(effective=0.9, r_hat=3.0, sweeps=1), True),
        (Mixing(effective=0.9, r_hat=1.5, sweeps=1), False),
        (Mixing(effective=0.01, moved=0.05, r_hat=3.0, sweeps=4), False),
    ],
)
def test_more_work_is_done_where_mixing_is_poor_but_not_without_end(mixing: Mixing, poor: bool) -> None:
    assert mixing.is_poor is poor


def descendants(alike: float) -> tuple[Singles, Ints]:
    """Figures of 100 ancestors' four descendants each, correlated like this, and the ancestor of each."""
    rng, ancestors = np.random.default_rng(0), np.repeat(np.arange(100), 4)
    theirs, own = rng.normal(size=(40, 100))[:, ancestors], rng.normal(size=(40, 400))
    figures: Floats = np.sqrt(alike) * theirs + np.sqrt(1 - alike) * own
    return figures.astype(np.float32), ancestors.astype(np.int64)


@pytest.mark.parametrize("alike", [0.0, 0.3, 0.8])
def test_r_hat_says_how_much_descendants_of_one_ancestor_are_alike(alike: float) -> None:
    assert _r_hat(*descendants(alike)) == pytest.approx(1 / np.sqrt(1 - alike), rel=0.05)


def test_copies_that_did_not_move_are_noticed_and_people_without_descendants_are_not_blamed() -> None:
    figures, ancestors = descendants(1.0)
    assert _r_hat(figures, ancestors) > 10
    assert _r_hat(figures, np.arange(400)) == 1.0
    assert _r_hat(np.ones((3, 400), dtype=np.float32), ancestors) == 1.0


def test_sweeps_make_descendants_different_but_not_strangers_at_once() -> None:
    found = followed(first_population(SHAPE, 1000, np.random.default_rng(0)), HISTORY, seed=5)
    assert 1.0 < found.mixing.r_hat < WORST_R_HAT


def test_a_surprising_answer_is_followed_by_more_sweeps() -> None:
    usual: tuple[tuple[Question, Answer], ...] = ((ask((0, 0), (1, 0)), Choice(0)),) * 12
    history = (*usual, (ask((0, 1), (1, 1)), NoDifference()))
    found = followed(first_population(SHAPE, 400, np.random.default_rng(0)), history, seed=0)
    assert found.mixing.effective < 0.2
    assert found.mixing.sweeps > 1


def test_nothing_said_is_nothing_learnt() -> None:
    nothing = statements_in(SPACE, [], POSSIBLE)
    assert nothing.is_empty
    assert nothing.comparisons.rows.shape == (0, 7)


# Whoever is hardly likely


def test_each_sort_of_people_is_as_likely_as_its_answers_on_average() -> None:
    logs = np.log(np.array([0.1, 0.3, 0.5, 0.5, 0.9], dtype=np.float32))
    shares, chances = _shares(logs, np.array([0, 0, 1, 1, 1]), (0.25, 0.75))
    means = np.array([0.25 * 0.2, 0.75 * 1.9 / 3])
    assert shares == pytest.approx(means / means.sum())
    assert chances.sum() == pytest.approx(1)
    assert chances[:2].sum() == pytest.approx(shares[0])
    assert chances[4] / chances[2] == pytest.approx(0.9 / 0.5)


def test_people_who_are_hardly_likely_are_kept_in_reserve_and_are_not_counted() -> None:
    shape = shape_of(Prior(ordinary=0.01), SPACE)
    population = first_population(shape, 200, np.random.default_rng(0))
    for seed in range(4):
        assert population.size == 200
        assert sum(population.shares) == pytest.approx(1)
        assert (population.kind >= shape.kinds).mean() == pytest.approx(population.shares[1], abs=0.01)
        everybody = population.with_reserve()
        assert (everybody.kind >= shape.kinds).sum() >= 100
        mine = everybody.only(np.flatnonzero(everybody.kind >= shape.kinds), shape.kinds)
        weights = shape.tastes[0].weights(mine.numbers[0].astype(np.float32))
        assert np.allclose(weights, mine.weights, atol=0.02)  # numbers and weights are of the same people
        population = followed(population, ((ask((0, 0), (1, 1)), Choice(0)),), seed)
