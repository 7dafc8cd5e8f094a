"""Past sales: configurations that people took, a line each, with a column for each attribute or for some of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from setmargin.arrays import Bools, Ints
from setmargin.csv_reading import csv_lines
from setmargin.errors import LearningError, SpaceError
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.space.text import Value, short, suggest
from setmargin.strategies.bayes.learnt.fit_favourites import Sales

Line = tuple[str, Mapping[str, Value]]
"""Where a sale stands, and its values by attribute."""


def read_sales(path: str | os.PathLike[str], space: Space) -> Sales:
    """Read a CSV file of sales: a column for each attribute that is known, a line for each sale.

    Sales with unknown values, and those that cannot be built, are left out, and listed with their lines.

    Raises
    ------
    LearningError
        If the file cannot be read, its lines are ragged, or no column is an attribute of the space.
    """
    name = os.fsdecode(path)
    lines_of_file = csv_lines(name, LearningError, give="a CSV file of sales")
    rows = [(number, [cell.strip() for cell in cells]) for number, cells in lines_of_file]
    if not rows:
        raise LearningError(f"{name}: empty; write the attributes in the first line, and a sale in each other")
    (number, header), *lines = rows
    _check_header(space, header, f"{name}:{number}")
    sales = []
    for number, cells in lines:
        if len(cells) != len(header):
            what = f"{len(cells)} cell{'s' * (len(cells) != 1)} under {len(header)} columns"
            raise LearningError(f"{name}:{number}: {what}; give one for each, and put texts with commas in quotes")
        sales.append((f"{name}:{number}", dict(zip(header, cells, strict=True))))
    return sales_of(space, sales, header)


def _check_header(space: Space, header: Sequence[str], where: str) -> None:
    known = [attribute.name for attribute in space.attributes]
    if twice := [name for place, name in enumerate(header) if name in header[:place]]:
        raise LearningError(f"{where}: two columns are called {short(twice[0])}; remove one")
    if unknown := [name for name in header if name not in known]:
        hint = suggest(unknown[0], known, what="its attributes are")
        raise LearningError(f"{where}: {space.name} has no attribute {short(unknown[0])}; {hint}")


def sales_of(space: Space, sales: Iterable[Line], columns: Sequence[str] | None = None) -> Sales:
    """Sales with their values by attribute; those that cannot be used are left out, and listed."""
    lines = list(sales)
    if columns is None:
        columns = [each.name for each in space.attributes if all(each.name in values for _, values in lines)]
    names = [attribute.name for attribute in space.attributes]
    attributes = tuple(names.index(name) for name in columns)
    if not attributes:
        raise LearningError(f"the sales have no attribute of {space.name} in common; its attributes are {short(names)}")
    rows: list[list[int]] = []
    places: list[str] = []
    left_out: list[str] = []
    for where, values in lines:
        try:
            rows.append([space.attributes[number].index(values[names[number]]) for number in attributes])
            places.append(where)
        except SpaceError as error:
            left_out.append(f"{where}: {error}")
    found = np.array(rows, dtype=np.int64).reshape(len(rows), len(attributes))
    kept = _can_be_built(space, attributes, found)
    left_out += [f"{place}: breaks the rules" for place, keep in zip(places, kept, strict=True) if not keep]
    return Sales(space, attributes, found[kept], tuple(left_out))


def _can_be_built(space: Space, attributes: tuple[int, ...], rows: Ints) -> Bools:
    """Whether some configuration has all values of each row: the best one for whoever likes just these."""
    if not space.rules or not len(rows):
        return np.ones(len(rows), dtype=bool)
    different, places = np.unique(rows, axis=0, return_inverse=True)
    weights = np.zeros((len(different), int(space.offsets[-1])))
    np.put_along_axis(weights, different + space.offsets[list(attributes)], 1.0, axis=1)
    best = oracle_for(space).best_for_values(weights)
    possible: Bools = (best[:, list(attributes)] == different).all(axis=1)
    return possible[places.ravel()]
