"""Spaces in which everything depends on everything: little work tells, and little memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from setmargin.cli.app import app
from setmargin.errors import TooTangled
from setmargin.interview.interview import Interview
from setmargin.solve.diagram import compile as compiling
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.catalogue import save
from setmargin.space.space import Space
from setmargin.strategies.bayes.shortlist import Shortlist


def implications(seed: int, *, attributes: int, values: int, rules: int) -> Space:
    """Random rules `some values of one attribute => some values of another`."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(rules):
        one, other = rng.choice(attributes, 2, replace=False)
        if_, then = (rng.choice(values, rng.integers(*most), replace=False) for most in ((1, 3), (2, values)))
        texts.append(f"a{one} in {{{', '.join(map(str, if_))}}} => a{other} in {{{', '.join(map(str, then))}}}")
    return Space({f"a{n}": range(values) for n in range(attributes)}, rules=texts, name="tangled")


def clauses(seed: int, *, bits: int, rules: int) -> Space:
    """Random rules of three bits, one of which has to be as it says."""
    rng = np.random.default_rng(seed)
    chosen = [(rng.choice(bits, 3, replace=False), rng.integers(2, size=3)) for _ in range(rules)]
    texts = [" or ".join(f"b{n} = {value}" for n, value in zip(*one, strict=True)) for one in chosen]
    return Space({f"b{n}": [0, 1] for n in range(bits)}, rules=texts, name="bits")


@pytest.fixture(scope="module")
def tangled() -> Space:
    """25 attributes of 8 values with 120 implications."""
    return implications(0, attributes=25, values=8, rules=120)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The most arcs that each order may have which is tried."""
    limits: list[int] = []
    counter = compiling._counter

    def counting(*given: Any) -> Any:
        found = counter(*given)
        limits.append(found.max_arcs)
        return found

    monkeypatch.setattr(compiling, "_counter", counting)
    return limits


def test_a_hopeless_diagram_is_given_up_after_little_work(tangled: Space, tried: list[int]) -> None:
    with pytest.raises(TooLarge):
        DiagramEngine(lower(tangled))
    limits = DiagramLimits()
    assert 0 < sum(tried) <= limits.failures * limits.sketch_arcs


def test_two_orders_tell_that_a_large_space_has_no_diagram(tried: list[int]) -> None:
    with pytest.raises(TooLarge):
        DiagramEngine(lower(clauses(1, bits=200, rules=600)))
    assert len(tried) == 2


def test_the_first_question_of_a_tangled_space_comes_from_a_shortlist(tangled: Space) -> None:
    interview = Interview(tangled)
    assert isinstance(interview.belief.samples.oracle, Shortlist)  # type: ignore[attr-defined]
    question = interview.ask()
    assert question is not None
    for option in question.options:
        tangled.check(option)
    best = interview.recommend()
    assert best.configuration == oracle_for(tangled).best(best.weights)
    interview.tell(0)
    assert interview.ask() is not None


def test_where_even_one_best_configuration_takes_long_that_is_said() -> None:
    space = clauses(1, bits=150, rules=450)
    with pytest.raises(
        TooTangled, match=r"the rules and must-haves of bits are so tangled .*; drop some of them, or write several"
    ):
        Interview(space)


def test_that_much_is_tangled_is_seen_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for cuts alone would take seconds."""
    engine = MilpEngine(lower(clauses(1, bits=200, rules=600)))
    monkeypatch.setattr(type(engine._whole), "proves", lambda *_: pytest.fail("it searches"))
    assert engine.is_tangled


def test_check_says_in_time_that_it_does_not_know(tmp_path: Path) -> None:
    save(clauses(1, bits=60, rules=250), path := tmp_path / "bits.yaml")
    result = CliRunner().invoke(app, ["check", str(path), "--seconds", "0.1"])
    assert isinstance(result.exception, TooTangled)
    assert str(result.exception).endswith("write several as one table, or give more --seconds")


def test_check_knows_of_a_tangled_space_what_can_be_known(tangled: Space, tmp_path: Path) -> None:
    save(tangled, path := tmp_path / "tangled.yaml")
    result = CliRunner().invoke(app, ["check", str(path), "--json", "--seconds", "60"])
    found = json.loads(result.stdout)
    assert (found["configurations"], found["tangled"]) == (None, False)
    assert isinstance(found["impossible_values"], list)


# The parts


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_everything_on_a_shortlist_can_be_built_and_the_best_is_the_best_of_it(seed: int) -> None:
    space = implications(seed, attributes=4, values=3, rules=4)
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(30, int(space.offsets[-1])))
    short = Shortlist.of(Oracle(space, engine=MilpEngine(lower(space))), weights)
    assert space.feasible(short.configurations).all()
    worth = weights @ space.onehot(short.configurations).T
    best = short.best_for_values(weights)
    assert np.einsum("ij,ij->i", weights, space.onehot(best)) == pytest.approx(worth.max(axis=1))
    ranked = np.array(list(short.ranked_for_values(weights[0])))
    assert (np.diff(space.onehot(ranked) @ weights[0]) <= 1e-9).all()
    exact = oracle_for(space).best_for_values(weights)
    lost = np.einsum("ij,ij->i", weights, space.onehot(exact) - space.onehot(best))
    assert (lost[:16] < 1e-6).all()  # those whose best was looked for


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_models_and_diagrams_agree_on_what_is_possible(seed: int) -> None:
    lowered = lower(implications(seed, attributes=4, values=3, rules=8))
    everything = np.ones(sum(lowered.domains), dtype=bool)
    try:
        known = DiagramEngine(lowered).possible(everything)
    except Exception:  # nothing can be built
        known = np.zeros_like(everything)
    assert (MilpEngine(lowered).possible(everything) == known).all()


def test_a_small_space_is_not_tangled() -> None:
    assert not MilpEngine(lower(implications(3, attributes=4, values=3, rules=4))).is_tangled
    assert not oracle_for(implications(3, attributes=4, values=3, rules=4)).is_tangled
