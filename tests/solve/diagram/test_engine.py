from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest
from benchmarks.spaces import chain, computer, random_implications, weight_vectors, with_budget
from hypothesis import given

from setmargin.errors import ModelInfeasible, OptionError
from setmargin.solve.diagram.compile import compile_diagram
from setmargin.solve.diagram.engine import ConstrainedDiagram, DiagramEngine
from setmargin.solve.diagram.label_search import undominated
from setmargin.solve.diagram.lagrangian import relax
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.diagram.linear_rows import RowTable
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.oracle import oracle_for
from setmargin.solve.relations import Relation
from setmargin.space.catalogue import loads
from tests.solve.lowered_spaces import (
    all_configurations,
    claims,
    feasible_space,
    one_hot,
    random_row,
    random_space,
    random_weights,
    seeds,
    values_of,
    worth_each,
)

PENDING = DiagramLimits(row_arcs=0)


@pytest.mark.parametrize("rows", [1, 2, 3])
@claims
@given(seeds)
def test_the_best_under_pending_rows_is_the_best(rows: int, seed: int) -> None:
    lowered, configurations = feasible_space(seed, rows=rows)
    engine = DiagramEngine(lowered, limits=PENDING)
    weights = random_weights(seed, sum(lowered.domains))
    found = engine.best(weights)
    assert lowered.holds(found).all()
    best = [values_of(configurations, vector, lowered.domains).max() for vector in weights]
    reached = worth_each(found, weights, lowered.domains)
    np.testing.assert_allclose(reached, best, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("rows", [1, 2])
@claims
@given(seeds)
def test_ranking_under_pending_rows_is_complete_and_in_order(rows: int, seed: int) -> None:
    lowered, configurations = feasible_space(seed, rows=rows)
    engine = DiagramEngine(lowered, limits=PENDING)
    vector = random_weights(seed, sum(lowered.domains))[seed % 6]
    ranked = np.array(list(engine.ranked(vector)))
    assert sorted(ranked.tolist()) == sorted(configurations.tolist())
    values = values_of(ranked, vector, lowered.domains)
    assert (np.diff(values) <= 1e-9 * max(1.0, float(np.abs(values).max()))).all()


@pytest.mark.parametrize("rows", [1, 2, 3])
@claims
@given(seeds)
def test_possible_under_pending_rows_is_exact(rows: int, seed: int) -> None:
    lowered, configurations = feasible_space(seed, rows=rows)
    engine = DiagramEngine(lowered, limits=PENDING)
    allowed = np.random.default_rng(seed).random(sum(lowered.domains)) < 0.85
    used = one_hot(configurations, lowered.domains) > 0
    fitting = used[~(used & ~allowed).any(axis=1)]
    np.testing.assert_array_equal(engine.possible(allowed), fitting.any(axis=0))


@claims
@given(seeds)
def test_rows_absorbed_and_rows_pending_agree(seed: int) -> None:
    lowered, configurations = feasible_space(seed, rows=2)
    inside, beside = DiagramEngine(lowered), DiagramEngine(lowered, limits=PENDING)
    assert inside.count() == len(configurations)
    assert beside.count() == (None if beside.pending_rows else len(configurations))
    weights = random_weights(seed, sum(lowered.domains))
    values = [worth_each(engine.best(weights), weights, lowered.domains) for engine in (inside, beside)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-10, atol=1e-10)


def test_spaces_that_rows_leave_empty_are_refused() -> None:
    tried = [random_space(seed, rows=3) for seed in range(100)]
    empty = [lowered for lowered in tried if not len(all_configurations(lowered))]
    assert len(empty) > 20
    for lowered in empty:
        for limits in (DiagramLimits(), PENDING):
            with pytest.raises(ModelInfeasible):
                DiagramEngine(lowered, limits=limits)


@claims
@given(seeds)
def test_the_relaxation_brackets_the_optimum(seed: int) -> None:
    lowered, configurations = feasible_space(seed, rows=2)
    diagram = compile_diagram(lowered)
    weights = random_weights(seed, diagram.total)
    rows = RowTable.of(lowered.rows, lowered.domains)
    relaxed = relax(diagram, rows, weights, cheapest=diagram.solve(-rows.costs.astype(np.float64))[0])
    best = np.array([values_of(configurations, v, lowered.domains).max() for v in weights])
    slack = 1e-9 * np.maximum(1.0, np.abs(best))
    assert (relaxed.upper >= best - slack).all()
    assert (relaxed.lower <= best + slack).all()
    assert (relaxed.multipliers >= 0).all()


@claims
@given(seeds)
def test_only_labels_beaten_by_another_are_dropped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes, sums = rng.integers(3, size=40), rng.integers(6, size=(40, 1))
    values = rng.integers(6, size=40).astype(np.float64)
    kept = undominated(nodes, values, sums)
    labels = set(zip(nodes[kept], values[kept], sums[kept, 0], strict=True))
    assert len(labels) == len(kept)
    for node, value, total in zip(nodes, values, sums[:, 0], strict=True):
        as_good = [(n, w, s) for n, w, s in labels if n == node and w >= value and s <= total]
        assert as_good
        assert (node, value, total) not in labels or as_good == [(node, value, total)]


@pytest.mark.parametrize("tight", [0.2, 0.4, 0.6])
def test_a_computer_under_a_budget_is_solved_as_by_listing_all(tight: float) -> None:
    lowered = with_budget(computer(), seed=1, tight=tight)
    weights = weight_vectors(lowered, size=30, seed=2)
    values = [
        worth_each(engine.best(weights), weights, lowered.domains)
        for engine in (DiagramEngine(lowered), DiagramEngine(lowered, limits=PENDING))
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-10, atol=1e-10)


def test_a_budget_on_a_tangled_space_agrees_with_the_first_ranked() -> None:
    lowered = with_budget(random_implications(attributes=8, values=6, implications=20, seed=3), seed=1, tight=0.3)
    engine = DiagramEngine(lowered, limits=PENDING)
    assert engine.name == "decision diagram with 1 pending row"
    for vector in weight_vectors(lowered, size=6, seed=4)[1::2]:
        first = np.array(list(islice(engine.ranked(vector), 5)))
        best = engine.best(vector[None])
        assert lowered.holds(first).all()
        values = values_of(np.concatenate([best, first]), vector, lowered.domains)
        assert values[0] == pytest.approx(values[1], abs=1e-10)
        assert (np.diff(values) <= 1e-9).all()


def test_a_knapsack_on_a_chain_of_a_hundred_is_solved_as_dynamic_programming_does() -> None:
    rng = np.random.default_rng(0)
    plain = chain(attributes=100, values=4, seed=3)
    row = LinearRow({a: rng.integers(4, size=4) for a in range(100)}, 90)
    lowered = Lowered(plain.domains, plain.relations, (row,))
    vector = rng.integers(10, size=400).astype(np.float64)
    table = np.full((4, row.bound + 1), -np.inf)
    for value, cost in enumerate(row.coefficients[0]):
        table[value, cost:] = vector[value]
    for a, relation in enumerate(plain.relations, start=1):
        following = np.full_like(table, -np.inf)
        for before, value in relation.rows:
            cost = row.coefficients[a][value]
            moved = table[before, : row.bound + 1 - cost] + vector[4 * a + value]
            following[value, cost:] = np.maximum(following[value, cost:], moved)
        table = following
    for limits in (DiagramLimits(), PENDING):
        found = DiagramEngine(lowered, limits=limits).best(vector[None])
        assert lowered.holds(found).all()
        assert values_of(found, vector, lowered.domains)[0] == table.max()


@pytest.mark.parametrize(("rows", "few"), [(1, 100), (2, 2_000)])
def test_many_labels_are_thinned_out_and_split_without_losing_the_best(rows: int, few: int) -> None:
    rng = np.random.default_rng(rows)
    lowered = Lowered((5,) * 8)
    for seed in range(rows):
        lowered = with_budget(lowered, seed=seed, tight=0.45, largest=12)
    table = RowTable.of(lowered.rows, lowered.domains)
    # Weights almost proportional to the costs are the hard case of knapsacks: bounds hardly prune.
    weights = table.costs.sum(axis=0) + 3.0 + rng.integers(2, size=(12, 40))
    inside = DiagramEngine(lowered)
    assert not inside.pending_rows
    best = worth_each(inside.best(weights), weights, lowered.domains)
    for max_labels in (400_000, few):
        found = ConstrainedDiagram(compile_diagram(lowered), lowered.rows, max_labels=max_labels).best(weights)
        assert lowered.holds(found).all()
        np.testing.assert_allclose(worth_each(found, weights, lowered.domains), best)


def test_looking_at_labels_in_small_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = with_budget(with_budget(Lowered((4,) * 6), seed=0, tight=0.4), seed=1, tight=0.5)
    weights = weight_vectors(lowered, size=30, seed=3)
    engine = ConstrainedDiagram(compile_diagram(lowered), lowered.rows, max_labels=400_000)
    found = engine.best(weights)
    monkeypatch.setattr("setmargin.solve.diagram.label_search._CELLS", 7)
    assert (engine.best(weights) == found).all()


def test_rules_over_thousands_of_values_are_compiled_some_labels_at_a_time() -> None:
    values = ", ".join(map(str, range(1500)))
    space = loads(f"catalogue: values\nattributes: {{a: [{values}], b: [{values}]}}\nrules: ['a != b']\n")
    tracemalloc.start()
    try:
        oracle = oracle_for(space)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(oracle.possible()["a"]) == 1500
    assert most < 280_000_000  # all at once they take 360 MB, and four times that for twice as many values


def test_pending_rows_are_sampled_by_rejection() -> None:
    lowered = with_budget(Lowered((3,) * 5), seed=0, tight=0.4)
    drawn = DiagramEngine(lowered, limits=PENDING).sample(np.random.default_rng(0), 500)
    assert drawn.shape == (500, 5)
    assert lowered.holds(drawn).all()
    assert len(np.unique(drawn, axis=0)) > 0.9 * len(all_configurations(lowered))


def test_rejection_gives_up_when_almost_nothing_passes() -> None:
    row = LinearRow({a: np.array([0, 1]) for a in range(40)}, 1)
    engine = DiagramEngine(Lowered((2,) * 40, (), (row,)), limits=PENDING)
    with pytest.raises(TooLarge, match="0 of"):
        engine.sample(np.random.default_rng(0), 1)
    assert DiagramEngine(Lowered((2,) * 40, (), (row,))).count() == 41


def test_a_search_that_outgrows_its_limit_says_so() -> None:
    lowered = with_budget(Lowered((6,) * 8), seed=2, tight=0.3)
    tiny = ConstrainedDiagram(compile_diagram(lowered), lowered.rows, max_labels=1)
    with pytest.raises(TooLarge, match="labels"):
        tiny.best(weight_vectors(lowered, size=20, seed=0))
    with pytest.raises(TooLarge, match="partial"):
        list(tiny.ranked(weight_vectors(lowered, size=2, seed=0)[1]))


def test_pending_rows_do_not_hide_bad_weights() -> None:
    lowered = with_budget(Lowered((3,) * 4), seed=2)
    engine = DiagramEngine(lowered, limits=PENDING)
    with pytest.raises(OptionError):
        engine.best(np.full((2, 12), np.nan))


def test_the_name_counts_only_rows_that_did_not_fit() -> None:
    rng = np.random.default_rng(0)
    domains = (5,) * 6
    rows = tuple(random_row(rng, domains, tight=0.5) for _ in range(2))
    lowered = Lowered(domains, (Relation((0, 1), np.array([[0, 0], [1, 2]]), allow=False),), rows)
    assert DiagramEngine(lowered).name == "decision diagram"
    pending = DiagramEngine(lowered, limits=PENDING)
    assert pending.name == "decision diagram with 2 pending rows"
    assert len(pending.pending_rows) == 2
    assert pending.compile_seconds > 0
