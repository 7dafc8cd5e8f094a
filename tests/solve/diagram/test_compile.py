"""What comes before a diagram: values that can never be used, and orders of the attributes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setmargin.errors import ModelInfeasible
from setmargin.solve.diagram.ordering import components, elimination_tree, orders, primal_graph
from setmargin.solve.diagram.propagate import propagate
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.relations import Relation
from tests.solve.lowered_spaces import all_configurations, claims, one_hot, random_space, seeds


@claims
@given(seeds)
def test_propagation_keeps_every_value_in_use_and_every_configuration(seed: int) -> None:
    lowered = random_space(seed, rows=1)
    configurations = all_configurations(lowered)
    try:
        space = propagate(lowered)
    except ModelInfeasible:
        assert not len(configurations)
        return
    kept = np.concatenate([np.isin(np.arange(d), v) for d, v in zip(lowered.domains, space.values, strict=True)])
    assert kept[one_hot(configurations, lowered.domains).any(axis=0)].all()
    inner = all_configurations(Lowered(space.sizes, space.relations))
    outer = np.stack([values[column] for values, column in zip(space.values, inner.T, strict=True)], axis=1)
    without_rows = all_configurations(Lowered(lowered.domains, lowered.relations))
    inside = np.all([np.isin(c, v) for c, v in zip(without_rows.T, space.values, strict=True)], axis=0)
    assert outer.tolist() == without_rows[inside].tolist()


def test_propagation_follows_a_chain_to_its_end() -> None:
    equal = np.array([[0, 0], [1, 1], [2, 2]])
    relations = [Relation((a, a + 1), equal) for a in range(9)]
    space = propagate(Lowered((3,) * 10, (*relations, Relation((9,), np.array([[1]])))))
    assert [values.tolist() for values in space.values] == [[1]] * 10
    assert not space.relations


def test_propagation_drops_values_that_break_a_linear_row_alone() -> None:
    row = LinearRow({0: np.array([1, 5, 9]), 1: np.array([2, 3, 4])}, 8)
    assert propagate(Lowered((3, 3), (), (row,))).sizes == (2, 3)


@pytest.mark.parametrize(
    "relation", [Relation((), np.zeros((0, 0), np.int64)), Relation((), np.zeros((1, 0), np.int64), allow=False)]
)
def test_a_relation_without_attributes_can_forbid_everything(relation: Relation) -> None:
    with pytest.raises(ModelInfeasible):
        propagate(Lowered((2, 2), (relation,)))


@claims
@given(seeds)
def test_orders_are_permutations_with_components_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 12))
    scopes = [tuple(int(a) for a in rng.permutation(size)[:2]) for _ in range(rng.integers(size))]
    parts = components(primal_graph(size, scopes))
    found = orders(size, scopes, seed=seed)
    for order in (next(found) for _ in range(4)):
        assert sorted(order) == list(range(size))
        for part in parts:
            places = sorted(order.index(a) for a in part)
            assert places == list(range(places[0], places[0] + len(part)))


def test_the_same_seed_gives_the_same_orders() -> None:
    scopes = [(0, 3), (1, 2), (2, 4), (0, 4), (1, 3)]
    one, two = orders(5, scopes, seed=3), orders(5, scopes, seed=3)
    assert [next(one) for _ in range(6)] == [next(two) for _ in range(6)]


@claims
@given(st.integers(2, 9), st.integers(0, 1000))
def test_each_attribute_that_is_eliminated_follows_fewest_missing_edges(size: int, seed: int) -> None:
    """By brute force, up to the end: also where all that are left are joined."""
    rng = np.random.default_rng(seed)
    scopes = [tuple(rng.choice(size, 2, replace=False).tolist()) for _ in range(2 * size)]
    graph = primal_graph(size, scopes)
    for part in components(graph):
        parents = elimination_tree(graph, part, np.random.default_rng(seed))
        joined = {a: {b for b in part if graph[a] >> b & 1} for a in part}
        assert set(parents) == set(part)
        order = list(parents)

        def lacking(a: int, joined: dict[int, set[int]] = joined) -> int:
            return sum(c not in joined[b] for b in joined[a] for c in joined[a] if b != c)

        for place, chosen in enumerate(order):
            assert lacking(chosen) == min(map(lacking, joined))
            around = joined.pop(chosen)
            assert parents[chosen] == next((b for b in order[place:] if b in around), None)
            for b in around:
                joined[b] = (joined[b] | around) - {b, chosen}
