"""The setwise problem without a MILP: relaxations bound, trees prove, and both agree with brute force."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.answers import Choice
from setmargin.errors import NoSolutionInTime
from setmargin.solve.compiled import is_installed
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.setmargin import proof
from setmargin.strategies.setmargin.best_set import find_best_set
from setmargin.strategies.setmargin.local_search import LocalSearch, WorkBudget
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, SetProblem, SetSolution, formulate
from setmargin.strategies.setmargin.proof import SearchLimits, weight_fitter
from setmargin.strategies.setmargin.relaxation import Relaxation, best_above, interchangeable, relax
from setmargin.strategies.setmargin.strategy import SetMargin
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.pairs import Pairs
from tests.strategies.brute import all_configurations, best_objective, fixed_objective
from tests.strategies.setmargin.examples import GRID, ORDERED, PEAKED, PLAIN, PRICED, make, random_pairs, solved

NO_FLOOR = -1e9
LIMITS = Limits(seconds=30)
WIDER = Space(
    {"a": range(3), "b": range(3), "c": range(4)},
    quantities=[Quantity("price", {"a": 2.0, "c": 1.0}, better="lower")],
    rules=["a = 0 => b != 1", "b = 2 => c >= 1", "not (a = 2 and b = 0 and c = 3)"],
)


both_trees = pytest.mark.parametrize(
    "compiled",
    [pytest.param(True, marks=pytest.mark.skipif(not is_installed(), reason="needs Numba"), id="machine code"), False],
)


def found_by(
    problem: SetProblem, *, fits: int = 4, nodes: int = 10**9, seed: int = 0, compiled: bool = True
) -> SetSolution:
    work = SearchLimits(fits=fits, nodes=nodes, seconds=60.0, compiled=compiled)
    return find_best_set(problem, oracle_for(problem.space), solver=Highs(), work=work, rng=np.random.default_rng(seed))


# Trees prove


@both_trees
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("space", [PLAIN, PRICED, ORDERED, PEAKED], ids=["plain", "priced", "ordered", "peaked"])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), strict=st.integers(0, 4), equal=st.integers(0, 2), which=st.integers(0, 3))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_what_is_proven_is_the_best_of_all_sets(
    size: int, space: Space, form: Form, seed: int, strict: int, equal: int, which: int, compiled: bool
) -> None:
    pairs = random_pairs(space, np.random.default_rng(seed), strict=strict, equal=equal)
    found = found_by(make(space, pairs, size=size, setting=GRID[which], form=form), compiled=compiled)
    bounds = Bounds.usual(space)
    expected = best_objective(space, pairs, size=size, setting=GRID[which], bounds=bounds, form=form)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(expected, abs=1e-6, rel=1e-5)
    assert space.feasible(found.configurations).all()


@both_trees
@pytest.mark.parametrize("size", [2, 3])
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), strict=st.integers(0, 8))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_the_tree_and_the_printed_problem_agree(size: int, seed: int, which: int, strict: int, compiled: bool) -> None:
    pairs = random_pairs(WIDER, np.random.default_rng(seed), strict=strict, equal=1)
    problem = make(WIDER, pairs, size=size, setting=GRID[which])
    assert found_by(problem, compiled=compiled).objective == pytest.approx(
        solved(problem).objective, abs=1e-6, rel=1e-5
    )


@both_trees
def test_no_bound_is_below_what_was_found(compiled: bool) -> None:
    """Here a list finds it, and the tree ends without having heard of it."""
    pairs = random_pairs(WIDER, np.random.default_rng(2), strict=3, equal=0)
    found = found_by(make(WIDER, pairs, size=3, setting=GRID[2], form=Form.PAPER), compiled=compiled)
    assert found.status == "optimal"
    assert found.bound >= found.objective


@both_trees
def test_weights_may_have_lower_bounds_too(compiled: bool) -> None:
    usual = Bounds.usual(PRICED)
    bounds = Bounds(0.2 * usual.upper, usual.upper, usual.counts)
    for seed, setting in enumerate(GRID):
        pairs = random_pairs(PRICED, np.random.default_rng(seed), strict=3, equal=1)
        found = found_by(make(PRICED, pairs, size=2, setting=setting, bounds=bounds), compiled=compiled)
        expected = best_objective(PRICED, pairs, size=2, setting=setting, bounds=bounds)
        assert found.status == "optimal"
        assert found.objective == pytest.approx(expected, abs=1e-6, rel=1e-5)


@both_trees
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), far=st.sampled_from([0.3, 1.0, 4.0]))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_the_best_of_all_sets_is_found_in_a_shifted_box(
    size: int, form: Form, seed: int, which: int, far: float, compiled: bool
) -> None:
    """The box that earlier people leave: it may put one configuration above another whatever is answered."""
    rng, usual = np.random.default_rng(seed), Bounds.usual(PRICED)
    lower = usual.upper * rng.uniform(0.0, far, len(usual.upper)) * (rng.random(len(usual.upper)) < 0.7)
    bounds = Bounds(lower, lower + rng.uniform(0.2, 0.9) * usual.upper, usual.counts)
    pairs = random_pairs(PRICED, rng, strict=3, equal=1)
    problem = make(PRICED, pairs, size=size, setting=GRID[which], bounds=bounds, form=form)
    expected = best_objective(PRICED, pairs, size=size, setting=GRID[which], bounds=bounds, form=form)
    found = found_by(problem, compiled=compiled)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(expected, abs=1e-6, rel=1e-5)
    assert solved(problem).objective == pytest.approx(expected, abs=1e-6, rel=1e-5)
    assert found_by(problem, fits=150, nodes=0).objective == pytest.approx(expected, abs=1e-6, rel=1e-5)


@both_trees
def test_weights_that_cannot_keep_a_start_apart_are_no_error(compiled: bool) -> None:
    """Somebody must care for x, so no weights put y above it: whichever set the climb starts from, it is survived."""
    space = Space({"a": ["x", "y"], "b": range(3)})
    bounds = Bounds(np.array([1.0, 0.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.5, 0.0, 0.0, 0.0]), np.ones(5))
    pairs = Pairs(np.zeros((0, 5)), np.zeros((0, 5)))
    problem = make(space, pairs, size=2, setting=GRID[1], bounds=bounds)
    expected = solved(problem).objective
    for seed in range(8):
        assert found_by(problem, seed=seed, compiled=compiled).objective == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_any_size_from_one_to_six_is_solved(size: int) -> None:
    pairs = random_pairs(WIDER, np.random.default_rng(size), strict=3, equal=0)
    found = found_by(make(WIDER, pairs, size=size, setting=GRID[1]), nodes=40)
    assert len(found.configurations) == len(found.weights) == size
    assert found.bound >= found.objective - 1e-6


@cache
def hard_to_prove() -> tuple[Space, SetProblem, SetSolution]:
    """A problem whose proof takes seconds, and its optimum."""
    space = Space({f"x{i}": range(4) for i in range(4)})
    pairs = random_pairs(space, np.random.default_rng(7), strict=12, equal=0)
    problem = make(space, pairs, size=2, setting=Hyperparameters(10.0, 0.001, 0.01))
    return space, problem, found_by(problem)


def test_a_tree_that_may_not_grow_leaves_an_honest_gap() -> None:
    _, problem, optimum = hard_to_prove()
    assert optimum.status == "optimal"
    assert optimum.gap == 0.0
    bounds = []
    for nodes in (4, 16, 64):
        short = found_by(problem, nodes=nodes)
        assert short.objective <= optimum.objective + 1e-6
        assert short.bound >= optimum.objective - 1e-6
        assert short.status == "search"
        assert short.gap == pytest.approx((short.bound - short.objective) / short.bound)
        bounds.append(short.bound)
    assert bounds == sorted(bounds, reverse=True)


def test_a_gap_that_is_good_enough_ends_the_proof() -> None:
    space, problem, optimum = hard_to_prove()
    work = SearchLimits(gap=0.5, seconds=60.0)
    rough = find_best_set(problem, oracle_for(space), solver=Highs(), work=work, rng=np.random.default_rng(0))
    assert rough.status == "optimal"
    assert optimum.objective <= 1.5 * rough.objective


@pytest.mark.parametrize("size", [1, 2])
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), gap=st.sampled_from([0.1, 0.4]))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_a_gap_that_is_good_enough_is_reported_as_it_is(size: int, seed: int, which: int, gap: float) -> None:
    pairs = random_pairs(WIDER, np.random.default_rng(seed), strict=4, equal=1)
    problem = make(WIDER, pairs, size=size, setting=GRID[which])
    work = SearchLimits(gap=gap, seconds=60.0)
    rough = find_best_set(problem, oracle_for(WIDER), solver=Highs(), work=work, rng=np.random.default_rng(0))
    best = found_by(problem).objective
    assert rough.bound >= best - 1e-6
    assert rough.objective >= best - rough.gap * abs(rough.bound) - 1e-6
    assert rough.gap <= gap


def test_a_value_that_is_enough_ends_the_search_for_more() -> None:
    space, problem, best = hard_to_prove()
    work = SearchLimits(enough=0.5 * best.objective, seconds=60.0)
    found = find_best_set(problem, oracle_for(space), solver=Highs(), work=work, rng=np.random.default_rng(0))
    assert 0.5 * best.objective <= found.objective < best.objective
    assert found.status == "search"
    assert found.bound >= best.objective


def test_without_time_the_first_find_is_returned() -> None:
    problem = make(WIDER, random_pairs(WIDER, np.random.default_rng(0), strict=4, equal=0), size=2, setting=GRID[0])
    work = SearchLimits(seconds=0.0)
    found = find_best_set(problem, oracle_for(WIDER), solver=Highs(), work=work, rng=np.random.default_rng(0))
    assert found.status == "time limit"
    assert found.gap == np.inf
    assert WIDER.feasible(found.configurations).all()


def test_a_quantity_may_hardly_depend_on_some_attribute() -> None:
    """Then the rows have coefficients that a solver should not meet; HiGHS used to give up here."""
    space = Space(
        {"a": range(3), "b": range(3), "c": range(4)},
        quantities=[Quantity("p", {"a": 1e6, "c": 1e-3}, better="lower"), Quantity("z", {"b": {0: 1, 1: 1, 2: 1}})],
        rules=["a = 0 => b != 1", "b = 2 => c >= 1"],
    )
    strategy = SetMargin(setting=Hyperparameters(10.0, 10.0, 0.0), set_size=3, tuning=None)
    belief = strategy.start(space, seed=3)
    for _ in range(3):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.learn(belief, question, Choice(0))
    assert space.feasible(space.indices(strategy.recommend(belief).configuration)[None]).all()


# Searches without a tree


@given(seed=st.integers(0, 10**6), which=st.integers(0, 3))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_searching_a_tiny_space_finds_the_optimum(seed: int, which: int) -> None:
    pairs = random_pairs(PRICED, np.random.default_rng(seed), strict=3, equal=1)
    found = found_by(make(PRICED, pairs, size=2, setting=GRID[which]), fits=150, nodes=0, seed=seed)
    expected = best_objective(PRICED, pairs, size=2, setting=GRID[which], bounds=Bounds.usual(PRICED))
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.status == "search"
    assert PRICED.feasible(found.configurations).all()


def test_a_search_keeps_to_its_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make(PRICED, random_pairs(PRICED, np.random.default_rng(0), strict=3, equal=0), size=2, setting=GRID[1])
    fits: list[object] = []
    plain = WeightFitter.fit

    def counted(self: WeightFitter, *arguments: object) -> object:
        fits.append(arguments)
        return plain(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(WeightFitter, "fit", counted)
    found_by(problem, fits=25, nodes=0)
    assert 1 <= len(fits) <= 30


def test_more_effort_is_never_worse() -> None:
    space = Space({f"x{i}": range(4) for i in range(4)})
    pairs = random_pairs(space, np.random.default_rng(2), strict=6, equal=1)
    problem = make(space, pairs, size=2, setting=Hyperparameters(10.0, 0.1, 0.1))
    values = [found_by(problem, fits=fits, nodes=0, seed=1).objective for fits in (2, 20, 80)]
    assert values == sorted(values)


# Relaxations bound


@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_a_relaxation_bounds_every_set_and_is_exact_where_values_are_given(form: Form, seed: int, which: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = random_pairs(PRICED, rng, strict=3, equal=1)
    problem = make(PRICED, pairs, size=2, setting=GRID[which], form=form)
    onehot = PRICED.onehot(all_configurations(PRICED))
    with (
        Relaxation(problem, users=2, solver=Highs()) as whole,
        Relaxation(problem, users=1, solver=Highs()) as single,
    ):
        bound = whole.solve(whole.allowed, floor=NO_FLOOR, limits=LIMITS)
        above = single.solve(single.allowed, floor=NO_FLOOR, limits=LIMITS)
        assert bound is not None
        assert above is not None
        for _ in range(4):
            chosen = onehot[rng.integers(0, len(onehot), 2)]
            value = fixed_objective(PRICED, pairs, chosen, setting=GRID[which], bounds=Bounds.usual(PRICED), form=form)
            exactly = whole.solve(chosen > 0.5, floor=NO_FLOOR, limits=LIMITS)
            assert exactly is not None
            assert exactly.bound == pytest.approx(value, abs=1e-6)
            assert value <= bound.bound + 1e-6
            assert value <= above.bound + 1e-6


def test_a_relaxation_is_exact_when_all_weights_count_once() -> None:
    upper, chosen = Bounds.usual(PRICED).upper, PRICED.onehot(all_configurations(PRICED)[:2])
    pairs, bounds = random_pairs(PRICED, np.random.default_rng(0), strict=2, equal=0), Bounds(0 * upper, upper)
    for setting in GRID:
        problem = make(PRICED, pairs, size=2, setting=setting, bounds=bounds)
        with Relaxation(problem, users=2, solver=Highs()) as whole:
            exactly = whole.solve(chosen > 0.5, floor=NO_FLOOR, limits=LIMITS)
        assert exactly is not None
        value = fixed_objective(PRICED, pairs, chosen, setting=setting, bounds=bounds)
        assert exactly.bound == pytest.approx(value, abs=1e-6)


@given(seed=st.integers(0, 10**6), which=st.integers(0, 3))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_what_one_user_is_worth_bounds_each_user_of_a_set(seed: int, which: int) -> None:
    pairs = random_pairs(PLAIN, np.random.default_rng(seed), strict=3, equal=0)
    problem = make(PLAIN, pairs, size=2, setting=GRID[which])
    optimum = best_objective(PLAIN, pairs, size=2, setting=GRID[which], bounds=Bounds.usual(PLAIN))
    with Relaxation(problem, users=1, solver=Highs()) as single:
        above = single.solve(single.allowed, floor=NO_FLOOR, limits=LIMITS)
    assert above is not None
    with Relaxation(problem, users=2, solver=Highs(), each=above.bound) as whole:
        bound = whole.solve(whole.allowed, floor=NO_FLOOR, limits=LIMITS)
    assert bound is not None
    assert optimum <= bound.bound + 1e-6 <= above.bound + 2e-6


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), strict=st.integers(0, 6))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_an_averaged_user_bounds_as_well_as_all_users(
    size: int, form: Form, seed: int, which: int, strict: int
) -> None:
    pairs = random_pairs(PRICED, np.random.default_rng(seed), strict=strict, equal=1)
    problem = make(PRICED, pairs, size=size, setting=GRID[which], form=form)
    onehot = PRICED.onehot(all_configurations(PRICED))
    with (
        Relaxation(problem, users=size, solver=Highs()) as whole,
        Relaxation(problem, users=1, solver=Highs()) as single,
        Relaxation(problem, users=1, solver=Highs(), averaged=True) as averaged,
        weight_fitter(problem, Highs()) as fitter,
    ):
        all_users, alone, average = (
            each.solve(each.allowed, floor=NO_FLOOR, limits=LIMITS) for each in (whole, single, averaged)
        )
        assert all_users is not None
        assert alone is not None
        assert average is not None
        assert average.bound == pytest.approx(all_users.bound, abs=1e-6)
        task = LocalSearch(fitter, oracle_for(PRICED), problem.setting, WorkBudget.unlimited())
        task.known.append(average.prices)  # they hold for every set
        for chosen in np.random.default_rng(seed).integers(len(onehot), size=(4, size)):
            rows = all_configurations(PRICED)[chosen]
            value = fitter.fit(onehot[chosen], problem.setting).objective
            assert task.bound(rows[None])[0] >= value - 1e-6
        averaged.stand_for_all()
        again = averaged.solve(averaged.allowed, floor=NO_FLOOR, limits=LIMITS)
        assert again is not None
        assert again.bound == pytest.approx(alone.bound, abs=1e-6)


@pytest.mark.parametrize("size", [2, 3])
@given(seed=st.integers(0, 10**6), which=st.integers(0, 3), strict=st.integers(1, 8))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_our_tree_and_the_solvers_agree(size: int, seed: int, which: int, strict: int) -> None:
    pairs = random_pairs(WIDER, np.random.default_rng(seed), strict=strict, equal=1)
    problem = make(WIDER, pairs, size=size, setting=GRID[which])
    expected = found_by(problem).objective
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("OWN", 1),
            ("OWN_FOR_MORE", 1),
            ("AT_FIRST", 0),
            ("IMPROVING", 0),
            ("FEW_JOINT_VALUES", 0),
        ):
            patch.setattr(proof, name, value)
        handed = found_by(problem, compiled=False)
    assert handed.status == "optimal"
    assert handed.objective == pytest.approx(expected, abs=1e-6, rel=1e-5)
    lower = expected - 0.1 * max(abs(expected), 0.1)
    rows, bound = best_above(problem, solver=Highs(), floor=lower, limits=LIMITS)
    assert rows is not None
    assert WIDER.feasible(rows).all()
    assert bound == pytest.approx(expected, abs=1e-6, rel=1e-5)
    higher = expected + 0.1 * max(abs(expected), 0.1)
    assert best_above(problem, solver=Highs(), floor=higher, limits=LIMITS) == (None, higher)


def test_quantities_make_it_tighter_than_the_printed_relaxation() -> None:
    pairs = random_pairs(WIDER, np.random.default_rng(3), strict=3, equal=0)
    problem = make(WIDER, pairs, size=2, setting=GRID[2])
    printed, _ = formulate(problem)
    relaxed = type(printed)(**{**vars(printed), "integer": np.zeros_like(printed.integer)})
    tight, _ = relax(problem, users=2)
    assert -Highs().solve(tight).objective < Highs().solve(relaxed).objective - 0.1


def test_below_the_floor_there_is_nothing_and_without_time_no_answer() -> None:
    problem = make(WIDER, random_pairs(WIDER, np.random.default_rng(1), strict=3, equal=0), size=2, setting=GRID[1])
    with Relaxation(problem, users=2, solver=Highs()) as relaxation:
        root = relaxation.solve(relaxation.allowed, floor=NO_FLOOR, limits=LIMITS)
        assert root is not None
        assert relaxation.solve(relaxation.allowed, floor=root.bound + 0.1, limits=LIMITS) is None
        nothing = np.zeros_like(relaxation.allowed)
        assert relaxation.solve(nothing, floor=NO_FLOOR, limits=LIMITS) is None
    with Relaxation(problem, users=2, solver=Highs()) as fresh, pytest.raises(NoSolutionInTime):
        fresh.solve(fresh.allowed, floor=NO_FLOOR, limits=Limits(seconds=1e-9))


# Values that nothing tells apart


def test_values_that_no_answer_no_rule_and_no_quantity_mentions_are_interchangeable() -> None:
    space = Space({"a": range(5), "b": range(3)}, quantities=[Quantity("cost", {"b": 1.0})], rules=["a = 4 => b = 0"])
    better, worse = space.onehot(np.array([[0, 0], [1, 0]]))
    problem = make(space, Pairs((better - worse)[None], np.zeros((0, 8))), size=2, setting=GRID[0])
    kinds = interchangeable(problem)
    assert kinds[2] == kinds[3]
    assert len(set(kinds.tolist())) == 7


def test_values_that_count_differently_are_not_interchangeable() -> None:
    space = Space({"a": range(3), "b": range(2)})
    bounds = Bounds(np.zeros(5), np.ones(5), np.array([2.0, 2.0, 0.5, 1.0, 1.0]))
    problem = make(space, random_pairs(space, np.random.default_rng(0), strict=0, equal=0), size=2, setting=GRID[2])
    kinds = interchangeable(replace(problem, bounds=bounds))
    assert kinds[0] == kinds[1] != kinds[2]


@both_trees
@given(seed=st.integers(0, 10**6))
@settings(max_examples=5, deadline=None, derandomize=True)
def test_symmetry_loses_no_optimum(seed: int, compiled: bool) -> None:
    """One answer leaves most values alike, so nearly every branch of the tree stands for others."""
    space = Space({"a": range(4), "b": range(4)})
    pairs = random_pairs(space, np.random.default_rng(seed), strict=1, equal=0)
    for setting in GRID:
        problem = make(space, pairs, size=3, setting=setting)
        assert found_by(problem, compiled=compiled).objective == pytest.approx(solved(problem).objective, abs=1e-6)
