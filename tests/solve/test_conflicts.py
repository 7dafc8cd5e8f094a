"""Conflicts are real, and the smallest there are: judged by trying every subset of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.arrays import Bools, Ints
from setmargin.errors import InfeasibleSpace
from setmargin.solve import conflicts
from setmargin.solve.conflicts import infeasible, smallest_conflict
from setmargin.solve.diagram.limits import DiagramLimits
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.formula import holds
from setmargin.space.rules import Rule, Table, bind
from setmargin.space.space import Space
from setmargin.strategies.registry import make_strategy
from tests.solve.lowered_spaces import claims, seeds
from tests.solve.spaces_with_rules import everything, random_rule, ruled_space

few = settings(claims, max_examples=10)

TRAVEL = Space(
    {"city": ["Rome", "Oslo"], "by": ["train", "plane"], "nights": [1, 2, 3]},
    rules=["city = Oslo => by = plane", "by = plane => nights >= 2"],
)


def crowded(seed: int, *, rules: int) -> tuple[Space, list[Rule]]:
    """A small space without rules, and many rules for it."""
    rng = np.random.default_rng(seed)
    space = ruled_space(seed, fewest=3, attributes=4, rules=0)
    return space, [bind(random_rule(rng, space, depth=2), space.names) for _ in range(rules)]


def obeyed(rules: Sequence[Rule], rows: Ints) -> Bools:
    """Which row (first axis) obeys which rule (second axis)."""
    return np.array([holds(rule.formula, rows) for rule in rules], dtype=bool).reshape(len(rules), len(rows)).T


def conflict_size(table: Bools) -> int | None:
    """How many rules the smallest conflict has; None if there is no conflict."""
    numbers = range(table.shape[1])
    sizes = (k for k in range(len(numbers) + 1) for some in combinations(numbers, k) if not _possible(table, some))
    return next(sizes, None)


def _possible(table: Bools, some: Sequence[int]) -> bool:
    return bool(table[:, list(some)].all(axis=1).any())


def among(rules: Sequence[Rule], found: Sequence[Rule]) -> list[int]:
    return [next(n for n, rule in enumerate(rules) if rule is each) for each in found]


@settings(claims, max_examples=25)
@given(seed=seeds)
def test_the_conflict_among_rules_is_the_smallest(seed: int) -> None:
    space, rules = crowded(seed, rules=7)
    table = obeyed(rules, everything(space))
    size = conflict_size(table)
    assume(size is not None)
    found = smallest_conflict(space, hard=(), soft=rules)
    assert len(found) == size
    assert not _possible(table, among(rules, found))


@settings(claims, max_examples=25)
@given(seed=seeds)
def test_the_conflict_among_must_haves_is_the_smallest_beside_the_rules(seed: int) -> None:
    space, rules = crowded(seed, rules=8)
    hard, must = rules[:3], rules[3:]
    rows = everything(space)
    table = obeyed(must, rows[obeyed(hard, rows).all(axis=1)])
    size = conflict_size(table)
    assume(size)
    error = infeasible(space.with_rules(*hard), must=must)
    assert len(error.conflict) == size
    assert not _possible(table, [[rule.text for rule in must].index(text) for text in error.conflict])


@few
@given(seed=seeds)
def test_without_time_the_conflict_is_irreducible(seed: int) -> None:
    space, rules = crowded(seed, rules=8)
    table = obeyed(rules, everything(space))
    assume(conflict_size(table) is not None)
    found = among(rules, smallest_conflict(space, hard=(), soft=rules, seconds=0))
    assert not _possible(table, found)
    assert all(_possible(table, [n for n in found if n != left_out]) for left_out in found)


@few
@given(seed=seeds)
def test_where_diagrams_are_too_large_the_milp_finds_the_same(seed: int) -> None:
    space, rules = crowded(seed, rules=6)
    size = conflict_size(obeyed(rules, everything(space)))
    assume(size is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conflicts, "QUICK", DiagramLimits(arcs=1))
        assert len(smallest_conflict(space, hard=(), soft=rules)) == size


@pytest.mark.parametrize("ticks", [2, 5, 9, 14])
def test_time_that_runs_out_on_the_way_leaves_an_irreducible_conflict(
    ticks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = Space({f"x{n}": [0, 1] for n in range(6)})
    pairs = [f"x{n} = {value}" for n in range(6) for value in (0, 1)]
    rules = [bind(text, space.names) for text in pairs]
    clock = count()
    monkeypatch.setattr("setmargin.time_limit.monotonic", lambda: next(clock) / 20)  # each look at it takes time
    found = smallest_conflict(space, hard=(), soft=rules, seconds=ticks, more=100)
    assert len(found) == 2
    assert found[0].text[:2] == found[1].text[:2]


@few
@given(seed=seeds, more=st.integers(0, 8))
def test_without_any_time_at_all_the_conflict_is_still_one(seed: int, more: int) -> None:
    space, rules = crowded(seed, rules=8)
    table = obeyed(rules, everything(space))
    assume(conflict_size(table) is not None)
    clock = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("setmargin.time_limit.monotonic", lambda: next(clock))
        found = among(rules, smallest_conflict(space, hard=(), soft=rules, seconds=0, more=more))
    assert not _possible(table, found)
    assert len(found) >= 8 - more


def test_a_rule_that_stands_there_twice_is_named_once() -> None:
    rule, other = bind("nights = 1", TRAVEL.names), bind("nights = 3", TRAVEL.names)
    for seconds in (0, 10):
        found = smallest_conflict(TRAVEL, hard=(), soft=[rule, rule, other, rule], seconds=seconds)
        assert sorted(each.text for each in found) == ["nights = 1", "nights = 3"]


def test_rules_that_agree_are_no_conflict() -> None:
    with pytest.raises(ValueError, match="do not conflict"):
        smallest_conflict(TRAVEL, hard=(), soft=TRAVEL.rules)


@pytest.mark.parametrize(
    ("must", "message"),
    [
        (["nights = 2", "nights > 3"], "nothing satisfies nights > 3; drop or change it"),
        (["city = Oslo", "nights = 1"], "nothing satisfies city = Oslo together with nights = 1; drop one of the two"),
        (
            ["city = Oslo or nights = 3", "nights != 3", "nights <= 1"],
            "nothing satisfies city = Oslo or nights = 3 together with nights <= 1; drop one of the two",
        ),
        (
            ["city = Oslo or by = plane", "nights != 2", "nights != 3"],
            "nothing satisfies city = Oslo or by = plane together with nights != 2 together with nights != 3; "
            "drop one of them",
        ),
    ],
)
def test_the_error_says_which_must_haves_and_what_to_do(must: list[str], message: str) -> None:
    with pytest.raises(InfeasibleSpace) as caught:
        oracle_for(TRAVEL, must=[bind(text, TRAVEL.names) for text in must])
    assert str(caught.value) == message


def test_an_empty_catalogue_blames_its_rules_whatever_the_must_haves() -> None:
    empty = TRAVEL.with_rules("by = plane", "nights = 1")
    for must in ([], [bind("city = Oslo", TRAVEL.names)]):
        with pytest.raises(InfeasibleSpace) as caught:
            oracle_for(empty, must=must)
        assert set(caught.value.conflict) == {"by = plane => nights >= 2", "by = plane", "nights = 1"}


def test_tables_are_named_in_plain_words() -> None:
    space = TRAVEL.with_rules(Table.allowing(["city", "by"], [["Oslo", "train"]]))
    with pytest.raises(InfeasibleSpace) as caught:
        oracle_for(space)
    assert caught.value.conflict == ("city = Oslo => by = plane", "allow only (city, by) in (Oslo, train)")


def test_an_empty_catalogue_file_names_its_conflict(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text("catalogue: shop\nattributes: {a: [1, 2], b: [1, 2]}\nrules: [a = b, a = 1, a < b, b >= 1]\n")
    for begin in (oracle_for, make_strategy("random").start):
        with pytest.raises(InfeasibleSpace) as caught:
            begin(load(path))
        assert caught.value.conflict == ("a = b", "a < b")


@pytest.mark.parametrize(
    ("name", "must", "size"),
    [
        ("pc", ["type = laptop", "price <= 400", "manufacturer = Compaq", "price <= 5"], 1),
        ("trip", ["city = Lisbon", "season = winter", "travel = train", "stay = hostel"], 2),
        ("bicycle", ["price <= 900", "price >= 901"], 2),
    ],
)
def test_conflicts_in_shipped_catalogues_are_found(name: str, must: list[str], size: int) -> None:
    space = load(name)
    with pytest.raises(InfeasibleSpace) as caught:
        oracle_for(space, must=[bind(text, space.names) for text in must])
    assert len(caught.value.conflict) == size
