"""Weighted particles: importance sampling on a grid of weights judges the belief, plain loops judge the likelihood."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.laws.checks import small_space
from setmargin.space.space import Space
from setmargin.strategies.rivals.eus_qi import Eus, Qi
from setmargin.strategies.rivals.particles import PRIORS, Likelihood, Particles, first_particles, learnt, moved, renewed
from setmargin.strategies.shared.evidence import evidence_of

claims = settings(derandomize=True, deadline=None, max_examples=30)
SPACE = small_space()
OPTIONS = tuple(SPACE.configuration(row) for row in ([1, 0, 0], [1, 1, 1], [2, 1, 0]))
ANSWERS: dict[str, tuple[int, Answer]] = {
    "choice of two": (2, Choice(1)),
    "choice of three": (3, Choice(2)),
    "ranking": (3, Ranking((2, 0, 1))),
    "no difference": (2, NoDifference()),
    "no difference of three": (3, NoDifference()),
    "comparisons": (3, Comparisons(((0, 1, Outcome.EQUAL), (2, 1, Outcome.SECOND), (0, 2, Outcome.FIRST)))),
    "skip": (3, Skip()),
}


def chance(utilities: list[float], taken: int | None, tree: bool) -> float:
    """One choice, or None for no difference, by the formulas."""
    scores = [exp(u - max(utilities)) for u in utilities]
    same = exp(min(utilities) - max(utilities))
    if tree:
        return same if taken is None else (1 - same) * scores[taken] / sum(scores)
    return (same if taken is None else scores[taken] / sum(scores)) / (1 + same)


def slow_likelihood(utilities: list[float], answer: Answer, tree: bool) -> float:
    match answer:
        case Choice(option):
            return chance(utilities, option, tree)
        case Ranking(order):
            steps = [chance([utilities[o] for o in order[n:]], 0, tree) for n in range(len(order) - 1)]
            return float(np.prod(steps))
        case NoDifference():
            return chance(utilities, None, tree)
        case Comparisons(outcomes):
            word = {Outcome.FIRST: 0, Outcome.SECOND: 1, Outcome.EQUAL: None}
            return float(np.prod([chance([utilities[i], utilities[j]], word[said], tree) for i, j, said in outcomes]))
    return 1.0


@pytest.mark.parametrize(("size", "answer"), ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("indifference", ["tree", "proportional"])
def test_every_answer_is_as_likely_as_the_formulas_say(size: int, answer: Answer, indifference: str) -> None:
    weights = np.random.default_rng(0).uniform(0, 4, (20, len(SPACE.feature_names)))
    question = Question(OPTIONS[:size])
    evidence = evidence_of(SPACE, [(question, answer)])
    found = Likelihood(1.0, indifference).log((evidence.rows @ weights.T).astype(np.float32), evidence)
    utilities = weights @ np.stack([SPACE.encode(option) for option in question.options]).T
    wanted = [slow_likelihood(list(row), answer, indifference == "tree") for row in utilities]
    np.testing.assert_allclose(np.exp(found), wanted, rtol=1e-4)


@given(far=st.floats(-1e4, 1e4))
@claims
def test_the_answers_to_a_pair_add_up_to_one_however_far_apart_they_are(far: float) -> None:
    question = Question(OPTIONS[:2])
    for indifference in ("tree", "proportional"):
        total = 0.0
        for answer in (Choice(0), Choice(1), NoDifference()):
            evidence = evidence_of(SPACE, [(question, answer)])
            ahead = np.array([[-far if answer == Choice(1) else far]], dtype=np.float32)
            total += float(np.exp(Likelihood(1.0, indifference).log(ahead, evidence))[0])
        assert total == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("name", PRIORS)
def test_priors_draw_inside_their_box_with_their_moments(name: str) -> None:
    prior = PRIORS[name]
    drawn = prior.drawn(np.random.default_rng(1), 100_000, 2).astype(float)
    assert (drawn >= prior.low).all()
    assert (drawn <= prior.high).all()
    np.testing.assert_allclose((drawn.mean(), drawn.std()), prior.moments, rtol=0.01)


def test_an_unknown_prior_is_refused_with_a_hint() -> None:
    with pytest.raises(OptionError, match="prior is 'uniforn'; give uniform or normal"):
        Qi(prior="uniforn")


def test_the_effective_size_counts_equal_particles_fully_and_a_single_one_once() -> None:
    weights = np.zeros((10, 1), dtype=np.float32)
    assert Particles(weights, np.full(10, -5e4, dtype=np.float32)).effective == pytest.approx(10)
    one = np.where(np.arange(10) == 3, 0, -1e5).astype(np.float32)
    assert Particles(weights, one).effective == pytest.approx(1)


# The posterior on a space with two weights that matter, against a fine grid of them

LINE = Space({"a": [0, 1]})
PAIR = Question((LINE.configuration([0]), LINE.configuration([1])))
HISTORIES: dict[str, tuple[Answer, ...]] = {
    "nothing": (),
    "preferred": (Choice(0),),
    "no difference": (NoDifference(),),
    "contradiction": (Choice(0), Choice(1), NoDifference()),
}


def by_grid(name: str, answers: tuple[Answer, ...]) -> tuple[Floats, Floats]:
    """Mean and covariance of both weights, by the formulas at every point of a grid."""
    prior = PRIORS[name]
    axis = np.linspace(prior.low, prior.high, 801)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    ends = (np.array([prior.low, prior.high]) - prior.centre) / prior.bend
    density = np.ones(len(grid)) if name == "uniform" else truncnorm.pdf((grid - 25) / (25 / 3), *ends).prod(axis=1)
    evidence = evidence_of(LINE, [(PAIR, answer) for answer in answers])
    density *= np.exp(Likelihood().log((evidence.rows @ grid.T).astype(np.float32), evidence).astype(float))
    density /= density.sum()
    mean = density @ grid
    return mean, (grid - mean).T @ ((grid - mean) * density[:, None])


@pytest.mark.parametrize("answers", HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("name", PRIORS)
def test_renewed_particles_have_the_moments_of_the_posterior(name: str, answers: tuple[Answer, ...]) -> None:
    prior, rng = PRIORS[name], np.random.default_rng(2)
    evidence = evidence_of(LINE, [(PAIR, answer) for answer in answers])
    particles = first_particles(prior, 20_000, 2, rng)
    found = renewed(learnt(particles, prior, Likelihood(), evidence, evidence, rng), prior, Likelihood(), evidence, rng)
    mean, covariance = by_grid(name, answers)
    scale = np.sqrt(np.diag(covariance))
    assert (abs(found.mean - mean) <= 0.06 * scale).all()
    assert (abs(np.cov(found.weights.T.astype(float)) - covariance) <= 0.06 * np.outer(scale, scale)).all()


def test_moves_alone_find_the_posterior_from_a_single_point() -> None:
    prior, rng = PRIORS["normal"], np.random.default_rng(3)
    evidence = evidence_of(LINE, [(PAIR, Choice(0))])
    weights = np.full((5_000, 2), 90.0, dtype=np.float32)
    for _ in range(60):
        weights = moved(weights, prior, Likelihood(), evidence, rng)
    mean, covariance = by_grid("normal", (Choice(0),))
    assert (abs(weights.mean(axis=0) - mean) <= 0.1 * np.sqrt(np.diag(covariance))).all()


def test_a_move_takes_everybody_somewhere_however_little_room_there_is() -> None:
    prior, rng = PRIORS["uniform"], np.random.default_rng(5)
    evidence = evidence_of(LINE, [(PAIR, NoDifference())] * 20)
    weights = np.full((2_000, 2), 50.0, dtype=np.float32)
    after = moved(weights, prior, Likelihood(), evidence, rng)
    assert (after != weights).any(axis=1).all()
    assert np.median(abs(after[:, 0] - after[:, 1])) < 1


def test_particles_are_made_anew_only_when_few_carry_the_weight() -> None:
    prior, rng = PRIORS["uniform"], np.random.default_rng(4)
    start = first_particles(prior, 2_000, len(SPACE.feature_names), rng)
    history: list[tuple[Question, Answer]] = [(Question(OPTIONS[:2]), Choice(0))]
    once = learnt(start, prior, Likelihood(), evidence_of(SPACE, history), evidence_of(SPACE, history), rng)
    assert once.weights is start.weights  # a half of them would have said that
    rare: list[tuple[Question, Answer]] = [(Question(OPTIONS), NoDifference())]
    twice = learnt(once, prior, Likelihood(), evidence_of(SPACE, history + rare), evidence_of(SPACE, rare), rng)
    assert twice.effective == pytest.approx(2_000)
    assert (twice.weights >= prior.low).all()
    assert (twice.weights <= prior.high).all()
    worth = twice.weights @ np.stack([SPACE.encode(option) for option in OPTIONS]).T
    assert np.median(np.ptp(worth, axis=1)) < 5


@pytest.mark.parametrize(
    ("sharpness", "indifference"), [(0.0, "tree"), (-1.0, "tree"), (1.0, "tre")], ids=["zero", "negative", "typo"]
)
def test_impossible_ways_of_answering_are_refused(sharpness: float, indifference: str) -> None:
    with pytest.raises(OptionError):
        Eus(sharpness=sharpness, indifference=indifference)
