"""What lowering keeps: the same configurations, each in exactly one way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.arrays import Ints
from setmargin.solve import boxes, lowering
from setmargin.solve.lowering import Lowered, combined, lower, lower_each
from setmargin.space.formula import And, AtMost, Formula, Iff, InTable, Is, Not, Or, holds
from setmargin.space.space import Space
from tests.solve.lowered_spaces import claims, seeds
from tests.solve.spaces_with_rules import completions, everything, ruled_space

few = settings(claims, max_examples=25)

tiny_limits = st.sampled_from([(8, 1, 0), (8, 10_000, 5_000), (8, 10, 3), (16, 4, 0), (40, 12, 5_000), (100_000, 1, 0)])


@contextmanager
def limits(most: int, linear: int, union: int = 0) -> Iterator[None]:
    """Limits so small that parts of rules are hidden in the smallest of spaces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lowering, "MOST_COMBINATIONS", most)
        patch.setattr(lowering, "MOST_LINEAR_COMBINATIONS", linear)
        patch.setattr(boxes, "MOST_BOXES", union)
        yield


def hidden(space: Space, lowered: Lowered) -> int:
    return len(lowered.domains) - len(space.domains)


def assert_same(space: Space, lowered: Lowered, rows: Ints) -> None:
    """Every feasible row can be completed in exactly one way, and every other row in none."""
    assert lowered.domains[: len(space.domains)] == space.domains
    np.testing.assert_array_equal(completions(lowered, rows), space.feasible(rows))


def plain(sizes: int, values: int, *rules: str) -> Space:
    return Space({f"x{n}": range(values) for n in range(sizes)}, rules=rules)


def total(count: int) -> str:
    return " + ".join(f"x{n}" for n in range(count))


@settings(claims, max_examples=100)
@given(seed=seeds)
def test_small_rules_become_tables_without_hidden_attributes(seed: int) -> None:
    space = ruled_space(seed)
    lowered = lower(space)
    assert hidden(space, lowered) == 0
    assert not lowered.rows
    assert_same(space, lowered, everything(space))


@settings(claims, max_examples=120)
@given(seed=seeds, most=tiny_limits)
def test_hidden_attributes_change_nothing_and_are_determined(seed: int, most: tuple[int, int, int]) -> None:
    space = ruled_space(seed)
    with limits(*most):
        assert_same(space, lower(space), everything(space))


def test_tiny_limits_really_hide_parts_of_every_kind() -> None:
    text = "(x0 = 1 and x1 = 1 and x2 = 1 and x3 = 1) or (x0 = 2 and x1 = 2 and x2 = 2) or x3 = 2"
    for rule in (text, f"({text}) <=> ({total(4)} <= 5)", f"not ({text})", f"x0 = 1 => {total(4)} <= 3"):
        space = plain(4, 3, rule)
        with limits(8, 1):
            lowered = lower(space)
        assert hidden(space, lowered) > 0
        assert 0 < space.feasible(everything(space)).sum() < 81
        assert_same(space, lowered, everything(space))


@few
@given(seed=seeds, most=st.sampled_from([(20_000, 2_000, 5_000), (200, 20, 0), (8, 1, 0), (8, 1, 500)]))
def test_deep_rules_over_many_attributes_keep_their_meaning(seed: int, most: tuple[int, int, int]) -> None:
    space = ruled_space(seed, fewest=12, attributes=16, values=5, rules=2, depth=6)
    rows = np.random.default_rng(seed).integers(space.domains, size=(1500, len(space.domains)))
    with limits(*most):
        assert_same(space, lower(space), rows)


def test_a_chain_of_a_thousand_levels_is_lowered() -> None:
    text = "x0 = 1"
    for level in range(1000):
        text = f"(x{level % 7} = {level * 5 % 3} {'and' if level % 3 else 'or'} {text})"
    space = plain(7, 3, text)
    assert 0 < space.feasible(everything(space)).sum() < 3**7
    assert_same(space, lower(space), everything(space))


