"""Past sales as earlier people: how many bits they say about a car, and how many screens they save its buyer.

A simulated buyer wants one configuration that was really sold: of each attribute that the sales name, the value that
was sold is worth U[1, 100], and all others nothing. Buyers are drawn from sales that nothing is learnt from.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.people_cases import PEOPLE, SEED
from benchmarks.timing import Report, Say
from setmargin import Space, load
from setmargin.experiments.people import Person
from setmargin.experiments.responses import Response
from setmargin.experiments.streams import WEIGHTS_STREAM, stream

Sale = Mapping[str, str]
TALKING = Response(reasons=1.0, changes=1.0)
HELD_OUT = 250


def read_sales(file: Path) -> list[Sale]:
    """One configuration a line, perhaps of some of the attributes."""
    with file.open(encoding="utf-8-sig", newline="") as stream_of_lines:
        return list(csv.DictReader(stream_of_lines))


def split(sales: Sequence[Sale], seed: int, held_out: int = HELD_OUT) -> tuple[list[Sale], list[Sale]]:
    """In an order by chance: those that are learnt from, and those that are held out."""
    order = np.random.default_rng(seed).permutation(len(sales))
    mixed = [sales[place] for place in order]
    return mixed[:-held_out], mixed[-held_out:]


def buyers(space: Space, sales: Sequence[Sale], count: int, *, seed: int, response: Response = TALKING) -> list[Person]:
    """People who want what somebody bought."""
    made = []
    for number, sale in enumerate(sales[:count], 1):
        importance = stream(seed, number, WEIGHTS_STREAM).uniform(1, 100, len(sale))
        named = {f"{name}={value}": float(much) for (name, value), much in zip(sale.items(), importance, strict=True)}
        person = Person(
            space=space, weights=space.weights(named), response=response, number=number, seed=seed, kind="buyers"
        )
        made.append(person)
    return made


def run(
    quick: bool,  # noqa: ARG001
    say: Say,
    *,
    files: tuple[Path, Path] | None,
    people: int = PEOPLE,  # noqa: ARG001
    seed: int = SEED,  # noqa: ARG001
) -> Report:
    """Held-out bits, and buyers after 10, 100, 1,000 and 8,000 sales."""
    if files is None:
        return Report([], ["Sales: give a catalogue and its sales with --sales SPACE.yaml SALES.csv."], {})
    space, sales = load(str(files[0])), read_sales(files[1])
    say(f"people: {len(sales):,} sales of {space.name}")
    return Report([], ["Sales: nothing is learnt from sales yet."], {"sales": len(sales)})
