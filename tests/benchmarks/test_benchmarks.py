"""The benchmarks measure what they say, and a quick run of them works from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest
from benchmarks.oracle import BATCHES, HIGHS, METHODS, MILP, Case, PlainHighs, Record, check_agreement, growth
from benchmarks.timing import Disagreement, Effort, Grid, Report, Say, Timing, clocked, exponent, short, show
from hypothesis import assume, given, settings
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import oracle, spaces
from setmargin.arrays import Floats, Ints
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.lowering import Lowered
from tests.solve.lowered_spaces import all_configurations, claims, seeds, values_of

ROOT = Path(__file__).parents[2]


# Clocks and figures


@pytest.mark.parametrize(("seconds", "calls"), [(0.0, 3), (inf, 8)])
def test_a_call_is_timed_within_its_effort(seconds: float, calls: int) -> None:
    times, answers = clocked(lambda x: x * x, range(100), Effort(seconds=seconds, least=3, most=8))
    assert answers == [x * x for x in range(calls)]
    assert len(times) == calls
    assert min(times) >= 0


def test_a_timing_is_in_milliseconds_for_each_unit() -> None:
    timing = Timing.of([0.1, 0.3, 0.2], per=100)
    assert timing.median == pytest.approx(2.0)
    assert 2.0 < timing.p95 < 3.0
    assert timing.repeats == 3


def test_a_square_has_exponent_two() -> None:
    assert exponent([1, 3, 10, 100], [7.0, 63.0, 700.0, 70_000.0]) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("number", "shown"), [(0.00416, "0.0042"), (0.1, "0.1"), (2.34, "2.3"), (12.3, "12"), (1234.5, "1,234")]
)
def test_figures_are_short(number: float, shown: str) -> None:
    assert short(number) == shown


def test_a_pipe_gets_markdown_and_a_terminal_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report([Grid("Times", ("space", "ms"), [("pc", "0.1" + "0" * 100)])], ["Met."], {})
    show(report, Console(width=80))
    piped = capsys.readouterr().out
    assert f"| space | ms |\n| --- | --: |\n| pc | 0.1{'0' * 100} |\n" in piped
    show(report, Console(width=80, force_terminal=True))
    assert "---" not in capsys.readouterr().out


# Spaces


@claims
@given(seed=seeds)
def test_an_implication_forbids_exactly_what_breaks_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domains = tuple(int(d) for d in rng.integers(2, 5, size=2))
    value, allowed = int(rng.integers(domains[0])), np.flatnonzero(rng.random(domains[1]) < 0.5).tolist()
    lowered = Lowered(domains, (spaces.implication(0, value, 1, allowed, domains),))
    kept = {tuple(row) for row in all_configurations(lowered).tolist()}
    assert kept == {(a, b) for a in range(domains[0]) for b in range(domains[1]) if a != value or b in allowed}


def test_the_structured_spaces_reach_a_hundred_attributes_and_thirty_digits() -> None:
    cases = oracle.sections(quick=False)["Structured spaces"]
    largest = [case for case in cases if len(case.lowered.domains) == 100]
    assert [case.family for case in largest] == ["chain", "tree", "clusters"]
    for case in largest[:2]:
        assert (DiagramEngine(case.lowered).count() or 0) > 10**30


def test_a_budget_row_leaves_some_configurations_and_takes_others() -> None:
    free = spaces.chain(attributes=4, values=3, seed=0)
    bound = spaces.with_budget(free, seed=0)
    assert 0 < len(all_configurations(bound)) < len(all_configurations(free))


def test_half_of_the_weights_are_mostly_zero() -> None:
    weights = spaces.weight_vectors(spaces.computer(), size=100, seed=0)
    assert 0.75 < (weights[::2] == 0).mean() < 0.85
    assert (weights[1::2] != 0).all()


# Methods


@settings(claims, max_examples=15)
@given(seed=seeds)
def test_plain_highs_finds_what_brute_force_finds(seed: int) -> None:
    lowered = spaces.with_budget(spaces.tree(attributes=4, values=3, seed=seed), seed=seed, tight=0.6)
    everything = all_configurations(lowered)
    assume(len(everything))
    plain = PlainHighs(lowered)
    vectors = spaces.weight_vectors(lowered, size=3, seed=seed)
    assert len(vectors) == 3
    for weights in vectors:
        found = plain.best(weights[None])
        assert lowered.holds(found).all()
        best = values_of(everything, weights, lowered.domains).max()
        assert values_of(found, weights, lowered.domains)[0] == pytest.approx(best, abs=1e-7)


def small() -> tuple[Case, Floats, Ints]:
    case = Case("small", spaces.chain(attributes=4, values=4, seed=0))
    weights = spaces.weight_vectors(case.lowered, size=5, seed=0)
    return case, weights, DiagramEngine(case.lowered).best(weights)


def test_the_same_optima_agree_even_where_a_method_answered_fewer() -> None:
    case, weights, best = small()
    check_agreement(case, weights, {BATCHES: best, HIGHS: best[:2]})


def test_a_worse_configuration_is_a_disagreement() -> None:
    case, weights, best = small()
    worst = DiagramEngine(case.lowered).best(-weights)
    with pytest.raises(Disagreement, match=f"small: optima of {MILP}"):
        check_agreement(case, weights, {BATCHES: best, MILP: worst})


def test_a_configuration_that_breaks_a_rule_is_a_disagreement() -> None:
    case, weights, best = small()
    everything = np.indices(case.lowered.domains).reshape(len(case.lowered.domains), -1).T
    broken = everything[~case.lowered.holds(everything)][: len(best)]
    with pytest.raises(Disagreement, match="breaks a rule"):
        check_agreement(case, weights, {BATCHES: broken})


def record(size: int) -> Record:
    timings = {method: Timing(0.5 * size**power, 1.0, 9) for power, method in enumerate(METHODS)}
    return Record("chain", f"chain, {size}", size, None, "diagram", float(size), size, 2 * size**2, timings)


def test_growth_is_fitted_within_a_family() -> None:
    alone = Record("", "pc", 6, 64_476, "diagram", 1.0, 19, 156, {})
    powers = growth([record(10), alone, record(20), record(40)])
    assert list(powers) == ["chain"]
    assert [round(powers["chain"][method], 6) for method in METHODS] == [0, 1, 2, 3]
    assert powers["chain"]["compiling"] == pytest.approx(1.0)


# The command


def test_a_disagreement_ends_the_command_with_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def disagreeing(quick: bool, say: Say) -> Report:
        raise Disagreement(f"two methods, {quick}, {say}")

    monkeypatch.setitem(command.BENCHMARKS, "oracle", ("nothing", disagreeing))
    assert command.main(["oracle"]) == 1
    assert "oracle: two methods" in capsys.readouterr().err


def test_an_unknown_benchmark_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["oracel"])
    assert "there is oracle" in capsys.readouterr().err


def test_a_quick_run_measures_every_method(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    words = [sys.executable, "-m", "benchmarks", "oracle", "--quick", "--json", str(file)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    records = json.loads(file.read_text(encoding="utf-8"))["oracle"]["records"]
    assert "| pc |" in done.stdout
    assert "Goal: pc under 0.01 ms" in done.stdout
    assert "oracle: pc\n" in done.stderr
    assert records[0]["configurations"] == 64_476
    assert set(records[0]["timings"]) == set(METHODS)
    assert set(records[-1]["timings"]) == {HIGHS, MILP}
    assert "decision diagram with 1 pending row" in {each["engine"] for each in records}


# `setwise`, `recorded` and `bayes` take a quarter of a minute even so; their parts are tested beside them, and so are
# those of `answers`.
@pytest.mark.parametrize(
    "name", sorted(set(command.BENCHMARKS) - {"oracle", "setwise", "recorded", "bayes", "answers", "people"})
)
def test_other_benchmarks_can_be_run_quickly(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "found.json"
    assert command.main([name, "--quick", "--json", str(file)]) == 0
    assert json.loads(file.read_text(encoding="utf-8"))[name]
    assert f"{name}: " in capsys.readouterr().err


def test_the_page_about_benchmarks_names_each_of_them() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert all(f"## {name}: " in page for name in command.BENCHMARKS)
    assert all(f"| {method} |" in page for method in METHODS)
    assert all(f"| {case.name} |" in page for cases in oracle.sections(quick=False).values() for case in cases)
