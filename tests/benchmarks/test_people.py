"""The benchmark of people measures what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.people_cases import Case, Outcomes, claims_grid, interviews, losses_grid, needed_cell, ratio
from benchmarks.people_ordered import on_plain_space, steps_space, without_directions
from benchmarks.people_paper import people_hashes, record_hashes, recorded
from benchmarks.people_sales import buyers, read_sales, split

from benchmarks import __main__ as command
from benchmarks import people
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.experiments.people import draw_people
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.strategies.bayes.strategy import Bayes


def outcomes(*losses: list[float]) -> Outcomes:
    table: Floats = np.array(losses)
    return Outcomes(table, table / 2, np.ones_like(table))


def test_screens_are_needed_until_the_mean_stays_small() -> None:
    found = outcomes([0.5, 0.01, 0.1, 0.02, 0.0], [0.5, 0.01, 0.1, 0.04, 0.0])
    assert found.needed() == 4
    assert found.needed(0.001) == 5
    assert outcomes([0.5, 0.4]).needed() == 3
    assert needed_cell(outcomes([0.5, 0.4])).startswith("> 2 ")
    assert ratio(outcomes([0.5, 0.0, 0.0, 0.0]), outcomes([0.5, 0.5, 0.5, 0.0])) == (0.5, 0.0)


def test_tables_have_a_row_for_each_case_and_stop_where_it_stopped() -> None:
    found = {"one": outcomes([0.5, 0.2], [0.3, 0.2]), "two": outcomes([0.5] * 4)}
    assert [row[:3] for row in losses_grid("", found, (1, 4)).rows] == [
        ["one", "40.0 ± 10.0", ""],
        ["two", "50.0 ± 0.0", "50.0 ± 0.0"],
    ]
    assert claims_grid("", found, (1, 4)).rows[1] == ["two", "25.0 / 50.0 ± 0.0", "25.0 / 50.0 ± 0.0"]


@pytest.mark.parametrize("weights", ["ordered", "uniform"])
def test_people_value_the_same_where_no_attribute_says_what_is_better(weights: str) -> None:
    space = steps_space(3, 4)
    plain = without_directions(space)
    assert not plain.trends
    for person in draw_people(space, 4, weights=weights, quantities=True):
        twin = on_plain_space(person, plain)
        some = [space.configuration(row) for row in ([0, 1, 2], [3, 0, 0], [1, 1, 1])]
        assert twin.utilities(some) == pytest.approx(person.utilities(some))
        assert twin.best_utility == pytest.approx(person.best_utility)
        assert twin.strategy_seed == person.strategy_seed


def test_the_best_of_everything_cannot_be_built_of_ordered_values() -> None:
    space = steps_space()
    best = [len(attribute.values) - 1 for attribute in space.attributes]
    assert not space.feasible(np.array([best]))[0]
    assert (oracle_for(space).count() or 0) > 10**9


def test_buyers_want_what_was_sold(tmp_path: Path) -> None:
    space = load("bicycle")
    rng = np.random.default_rng(0)
    rows = [oracle_for(space).best(rng.random(len(space.feature_names))) for _ in range(6)]
    names = list(rows[0])[:4]
    lines = [",".join(names), *(",".join(str(row[name]) for name in names) for row in rows)]
    (tmp_path / "sales.csv").write_text("\n".join(lines) + "\n")
    learnt, held_out = split(read_sales(tmp_path / "sales.csv"), seed=1, held_out=2)
    assert (len(learnt), len(held_out)) == (4, 2)
    for person, sale in zip(buyers(space, held_out, 2, seed=1), held_out, strict=True):
        assert (person.weights > 0).sum() == len(names)
        wanted = [row for row in rows if all(str(row[name]) == value for name, value in sale.items())]
        assert [person.loss(row) for row in wanted] == [0.0] * len(wanted)


def test_interviews_are_those_of_the_case() -> None:
    people_of = list(draw_people(load("synthetic:3"), 2))
    (found,) = interviews([Case("a", people_of, Bayes(until=0.0), 3)], lambda _: None).values()
    assert found.loss.shape == found.expected.shape == (2, 3)
    assert 0 <= found.expected.min() <= found.expected.max() <= 1


def test_people_and_records_of_the_paper_are_those_that_were_recorded() -> None:
    known = recorded()
    assert people_hashes() == known["people"]
    quickly = record_hashes(True, lambda _: None)
    assert set(quickly.items()) <= set(known["records"].items())


def test_sections_are_run_alone_and_unknown_ones_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["people", "--only", "choices,sales", "--json", str(tmp_path / "people.json")]) == 0
    said = capsys.readouterr().out
    assert "setmargin choices" in said
    assert "--sales" in said
    assert command.main(["people", "--only", "choice"]) == 1
    with pytest.raises(OptionError, match="did you mean paper"):
        people.run(True, lambda _: None, only=["papers"])