@pytest.mark.parametrize("word", ["=>", "<=>"])
def test_hundreds_of_alternatives_over_forty_attributes_are_lowered(word: str) -> None:
    rng = np.random.default_rng(3)
    pairs = rng.integers(40, size=(200, 2))
    text = " and ".join(f"(x{i} != {n % 4} or x{j} != {n % 3})" for n, (i, j) in enumerate(pairs) if i != j)
    space = plain(40, 5, f"x0 = 1 {word} ({text})")
    rows = rng.integers(5, size=(400, 40))
    rows[:200, :] = np.where(rng.random((200, 40)) < 0.9, 4, rows[:200])
    rows[:200:2, 0] = 1
    good = space.feasible(rows[:200])
    assert good.any()
    assert not good.all()
    assert_same(space, lower(space), rows)


def test_a_large_conjunction_needs_no_hidden_attribute() -> None:
    space = plain(9, 3, f"{total(9)} <= 12 and not ({total(8)} <= 4 or x0 = 2)")
    lowered = lower(space)
    assert (hidden(space, lowered), len(lowered.rows), len(lowered.relations)) == (0, 2, 1)
    assert_same(space, lowered, everything(space))


def test_a_conditional_budget_needs_one_hidden_attribute_and_two_rows() -> None:
    space = plain(9, 3, f"x0 = 2 => {total(9)} <= 7")
    lowered = lower(space)
    assert (hidden(space, lowered), len(lowered.rows), len(lowered.relations)) == (1, 2, 1)
    assert_same(space, lowered, everything(space))


@pytest.mark.parametrize("rule", ["x0 = 2 => ({})", "not ({}) => x0 = 2", "x0 = 2 or not (not ({}))"])
def test_a_condition_for_a_large_conjunction_is_one_for_each_of_its_parts(rule: str) -> None:
    space = plain(10, 3, rule.format(" and ".join(f"x{n} != {n % 3}" for n in range(1, 10))))
    lowered = lower(space)
    assert hidden(space, lowered) == 0
    assert {len(relation.scope) for relation in lowered.relations} == {2}
    assert_same(space, lowered, everything(space)[::5])


def test_any_of_many_as_a_condition_is_a_condition_for_each() -> None:
    space = plain(10, 3, f"({' or '.join(f'x{n} = 1' for n in range(1, 10))}) => x0 = 1")
    lowered = lower(space)
    assert (hidden(space, lowered), len(lowered.relations)) == (0, 9)
    assert_same(space, lowered, everything(space)[::5])


def test_a_small_condition_of_a_large_formula_is_not_hidden_itself() -> None:
    large = " or ".join(f"x{n} = {n % 3}" for n in range(1, 10))
    space = plain(10, 3, f"x0 = 2 => ({large})")
    with limits(20_000, 2_000):
        lowered = lower(space)
    assert hidden(space, lowered) == 1
    assert_same(space, lowered, everything(space)[::5])


def test_a_large_disjunction_of_memberships_is_a_table_with_sets() -> None:
    parts = [f"(x{n} in {{0, 1}} and x{n + 1} = 2 and x{(n + 5) % 12} != 0)" for n in range(11)]
    some, few = " or ".join(parts), " or ".join(parts[:5])
    space = plain(12, 3, some, f"x0 = 1 => ({few})", f"not ({parts[0]} and {parts[1]})")
    lowered = lower(space)
    assert (hidden(space, lowered), len(lowered.boxes), len(lowered.relations)) == (0, 2, 1)
    assert_same(space, lowered, np.random.default_rng(0).integers(3, size=(20_000, 12)))


