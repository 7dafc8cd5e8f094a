"""The setwise problem: its blocks as small tables, and its optimum against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
from setmargin.errors import OptionError
from setmargin.solve.milp.model import Columns
from setmargin.space.space import Space
from setmargin.strategies.setmargin import problem as paper
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, SetProblem
from setmargin.strategies.shared.pairs import Pairs, pairs_of
from tests.strategies.brute import best_objective, fixed_objective
from tests.strategies.setmargin.examples import GRID, ORDERED, PEAKED, PLAIN, PRICED, make, random_pairs, solved


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("space", [PLAIN, PRICED, ORDERED, PEAKED], ids=["plain", "priced", "ordered", "peaked"])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), strict=st.integers(0, 4), equal=st.integers(0, 2), which=st.integers(0, 3))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_the_optimum_equals_brute_force_over_all_sets(
    size: int, space: Space, form: Form, seed: int, strict: int, equal: int, which: int
) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(space, rng, strict=strict, equal=equal)
    upper = rng.uniform(0.5, 2.0, len(space.feature_names))
    bounds = Bounds(np.zeros_like(upper), upper)
    found = solved(make(space, pairs, size=size, setting=GRID[which], bounds=bounds, form=form))
    expected = best_objective(space, pairs, size=size, setting=GRID[which], bounds=bounds, form=form)
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.margin >= 0.0
    assert space.feasible(found.configurations).all()


def test_three_at_a_time_equals_brute_force() -> None:
    space = Space({"a": ["x", "y"], "b": [1, 2]})
    pairs = random_pairs(space, np.random.default_rng(1), strict=2, equal=1)
    bounds, setting = Bounds.usual(space), Hyperparameters(10.0, 0.1, 0.1)
    found = solved(make(space, pairs, size=3, setting=setting))
    assert found.objective == pytest.approx(
        best_objective(space, pairs, size=3, setting=setting, bounds=bounds), abs=1e-6
    )


def test_lower_bounds_of_weights_are_respected() -> None:
    bounds = Bounds(np.full(5, 0.25), np.ones(5))
    found = solved(
        make(
            PLAIN,
            random_pairs(PLAIN, np.random.default_rng(0), strict=2, equal=0),
            size=2,
            setting=GRID[1],
            bounds=bounds,
        )
    )
    assert (found.weights >= 0.25 - 1e-9).all()


def test_the_printed_bound_and_the_tight_bounds_agree() -> None:
    pairs = random_pairs(PRICED, np.random.default_rng(3), strict=4, equal=1)
    loose, tight = (solved(make(PRICED, pairs, size=2, setting=GRID[1], one_bound=flag)) for flag in (True, False))
    assert loose.objective == pytest.approx(tight.objective, abs=1e-6)


def test_one_vector_is_the_plain_max_margin_learner() -> None:
    """With k = 1, β = γ = 0 and separable answers the margin is that of a hard-margin learner in the unit box."""
    pairs = Pairs(np.array([[1.0, -1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0, 0.0]]), np.zeros((0, 5)))
    found = solved(make(PLAIN, pairs, size=1, setting=Hyperparameters(20.0, 0.0, 0.0)))
    assert found.margin == pytest.approx(1.0)
    assert found.value_weights[0] @ pairs.strict.T == pytest.approx([1.0, 1.0])


def test_contradictory_answers_are_absorbed_by_slacks() -> None:
    delta = np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    found = solved(make(PLAIN, Pairs(np.concatenate([delta, -delta]), delta[:0]), size=2, setting=GRID[1]))
    assert found.margin == pytest.approx(0.0, abs=1e-9)
    assert found.status == "optimal"


def test_without_strict_answers_one_vector_has_no_margin() -> None:
    delta = np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    found = solved(make(PLAIN, Pairs(delta[:0], delta), size=1, setting=GRID[1]))
    assert found.margin == 0.0
    assert abs(delta[0] @ found.value_weights[0]) <= 1e-7


def test_alpha_below_one_is_refused() -> None:
    with pytest.raises(OptionError, match="unbounded"):
        Hyperparameters(0.5, 1.0, 1.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_impossible_hyperparameters_are_refused(bad: float) -> None:
    with pytest.raises(OptionError, match="beta"):
        Hyperparameters(1.0, bad, 1.0)


def test_relabelling_attributes_and_values_changes_nothing() -> None:
    other = Space({"second": [30, 20, 10], "first": ["p", "q"]})
    pairs = random_pairs(PLAIN, np.random.default_rng(5), strict=3, equal=1)
    moved = [4, 3, 2, 0, 1]  # the features of `other`, in terms of PLAIN's
    turned = Pairs(pairs.strict[:, moved], pairs.equal[:, moved])
    for setting in GRID:
        here, there = (
            solved(make(PLAIN, pairs, size=2, setting=setting)),
            solved(make(other, turned, size=2, setting=setting)),
        )
        assert here.objective == pytest.approx(there.objective, abs=1e-6)


def test_the_order_of_answers_changes_nothing() -> None:
    pairs = random_pairs(PLAIN, np.random.default_rng(6), strict=4, equal=0)
    backwards = Pairs(pairs.strict[::-1], pairs.equal)
    here, there = (solved(make(PLAIN, each, size=2, setting=GRID[0])) for each in (pairs, backwards))
    assert here.objective == pytest.approx(there.objective, abs=1e-6)


def test_the_solution_is_worth_what_it_claims() -> None:
    pairs = random_pairs(PRICED, np.random.default_rng(8), strict=3, equal=1)
    found = solved(make(PRICED, pairs, size=2, setting=GRID[1]))
    chosen = PRICED.onehot(found.configurations)
    again = fixed_objective(PRICED, pairs, chosen, setting=GRID[1], bounds=Bounds.usual(PRICED))
    assert found.objective == pytest.approx(again, abs=1e-6)
    assert found.value_weights == pytest.approx(PRICED.value_weights(found.weights), abs=1e-6)


def test_a_coupled_taste_for_low_price_reaches_every_component() -> None:
    """A taste for low prices learnt on one attribute reaches another; in the paper's form it does not."""
    cheap_b = np.zeros((1, 5))
    cheap_b[0, 2], cheap_b[0, 4] = 1.0, -1.0
    coupled, printed = (
        solved(make(PRICED, Pairs(cheap_b, cheap_b[:0]), size=1, setting=Hyperparameters(20.0, 0.1, 0.0), form=form))
        for form in (Form.COUPLED, Form.PAPER)
    )
    assert printed.value_weights[0, 0] == pytest.approx(printed.value_weights[0, 1])
    assert coupled.value_weights[0, 1] > coupled.value_weights[0, 0] + 0.1


