"""The benchmark of all strategies lets them take turns, and nobody more time than is theirs."""

from __future__ import annotations

from itertools import islice

import pytest
from benchmarks.methods import Cell, grid, measured, waits
from benchmarks.timing import Effort

from benchmarks import methods
from setmargin import load, make_strategy
from setmargin.experiments.people import draw_people
from setmargin.strategies.registry import strategy_names


def test_strategies_take_turns_until_their_time_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def scripted(strategy: str, *_: object) -> object:
        while True:
            order.append(strategy)
            yield 10.0 if strategy == "regret" else 1.0

    monkeypatch.setattr(methods, "waits", scripted)
    monkeypatch.setattr(methods, "make_for_simulation", lambda name: name)
    cells = measured("synthetic:3", Effort(seconds=3.5, least=1, most=6), print)
    asked = {cell.strategy: len(cell.seconds) for cell in cells}
    assert asked == {name: 1 if name == "regret" else 4 for name in strategy_names()}
    names = list(strategy_names())
    assert order[: len(names)] == names
    assert order[len(names) :] == [name for name in names if name != "regret"] * 3


def test_a_second_person_is_asked_where_the_first_has_no_questions_left() -> None:
    space = load("synthetic:3")
    people = list(draw_people(space, 2))
    some = list(islice(waits(make_strategy("random"), space, people), methods.QUESTIONS + 5))
    assert len(some) == methods.QUESTIONS + 5
    assert min(some) >= 0


def test_the_table_has_a_row_for_each_strategy_and_a_column_for_each_space() -> None:
    cells = [Cell(space, name, (0.5, 1.5)) for space in ("a", "b") for name in ("x", "y")]
    table = grid(cells)
    assert table.headers == ["strategy", "a", "b"]
    assert table.rows == [["x", "1 (1.4), 2", "1 (1.4), 2"], ["y", "1 (1.4), 2", "1 (1.4), 2"]]
