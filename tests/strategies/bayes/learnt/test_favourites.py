"""Favourites learnt from sales: the tree, the pooling, and what can be built behind both."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from setmargin import Space, oracle_for
from setmargin.arrays import Floats, Ints
from setmargin.errors import LearningError
from setmargin.strategies.bayes.learnt import pooling
from setmargin.strategies.bayes.learnt.buildable import Buildable, buildable_shares, one_hot
from setmargin.strategies.bayes.learnt.document import read_document
from setmargin.strategies.bayes.learnt.fit import fit_prior
from setmargin.strategies.bayes.learnt.fit_favourites import Sales, fit_favourites, held_out_bits
from setmargin.strategies.bayes.learnt.pooling import Strengths, pooled
from setmargin.strategies.bayes.learnt.prior import LEAST_SHARE, Favourites

SPACE = Space({"a": ["x", "y", "z"], "b": ["on", "off"], "c": ["p", "q"]}, name="little")


def sold(count: int, seed: int = 0) -> Sales:
    """b follows a, c follows b, mostly."""
    rng = np.random.default_rng(seed)
    a = rng.choice(3, count, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(count) < 0.9, (a > 0).astype(int), 1 - (a > 0))
    c = np.where(rng.random(count) < 0.9, b, 1 - b)
    return Sales(SPACE, (0, 1, 2), np.stack([a, b, c], axis=1))


def test_a_tree_is_found_again_and_explains_other_sales() -> None:
    found = fit_favourites(sold(2000))
    edges = {frozenset((each.attribute, each.given)) for each in found.tree if each.given}
    assert edges == {frozenset("ab"), frozenset("bc")}
    entropy = 1.485 + 2 * 0.469
    assert held_out_bits(sold(2000, seed=1), found) == pytest.approx(entropy, abs=0.06)
    assert held_out_bits(sold(2000, seed=1), fit_favourites(sold(40))) < np.log2(12)


def test_what_fewer_than_five_people_bought_together_cannot_be_read_out_of_the_tables() -> None:
    sales = sold(300)
    rows = np.concatenate([sales.rows, [[2, 0, 1]] * 4])
    with_them = fit_favourites(Sales(SPACE, (0, 1, 2), rows))
    for each in with_them.tree:
        assert (each.table > 0).all()
    counts = {tuple(row): int((rows == row).all(axis=1).sum()) for row in np.unique(rows, axis=0)}
    assert min(counts.values()) < 5


def test_few_sales_are_refused() -> None:
    with pytest.raises(LearningError, match="there are 9 sales"):
        fit_favourites(sold(9))


# What can be built

STAIRS = Space(
    {f"s{number}": list(range(4)) for number in range(8)},
    rules=[
        f"s{low} = {value} => s{low + 1} >= {value} and s{low + 1} <= {value + 1}"
        for low, value in product(range(7), range(4))
    ],
    name="stairs",
)
"""Each step is as high as the last one, or one higher."""
ALL = tuple(range(8))
BITS = np.log2(oracle_for(STAIRS).count() or 0)
NO_RULES = Space({f"s{number}": list(range(4)) for number in range(8)}, name="no-stairs")


def anything(count: int, seed: int = 0) -> Sales:
    """As if people took anything that can be built."""
    return Sales(STAIRS, ALL, oracle_for(STAIRS).sample(np.random.default_rng(seed), count))


def high(count: int, seed: int = 0) -> Sales:
    """As if people took what is high early on."""
    rows = anything(40 * count, seed).rows
    chosen = np.argsort(-rows[:, :4].sum(axis=1), kind="stable")[: 2 * count]
    return Sales(STAIRS, ALL, np.random.default_rng(seed).permutation(rows[chosen])[:count])


def test_shares_are_those_of_all_that_can_be_built() -> None:
    found = buildable_shares(STAIRS, (0, 1, 7))
    built = np.array(
        [row for row in product(range(4), repeat=8) if all(a <= b <= min(a + 1, 3) for a, b in pairwise(row))]
    )
    assert len(built) == oracle_for(STAIRS).count()
    ones = one_hot(built[:, [0, 1, 7]], found.offsets)
    assert np.allclose(found.together, ones.T @ ones / len(built), atol=0.015)
    assert found.log_count == pytest.approx(np.log(4**3))
    assert buildable_shares(STAIRS, ALL).log_count == pytest.approx(np.log(len(built)))


def test_without_rules_every_value_is_as_likely_as_any_other() -> None:
    found = buildable_shares(SPACE, (0, 1))
    assert np.allclose(found.alone, [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])
    assert np.allclose(found.together[:3, 3:], 1 / 6)
    assert np.allclose(found.together[:3, :3], np.eye(3) / 3)


@pytest.mark.parametrize("count", [10, 100])
def test_nothing_is_lost_where_people_take_anything(count: int) -> None:
    bits = [held_out_bits(anything(500, 9), fit_favourites(anything(count, seed))) for seed in range(2)]
    assert np.mean(bits) < BITS + 0.15


def test_a_sale_unlike_all_others_is_never_far_from_anything_that_can_be_built() -> None:
    same = np.repeat(anything(1, seed=2).rows, 30, axis=0)
    found = fit_favourites(Sales(STAIRS, ALL, same))
    assert held_out_bits(Sales(STAIRS, ALL, same), found) < 1
    others = [Sales(STAIRS, ALL, row[None]) for row in anything(50, seed=3).rows]
    worst = max(held_out_bits(each, found) for each in others)
    assert worst < BITS + np.log2(30 + 2) + 0.01  # they count as one sale beside the thirty
    alone = Favourites(found.people, found.tree)
    assert max(held_out_bits(each, alone) for each in others) > worst + 3


def test_few_sales_say_much_more_by_the_rules() -> None:
    held, ten = high(500, 9), high(10)
    assert held_out_bits(held, fit_favourites(ten)) < BITS - 0.5
    blind = fit_favourites(Sales(NO_RULES, ALL, ten.rows))
    assert held_out_bits(held, fit_favourites(ten)) < held_out_bits(Sales(NO_RULES, ALL, held.rows), blind) - 1


def test_what_cannot_be_built_is_next_to_impossible_and_never_quite() -> None:
    for each in fit_favourites(high(30)).tree:
        assert (each.table > 0).all()
        if each.given and abs(int(each.given[1]) - int(each.attribute[1])) == 1:
            down = each.table[3, :3] if each.given < each.attribute else each.table[0, 2:]
            assert down.max() < 1e-4


def test_an_attribute_that_says_nothing_about_others_has_no_neighbour() -> None:
    sales = sold(400)
    noise = np.random.default_rng(5).integers(2, size=(400, 1))
    space = Space({"a": ["x", "y", "z"], "b": ["on", "off"], "c": ["p", "q"], "d": [1, 2]}, name="noisy")
    found = fit_favourites(Sales(space, (0, 1, 2, 3), np.append(sales.rows, noise, axis=1)))
    edges = {frozenset((each.attribute, each.given)) for each in found.tree if each.given}
    assert edges == {frozenset("ab"), frozenset("bc")}


# Pooling


def counts_of(rows: Ints, buildable: Buildable) -> Floats:
    ones = one_hot(rows, buildable.offsets)
    counts: Floats = ones.T @ ones
    return counts


def test_gains_are_those_of_fitting_anew_without_each_sale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "RULES", 0.0)
    rows, strengths = sold(60).rows, Strengths(values=5.0, pairs=3.0, popularity=0.0)
    buildable = buildable_shares(SPACE, (0, 1, 2))
    values = rows + buildable.offsets[:-1]
    gains = np.zeros((3, 3))
    for number in range(len(rows)):
        found = pooled(counts_of(np.delete(rows, number, axis=0), buildable), buildable, strengths)
        tables, row = found.tables(), values[number]
        gains += np.log(tables[np.ix_(row, row)]) - np.log(found.alone[row])
    together = pooled(counts_of(rows, buildable), buildable, strengths).gains()
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert together[one, other] == pytest.approx((gains[one, other] + gains[other, one]) / 2, abs=1e-3)


def test_what_four_people_took_is_told_from_nothing_else_that_four_people_took() -> None:
    buildable = buildable_shares(SPACE, (0, 1))
    many = np.array([[0, 0]] * 40 + [[0, 1]] * 40 + [[1, 0]] * 20 + [[1, 1]] * 20)
    tables = []
    for value in (0, 1):
        counts = counts_of(np.concatenate([many, [[2, value]] * 4]), buildable)
        tables.append(pooled(counts, buildable, Strengths(1.0, 3.0, 0.0)).tables()[:3, 3:])
    assert np.allclose(tables[0], tables[1], atol=1e-5)
    counts = counts_of(np.concatenate([many, [[2, 0]] * 5]), buildable)
    assert pooled(counts, buildable, Strengths(1.0, 3.0, 0.0)).tables()[2, 3] > 0.7


def test_pooling_goes_from_what_can_be_built_to_what_was_sold() -> None:
    buildable = buildable_shares(STAIRS, ALL)
    counts = counts_of(high(200).rows, buildable)
    none = pooled(0 * counts, buildable, Strengths(5.0, 3.0, 1.0))
    assert np.allclose(none.alone, buildable.alone, atol=1e-4)
    assert np.allclose(none.tables()[:4, 4:8], buildable.together[:4, 4:8] / buildable.alone[:4, None], atol=1e-4)
    much = pooled(1000 * counts, buildable, Strengths(5.0, 3.0, 1.0))
    assert np.allclose(much.alone, np.diag(counts) / 200, atol=1e-3)


# The file


def test_files_from_before_there_was_a_share_who_take_anything_are_read() -> None:
    prior = fit_prior(STAIRS, sales=high(30))
    document = prior.document()
    assert prior.favourites is not None
    assert 0 < document["favourites"]["anything"] == prior.favourites.anything < 1
    assert read_document(document) == prior
    del document["favourites"]["anything"]
    before = read_document(document).favourites
    assert before is not None
    assert before.anything == 0
    assert held_out_bits(high(100, 9), before) > 0
    document["favourites"]["anything"] = 1.0
    with pytest.raises(LearningError, match="below 1"):
        read_document(document)


def test_people_whom_the_tree_does_not_explain_are_as_usual() -> None:
    prior = fit_prior(STAIRS, sales=high(200))
    document = prior.document()
    assert prior.usual == LEAST_SHARE
    document["favourites"]["anything"] = 0.8
    assert read_document(document).usual == 0.8