# The blocks, each as a small table


def small_columns(*, pairs: Pairs, size: int = 2) -> tuple[Columns, SetProblem]:
    problem = make(Space({"a": ["x", "y"]}), pairs, size=size, setting=Hyperparameters(2.0, 0.5, 0.25))
    return paper.columns_of(problem)[0], problem


ONE = Pairs(np.array([[1.0, -1.0]]), np.zeros((0, 2)))


def test_the_objective_is_the_papers() -> None:
    columns, _ = small_columns(pairs=ONE)
    _, upper, objective, integer = columns.traits()
    assert objective[columns["mu"]] == 1.0
    assert (objective[columns["eps"]] == -2.0).all()
    assert (objective[columns["w"]] == -0.5).all()
    assert objective[columns["p"]][:, :, 0].tolist() == [[0.25, 0.0], [0.0, 0.25]]
    assert integer[columns["x"]].all()
    assert not integer[columns["p"]].any()
    assert (upper[columns["w"]] == 1.0).all()


def test_equation_1_ranks_the_answers() -> None:
    columns, _ = small_columns(pairs=ONE)
    block = paper.ranked(columns, ONE)
    table = block.matrix(len(columns)).toarray()
    for i in range(2):
        expected = np.zeros(len(columns))
        expected[columns["v"][i]] = [1.0, -1.0]
        expected[columns["mu"]] = -1.0
        expected[columns["eps"][i, 0]] = 1.0
        assert table[i].tolist() == expected.tolist()
    assert block.lower.tolist() == [0.0, 0.0]


