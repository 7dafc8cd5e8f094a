"""The benchmark of product lists measures what it says, on a list that is quickly made."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import lists
from setmargin.solve.oracle import oracle_for


def test_laptops_are_a_list_with_numbers_of_their_own() -> None:
    space = lists.laptops(50)
    assert oracle_for(space).count() == 50
    assert len({space.amounts({"sku": f"L{number}"})["price"] for number in range(50)}) > 40


def test_a_small_list_is_measured_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "SCREENS", 2)
    monkeypatch.setattr(lists, "FAMILIES", ("ordered",))
    found = lists.measured(60, 1)
    assert found.diagram is not None  # and so both agreed
    report = lists.report_of([found])
    assert [grid.rows[0][0] for grid in report.grids] == ["60", "60"]


def test_a_loss_that_rises_again_has_not_stayed_below() -> None:
    assert lists._stays(np.array([0.2, 0.05, 0.2, 0.05]), 0.1) == 4.0
    assert lists._stays(np.array([0.2, 0.2]), 0.1) is None
