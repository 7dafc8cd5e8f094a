"""Blocks of rows as small tables, and spaces as rows against brute force; no solver here."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import ArrayLike

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import OptionError
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.milp.feasible import (
    FEW_CLAUSES,
    clause_row,
    feasible_block,
    flow_rows,
    linear_row,
    one_hot_rows,
    relation_rows,
    support_rows,
)
from setmargin.solve.milp.model import Columns, Rows, assemble, one, rows, stack, total
from setmargin.solve.relations import Relation, automaton
from tests.solve.lowered_spaces import claims, one_hot, random_relation, random_row, seeds


def table(block: Rows, width: int) -> list[list[float]]:
    """Each row as its coefficients, lower and upper bound."""
    result: list[list[float]] = np.column_stack([block.matrix(width).toarray(), block.lower, block.upper]).tolist()
    return result


def satisfied(block: Rows, points: ArrayLike) -> Bools:
    """Which points obey all rows."""
    points = np.asarray(points, dtype=np.float64)
    left = points @ block.matrix(points.shape[1]).toarray().T
    result: Bools = ((left >= block.lower - 1e-9) & (left <= block.upper + 1e-9)).all(axis=1)
    return result


def test_columns_come_in_any_shape_and_are_numbered_on() -> None:
    columns = Columns()
    x = columns.add("x", (2, 2), upper=[1.0, 2.0], integer=True)
    t = columns.add("t", lower=-inf, objective=3.0)
    lower, upper, objective, integer = columns.traits()
    assert x.tolist() == columns["x"].tolist() == [[0, 1], [2, 3]]
    assert (int(t), len(columns)) == (4, 5)
    assert lower.tolist() == [0, 0, 0, 0, -inf]
    assert upper.tolist() == [1, 2, 1, 2, inf]
    assert objective.tolist() == [0, 0, 0, 0, 3]
    assert integer.tolist() == [True] * 4 + [False]


def test_two_blocks_of_columns_cannot_share_a_name() -> None:
    columns = Columns()
    columns.add("x")
    with pytest.raises(OptionError, match="'x'"):
        columns.add("x")


def test_one_makes_a_row_for_each_column_and_total_sums_the_last_axis() -> None:
    x, t = np.array([[0, 1], [2, 3]]), np.array(4)
    assert table(rows(one(t), one(x[0], -5.0), upper=0.0), 5) == [
        [-5, 0, 0, 0, 1, -inf, 0],
        [0, -5, 0, 0, 1, -inf, 0],
    ]
    assert table(rows(total(x, [1.0, 2.0]), one(t, -1.0), lower=[1.0, 3.0]), 5) == [
        [1, 2, 0, 0, -1, 1, inf],
        [0, 0, 1, 2, -1, 3, inf],
    ]


def test_a_column_that_comes_twice_is_added_up() -> None:
    x = np.array([0, 1])
    assert table(rows(total(x), total(x, [2.0, -1.0]), upper=1.0), 2) == [[3, 0, -inf, 1]]
    assert rows(total(x), total(x, -1.0)).matrix(2).nnz == 0


def test_stacked_blocks_keep_their_order() -> None:
    x = np.array([0, 1])
    block = stack([rows(one(x), upper=1.0), stack([]), rows(total(x), lower=1.0)])
    assert table(block, 2) == [[1, 0, -inf, 1], [0, 1, -inf, 1], [1, 1, 1, inf]]


def test_a_model_is_its_columns_and_its_blocks() -> None:
    columns = Columns()
    x = columns.add("x", 2, objective=[1.0, 2.0])
    model = assemble(columns, [rows(total(x), upper=3.0)], maximise=True, offset=5.0)
    assert model.matrix.toarray().tolist() == [[1, 1]]
    assert (model.maximise, model.offset, model.is_lp) == (True, 5.0, True)


def test_every_attribute_has_exactly_one_value() -> None:
    assert table(one_hot_rows([np.array([0, 1]), np.array([2])]), 3) == [[1, 1, 0, 1, 1], [0, 0, 1, 1, 1]]


def test_values_with_the_same_support_share_a_row_and_free_ones_have_none() -> None:
    allowed = np.array([[True, True, True], [True, False, False], [True, False, False]])
    assert table(support_rows(allowed, [0, 1, 2], [3, 4, 5]), 6) == [
        [0, 1, 1, -1, 0, 0, -inf, 0],
        [-1, 0, 0, 0, 1, 1, -inf, 0],
    ]


def test_a_clause_forbids_one_combination() -> None:
    x = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    assert table(clause_row([[0], [1], [0, 1]], x), 6) == [[1, 0, 0, 1, 1, 1, -inf, 2]]


def test_flow_follows_the_values_through_the_layers() -> None:
    x = [np.array([0, 1]), np.array([2, 3])]
    same = [np.array([[0, 1]]), np.array([[0, -1], [-1, 0]])]
    count, block = flow_rows(same, x, first_flow=4)
    assert count == 4
    assert table(block, 8) == [
        [1, 0, 0, 0, -1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, -1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, -1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0, -1, 0, 0],
        [0, 0, 0, 0, 1, 0, -1, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 0, -1, 0, 0],
    ]


def test_a_linear_row_is_reduced_to_its_smallest_numbers() -> None:
    x = [np.array([0, 1]), np.array([2, 3])]
    # Less the cheapest values and divided by 30 it reads 0|1 + 0|3 ≤ 1, where 3 counts as 2, and 2 is scaled to 1.
    row = LinearRow({0: np.array([10, 40]), 1: np.array([10, 100])}, 69)
    assert table(linear_row(row, x), 4) == [[0, 1 / 2, 0, 1, -inf, 1.5 / 2]]


def test_a_linear_row_that_always_holds_is_no_row_and_one_that_never_does_stays() -> None:
    x = [np.array([0, 1])]
    assert len(linear_row(LinearRow({0: np.array([3, 5])}, 5), x)) == 0
    assert table(linear_row(LinearRow({0: np.array([3, 5])}, 2), x), 2) == [[0, 0, -inf, -1]]
    assert table(linear_row(LinearRow({}, -1), x), 2) == [[0, 0, -inf, -1]]


@claims
@given(seed=seeds)
def test_a_linear_row_separates_its_points_by_far_more_than_any_tolerance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = (3, 2, 4)
    lowered = Lowered(domains, rows=(random_row(rng, domains, largest=1000),))
    points = np.array(list(np.ndindex(domains)))
    block = linear_row(lowered.rows[0], np.split(np.arange(9), [3, 5]))
    room = block.upper - one_hot(points, domains) @ block.matrix(9).toarray().T
    assert ((room > 1e-4).all(axis=1) == lowered.holds(points)).all()
    assert (np.abs(room) > 1e-4).all()


@claims
@given(seed=seeds)
def test_rows_without_flow_hold_for_feasible_configurations_only(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(2, 5, size=3))
    relations = tuple(random_relation(rng, domains, arity=2) for _ in range(3))
    lowered = Lowered(domains, relations, (random_row(rng, domains),))
    block = feasible_block(lowered)
    points = np.array(list(np.ndindex(domains)))
    codes = one_hot(points, domains)
    assert block.flows == 0
    assert ((satisfied(block.rows, codes) & (codes <= block.upper).all(axis=1)) == lowered.holds(points)).all()


def path(tables: tuple[Ints, ...], values: Ints) -> Floats:
    """The flow of one configuration along its arcs, as far as it gets."""
    state, flows = 0, []
    for layer, value in zip(tables, values, strict=True):
        arcs = np.argwhere(layer >= 0)
        flows.append(((arcs == [state, value]).all(axis=1)).astype(float))
        state = int(layer[state, value]) if state >= 0 else -1
    return np.concatenate(flows)


@claims
@given(seed=seeds)
def test_flow_exists_for_allowed_combinations_only(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(2, 4, size=4))
    relation = random_relation(rng, domains, arity=4)
    tables = automaton(relation, range(4), domains).tables
    scope = sorted(relation.scope)
    offsets = Lowered(domains).offsets
    x = [np.arange(offsets[a], offsets[a + 1]) for a in scope]
    _, block = flow_rows(tables, x, first_flow=int(offsets[-1]))
    points = np.array(list(np.ndindex(domains)))
    flows = np.array([path(tables, point[scope]) for point in points])
    codes = np.concatenate([one_hot(points, domains), flows], axis=1)
    assert (satisfied(block, codes) == Lowered(domains, (relation,)).holds(points)).all()


@pytest.mark.parametrize("allow", [False, True])
def test_few_forbidden_combinations_need_no_flow_and_many_do(allow: bool) -> None:
    domains = (4, 4, 4)
    x = np.split(np.arange(12), 3)
    scattered = np.array([point for point in np.ndindex(domains) if sum(point) % 4 == 0])
    rest = np.array([point for point in np.ndindex(domains) if sum(point) % 4])
    few = scattered[:FEW_CLAUSES]
    others = np.array([point for point in np.ndindex(domains) if point not in {tuple(p) for p in few.tolist()}])
    sparse = Relation((0, 1, 2), others if allow else few, allow)
    dense = Relation((0, 1, 2), rest if allow else scattered, allow)
    count, block = relation_rows(sparse, domains, x, first_flow=12)
    assert (count, len(block)) == (0, FEW_CLAUSES)
    assert relation_rows(dense, domains, x, first_flow=12)[0] > 0


def test_forbidden_combinations_that_differ_in_one_attribute_are_one_clause() -> None:
    relation = Relation((0, 1, 2), np.array([[0, v, 1] for v in range(4)]), allow=False)
    x = np.split(np.arange(12), 3)
    _, block = relation_rows(relation, (4, 4, 4), x, first_flow=12)
    assert table(block, 12) == [[1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, -inf, 2]]


def test_copies_of_a_block_stand_side_by_side() -> None:
    lowered = Lowered((2, 2), (Relation((0,), np.array([[1]])), Relation((0, 1), np.array([[0, 0], [1, 1]]))))
    block, columns = feasible_block(lowered), Columns()
    placed = [block.lay(columns, name) for name in ("first", "second")]
    assert [x.tolist() for x, _ in placed] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert table(placed[1][1], 8) == [[0] * 4 + row for row in table(block.rows, 4)]
    assert columns.traits()[1].tolist() == [0, 1, 1, 1] * 2
