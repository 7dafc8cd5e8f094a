"""Laws that every solver keeps, run for both, and what is special to HiGHS."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import highspy
import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from setmargin.arrays import Floats
from setmargin.errors import (
    ModelCutOff,
    ModelInfeasible,
    ModelUnbounded,
    NoSolutionInTime,
    OptionError,
    SolverError,
)
from setmargin.solve.milp.highs import _OTHER_WAYS, MEANING, Highs, HighsModel
from setmargin.solve.milp.model import Columns, Limits, Milp, Solver, SolverOutcome, Status, assemble, one, rows, total
from tests.solve.lowered_spaces import claims, seeds
from tests.solve.milp.models import brute_force, every_solver, knapsack, market_split, optimum, random_milp


@every_solver
def test_integers_and_fractions_have_their_known_optima(solver: Solver) -> None:
    whole, parts = solver.solve(knapsack()), solver.solve(knapsack(integer=False))
    assert whole.values.tolist() == [1, 1, 0, 1, 0]
    assert (whole.objective, whole.bound, whole.gap) == pytest.approx((113.0, 113.0, 0.0))
    assert (parts.objective, parts.bound, parts.gap) == pytest.approx((113.2, 113.2, 0.0))
    assert whole.status is parts.status is Status.OPTIMAL


@every_solver
@claims
@given(seed=seeds)
def test_optima_are_those_of_brute_force(solver: Solver, seed: int) -> None:
    model = random_milp(seed)
    assert optimum(lambda: solver.solve(model)) == pytest.approx(brute_force(model))


def changed(model: Milp, costs: Floats, sides: Floats, extra: Floats) -> Milp:
    """The model with other costs and rows, one narrower column and one row more."""
    narrow = np.append(np.full(len(costs) - 1, 2.0), 1.0)
    return replace(
        model,
        objective=costs,
        matrix=csr_array(np.vstack([model.matrix.toarray(), extra])),
        row_lower=np.append(sides[0], -inf),
        row_upper=np.append(sides[1], 1.0),
        lower=-narrow,
        upper=narrow,
    )


@every_solver
@claims
@given(seed=seeds)
def test_an_open_model_is_solved_as_it_was_changed(solver: Solver, seed: int) -> None:
    rng, model = np.random.default_rng(seed), random_milp(seed)
    height, width = model.matrix.shape
    costs, extra = rng.integers(-5, 6, width).astype(float), rng.integers(-2, 3, (1, width)).astype(float)
    sides = np.sort(rng.choice([-inf, -3.0, 0.0, 1.0, inf], (2, height)), axis=0)
    sides = np.stack([np.where(sides[0] == inf, -inf, sides[0]), np.where(sides[1] == -inf, inf, sides[1])])
    with solver.open(model) as opened:
        assert optimum(opened.solve) == pytest.approx(brute_force(model))
        opened.change_objective(costs)
        opened.change_row_bounds(np.arange(height), *sides)
        opened.change_column_bounds(np.array([width - 1]), -1.0, 1.0)
        opened.add_rows(csr_array(extra), -inf, 1.0)
        assert optimum(opened.solve) == pytest.approx(brute_force(changed(model, costs, sides, extra)))


@every_solver
@pytest.mark.parametrize("maximise", [False, True])
def test_row_duals_say_what_a_unit_of_the_bound_is_worth(solver: Solver, maximise: bool) -> None:
    columns = Columns()
    x = columns.add("x", 2, objective=[1.0, 1.0])
    sides = {"lower": -inf, "upper": 4.0} if maximise else {"lower": 4.0, "upper": 9.0}
    solution = solver.solve(assemble(columns, [rows(total(x, [1.0, 2.0]), **sides)], maximise=maximise))
    assert solution.row_duals == pytest.approx([1.0 if maximise else 0.5])


@every_solver
def test_column_duals_say_what_a_unit_of_a_columns_bound_is_worth(solver: Solver) -> None:
    model = knapsack(integer=False)
    opened = solver.open(model)
    found = opened.solve()
    assert found.column_duals is not None
    full = np.flatnonzero(found.column_duals > 0.1)
    assert len(full)
    for column in full.tolist():
        upper = np.where(np.arange(5) == column, 0.9, 1.0)
        opened.change_column_bounds(np.arange(5), 0.0, upper)
        assert opened.solve().objective == pytest.approx(found.objective - 0.1 * found.column_duals[column])


@every_solver
def test_a_cutoff_ends_what_cannot_be_better_and_nothing_else(solver: Solver) -> None:
    model = knapsack(integer=False)
    turned = replace(model, objective=-model.objective, maximise=False, offset=0.0)
    with solver.open(turned) as opened:
        with pytest.raises(ModelCutOff):
            opened.solve(cutoff=-13.5)
        assert opened.solve(cutoff=-13.0).objective == pytest.approx(-13.2)
        opened.change_column_bounds(np.arange(5), 0.0, 0.5)
        with pytest.raises(ModelCutOff):
            opened.solve(cutoff=-13.0)
        assert opened.solve().objective == pytest.approx(-12.5)


@every_solver
@pytest.mark.parametrize("heuristics", [True, False])
def test_a_cutoff_leaves_of_integers_what_is_better_whether_or_not_solutions_are_looked_for(
    solver: Solver, heuristics: bool
) -> None:
    model = knapsack()
    best, limits = solver.solve(model).objective - model.offset, Limits(heuristics=heuristics)
    turned = replace(model, objective=-model.objective, maximise=False, offset=0.0)
    with solver.open(turned) as opened:
        assert opened.solve(limits=limits, cutoff=0.01 - best).objective == pytest.approx(-best)
        with pytest.raises(ModelCutOff):
            opened.solve(limits=limits, cutoff=-0.01 - best)
        assert opened.solve().objective == pytest.approx(-best)


@every_solver
@pytest.mark.parametrize("integer", [False, True])
def test_a_cutoff_is_for_what_is_minimised(solver: Solver, integer: bool) -> None:
    with solver.open(knapsack(integer=integer)) as opened, pytest.raises(OptionError, match="turn the objective"):
        opened.solve(cutoff=1.0)


@every_solver
def test_integers_have_no_duals(solver: Solver) -> None:
    assert solver.solve(knapsack()).row_duals is None


@every_solver
@pytest.mark.parametrize("integer", [False, True])
def test_a_ray_is_unbounded_only_where_there_is_a_point(solver: Solver, integer: bool) -> None:
    columns = Columns()
    x = columns.add("x", 2, integer=integer)
    far = columns.add("far", objective=1.0, integer=integer)
    possible = assemble(columns, [rows(total(x, 2.0), lower=2.0, upper=2.0)], maximise=True)
    impossible = assemble(columns, [rows(total(x, 2.0), upper=-2.0), rows(one(far), lower=0.0)], maximise=True)
    with pytest.raises(ModelUnbounded):
        solver.solve(possible)
    with pytest.raises(ModelInfeasible):
        solver.solve(impossible)


@every_solver
def test_integers_without_a_point_are_infeasible_even_along_a_ray(solver: Solver) -> None:
    columns = Columns()
    x = columns.add("x", 4, integer=True)
    columns.add("far", objective=1.0)
    # The sum of the first two is odd and their difference even, which fractions do not mind.
    parity = rows(total(x, [[1, 1, -2, 0], [1, -1, 0, -2]]), lower=[1.0, 0.0], upper=[1.0, 0.0])
    with pytest.raises(ModelInfeasible):
        solver.solve(assemble(columns, [parity], maximise=True))


@every_solver
def test_an_unbounded_model_keeps_its_objective(solver: Solver) -> None:
    columns = Columns()
    x = columns.add("x", objective=1.0)
    with solver.open(assemble(columns, [], maximise=True)) as opened:
        with pytest.raises(ModelUnbounded):
            opened.solve()
        opened.change_column_bounds(x.reshape(1), 0.0, 5.0)
        assert opened.solve().objective == pytest.approx(5.0)


@every_solver
@pytest.mark.parametrize("integer", [False, True])
def test_crossing_bounds_are_infeasible(solver: Solver, integer: bool) -> None:
    model = knapsack(integer=integer)
    with pytest.raises(ModelInfeasible):
        solver.solve(replace(model, lower=np.full(5, 2.0)))
    with pytest.raises(ModelInfeasible):
        solver.solve(replace(model, row_lower=np.array([11.0])))


@every_solver
def test_a_model_without_columns_is_judged_by_its_rows(solver: Solver) -> None:
    assert solver.solve(assemble(Columns(), [rows(upper=1.0)], offset=0.0)).values.shape == (0,)
    with pytest.raises(ModelInfeasible):
        solver.solve(assemble(Columns(), [rows(upper=-1.0)]))


@every_solver
def test_the_incumbent_is_returned_when_time_runs_out(solver: Solver) -> None:
    model = market_split(slack=True)
    known = np.concatenate([np.zeros(45), model.row_lower])
    solution = solver.solve(model, limits=Limits(seconds=0.2), start=known)
    assert solution.status is Status.TIME_LIMIT
    assert solution.bound < solution.objective <= model.row_lower.sum()
    assert solution.gap == pytest.approx((solution.objective - solution.bound) / solution.objective)
    assert model.matrix @ solution.values == pytest.approx(model.row_lower)


@every_solver
def test_without_an_incumbent_running_out_of_time_is_an_error(solver: Solver) -> None:
    with pytest.raises(NoSolutionInTime, match=r"Limits\.seconds"):
        solver.solve(market_split(slack=False), limits=Limits(seconds=0.05))


@every_solver
@pytest.mark.parametrize("start", [[1, 1, 0, 1, 0], [1, nan, nan, nan, 0], [nan] * 5, [1] * 5, [7] * 5])
def test_no_start_changes_the_optimum(solver: Solver, start: list[float]) -> None:
    assert solver.solve(knapsack(), start=np.array(start)).objective == pytest.approx(113.0)


@every_solver
def test_a_start_of_the_wrong_length_is_refused(solver: Solver) -> None:
    with pytest.raises(OptionError, match="one number for each column"):
        solver.solve(knapsack(), start=np.zeros(4))


@every_solver
def test_a_gap_allows_less_than_the_best_but_says_so(solver: Solver) -> None:
    solution = solver.solve(knapsack(), limits=Limits(gap=0.5))
    assert solution.gap <= 0.5
    assert solution.bound >= 113.0 - 1e-6


@every_solver
def test_the_number_of_threads_may_change_between_solves(solver: Solver) -> None:
    with solver.open(knapsack()) as opened:
        found = [opened.solve(limits=Limits(threads=threads)).objective for threads in (1, 2, 1)]
    assert found == pytest.approx([113.0] * 3)


@every_solver
def test_the_clock_of_an_open_model_starts_anew_with_every_solve(solver: Solver) -> None:
    rng = np.random.default_rng(0)
    with solver.open(knapsack(integer=False)) as opened:
        spent = 0.0
        for _ in range(500):
            opened.change_objective(rng.normal(size=5))
            spent += opened.solve().seconds
        opened.change_objective(rng.normal(size=5))
        assert opened.solve(limits=Limits(seconds=spent / 4)).status is Status.OPTIMAL


def test_a_clock_that_is_set_back_between_two_solves_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    with Highs().open(knapsack(integer=False)) as opened:
        before = opened.solve(limits=Limits(seconds=5.0)).objective
        monkeypatch.setattr(highspy.Highs, "getRunTime", lambda _: -86_400.0)
        assert opened.solve(limits=Limits(seconds=5.0)).objective == pytest.approx(before)


@every_solver
def test_a_fresh_solve_does_not_depend_on_what_was_solved_before(solver: Solver) -> None:
    columns = Columns()
    x = columns.add("x", 6, upper=1.0)
    tied = assemble(columns, [rows(total(x), lower=2.0, upper=2.0)], maximise=True)
    expected = solver.solve(tied).values
    rng = np.random.default_rng(0)
    with solver.open(tied) as opened:
        for _ in range(10):
            opened.change_objective(rng.normal(size=6))
            opened.solve()
            opened.change_objective(np.zeros(6))
            assert opened.solve(fresh=True).values.tolist() == expected.tolist()


@every_solver
def test_numbers_that_are_none_are_refused_before_the_solver_sees_them(solver: Solver) -> None:
    with solver.open(knapsack()) as opened:
        with pytest.raises(OptionError, match="objective"):
            opened.change_objective(np.full(5, nan))
        with pytest.raises(OptionError, match="rows is NaN"):
            opened.change_row_bounds(np.array([0]), nan, 1.0)
        with pytest.raises(OptionError, match="columns is NaN"):
            opened.change_column_bounds(np.array([0]), 0.0, nan)
        with pytest.raises(OptionError, match="matrix"):
            opened.add_rows(csr_array(np.full((1, 5), nan)), 0.0, 1.0)
        assert opened.solve().objective == pytest.approx(113.0)


@pytest.mark.parametrize("field", ["objective", "row_lower", "row_upper", "lower", "upper"])
def test_a_model_refuses_nan_and_wrong_lengths_in_every_field(field: str) -> None:
    model = knapsack()
    size = len(getattr(model, field))
    unknown: dict[str, Any] = {field: np.full(size, nan)}
    longer: dict[str, Any] = {field: np.zeros(size + 1)}
    with pytest.raises(OptionError):
        replace(model, **unknown)
    with pytest.raises(OptionError, match=field):
        replace(model, **longer)


def test_a_bound_that_is_infinite_on_the_wrong_side_is_refused() -> None:
    with pytest.raises(OptionError, match="wrong side"):
        replace(knapsack(), lower=np.full(5, inf))


@pytest.mark.parametrize("wrong", [{"seconds": 0.0}, {"seconds": nan}, {"gap": -0.1}, {"gap": nan}, {"threads": 0}])
def test_impossible_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        Limits(**wrong)  # type: ignore[arg-type]


def test_every_status_of_highs_has_a_meaning() -> None:
    assert set(MEANING) == set(highspy.HighsModelStatus.__members__.values())


@pytest.mark.parametrize(("name", "value"), [("no_such_option", 1), ("mip_rel_gap", -1.0), ("threads", 0.5)])
def test_an_option_that_highs_refuses_is_an_error(name: str, value: float) -> None:
    with HighsModel(knapsack()) as opened, pytest.raises(SolverError, match=name):
        opened._set(name, value)


def test_an_index_out_of_range_is_an_error() -> None:
    with Highs().open(knapsack()) as opened, pytest.raises(SolverError, match="changeColsBounds"):
        opened.change_column_bounds(np.array([5]), 0.0, 1.0)


def nearly_degenerate() -> Milp:
    """Costs that differ by less than a millionth, as ties are decided by: perturbed, HiGHS calls them "Unknown"."""
    answers = np.zeros((4, 77))
    for row, (plus, minus) in enumerate(
        [
            ((4, 23, 45, 67), (6, 14, 46, 66)),
            ((13, 56, 67), (23, 58, 68)),
            ((4, 13, 66), (1, 23, 67)),
            ((45, 66), (47, 67)),
        ]
    ):
        answers[row, plus], answers[row, minus] = 1.0, -1.0
    answers[:, 76] = 0.0150304966598896, 0.0362329363926808, 0.00835027592216089, 0.00726110949753123
    costs = np.append(np.ones(76), 1 / 6) + 1e-6 * np.sqrt((np.append(np.arange(1, 77), 0) + 1.0) / 77)
    columns = Columns()
    w = columns.add("w", 77, upper=np.append(np.ones(76), 6.0), objective=-costs)
    mu = columns.add("mu", upper=11.6057217542841, objective=1.0)
    eps = columns.add("eps", 4, objective=-1.0)
    return assemble(columns, [rows(total(w[None], answers), one(mu, -1.0), one(eps), lower=0.0)], maximise=True)


@every_solver
def test_costs_that_hardly_differ_are_solved(solver: Solver) -> None:
    found = solver.solve(nearly_degenerate())
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("failures", range(len(_OTHER_WAYS)))
def test_where_highs_gives_up_it_is_asked_in_another_way(failures: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run, turns = HighsModel._run, iter(range(100))
    expected = Highs().solve(knapsack(integer=False))
    names = {name for options in _OTHER_WAYS for name in options}

    def fail_at_first(opened: HighsModel) -> SolverOutcome:
        return SolverOutcome.FAILED if next(turns) <= failures else run(opened)

    with HighsModel(knapsack(integer=False)) as opened:
        before = {name: opened._highs.getOptionValue(name)[1] for name in names}
        monkeypatch.setattr(HighsModel, "_run", fail_at_first)
        found = opened.solve()
        assert {name: opened._highs.getOptionValue(name)[1] for name in names} == before
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(expected.objective)
    assert found.row_duals is not None
    assert next(turns) == failures + 2


def test_where_nothing_helps_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HighsModel, "_run", lambda _: SolverOutcome.FAILED)
    with pytest.raises(SolverError, match="without a solution"):
        Highs().solve(knapsack(integer=False))
