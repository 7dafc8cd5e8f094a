"""What is special to Gurobi; the laws that it shares with HiGHS stand in test_highs.py."""

from __future__ import annotations

import sys
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given

from setmargin.errors import ModelInfeasible, SolverError, SolverMissing
from setmargin.solve.milp import gurobi
from setmargin.solve.milp.gurobi import MEANING, Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, Milp, assemble, one, rows, total
from tests.solve.lowered_spaces import claims, seeds
from tests.solve.milp.models import knapsack, no_gurobi, optimum


def mixed_milp(seed: int) -> Milp:
    """Integers and fractions under rows with real coefficients, as brute force cannot judge them."""
    rng = np.random.default_rng(seed)
    columns = Columns()
    x = columns.add("x", 4, lower=-3.0, upper=3.0, objective=rng.normal(size=4), integer=True)
    y = columns.add("y", 3, lower=-1.0, upper=2.5, objective=rng.normal(size=3))
    middle = rng.normal(size=3)
    blocks = [
        rows(total(x, rng.normal(size=(3, 4))), total(y, rng.normal(size=(3, 3))), upper=middle + 1.0),
        rows(total(x), one(y, -1.0), lower=-rng.random(3), upper=rng.random(3)),
    ]
    return assemble(columns, blocks, maximise=bool(rng.random() < 0.5))


@no_gurobi
@claims
@given(seed=seeds)
def test_both_solvers_agree_on_integers_with_fractions(seed: int) -> None:
    model = mixed_milp(seed)
    ours, theirs = (optimum(lambda s=solver: s.solve(model)) for solver in (Highs(), Gurobi()))  # type: ignore[misc]
    assert ours == pytest.approx(theirs, abs=1e-6)


@no_gurobi
@claims
@given(seed=seeds)
def test_both_solvers_agree_on_the_duals_of_lps(seed: int) -> None:
    model = mixed_milp(seed)
    relaxed = replace(model, integer=np.zeros(len(model.objective), dtype=bool))
    try:
        ours, theirs = (solver.solve(relaxed).row_duals for solver in (Highs(), Gurobi()))
    except ModelInfeasible:
        return
    assert ours == pytest.approx(theirs, abs=1e-6)


@no_gurobi
def test_every_status_of_gurobi_has_a_meaning() -> None:
    from gurobipy import GRB

    assert set(MEANING) >= {name for name in dir(GRB.Status) if not name.startswith("_")}


@no_gurobi
def test_a_row_gets_and_loses_its_second_side() -> None:
    columns = Columns()
    x = columns.add("x", upper=9.0, objective=1.0)
    with Gurobi().open(assemble(columns, [rows(one(x), upper=7.0)], maximise=True)) as opened:
        found = []
        for lower, upper in [(2.0, 5.0), (-inf, 4.0), (3.0, inf), (6.0, 6.0), (1.0, 8.0), (-inf, inf)]:
            opened.change_row_bounds(np.array([0]), lower, upper)
            opened.change_objective(np.array([1.0]))
            highest = opened.solve().objective
            opened.change_objective(np.array([-1.0]))
            found.append((-opened.solve().objective, highest))
    assert found == pytest.approx(np.array([(2, 5), (0, 4), (3, 9), (6, 6), (1, 8), (0, 9)]))


@no_gurobi
@pytest.mark.parametrize("code", ["NO_LICENSE", "SIZE_LIMIT_EXCEEDED"])
def test_without_a_licence_for_the_model_the_error_names_the_cure(code: str) -> None:
    import gurobipy

    with pytest.raises(SolverMissing, match=r"licence.* use Highs\(\)"), gurobi._in_our_words():
        raise gurobipy.GurobiError(getattr(gurobipy.GRB.Error, code), "refused")


@no_gurobi
def test_an_error_of_gurobi_becomes_ours() -> None:
    import gurobipy

    with pytest.raises(SolverError) as caught, gurobi._in_our_words():
        gurobipy.Model(env=gurobi._environment()).setParam("NoSuchParameter", 1)
    assert isinstance(caught.value.__cause__, gurobipy.GurobiError)


@no_gurobi
def test_gurobi_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    gurobi._environment.cache_clear()
    Gurobi().solve(knapsack())
    assert capfd.readouterr() == ("", "")


def test_a_missing_package_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    with pytest.raises(SolverMissing, match=r"pip install 'setmargin\[gurobi\]'"):
        Gurobi().solve(knapsack())
