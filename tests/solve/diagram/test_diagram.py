from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from benchmarks.spaces import chain, clustered, random_implications, tree, weight_vectors
from hypothesis import given
from scipy.stats import chisquare

from setmargin.arrays import Ints
from setmargin.errors import ModelInfeasible, OptionError, TimeIsUp
from setmargin.solve.diagram.compile import compile_diagram
from setmargin.solve.diagram.diagram import Diagram
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.engine import Engine
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import Relation
from setmargin.time_limit import time_limit
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
)


def paths(diagram: Diagram) -> list[list[int]]:
    return sorted(diagram.unrank(i).tolist() for i in range(diagram.count()))


def same(diagram: Diagram, configurations: Ints) -> bool:
    return paths(diagram) == sorted(configurations.tolist())


@claims
@given(seeds)
def test_the_paths_are_the_configurations_each_once(seed: int) -> None:
    lowered = random_space(seed)
    configurations = all_configurations(lowered)
    if len(configurations):
        assert same(compile_diagram(lowered), configurations)
    else:
        with pytest.raises(ModelInfeasible):
            compile_diagram(lowered)


@claims
@given(seeds)
def test_every_order_gives_the_same_configurations(seed: int) -> None:
    lowered, configurations = feasible_space(seed)
    order = np.random.default_rng(seed).permutation(len(lowered.domains)).tolist()
    diagram = compile_diagram(lowered, order=order)
    assert diagram.order == tuple(order)
    assert same(diagram, configurations)


@claims
@given(seeds)
def test_no_node_is_superfluous(seed: int) -> None:
    lowered, _ = feasible_space(seed)
    diagram = compile_diagram(lowered)
    sizes = [*(len(layer.children) for layer in diagram.layers), 1]
    for layer, following in zip(diagram.layers, sizes[1:], strict=True):
        assert (layer.children >= 0).any(axis=1).all()
        assert len(np.unique(layer.children, axis=0)) == len(layer.children)
        assert set(range(following)) == set(layer.children[layer.children >= 0].tolist())


@claims
@given(seeds)
def test_the_best_is_the_best_in_batches_and_alone(seed: int) -> None:
    lowered, configurations = feasible_space(seed)
    diagram = compile_diagram(lowered)
    weights = random_weights(seed, diagram.total)
    together, values = diagram.solve(weights)
    alone = np.concatenate([diagram.solve(vector[None])[0] for vector in weights])
    assert lowered.holds(together).all()
    assert lowered.holds(alone).all()
    for i, vector in enumerate(weights):
        best = values_of(configurations, vector, lowered.domains).max()
        reached = values_of(np.stack([together[i], alone[i]]), vector, lowered.domains)
        np.testing.assert_allclose([*reached, values[i]], best, rtol=1e-12, atol=1e-12)


def test_a_batch_larger_than_a_chunk_is_answered_row_by_row() -> None:
    lowered = random_implications(attributes=6, values=5, implications=12, seed=0)
    diagram = compile_diagram(lowered)
    weights = weight_vectors(lowered, size=1100, seed=0)
    singles = np.array([diagram.solve(vector[None])[1][0] for vector in weights])
    np.testing.assert_allclose(diagram.solve(weights)[1], singles, rtol=1e-12)
    assert diagram.solve(weights[:0])[0].shape == (0, 6)


@claims
@given(seeds)
def test_ranking_lists_every_configuration_once_best_first(seed: int) -> None:
    lowered, configurations = feasible_space(seed)
    diagram = compile_diagram(lowered)
    for vector in random_weights(seed, diagram.total, 3):
        ranked = np.array(list(diagram.ranked(vector)))
        assert sorted(ranked.tolist()) == sorted(configurations.tolist())
        values = values_of(ranked, vector, lowered.domains)
        assert (np.diff(values) <= 1e-9).all()


