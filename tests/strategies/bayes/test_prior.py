"""What people are like before they answer."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from setmargin.errors import OptionError
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.bayes.prior import KINDS, ORDINARY, Kind, Prior, Shape, shape_of
from setmargin.strategies.bayes.sampler import first_population

SPACE = Space({"a": [1, 2, 3, 4], "b": [1, 2]}, quantities=[Quantity("price", {"a": 1.0})])


@given(
    share=st.floats(0.05, 1.0),
    size=st.integers(1, 12),
    each=st.booleans(),
)
@settings(max_examples=30, derandomize=True, deadline=None)
def test_the_counts_of_a_kind_are_probabilities(share: float, size: int, each: bool) -> None:
    counts = Kind(share, 1.0, each=each).counts(size)
    assert counts.sum() == pytest.approx(1.0)
    assert (counts >= 0).all()
    assert not (each and counts[0])
    drawn = binom.pmf(np.arange(size + 1), size, share)
    assert counts[2:] == pytest.approx(drawn[2:])
    assert counts[1] == pytest.approx(drawn[1] + each * drawn[0])


def chance_of_set(shape: Shape, group: int, kind: int, count: int) -> float:
    return float(np.exp(shape.log_sets[group][kind, count]))


def test_all_sets_of_values_together_are_certain() -> None:
    shape = shape_of(Prior(), SPACE)
    for group, size in enumerate(shape.sizes):
        for kind in range(len(KINDS)):
            whole = sum(comb(int(size), c) * chance_of_set(shape, group, kind, c) for c in range(size + 1))
            assert whole == pytest.approx(1.0)


@pytest.mark.parametrize("shown", range(5))
def test_what_was_not_shown_is_summed_out_as_brute_force_does(shown: int) -> None:
    shape = shape_of(Prior(), SPACE)
    total, up_to = shape.table(0, shown)
    hidden = range(shown, 4)
    for kind in range(len(KINDS)):
        for mattering in range(shown + 1):
            by_more = [
                sum(chance_of_set(shape, 0, kind, mattering + more) for _ in combinations(hidden, more))
                for more in range(len(hidden) + 1)
            ]
            assert np.exp(total[kind, mattering]) == pytest.approx(sum(by_more))
            if sum(by_more):
                assert up_to[kind, mattering] == pytest.approx(np.cumsum(by_more) / sum(by_more))


def test_the_first_people_are_as_the_kinds_say() -> None:
    shape = shape_of(Prior(), SPACE)
    people = first_population(shape, 20_000, np.random.default_rng(0))
    for number, kind in enumerate(KINDS):
        mine = people.weights[:4, people.kind == number] > 0
        assert mine.shape[1] / 20_000 == pytest.approx((1 - ORDINARY) * kind.chance, abs=0.01)
        found = np.bincount(mine.sum(axis=0), minlength=5) / mine.shape[1]
        assert found == pytest.approx(kind.counts(4), abs=0.03)


def test_a_hint_says_how_likely_something_matters() -> None:
    shape = shape_of(Prior().hinted({"a": 0.25, "price": 1.0}), SPACE)
    people = first_population(shape, 20_000, np.random.default_rng(0))
    matters = (people.weights[:4] > 0).any(axis=0).mean()
    unhinted = (first_population(shape_of(Prior(), SPACE), 20_000, np.random.default_rng(0)).weights[:4] > 0).any(
        axis=0
    )
    assert matters == pytest.approx(0.25 * unhinted.mean(), abs=0.02)
    assert (people.weights[6] > 0).all()


def test_what_cannot_matter_has_no_reach() -> None:
    shape = shape_of(Prior().hinted({"b": 0.0}), SPACE)
    assert shape.reach.tolist() == [1, 1, 1, 1, 0, 0, 2]


@pytest.mark.parametrize(("name", "chance"), [("c", 0.5), ("a", 1.5), ("a", -0.1)])
def test_an_impossible_hint_is_refused(name: str, chance: float) -> None:
    with pytest.raises(OptionError, match=name):
        shape_of(Prior().hinted({name: chance}), SPACE)


def test_a_hint_for_something_unknown_is_answered_with_what_there_is() -> None:
    with pytest.raises(OptionError, match="the names are a, "):
        shape_of(Prior().hinted({"zzz": 0.5}), SPACE)


def test_a_prior_needs_people() -> None:
    with pytest.raises(OptionError, match="at least one"):
        Prior(kinds=())
