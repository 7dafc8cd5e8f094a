from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import minimize

from setmargin.answers import Answer, Choice, Comparisons, NoDifference, Question, Ranking, Skip
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.laws.checks import noiseless, small_space, taste
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.rivals.polyhedral.polyhedron import (
    ROOM,
    Polyhedron,
    analytic_centre,
    covariance,
    longest_axes,
    polyhedron_of,
    to_the_side,
    what_matters,
)
from setmargin.strategies.rivals.polyhedral.strategy import Polyhedral, PolyhedralBelief, offers_of, within_budget
from setmargin.strategies.shared.pairs import Pairs
from tests.strategies.brute import all_configurations

FEW = settings(derandomize=True, deadline=None, max_examples=12)
GRID = Space({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2]}, rules=["a = 1 => b != 2"])


def pairs_from(space: Space, weights: Floats, count: int, *, equal: int = 0) -> Pairs:
    """Pairs of random configurations, ordered by the weights, and some of no difference."""
    rng = np.random.default_rng(count)
    rows = oracle_for(space).sample(rng, 2 * (count + equal)).reshape(count + equal, 2, len(space.domains))
    apart = space.onehot(rows[:, 0]) - space.onehot(rows[:, 1])
    strict = apart[:count] * np.sign(apart[:count] @ space.value_weights(weights))[:, None]
    return Pairs(strict, apart[count:])


def after(space: Space, seed: int, count: int, *, equal: int = 0) -> Polyhedron:
    return polyhedron_of(space, pairs_from(space, taste(space, seed), count, equal=equal), indifference=0.05)


@FEW
@given(st.integers(0, 10_000), st.integers(0, 8), st.integers(0, 2))
def test_the_centre_is_where_the_slacks_have_the_largest_product(seed: int, count: int, equal: int) -> None:
    polyhedron = after(small_space(), seed, count, equal=equal)
    centre, free = analytic_centre(polyhedron), null_space(polyhedron.counts[None])
    assert (polyhedron.slacks(centre) > 0).all()

    def missed(move: Floats) -> float:
        slacks = polyhedron.slacks(centre + free @ move)
        return -float(np.log(slacks).sum()) if (slacks > 0).all() else 1e9

    found = minimize(missed, np.zeros(free.shape[1]), method="Nelder-Mead", options={"maxiter": 400})
    assert missed(np.zeros(free.shape[1])) <= found.fun + 1e-6
    assert polyhedron.counts @ centre == pytest.approx(3.0)


def test_without_answers_every_weight_is_the_same_at_the_centre() -> None:
    assert analytic_centre(after(GRID, 0, 0)) == pytest.approx(np.full(8, 3 / 8))


def test_the_ellipsoid_is_the_inverse_of_the_hessian_within_the_scale() -> None:
    polyhedron = after(small_space(), 3, 5)
    centre, free = analytic_centre(polyhedron), null_space(polyhedron.counts[None])
    hessian = sum(np.outer(a, a) / s**2 for a, s in zip(polyhedron.matrix, polyhedron.slacks(centre), strict=True))
    expected = free @ np.linalg.inv(free.T @ hessian @ free) @ free.T
    assert covariance(polyhedron, centre) == pytest.approx(expected, abs=1e-8)


