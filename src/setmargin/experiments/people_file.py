"""Simulated people from a CSV file: feature names in the first line, then one line of weights per person."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence

import numpy as np

from setmargin.arrays import Floats
from setmargin.csv_reading import csv_lines
from setmargin.errors import PeopleError
from setmargin.experiments.people import Person
from setmargin.experiments.responses import AS_IN_THE_PAPER, Response
from setmargin.experiments.streams import check_seed
from setmargin.space.space import Space
from setmargin.space.text import LARGEST_NUMBER, read_number, short, suggest


def read_people(
    path: str | os.PathLike[str],
    space: Space,
    *,
    response: Response = AS_IN_THE_PAPER,
    seed: int = 0,
) -> tuple[Person, ...]:
    """Read people from a CSV file: feature names in the first line, then one line of weights per person.

    The columns may be in any order, and a feature without a column has weight 0.

    Raises:
        PeopleError: if the file cannot be read or says something else, with its line.

    >>> import os, tempfile
    >>> from setmargin import load
    >>> from setmargin.experiments import read_people
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "people.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("x1=1,x2=3\\n12.5,0\\n0,7\\n")
    ...     people = read_people(path, load("synthetic:3"))
    >>> [person.best_utility for person in people]
    [12.5, 7.0]
    """
    check_seed(seed)
    name = os.fsdecode(path)
    lines = csv_lines(name, PeopleError, give="a number of people or a CSV file", delimiters=",")
    columns = _columns(lines, space, name)
    people = tuple(
        Person(
            space=space,
            weights=_row_weights(cells, columns, len(space.feature_names), f"{name}:{line}"),
            response=response,
            number=number,
            seed=seed,
            kind=os.path.basename(name),
        )
        for number, (line, cells) in enumerate(lines, 1)
    )
    if not people:
        raise PeopleError(f"{name}: there is nobody below the header; add a line of weights for each person")
    return people


def _columns(lines: Iterator[tuple[int, list[str]]], space: Space, name: str) -> list[int]:
    """The header as positions of features."""
    line, header = next(lines, (0, []))
    if not header:
        raise PeopleError(f"{name}: empty; write the feature names in the first line, such as {_example(space)}")
    positions = {feature: position for position, feature in enumerate(space.feature_names)}
    found: dict[str, int] = {}
    for cell in header:
        feature = cell.strip()
        if feature not in positions:
            hint = suggest(feature, space.feature_names, what="the features are")
            raise PeopleError(f"{name}:{line}: there is no feature {short(feature)}; {hint}")
        if feature in found:
            raise PeopleError(f"{name}:{line}: the feature {short(feature)} has two columns; remove one")
        found[feature] = positions[feature]
    return list(found.values())


def _example(space: Space) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(space.feature_names[:2])
    return written.getvalue().strip()


def _row_weights(cells: Sequence[str], columns: Sequence[int], size: int, where: str) -> Floats:
    if len(cells) != len(columns):
        raise PeopleError(f"{where}: {len(cells)} values under {len(columns)} feature names; give one for each")
    weights = np.zeros(size)
    for column, cell in zip(columns, cells, strict=True):
        number = read_number(cell.strip())
        if number is None:
            raise PeopleError(f"{where}: {short(cell)} is no number; write one such as 12.5, or 0")
        if not 0 <= number <= LARGEST_NUMBER:
            raise PeopleError(f"{where}: the weight {short(cell)} is not between 0 and 1e12; give one that is")
        weights[column] = float(number)
    return weights
