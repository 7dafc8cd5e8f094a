"""The MILP engine against brute force on small random spaces."""

from __future__ import annotations

import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.arrays import Floats, Ints
from setmargin.errors import ModelInfeasible, NoSolutionInTime, OptionError
from setmargin.solve.engine import Engine
from setmargin.solve.lowering import LinearRow, Lowered
from setmargin.solve.milp import engine as milp_engine
from setmargin.solve.milp import feasible
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits, Milp, Solver
from setmargin.solve.relations import Relation
from tests.another_path import AnotherPath
from tests.solve.lowered_spaces import (
    all_configurations,
    claims,
    one_hot,
    random_boxes,
    random_relation,
    random_row,
    random_weights,
    seeds,
    values_of,
)
from tests.solve.milp.models import market_split, no_gurobi

few = settings(claims, max_examples=25)


def space(seed: int, *, largest: int = 20) -> Lowered:
    """Two to five attributes of two to four values, under relations of up to four of them and linear rows."""
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(2, 5, size=rng.integers(2, 6)))
    relations = tuple(random_relation(rng, domains, arity=4) for _ in range(rng.integers(0, 4)))
    return Lowered(domains, relations, tuple(random_row(rng, domains, largest=largest) for _ in range(seed % 3)))


def is_best(lowered: Lowered, found: Ints, weights: Floats) -> bool:
    worth = values_of(all_configurations(lowered), weights, lowered.domains).max()
    own = values_of(found[None], weights, lowered.domains)[0]
    return bool(lowered.holds(found[None])[0] and own >= worth - 1e-9 * max(1.0, np.abs(weights).max()))


@claims
@given(seed=seeds)
def test_the_best_is_that_of_brute_force(seed: int) -> None:
    lowered = space(seed)
    weights = random_weights(seed, sum(lowered.domains))
    engine: Engine = MilpEngine(lowered)
    if len(all_configurations(lowered)):
        found = engine.best(weights)
        assert found.shape == (len(weights), len(lowered.domains))
        assert all(is_best(lowered, *pair) for pair in zip(found, weights, strict=True))
    else:
        with pytest.raises(ModelInfeasible):
            engine.best(weights)


@few
@given(seed=seeds, most=st.sampled_from([0, 400]))
def test_the_best_in_unions_of_boxes_is_that_of_brute_force(seed: int, most: int) -> None:
    lowered, weights = boxes(seed, unions=2), random_weights(seed, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "FEW_BOXES", most)
        if len(all_configurations(lowered)):
            found = MilpEngine(lowered).best(weights)
            assert all(is_best(lowered, *pair) for pair in zip(found, weights, strict=True))
        else:
            with pytest.raises(ModelInfeasible):
                MilpEngine(lowered).best(weights)


@few
@given(seed=seeds)
def test_one_union_of_many_boxes_needs_no_integers(seed: int) -> None:
    lowered, weights = boxes(seed, unions=1), np.random.default_rng(seed).normal(size=12)
    assume(lowered.boxes[0].allow)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "FEW_BOXES", 0)
        search = MilpEngine(lowered)._whole
        found = search._relaxed(search._objective(weights))
    assert found is not None
    assert is_best(lowered, found, weights)


def boxes(seed: int, *, unions: int) -> Lowered:
    rng, domains = np.random.default_rng(seed), (3, 4, 3, 2)
    return Lowered(domains, boxes=tuple(random_boxes(rng, domains) for _ in range(unions)))


@few
@given(seed=seeds)
def test_the_best_is_exact_even_where_numbers_are_beyond_every_tolerance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = (3, 3, 3)
    costs = {a: 10**12 + rng.integers(0, 3, size=3) + 10**11 * np.arange(3) for a in range(3)}
    middle = sum(int(c[1]) for c in costs.values())
    lowered = Lowered(
        domains, rows=(LinearRow(costs, middle), LinearRow({a: -c for a, c in costs.items()}, 1 - middle))
    )
    weights = rng.normal(size=9)
    if len(all_configurations(lowered)):
        assert is_best(lowered, MilpEngine(lowered).best(weights[None])[0], weights)
    else:
        with pytest.raises(ModelInfeasible):
            MilpEngine(lowered).best(weights[None])


@few
@given(seed=seeds)
def test_ranked_gives_every_configuration_once_best_first(seed: int) -> None:
    lowered = space(seed)
    everything, weights = all_configurations(lowered), random_weights(seed, sum(lowered.domains))[seed % 5]
    some = min(len(everything), 12)
    listed = list(islice(MilpEngine(lowered).ranked(weights), some))
    found = np.array(listed, dtype=np.int64).reshape(some, len(lowered.domains))
    expected = np.sort(values_of(everything, weights, lowered.domains))[::-1][:some]
    assert len({tuple(configuration) for configuration in found.tolist()}) == some
    assert lowered.holds(found).all()
    assert values_of(found, weights, lowered.domains) == pytest.approx(expected)


def test_ranked_ends_when_all_were_given() -> None:
    lowered = Lowered((3, 2), (Relation((0, 1), np.array([[0, 0], [1, 1], [2, 1]])),))
    found = list(MilpEngine(lowered).ranked(np.array([0.0, 5.0, 1.0, 2.0, 0.0])))
    assert np.array(found).tolist() == [[1, 1], [0, 0], [2, 1]]


@few
@given(seed=seeds)
def test_possible_values_are_those_that_some_configuration_uses(seed: int) -> None:
    lowered = space(seed)
    allowed = np.random.default_rng(seed).random(sum(lowered.domains)) < 0.8
    codes = one_hot(all_configurations(lowered), lowered.domains) > 0
    usable = codes[(codes <= allowed).all(axis=1)]
    assert MilpEngine(lowered).possible(allowed).tolist() == usable.any(axis=0).tolist()