@claims
@given(seeds)
def test_possible_values_are_those_of_some_configuration(seed: int) -> None:
    lowered, configurations = feasible_space(seed)
    diagram = compile_diagram(lowered)
    allowed = np.random.default_rng(seed).random(diagram.total) < 0.7
    used = one_hot(configurations, lowered.domains) > 0
    fitting = ~(used & ~allowed).any(axis=1)
    np.testing.assert_array_equal(diagram.possible(allowed), used[fitting].any(axis=0))
    assert same(diagram.restrict(allowed), configurations[fitting])


@claims
@given(seeds)
def test_an_absorbed_row_leaves_exactly_what_satisfies_it(seed: int) -> None:
    lowered, _ = feasible_space(seed)
    row = random_row(np.random.default_rng(seed), lowered.domains)
    more = replace(lowered, rows=(row,))
    assert same(compile_diagram(lowered).with_row(row), all_configurations(more))


def test_a_row_that_cannot_fail_costs_nothing() -> None:
    diagram = compile_diagram(Lowered((3,) * 8))
    row = LinearRow({a: np.arange(3) for a in range(8)}, 16)
    assert diagram.with_row(row, max_arcs=0).arcs == diagram.arcs
    with pytest.raises(TooLarge, match="limit of 10"):
        diagram.with_row(LinearRow(row.coefficients, 8), max_arcs=10)


def test_a_row_over_very_many_values_is_given_up_before_it_takes_much_memory() -> None:
    size = 3000
    diagram = compile_diagram(Lowered((size, size)))
    row = LinearRow({0: np.arange(size), 1: -np.arange(size)}, -1)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="2,999 nodes with 3,000 values"):
            diagram.with_row(row)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_restricting_to_nothing_leaves_an_empty_diagram_that_says_so() -> None:
    diagram = compile_diagram(Lowered((2, 3)))
    empty = diagram.restrict(np.array([True, True, False, False, False]))
    assert (empty.empty, empty.count()) == (True, 0)
    assert list(empty.ranked(np.zeros(5))) == []
    assert not empty.possible(np.ones(5, dtype=bool)).any()
    assert empty.with_row(LinearRow({}, 0)).empty
    assert empty.restrict(np.ones(5, dtype=bool)).empty
    with pytest.raises(ModelInfeasible):
        empty.solve(np.zeros((1, 5)))