@pytest.mark.parametrize("never", [f"{total(9)} >= 19", "x0 + x1 > 4", "x0 = 1 and x0 = 2"])
def test_a_rule_that_is_never_true_leaves_nothing(never: str) -> None:
    for rule in (never, f"not (not ({never}))", f"({never}) or ({never})", f"x0 = x0 <=> ({never})"):
        space = plain(9, 3, rule)
        assert not completions(lower(space), everything(space)[::7]).any()


@pytest.mark.parametrize("always", [f"{total(9)} <= 18", "x0 + x1 <= 4", "x0 = 1 or x0 != 1", "2*x0 = x0 + x0"])
def test_a_rule_that_is_always_true_forbids_nothing(always: str) -> None:
    for rule in (always, f"not (not ({always}))", f"x1 = 1 => ({always})", f"x0 = x0 <=> ({always})"):
        space = plain(9, 3, rule)
        assert completions(lower(space), everything(space)[::7]).all()


@pytest.mark.parametrize(
    "rule",
    [
        "a = 17 => b = 3",
        "a + b <= 40",
        "a = 17 <=> b in {3, 4}",
        "a = 17 => a + b <= 20",
        "a != 17 and b != 3",
        "a = b",
    ],
)
def test_attributes_may_have_thousands_of_values(rule: str) -> None:
    space = Space({"a": range(5000), "b": range(3000), "c": [0, 1]}, rules=[rule])
    rows = np.random.default_rng(1).integers(space.domains, size=(500, 3))
    rows[:200, 0], rows[100:300, 1], rows[300:400, :2] = 17, 3, rows[300:400, :2] % 30
    rows[400:, 1] = rows[400:, 0] % 3000
    good = space.feasible(rows)
    assert good.any()
    assert not good.all()
    assert_same(space, lower(space), rows)


def _random_formula(rng: np.random.Generator, domains: tuple[int, ...], depth: int) -> Formula:
    """Any formula at all, also shapes that the language never gives: empty parts, double negation, mad bounds."""

    def inner() -> Formula:
        return _random_formula(rng, domains, depth - 1)

    kind = rng.integers(3) if depth <= 0 else rng.integers(8)
    place = int(rng.integers(len(domains)))
    match kind:
        case 0:
            return Is(place, frozenset(rng.integers(domains[place], size=rng.integers(3)).tolist()))
        case 1:
            some = np.flatnonzero(rng.random(len(domains)) < 0.7).tolist()
            columns = tuple((a, tuple(rng.integers(-9, 10, size=domains[a]).tolist())) for a in some)
            return AtMost(columns, int(rng.integers(-40, 40)))
        case 2:
            rows = {(int(rng.integers(domains[place])),) for _ in range(rng.integers(3))}
            return InTable((place,), tuple(rows), bool(rng.random() < 0.5))
        case 3 | 4:
            return Not(inner())
        case 5:
            return Iff(inner(), inner())
        case 6:
            return And(tuple(inner() for _ in range(rng.integers(4))))
    return Or(tuple(inner() for _ in range(rng.integers(4))))


@settings(claims, max_examples=100)
@given(seed=seeds, most=tiny_limits)
def test_formulas_of_any_shape_keep_their_meaning(seed: int, most: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(seed)
    domains = tuple(rng.integers(1, 5, size=4).tolist())
    formulas = [_random_formula(rng, domains, 4) for _ in range(2)]
    rows = np.array(list(np.ndindex(domains)), dtype=np.int64)
    with limits(*most):
        parts = lower_each(domains, formulas)
    np.testing.assert_array_equal(completions(combined(parts, domains), rows), holds(And(tuple(formulas)), rows))
    for part, formula in zip(parts, formulas, strict=True):
        assert part.domains == parts[0].domains
        np.testing.assert_array_equal(completions(part, rows) > 0, holds(formula, rows))


def test_nothing_to_combine_leaves_everything_possible() -> None:
    assert combined(lower_each((2, 3), []), (2, 3)).domains == (2, 3)
    assert lower(plain(2, 3)).domains == (3, 3)
