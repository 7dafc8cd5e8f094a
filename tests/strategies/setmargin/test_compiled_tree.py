"""The tree as machine code proves what the solver's proves, on problems that leave it something to leave out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

pytest.importorskip("numba", reason="needs Numba")

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.compiled import is_usable, simplex
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.setmargin import proof, relaxation
from setmargin.strategies.setmargin.best_set import find_best_set
from setmargin.strategies.setmargin.branch_and_bound import Guess
from setmargin.strategies.setmargin.compiled_tree import CompiledTree, kept_problem, needed_values
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, SetProblem, SetSolution
from setmargin.strategies.setmargin.proof import SearchLimits
from setmargin.strategies.setmargin.relaxation import Relaxation, interchangeable, relax
from setmargin.strategies.shared.pairs import Pairs
from setmargin.time_limit import time_limit
from tests.strategies.brute import fixed_objective
from tests.strategies.setmargin.examples import GRID, make, random_pairs, solved

NOTHING_LESS = -1e9
LONG = Space({"a": range(12), "b": range(3), "c": range(4)}, rules=["a = 0 => b != 1", "a >= 10 => c != 3"])
PRICED = Space({"a": range(5), "b": range(3)}, quantities=[Quantity("price", {"a": 2.0, "b": 1.0}, better="lower")])
FREE = Space({f"x{i}": range(4) for i in range(4)})


def found_by(problem: SetProblem, *, compiled: bool = True, **limits: float) -> SetSolution:
    work = SearchLimits(**{"seconds": 60.0, **limits}, compiled=compiled)  # type: ignore[arg-type]
    return find_best_set(problem, oracle_for(problem.space), solver=Highs(), work=work, rng=np.random.default_rng(0))


def hard(seed: int) -> SetProblem:
    """Some hundred nodes."""
    pairs = random_pairs(FREE, np.random.default_rng(seed), strict=12, equal=0)
    return make(FREE, pairs, size=2, setting=Hyperparameters(10.0, 0.001, 0.01))


@pytest.mark.parametrize("space", [LONG, PRICED], ids=["long", "priced"])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("form", list(Form))
@given(seed=st.integers(0, 10**6), strict=st.integers(0, 6), which=st.integers(0, 3))
@settings(max_examples=4, deadline=None, derandomize=True)
def test_it_agrees_with_the_printed_problem(
    space: Space, size: int, form: Form, seed: int, strict: int, which: int
) -> None:
    pairs = random_pairs(space, np.random.default_rng(seed), strict=strict, equal=1)
    problem = make(space, pairs, size=size, setting=GRID[which], form=form)
    found = found_by(problem)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(solved(problem).objective, abs=1e-6, rel=1e-5)
    assert space.feasible(found.configurations).all()


@given(seed=st.integers(0, 10**6), which=st.integers(0, 3))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_answers_about_what_may_no_longer_be_taken_still_count(seed: int, which: int) -> None:
    """A must-have rules values out after they were compared; the weights that these answers tell stay."""
    rng = np.random.default_rng(seed)
    problem = make(LONG, random_pairs(LONG, rng, strict=4, equal=1), size=2, setting=GRID[which])
    upper = problem.feasible.upper.copy()
    upper[[1, 2, 3, 13]] = 0.0
    problem = replace(problem, feasible=replace(problem.feasible, upper=upper))
    allowed_only = solved(problem)
    found = found_by_tree(problem)
    assert found == pytest.approx(allowed_only.objective, abs=1e-6, rel=1e-5)


def found_by_tree(problem: SetProblem) -> float:
    """The tree alone: sets are worth what the printed problem with their values says."""
    worth: list[float] = [0.0]

    def accept(rows: Ints, _: Floats | None) -> float:
        upper = problem.feasible.upper.copy()
        onehot = problem.space.onehot(rows)
        upper[: onehot.shape[1]] = np.minimum(upper[: onehot.shape[1]], onehot.max(axis=0))
        inside = replace(problem, feasible=replace(problem.feasible, upper=upper))
        worth.append(solved(inside).objective)
        return max(worth)

    tree = CompiledTree(
        problem,
        oracle_for(problem.space),
        kinds=interchangeable(problem),
        floor=0.0,
        gap=0.0,
        enough=np.inf,
        accept=accept,
        guess=lambda _: 0.0,
    )
    bound = tree.grow(WorkBudget.unlimited())
    assert bound == pytest.approx(max(worth), abs=1e-6, rel=1e-5)
    return max(worth)


def test_of_values_that_nothing_tells_apart_as_many_are_kept_as_users_could_take() -> None:
    space = Space({"a": range(9), "b": range(3)})
    better, worse = space.onehot(np.array([[0, 0], [1, 0]]))
    problem = make(space, Pairs((better - worse)[None], np.zeros((0, 12))), size=2, setting=GRID[0])
    assert needed_values(problem, interchangeable(problem)).tolist() == [0, 1, 2, 3, 9, 10]
    usual = problem.bounds
    some = replace(problem, bounds=Bounds(0.1 * usual.upper, usual.upper, usual.counts))
    assert len(needed_values(some, interchangeable(some))) == 12


@given(seed=st.integers(0, 10**6), size=st.integers(2, 3), which=st.integers(0, 3))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_leaving_values_out_costs_nothing_of_the_bound(seed: int, size: int, which: int) -> None:
    pairs = random_pairs(LONG, np.random.default_rng(seed), strict=2, equal=0)
    problem = make(LONG, pairs, size=size, setting=GRID[which])
    needed = needed_values(problem, interchangeable(problem))
    assert len(needed) < LONG.offsets[-1]
    lp, _, _ = kept_problem(problem, needed)
    assert simplex.solve(lp, np.inf, 10_000) == simplex.SOLVED
    with Relaxation(problem, users=size, solver=Highs()) as opened:
        root = opened.solve(opened.allowed, floor=NOTHING_LESS, limits=Limits(seconds=30))
    assert root is not None
    assert -(lp.cost @ lp.x) == pytest.approx(root.bound, abs=1e-6)


@pytest.mark.parametrize("many", [0, 10**6], ids=["products", "rows"])
@given(seed=st.integers(0, 10**6), users=st.integers(2, 3), least=st.sampled_from([0.0, 0.3]))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_what_a_quantity_comes_to_is_as_tight_as_with_a_product_for_every_value(
    many: int, seed: int, users: int, least: float
) -> None:
    """In the hull of w x, Σ c r is largest or smallest over products r of each value with w⊥ x ≤ r ≤ w⊤ x, Σ r = w."""
    rng = np.random.default_rng(seed)
    costs, top = rng.normal(size=5).round(1), 2.0
    space = Space({"a": range(5), "b": range(2)}, quantities=[Quantity("q", {"a": dict(enumerate(costs.tolist()))})])
    bounds = Bounds.usual(space)
    bounds = Bounds(least * bounds.upper, bounds.upper, bounds.counts)
    problem = make(space, random_pairs(space, rng, strict=0, equal=0), size=users, setting=GRID[0], bounds=bounds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relaxation, "MANY_COSTS", many)
        model, columns = relax(problem, users=users)
    shares, place = rng.dirichlet(np.ones(5)), len(bounds.upper) - 1
    low, top = float(bounds.lower[place]), float(bounds.upper[place])
    weight = rng.uniform(low, top)
    lower, upper = model.lower.copy(), model.upper.copy()
    for i in range(users):
        for column, value in [(columns["w"][i, place], weight), *zip(columns["x"][i, :5], shares, strict=True)]:
            lower[column] = upper[column] = value
    for i, j, sign in ((0, 0, -1.0), (0, 1, 1.0)):
        amount = columns["a0"][i, j, 0]
        cost = np.zeros(len(model.objective))
        cost[amount] = sign
        found = Highs().solve(replace(model, objective=cost, lower=lower, upper=upper)).values[amount]
        ends = list(zip((low * shares).tolist(), (top * shares).tolist(), strict=True))
        expected = linprog((sign * space.costs[0][:5]).tolist(), A_eq=[[1.0] * 5], b_eq=[weight], bounds=ends)
        assert expected.fun is not None
        assert sign * found == pytest.approx(expected.fun, abs=1e-6)


def test_a_list_of_many_prices_takes_no_row_that_speaks_of_all_of_them() -> None:
    prices: dict[str | int | float, float] = {value: float(value**2) for value in range(1500)}
    space = Space({"item": range(1500), "b": range(2)}, quantities=[Quantity("price", {"item": prices})])
    problem = make(space, Pairs(np.zeros((0, 1502)), np.zeros((0, 1502))), size=2, setting=GRID[0])
    model, _ = relax(problem, users=2)
    assert model.matrix.nnz < 100 * 1500


def test_rows_of_lower_bounds_count_too() -> None:
    for space in (LONG, PRICED):
        usual = Bounds.usual(space)
        for bounds in (usual, Bounds(0.1 * usual.upper, usual.upper, usual.counts)):
            problem = make(
                space,
                random_pairs(space, np.random.default_rng(0), strict=2, equal=1),
                size=3,
                setting=GRID[0],
                bounds=bounds,
            )
            model, _ = relax(problem, users=3)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(proof, "MOST_ROWS", len(model.row_lower) - 1)
                assert not proof.is_small(problem)


def test_a_tree_that_is_stopped_bounds_what_it_has_not_seen() -> None:
    for seed in (7, 8):
        problem = hard(seed)
        best = found_by(problem)
        assert best.status == "optimal"
        tree = tree_above(problem, floor=0.9 * best.objective)
        bounds = [tree.grow(WorkBudget(20)) for _ in range(8)]
        assert tree.nodes <= 160
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] >= best.objective - 1e-6


def tree_above(
    problem: SetProblem, *, floor: float, gap: float = 0.0, accept: Guess = lambda _: -np.inf
) -> CompiledTree:
    """A tree that knows of something that is worth so much, and guesses nothing."""
    return CompiledTree(
        problem,
        oracle_for(problem.space),
        kinds=interchangeable(problem),
        floor=floor,
        gap=gap,
        enough=np.inf,
        accept=lambda rows, _: accept(rows),
        guess=lambda _: -np.inf,
    )


def test_the_gap_belongs_to_the_bound_of_a_tree_that_is_stopped() -> None:
    """Nodes were left out that may be worth as much."""
    for seed in (7, 8):
        problem = hard(seed)
        best, gap = found_by(problem).objective, 0.3
        tree = tree_above(problem, floor=0.8 * best, gap=gap)
        bounds = [tree.grow(WorkBudget(1)) for _ in range(300)]
        assert bounds[-1] == pytest.approx(0.8 * best * (1.0 + gap))
        assert min(bounds) >= best


def test_reduced_costs_rule_out_no_more_than_their_own_bound_allows() -> None:
    """A node may come with a better bound than its linear problem shows, if that is not solved to its end."""
    for seed in (7, 8, 9, 10):
        problem = hard(seed)
        best = found_by(problem).objective

        def worth(rows: Ints, problem: SetProblem = problem) -> float:
            return fixed_objective(
                FREE, problem.pairs, FREE.onehot(rows), setting=problem.setting, bounds=problem.bounds
            )

        tree = tree_above(problem, floor=0.9999 * best, accept=worth)
        tree._tree.bound[0] = 1.0001 * best
        tree.grow(WorkBudget.unlimited())
        assert tree.floor == pytest.approx(best, abs=1e-6)


def test_it_gets_more_room_when_many_nodes_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hard(9)
    expected = found_by(problem)
    monkeypatch.setattr("setmargin.solve.compiled.tree.CAPACITY", 3)
    assert found_by(problem).objective == pytest.approx(expected.objective, abs=1e-9)


def test_the_same_problem_takes_the_same_path() -> None:
    one, two = (found_by(hard(10)) for _ in range(2))
    assert (one.configurations == two.configurations).all()
    assert (one.weights == two.weights).all()


def test_what_is_enough_and_what_time_is_left_end_it() -> None:
    problem = hard(11)
    best = found_by(problem)
    enough = found_by(problem, enough=0.5 * best.objective)
    assert enough.objective >= 0.5 * best.objective
    assert enough.bound >= best.objective - 1e-6
    late = found_by(problem, seconds=0.0)
    assert late.status == "time limit"
    assert FREE.feasible(late.configurations).all()


def test_without_numba_or_without_wanting_it_the_solver_proves_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hard(12)
    expected = found_by(problem)
    turns: list[bool] = []
    in_turns = proof.Proof.bound_in_turns

    def counted(*arguments: object) -> float:
        turns.append(True)
        return in_turns(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(proof.Proof, "bound_in_turns", counted)
    assert found_by(problem).objective == expected.objective
    assert not turns
    assert found_by(problem, compiled=False).objective == pytest.approx(expected.objective, abs=1e-6)
    monkeypatch.setattr(proof, "is_usable", lambda: False)
    assert found_by(problem).objective == pytest.approx(expected.objective, abs=1e-6)
    assert len(turns) == 2


@pytest.mark.parametrize("space", [LONG, PRICED], ids=["long", "priced"])
@pytest.mark.parametrize("form", list(Form))
def test_what_has_too_many_rows_is_the_solvers(space: Space, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = random_pairs(space, np.random.default_rng(1), strict=3, equal=2)
    problem = make(space, pairs, size=3, setting=GRID[0], form=form)
    model, _ = relax(problem, users=3)
    for most, small in ((len(model.row_lower), True), (len(model.row_lower) - 1, False)):
        monkeypatch.setattr(proof, "MOST_ROWS", most)
        assert proof.is_small(problem) == small
    assert found_by(problem).status == "optimal"


def dropped(problem: SetProblem) -> Bools:
    """Which values are left out."""
    left: Bools = np.ones(int(problem.space.offsets[-1]), dtype=bool)
    left[needed_values(problem, interchangeable(problem))] = False
    return left


def test_weights_of_what_is_left_out_are_zero() -> None:
    pairs = random_pairs(LONG, np.random.default_rng(5), strict=2, equal=0)
    problem = make(LONG, pairs, size=2, setting=GRID[1])
    weights: Floats = found_by(problem).value_weights
    assert dropped(problem).any()
    assert (weights[:, dropped(problem)] == 0).all()


def test_a_call_that_may_be_ended_does_without() -> None:
    """Numba may compile for longer than the call may take, and an import that was interrupted poisons the process."""
    assert is_usable()
    with time_limit(60.0):
        assert not is_usable()