def test_the_first_axis_is_the_direction_in_which_utilities_vary_most() -> None:
    space, polyhedron = small_space(), after(small_space(), 3, 5)
    centre, view = analytic_centre(polyhedron), what_matters(space)
    axes = longest_axes(space, polyhedron, centre, 1, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    spread = view @ covariance(polyhedron, centre) @ view.T
    for direction in rng.normal(size=(200, len(spread))):
        unit = direction / np.linalg.norm(direction)
        assert unit @ spread @ unit <= axes.lengths[0] ** 2 + 1e-4


@FEW
@given(st.integers(0, 10_000), st.integers(0, 8))
def test_ends_of_axes_lie_on_the_sides_and_on_opposite_ones(seed: int, count: int) -> None:
    space, polyhedron = small_space(), after(small_space(), seed, count)
    centre = analytic_centre(polyhedron)
    axes = longest_axes(space, polyhedron, centre, 2, np.random.default_rng(seed))
    assert len(axes.ends) == 4
    for one, other in axes.ends.reshape(-1, 2, len(centre)):
        assert polyhedron.slacks(one).min() == pytest.approx(0.0, abs=1e-7)
        assert polyhedron.slacks(other).min() == pytest.approx(0.0, abs=1e-7)
        assert (one - centre) @ (other - centre) < 0


def test_an_axis_tells_some_configurations_apart() -> None:
    space, polyhedron = GRID, after(GRID, 0, 0)
    axes = longest_axes(space, polyhedron, analytic_centre(polyhedron), 2, np.random.default_rng(0))
    one, other = (what_matters(space) @ end for end in axes.ends[:2])
    assert np.abs(one - other).max() > 0.1


def test_a_ray_without_direction_stays_at_the_centre() -> None:
    polyhedron = after(GRID, 0, 0)
    centre = analytic_centre(polyhedron)
    assert to_the_side(polyhedron, centre, np.zeros(8)) == pytest.approx(centre)


def test_answers_that_contradict_one_another_are_relaxed_and_others_are_not() -> None:
    apart = pairs_from(GRID, taste(GRID, 1), 1).strict
    agreeing = polyhedron_of(GRID, Pairs(apart, apart[:0]), indifference=0.05)
    torn = polyhedron_of(GRID, Pairs(np.vstack([apart, -apart]), apart[:0]), indifference=0.05)
    assert agreeing.relaxed == 0
    assert torn.relaxed == pytest.approx(ROOM)
    assert (torn.slacks(analytic_centre(torn)) > 0).all()


@FEW
@given(st.integers(0, 10_000))
def test_an_offer_is_the_best_of_all_that_cost_no_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends, centre = rng.random((2, 8)), rng.random(8)
    every = GRID.onehot(all_configurations(GRID))
    offers = offers_of(oracle_for(GRID), ends, centre)
    for budget in np.quantile(every @ centre, [0.3, 0.6, 1.0]):
        for end, chosen in zip(ends, GRID.onehot(within_budget(offers, float(budget))), strict=True):
            cost = chosen @ centre
            assert cost <= budget + 1e-9
            assert end @ chosen == pytest.approx((every[every @ centre <= cost + 1e-9] @ end).max())


def test_with_the_whole_budget_every_end_takes_its_favourite() -> None:
    rng = np.random.default_rng(3)
    ends, centre = rng.random((3, 8)), rng.random(8)
    offers = offers_of(oracle_for(GRID), ends, centre)
    assert (within_budget(offers, 1e9) == oracle_for(GRID).best_for_values(ends)).all()


def told(strategy: Polyhedral, space: Space, weights: Floats, budget: int) -> PolyhedralBelief:
    belief = strategy.start(space)
    for _ in range(budget):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, noiseless(space, weights, question))
    return belief


def test_the_centre_agrees_with_every_answer_of_a_consistent_person() -> None:
    space, weights = small_space(), taste(small_space(), 8)
    belief = told(Polyhedral(), space, weights, 8)
    assert belief.polyhedron.relaxed == 0
    for question, answer in belief.history:
        assert noiseless(space, belief.centre, question) == answer


@pytest.mark.parametrize("answer", [Choice(2), Ranking((1, 2, 0)), NoDifference(), Skip(), Comparisons(())])
def test_every_answer_leaves_a_question_and_a_recommendation(answer: Answer) -> None:
    space, strategy = small_space(), Polyhedral(set_size=3)
    belief = strategy.start(space)
    question: Question | None = Question(tuple(space.configuration(row) for row in all_configurations(space)[:3]))
    for _ in range(3):
        assert question is not None
        belief = strategy.update(belief, question, answer if len(question.options) == 3 else Skip())
        space.check(strategy.recommend(belief).configuration)
        question = strategy.ask(belief)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_questions_have_the_size_that_was_asked_for(size: int) -> None:
    space = Space({name: [1, 2, 3, 4] for name in "abcd"})
    question = Polyhedral(set_size=size).ask(Polyhedral(set_size=size).start(space))
    assert question is not None
    assert len(question.options) == size


def test_a_stored_belief_carries_no_polyhedron() -> None:
    belief = told(Polyhedral(), GRID, taste(GRID, 2), 3)
    assert belief.centre is not None
    assert "centre" not in vars(pickle.loads(pickle.dumps(belief)))


@pytest.mark.parametrize("options", [{"budget": 1.5}, {"indifference": 0.0}, {"set_size": 1}])
def test_impossible_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Polyhedral(**options)  # type: ignore[arg-type]
