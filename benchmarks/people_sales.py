"""Past sales as earlier people: how many bits they say about a car, and how many screens they save its buyer.

A simulated buyer wants one configuration that was really sold: of each attribute that the sales name, the value that
was sold is worth U[1, 100], and all others nothing. Buyers are drawn from sales that nothing is learnt from.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path

import numpy as np

from benchmarks.people_cases import CONVERSATION, PEOPLE, SEED, Case, claims_grid, interviews, losses_grid
from benchmarks.timing import Grid, Report, Say
from setmargin import Space, load
from setmargin.arrays import Floats
from setmargin.errors import LearningError
from setmargin.experiments.people import Person
from setmargin.experiments.responses import Response
from setmargin.experiments.streams import WEIGHTS_STREAM, stream
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.bayes.learnt.fit import fit_prior
from setmargin.strategies.bayes.learnt.fit_favourites import Sales, fit_favourites, held_out_bits
from setmargin.strategies.bayes.strategy import Bayes

Sale = Mapping[str, str]
TALKING = Response(reasons=1.0, changes=1.0)
HELD_OUT = 250
FOLDS = 5
SALES = (10, 100, 1_000, 8_000)
MOST_BUYERS = 20
"""Spaces of sold things are large, and an interview takes its time."""
SHOWN = (1, 2, 3, 4, 6, 8, 10, 12)


def run(quick: bool, say: Say, *, files: tuple[Path, Path] | None, people: int = PEOPLE, seed: int = SEED) -> Report:
    """Held-out bits, and buyers after 10, 100, 1,000 and 8,000 sales."""
    if files is None:
        return Report([], ["Sales: give a catalogue and its sales with --sales SPACE.yaml SALES.csv."], {})
    space, sales = load(str(files[0])), read_sales(files[1])
    say(f"people: {len(sales):,} sales of {space.name}")
    bits = {count: bits_after(space, sales, count, seed) for count in SALES}
    learnt, held_out = split(sales, seed)
    who = buyers(space, held_out, min(people, MOST_BUYERS), seed=seed)
    asking = {0: Bayes(**CONVERSATION), **{count: informed(space, learnt[:count]) for count in SALES}}
    cases = [
        Case(f"{count:,} sales", who, strategy, 2 if quick else SHOWN[-1])
        for count, strategy in (list(asking.items())[::4] if quick else asking.items())
        if strategy is not None
    ]
    found = interviews(cases, say)
    document = {
        "bits": {str(count): each.tolist() for count, each in bits.items()},
        "buyers": {name: each.document() for name, each in found.items()},
    }
    return Report(
        [
            bits_grid(space, bits),
            losses_grid("Sales: mean relative loss of buyers in % after so many screens", found, SHOWN),
            claims_grid("Sales: claimed / true loss of buyers in %, ± of the difference", found, SHOWN[3::2]),
        ],
        ["Sales: of too few nothing is learnt, so that nobody can be read out of it; these lines are not there."],
        document,
    )


# Sales


def read_sales(file: Path) -> list[Sale]:
    """One configuration a line, perhaps of some of the attributes."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def split(sales: Sequence[Sale], seed: int, held_out: int = HELD_OUT) -> tuple[list[Sale], list[Sale]]:
    """In an order by chance: those that are learnt from, and those that are held out."""
    order = np.random.default_rng(seed).permutation(len(sales))
    mixed = [sales[place] for place in order]
    return mixed[:-held_out], mixed[-held_out:]


def as_rows(space: Space, sales: Sequence[Sale]) -> Sales:
    """The same as numbers of values."""
    attributes = tuple(space.names.positions[name] for name in sales[0])
    rows = [
        [space.attributes[number].index(value) for number, value in zip(attributes, sale.values(), strict=True)]
        for sale in sales
    ]
    return Sales(space, attributes, np.array(rows, dtype=np.int64))


def bits_after(space: Space, sales: Sequence[Sale], count: int, seed: int) -> Floats:
    """The bits of a held-out sale after so many others, for each of five folds; none where they are too few."""
    order = np.random.default_rng(seed).permutation(len(sales))
    found = []
    for fold in range(FOLDS):
        held = [sales[place] for place in order[fold::FOLDS]]
        others = [sales[place] for number, place in enumerate(order) if number % FOLDS != fold][:count]
        try:
            found.append(held_out_bits(as_rows(space, held), fit_favourites(as_rows(space, others))))
        except LearningError:
            return np.zeros(0)
    return np.array(found)


def bits_grid(space: Space, bits: Mapping[int, Floats]) -> Grid:
    """Bits a sale, beside what they would be if all configurations were equally likely."""
    count = oracle_for(space).count()
    rows = [["0", f"{log2(count):.1f}" if count else "–", ""]]
    rows += [
        [
            f"{number:,}",
            f"{each.mean():.2f} ± {each.std(ddof=1) / np.sqrt(len(each)):.2f}",
            "10.5" if number == max(bits) else "",
        ]
        for number, each in bits.items()
        if len(each)
    ]
    return Grid(
        "Sales: bits of a held-out sale after so many others (four fifths of all at most)",
        ["sales", "bits", "goal"],
        rows,
    )


# Buyers


def informed(space: Space, sales: Sequence[Sale]) -> Bayes | None:
    """What asks once it knows these sales; None where they are too few."""
    try:
        return Bayes(prior=fit_prior(space, sales=as_rows(space, sales)), **CONVERSATION)
    except LearningError:
        return None


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
