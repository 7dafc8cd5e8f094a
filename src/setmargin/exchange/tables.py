"""What can be had as a table: the items of a list, or all configurations of a small space."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import Final

import numpy as np

from setmargin.errors import OptionError
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.space.text import Value

MOST_ROWS: Final = 100_000


def export_table(space: Space, *, most: int = MOST_ROWS) -> str:
    """CSV, a line for each item that the rules leave, or for each configuration with its quantities.

    Raises:
        OptionError: where there are more than `most`.
    """
    count = oracle_for(space).count()
    if space.items is None and (count is None or count > most):
        many = "more configurations than can be counted" if count is None else f"{count:,} configurations"
        raise OptionError(f"{space.name} has {many}, too many for a table of {most:,} lines; add rules, or give --most")
    columns, rows = _items(space) if space.items is not None else _configurations(space)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _items(space: Space) -> tuple[list[str], list[list[Value]]]:
    assert space.items is not None
    left = space.obeying(space.listing.codes)
    return list(space.items.columns), [list(row) for row, good in zip(space.items.rows, left, strict=True) if good]


def _configurations(space: Space) -> tuple[list[str], list[list[Value]]]:
    ranked = oracle_for(space).ranked_for_values(np.zeros(int(space.offsets[-1])))
    key = next(name for name in ("id", "configuration", "row", "#") if name not in space.things)
    rows: list[list[Value]] = []
    for number, indices in enumerate(islice(ranked, None), 1):
        configuration = space.configuration(indices)
        amounts = (int(each) if each.is_integer() else each for each in space.amounts(configuration).values())
        rows.append([f"c{number}", *configuration.values(), *amounts])
    return [key, *space.things], rows
