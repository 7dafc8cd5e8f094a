"""The benchmark of large catalogues: its cars are of the size of a car."""

from __future__ import annotations

from benchmarks.cars import car
from benchmarks.files import grid, measured


def test_a_car_has_the_size_of_one() -> None:
    document = car(3)
    assert car(3) == document != car(4)
    assert (len(document["attributes"]), len(document["rules"])) == (99, 113)
    assert sum(len(rule["rows"]) for rule in document["rules"]) == 1658


def test_a_case_becomes_a_line() -> None:
    found = measured("plain rows", 500)
    assert (found.rows, found.configurations) == (500, 500)
    assert [row[:2] for row in grid([found]).rows] == [["plain rows", "500"]]