@few
@given(seed=seeds)
def test_a_listed_space_is_counted_and_sampled_from_its_list(seed: int) -> None:
    lowered = space(seed)
    everything, engine = all_configurations(lowered), MilpEngine(lowered)
    assert engine.count() == len(everything)
    if len(everything):
        drawn = engine.sample(np.random.default_rng(0), 30)
        assert drawn.shape == (30, len(lowered.domains))
        assert lowered.holds(drawn).all()
    else:
        with pytest.raises(ModelInfeasible):
            engine.sample(np.random.default_rng(0), 1)


@few
@given(seed=seeds)
def test_a_space_too_large_to_list_is_sampled_all_the_same(seed: int) -> None:
    lowered = space(seed)
    everything = all_configurations(lowered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(milp_engine, "LISTABLE", 1)
        patch.setattr(milp_engine, "_BATCH", 3)  # so that some of them must come from random weights
        engine = MilpEngine(lowered)
        assert engine.count() is None
        if len(everything):
            drawn = engine.sample(np.random.default_rng(0), 20)
            assert drawn.shape == (20, len(lowered.domains))
            assert lowered.holds(drawn).all()
        else:
            with pytest.raises(ModelInfeasible):
                engine.sample(np.random.default_rng(0), 1)


def test_drawing_by_rejection_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milp_engine, "LISTABLE", 1)
    lowered = Lowered((2, 3), (Relation((0, 1), np.array([[0, 0], [1, 1], [1, 2]])),))
    drawn = MilpEngine(lowered).sample(np.random.default_rng(0), 3000)
    shares = np.unique(drawn, axis=0, return_counts=True)[1] / 3000
    assert shares == pytest.approx([1 / 3] * 3, abs=0.04)


def test_the_same_weights_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[Floats] = []
    original = milp_engine._Search.best

    def noted(search: milp_engine._Search, weights: Floats) -> Ints:
        solved.append(weights)
        return original(search, weights)

    monkeypatch.setattr(milp_engine._Search, "best", noted)
    engine, weights = MilpEngine(Lowered((2, 3))), np.eye(5)[[0, 1, 0, 1, 0]]
    first = engine.best(weights)
    assert (engine.best(np.where(weights[:2] == 0, -0.0, weights[:2])) == first[:2]).all()
    assert len(solved) == 2


@pytest.mark.parametrize("solver", [Highs(), *map(AnotherPath, range(3))])
def test_what_is_no_longer_remembered_is_found_again(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milp_engine, "REMEMBERED", 3)
    engine = MilpEngine(Lowered((2, 3)), solver=solver)
    found = engine.best(np.eye(5))
    assert len(engine._remembered) == 3
    assert (engine.best(np.eye(5)) == found).all()


@few
@given(seed=seeds)
def test_ties_are_broken_alike_whatever_was_asked_before_and_after_pickling(seed: int) -> None:
    lowered = space(seed)
    if not len(all_configurations(lowered)):
        return
    tied = np.zeros((1, sum(lowered.domains)))
    expected = MilpEngine(lowered).best(tied)
    engine = MilpEngine(lowered)
    engine.best(random_weights(seed, tied.shape[1])[:2])
    revived = pickle.loads(pickle.dumps(engine))
    assert (engine.best(tied) == expected).all()
    assert (revived.best(tied) == expected).all()


@pytest.mark.parametrize("weights", [np.zeros(5), np.zeros((1, 4)), np.full((1, 5), np.nan)])
def test_weights_that_do_not_fit_are_refused(weights: Floats) -> None:
    with pytest.raises(OptionError, match="weights"):
        MilpEngine(Lowered((2, 3))).best(weights)


def test_no_weights_have_no_optima() -> None:
    assert MilpEngine(Lowered((2, 3))).best(np.zeros((0, 5))).shape == (0, 2)


def test_a_space_without_attributes_has_one_configuration() -> None:
    engine = MilpEngine(Lowered(()))
    assert engine.best(np.zeros((2, 0))).shape == (2, 0)
    assert len(list(engine.ranked(np.zeros(0)))) == engine.count() == 1


def test_an_optimum_that_is_not_proven_in_time_is_not_returned() -> None:
    costs = market_split(slack=False).matrix.toarray()[0, :40]
    with pytest.raises(NoSolutionInTime):
        MilpEngine(split_market(), limits=Limits(seconds=0.1)).best(np.repeat(costs, 2)[None].astype(float))


def test_nodes_and_no_clock_end_the_search_for_any_configuration() -> None:
    with pytest.raises(
        NoSolutionInTime, match=f"no configuration was found within .* and {milp_engine.LOOK.nodes} nodes"
    ):
        MilpEngine(split_market()).check_some()


def split_market() -> Lowered:
    """Linear rows that are hard to satisfy."""
    split: Milp = market_split(slack=False)
    rows = (
        LinearRow({a: np.array([0, sign * int(row[a])]) for a in range(40)}, sign * int(half))
        for row, half in zip(split.matrix.toarray()[:, :40], split.row_lower, strict=True)
        for sign in (1, -1)
    )
    return Lowered((2,) * 40, rows=tuple(rows))


@no_gurobi
@few
@given(seed=seeds)
def test_the_engine_is_as_exact_with_gurobi(seed: int) -> None:
    lowered = space(seed)
    assume(len(all_configurations(lowered)))
    weights = random_weights(seed, sum(lowered.domains), size=2)
    found = MilpEngine(lowered, solver=Gurobi()).best(weights)
    assert all(is_best(lowered, *pair) for pair in zip(found, weights, strict=True))