def test_equation_5_separates_the_configurations() -> None:
    columns, _ = small_columns(pairs=ONE)
    (first, second) = paper.separated(columns, 2)
    expected = np.zeros(len(columns))
    expected[columns["p"][0, 0]], expected[columns["p"][0, 1]], expected[columns["mu"]] = 1.0, -1.0, -1.0
    assert first.matrix(len(columns)).toarray()[0].tolist() == expected.tolist()
    assert len(second) == 1


def test_the_products_are_bounded_feature_by_feature() -> None:
    columns, _ = small_columns(pairs=ONE)
    top = np.array([0.5, 2.0])
    below_x, below_v, *_ = paper.own_products(columns, 2, top)
    assert below_x.matrix(len(columns)).toarray()[1, columns["x"][0, 1]] == -2.0
    assert below_v.matrix(len(columns)).toarray()[1, columns["v"][0, 1]] == -1.0
    above, *_ = paper.other_products(columns, 2, top)
    table = above.matrix(len(columns)).toarray()
    assert table[0, columns["p"][0, 1, 0]] == 1.0
    assert table[0, columns["v"][0, 0]] == -1.0
    assert table[0, columns["x"][1, 0]] == -0.5
    assert above.lower.tolist() == [-0.5, -2.0]


def test_indifference_bounds_the_difference_from_both_sides() -> None:
    pairs = Pairs(np.zeros((0, 2)), np.array([[1.0, -1.0]]))
    columns, _ = small_columns(pairs=pairs)
    minus, plus = paper.alike(columns, pairs)
    assert minus.matrix(len(columns)).toarray()[0, columns["v"][0]].tolist() == [-1.0, 1.0]
    assert plus.matrix(len(columns)).toarray()[0, columns["v"][0]].tolist() == [1.0, -1.0]


# What answers say


def question(space: Space, *rows: tuple[int, ...]) -> Question:
    return Question(tuple(space.configuration(row) for row in rows))


def test_answers_become_pairs() -> None:
    three = question(PLAIN, (0, 0), (1, 1), (1, 2))
    assert pairs_of(PLAIN, [(three, Choice(2))]).strict.tolist() == [[-1, 1, -1, 0, 1], [0, 0, 0, -1, 1]]
    assert len(pairs_of(PLAIN, [(three, Ranking((2, 0, 1)))]).strict) == 3
    assert len(pairs_of(PLAIN, [(three, NoDifference())]).equal) == 3
    assert len(pairs_of(PLAIN, [(three, Skip())])) == 0
    mixed = Comparisons(((0, 1, Outcome.SECOND), (1, 2, Outcome.EQUAL)))
    pairs = pairs_of(PLAIN, [(three, mixed)])
    assert pairs.strict.tolist() == [[-1, 1, -1, 1, 0]]
    assert pairs.equal.tolist() == [[0, 0, 0, 1, -1]]


def test_weights_that_tell_nothing_apart_are_recognised() -> None:
    assert paper.tells_nothing_apart(PLAIN, np.zeros((1, 5)))
    assert paper.tells_nothing_apart(PLAIN, np.array([[0.5, 0.5, 1.0, 1.0, 1.0]]))
    assert not paper.tells_nothing_apart(PLAIN, np.array([[0.5, 0.6, 1.0, 1.0, 1.0]]))
    assert paper.tells_nothing_apart(PLAIN, np.array([[0.5, 0.6, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]))
