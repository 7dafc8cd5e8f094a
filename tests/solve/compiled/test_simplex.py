"""The compiled dual simplex method finds what HiGHS finds, and its bounds hold whatever prices it came to."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

pytest.importorskip("numba", reason="needs Numba")

from setmargin.arrays import Floats
from setmargin.errors import ModelInfeasible, OptionError
from setmargin.solve.compiled import basis, jit, simplex, tree
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Milp

ENOUGH = 10_000


class Problem(NamedTuple):
    """A linear problem as HiGHS and as the compiled method know it."""

    model: Milp
    lp: basis.Lp


def drawn(seed: int, *, rows: int = 8, columns: int = 10) -> Problem:
    """Sparse rows with one side, both or none, columns with and without an upper bound; many costs are zero."""
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.normal(size=(rows, columns)), 1) * (rng.random((rows, columns)) < 0.5)
    point = rng.random(columns)
    here, kind = matrix @ point, rng.integers(0, 4, rows)
    room = rng.random(rows) * (rng.random(rows) < 0.7)
    upper = np.where(rng.random(columns) < 0.6, 1.0, inf)
    cost = np.round(rng.normal(size=columns), 1) * (rng.random(columns) < 0.6)
    model = Milp(
        objective=np.where(np.isinf(upper), np.abs(cost), cost),
        matrix=csr_array(matrix),
        row_lower=np.where(kind == 0, -inf, here - room),
        row_upper=np.where(kind == 1, inf, here + room),
        lower=np.zeros(columns),
        upper=upper,
        integer=np.zeros(columns, dtype=bool),
    )
    return Problem(model, basis.prepared(model, np.where(np.isinf(upper), 50.0, upper)))


def optimum(model: Milp, upper: Floats) -> float | None:
    """What HiGHS says with these upper bounds; None where nothing is feasible."""
    limited = Milp(**{**vars(model), "upper": upper})
    try:
        return Highs().solve(limited).objective
    except ModelInfeasible:
        return None


def closed(model: Milp, rng: np.random.Generator) -> Floats:
    """Upper bounds of which some that were finite are zero."""
    upper: Floats = np.where(np.isfinite(model.upper) & (rng.random(len(model.upper)) < 0.4), 0.0, model.upper)
    return upper


def bound_of(lp: basis.Lp) -> float:
    none = np.zeros(len(lp.cost) - len(lp.implied))
    return float(simplex.safe_bound(lp, none, 0.0, np.zeros(len(lp.implied))))


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 20), columns=st.integers(1, 20))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_from_one_solve_to_the_next_it_finds_what_highs_finds(seed: int, rows: int, columns: int) -> None:
    """Columns with two bounds are closed and opened, as a tree does; the basis is that of the solve before."""
    model, lp = drawn(seed, rows=rows, columns=columns)
    rng = np.random.default_rng(seed + 1)
    for _ in range(6):
        upper = closed(model, rng)
        lp.upper[:columns] = upper
        expected = optimum(model, upper)
        status = simplex.solve(lp, 100.0, ENOUGH)
        if expected is None:
            assert status in (simplex.INFEASIBLE, simplex.CUT_OFF)
        else:
            assert status == simplex.SOLVED
            assert lp.cost @ lp.x == pytest.approx(expected, abs=1e-7)
            assert bound_of(lp) == pytest.approx(expected, abs=1e-7)
            columns_of_x = lp.x[:columns]
            assert (columns_of_x >= -1e-7).all()
            assert (columns_of_x <= upper + 1e-7).all()
            assert lp.x[columns:] == pytest.approx(model.matrix @ columns_of_x, abs=1e-6)


@given(seed=st.integers(0, 10**6), noise=st.sampled_from([1e-9, 1e-3, 1.0]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_no_prices_whatever_bound_more_than_there_is(seed: int, noise: float) -> None:
    model, lp = drawn(seed)
    expected = optimum(model, np.minimum(model.upper, 50.0))
    simplex.solve(lp, inf, ENOUGH)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        lp.reduced[:] += noise * rng.normal(size=len(lp.reduced))
        assert expected is None or bound_of(lp) <= expected + 1e-7


@given(seed=st.integers(0, 10**6), above=st.sampled_from([-0.5, -1e-4, 1e-4, 0.5]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_it_is_cut_off_where_nothing_is_below_and_only_there(seed: int, above: float) -> None:
    model, lp = drawn(seed)
    expected = optimum(model, model.upper)
    if expected is None:
        return
    status = simplex.solve(lp, expected + above, ENOUGH)
    assert status == (simplex.CUT_OFF if above < 0 else simplex.SOLVED)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_what_is_kept_of_the_inverse_is_the_inverse(seed: int) -> None:
    """Of the rows and columns of the kernel, after many pivots as after none."""
    model, lp = drawn(seed, rows=15, columns=15)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        lp.upper[:15] = closed(model, rng)
        simplex.solve(lp, inf, ENOUGH)
    size = lp.counts[basis.SIZE]
    kernel = model.matrix.toarray()[np.ix_(lp.row_at[:size], lp.column_at[:size])]
    assert lp.inverse[:size, :size] @ kernel.T == pytest.approx(np.eye(size), abs=1e-8)
    reduced = lp.reduced.copy()
    basis.restart(lp)
    assert lp.reduced == pytest.approx(reduced, abs=1e-8)


def test_one_problem_is_as_another_once_copied() -> None:
    model, lp = drawn(3)
    saved = basis.copied(lp)
    simplex.solve(lp, inf, ENOUGH)
    basis.copy_state(lp, saved)
    before = [np.copy(array) for array in saved]
    lp.upper[0] = 0.0
    simplex.solve(lp, inf, ENOUGH)
    lp.upper[0] = model.upper[0]
    basis.copy_state(saved, lp)
    size = saved.counts[basis.SIZE]
    for name, array, earlier in zip(basis.Lp._fields, lp, before, strict=True):
        part = (slice(0, size), slice(0, size))[: array.ndim] if name in ("inverse", "column_at", "row_at") else ...
        assert (array[part] == earlier[part]).all(), name


def test_few_pivots_are_no_optimum_but_a_bound_all_the_same() -> None:
    model, lp = drawn(11, rows=20, columns=20)
    expected = optimum(model, model.upper)
    assert expected is not None
    assert simplex.solve(lp, inf, 1) == simplex.STUCK
    assert bound_of(lp) <= expected + 1e-7


def test_only_what_is_minimised_is_taken() -> None:
    model, _ = drawn(0)
    with pytest.raises(OptionError, match="turn the objective around"):
        basis.prepared(Milp(**{**vars(model), "maximise": True}), np.ones(10))


def test_there_is_one_kind_of_arguments() -> None:
    """Each other kind, such as an array of another layout or a constant, would be compiled anew, for seconds."""
    tree.load()
    for seed in range(3):
        simplex.solve(drawn(seed).lp, inf, 10)
    assert [str(types[1:]) for types in simplex.solve.signatures] == ["(float64, int64)"]  # type: ignore[attr-defined]


def test_machine_code_is_kept_by_what_all_sources_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba looks at one file's age only, and functions of one file are part of those of others."""
    sources, home = tmp_path / "sources", tmp_path / "home"
    sources.mkdir()
    monkeypatch.setattr(jit, "HERE", sources)
    monkeypatch.setattr(Path, "home", lambda: home)
    found = []
    for text in ("a = 1", "a = 2"):
        (sources / "one.py").write_text(text)
        found.append(jit.folder_of_code())
    assert found[0] != found[1]
    assert {each.parent for each in found if each} == {sources / "__pycache__"}


def test_machine_code_goes_home_where_its_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, home = tmp_path / "sources", tmp_path / "home"
    sources.mkdir()
    (sources / "__pycache__").write_text("not a folder")
    monkeypatch.setattr(jit, "HERE", sources)
    monkeypatch.setattr(Path, "home", lambda: home)
    found = jit.folder_of_code()
    assert found is not None
    assert found.parent == home / ".cache" / "setmargin"
    home.rename(tmp_path / "elsewhere")
    home.write_text("not a folder either")
    assert jit.folder_of_code() is None


def test_whoever_has_no_home_keeps_machine_code_beside_the_code_or_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.setattr(jit, "HERE", tmp_path)
    assert jit.folder_of_code() is not None
    (tmp_path / "file").touch()
    monkeypatch.setattr(jit, "HERE", tmp_path / "file")
    assert jit.folder_of_code() is None


def test_whoever_waits_for_the_compiler_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jit, "FOLDER", tmp_path)
    tree.load()
    assert [record.message for record in caplog.records] == [
        "compiling what proves questions to be best: about twenty seconds, once on this machine"
    ]
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "grow.nbc").touch()
    tree.load()
    assert len(caplog.records) == 1
