"""Relations: their automata, and several as one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

from setmargin.arrays import Bools, Ints
from setmargin.solve.lowering import Lowered
from setmargin.solve.relations import Automaton, Relation, automaton, distinct, merged
from tests.solve.lowered_spaces import all_configurations, claims, random_relation, seeds


def accepted(machine: Automaton, configurations: Ints) -> Bools:
    states = np.zeros(len(configurations), dtype=np.int64)
    for attribute, table in zip(machine.scope, machine.tables, strict=True):
        extended = np.vstack([table, np.full((1, table.shape[1]), -1)])
        states = extended[states, configurations[:, attribute]]
    good: Bools = states == 0
    return good


def everything(domains: tuple[int, ...]) -> Ints:
    return all_configurations(Lowered(domains))


@claims
@given(seeds)
def test_an_automaton_accepts_what_its_relation_allows_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(1, 5, size=4))
    relation = random_relation(rng, domains, arity=4)
    order = [int(a) for a in rng.permutation(4)]
    machine = automaton(relation, order, domains)
    assert list(machine.scope) == [a for a in order if a in relation.scope]
    tried = everything(domains)
    np.testing.assert_array_equal(accepted(machine, tried), Lowered(domains, (relation,)).holds(tried))


@claims
@given(seeds)
def test_no_two_classes_of_a_layer_are_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    relation = random_relation(rng, (3, 4, 3, 2), arity=4)
    assume(len(relation.scope) > 1)
    for table in automaton(relation, range(4), (3, 4, 3, 2)).tables[1:]:
        assert len(np.unique(table, axis=0)) == len(table)
        assert (table >= 0).any(axis=1).all()


def test_without_rows_nothing_is_allowed_and_everything_is_left_unforbidden() -> None:
    none = np.zeros((0, 2), dtype=np.int64)
    tried = everything((2, 3))
    assert not accepted(automaton(Relation((0, 1), none), (0, 1), (2, 3)), tried).any()
    assert accepted(automaton(Relation((1, 0), none, allow=False), (0, 1), (2, 3)), tried).all()


def test_an_implication_is_forgotten_once_it_is_not_triggered() -> None:
    machine = automaton(Relation((0, 1), np.array([[2, 0], [2, 1]]), allow=False), (0, 1), (5, 3))
    assert len(machine.tables[1]) == 2
    assert len(np.unique(machine.tables[0][0, [0, 1, 3, 4]])) == 1


@claims
@given(seeds)
def test_merging_keeps_one_relation_for_each_scope_and_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = (2, 3, 2)
    relations = tuple(random_relation(rng, domains) for _ in range(6))
    fewer = merged(relations, domains)
    assert len({relation.scope for relation in fewer}) == len(fewer)
    tried = everything(domains)
    np.testing.assert_array_equal(Lowered(domains, tuple(fewer)).holds(tried), Lowered(domains, relations).holds(tried))


@pytest.mark.parametrize("sizes", [(3, 4), (5,) * 40, (2**40, 2**40), (2, 2**61)])
def test_distinct_rows_are_found_however_wide(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    rows = np.stack([rng.integers(size, size=50) for size in sizes], axis=1)
    rows = rows[rng.integers(10, size=200)]
    first, inverse = distinct(rows, sizes)
    np.testing.assert_array_equal(rows[first][inverse], rows)
    assert len(first) == len(np.unique(rows, axis=0))