def test_a_space_without_attributes_has_one_configuration() -> None:
    engine: Engine = DiagramEngine(Lowered(()))
    assert engine.count() == 1
    assert engine.best(np.zeros((2, 0))).shape == (2, 0)
    assert [one.tolist() for one in engine.ranked(np.zeros(0))] == [[]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_must_be_finite(bad: float) -> None:
    diagram = compile_diagram(Lowered((2, 2)))
    with pytest.raises(OptionError, match="finite"):
        diagram.solve(np.array([[0.0, bad, 0.0, 0.0]]))
    with pytest.raises(OptionError, match="finite"):
        diagram.ranked(np.array([0.0, bad, 0.0, 0.0]))


def test_weights_must_have_one_number_per_value() -> None:
    with pytest.raises(OptionError, match="4 numbers"):
        compile_diagram(Lowered((2, 2))).solve(np.zeros((1, 5)))


def test_huge_weights_do_not_overflow() -> None:
    weights = np.full(20, -1.5e308)
    weights[1::2] = 1.5e308
    weights[19] = 1.4e308
    with np.errstate(over="ignore"):
        best, _ = compile_diagram(Lowered((2,) * 10)).solve(np.stack([weights, -weights]))
    assert best.tolist() == [[1] * 10, [0] * 10]


def test_samples_are_uniform() -> None:
    lowered = Lowered((3, 3, 2), (Relation((0, 1), np.array([[0, 0], [1, 0], [1, 2]]), allow=False),))
    drawn = DiagramEngine(lowered).sample(np.random.default_rng(5), 6000)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == len(all_configurations(lowered)) == 12
    assert chisquare(counts).pvalue > 1e-4


def test_samples_are_uniform_beyond_64_bits() -> None:
    diagram = compile_diagram(Lowered((4,) * 60, (Relation((0, 59), np.array([[0, 0], [1, 1], [1, 2]])),)))
    assert diagram.count() == 3 * 4**58
    drawn = diagram.sample(np.random.default_rng(5), 1500)
    _, ends = np.unique(drawn[:, [0, 59]], axis=0, return_counts=True)
    assert len(ends) == 3
    assert chisquare(ends).pvalue > 1e-4
    assert chisquare(np.bincount(drawn[:, 30])).pvalue > 1e-4


def test_unranking_reaches_the_last_of_many_and_no_further() -> None:
    diagram = compile_diagram(Lowered((2,) * 100))
    assert diagram.unrank(2**100 - 1).tolist() == [1] * 100
    for index in (-1, 2**100):
        with pytest.raises(OptionError):
            diagram.unrank(index)


def test_a_chain_of_a_hundred_is_counted_as_matrices_count_it() -> None:
    lowered = chain(attributes=100, values=5, seed=1)
    paths_to = np.ones(5, dtype=object)
    for relation in lowered.relations:
        step = np.zeros((5, 5), dtype=object)
        step[relation.rows[:, 0], relation.rows[:, 1]] = 1
        paths_to = paths_to @ step
    assert DiagramEngine(lowered).count() == sum(paths_to) > 10**30


def test_a_chain_of_a_hundred_is_optimised_as_dynamic_programming_does() -> None:
    lowered = chain(attributes=100, values=5, seed=2)
    weights = weight_vectors(lowered, size=3, seed=0)
    for vector, value in zip(weights, compile_diagram(lowered).solve(weights)[1], strict=True):
        blocks = vector.reshape(100, 5)
        ahead = blocks[0]
        for relation, own in zip(lowered.relations, blocks[1:], strict=True):
            steps = np.full((5, 5), -np.inf)
            steps[relation.rows[:, 0], relation.rows[:, 1]] = 0.0
            ahead = (ahead[:, None] + steps).max(axis=0) + own
        assert value == pytest.approx(ahead.max(), abs=1e-9)


@pytest.mark.parametrize(
    "lowered",
    [
        tree(attributes=100, values=4, seed=0),
        clustered(clusters=14, attributes=7, values=4, implications=8, seed=0),
    ],
    ids=["tree", "clusters"],
)
def test_large_structured_spaces_stay_small(lowered: Lowered) -> None:
    engine = DiagramEngine(lowered, limits=DiagramLimits(tries=2))
    assert (engine.count() or 0) > 10**30
    assert engine.diagram.arcs < 50_000
    weights = weight_vectors(lowered, size=4, seed=1)
    assert lowered.holds(engine.best(weights)).all()
    assert lowered.holds(engine.sample(np.random.default_rng(0), 20)).all()
    first = np.array(list(islice(engine.ranked(weights[1]), 20)))
    assert lowered.holds(first).all()
    assert len(np.unique(first, axis=0)) == 20
    assert (np.diff(values_of(first, weights[1], lowered.domains)) <= 1e-9).all()


def test_tangled_spaces_give_up_and_say_how_large_they_became() -> None:
    lowered = random_implications(attributes=12, values=8, implications=60, seed=0)
    with pytest.raises(TooLarge, match=r"[\d,]+ arcs passed the limit of 500"):
        compile_diagram(lowered, limits=DiagramLimits(arcs=500, tries=2))
    with pytest.raises(TimeIsUp), time_limit(0.0):  # the clock is no reason for another diagram, or for none
        compile_diagram(lowered)


def test_the_same_space_compiles_to_the_same_diagram() -> None:
    lowered = random_implications(attributes=8, values=5, implications=20, seed=4)
    one, two = compile_diagram(lowered), compile_diagram(lowered)
    assert one.order == two.order
    for a, b in zip(one.layers, two.layers, strict=True):
        np.testing.assert_array_equal(a.children, b.children)
