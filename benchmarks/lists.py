"""Product lists: what they take to be made ready, in memory and for each question, and how many questions they need.

The list is of laptops that nobody sells: six attributes and four quantities, prices that follow from the rest, and
chance. Each size is measured in a process of its own. Looking at every item stands beside a decision diagram of the
same list, and both have to find items that are worth the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from time import process_time
from typing import Any, Final

import numpy as np

from benchmarks.answers_cases import SEED, STOP, TALKING, Case, interview_one
from benchmarks.timing import Disagreement, Grid, Report, Say, most_memory
from setmargin import Attribute, Items, Quantity, Space
from setmargin.arrays import Floats
from setmargin.experiments.people import draw_people
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.engine import items_engine_for
from setmargin.solve.lowering import lower
from setmargin.solve.oracle import oracle_for

QUICK: Final = {200: 1}
PEOPLE: Final = {1_000: 6, 10_000: 5, 100_000: 3}
SCREENS: Final = 9
VECTORS: Final = 256
FAMILIES: Final = ("ordered", "sparse-uniform")
BRANDS: Final = (
    "Acer",
    "Apple",
    "Asus",
    "Dell",
    "Fujitsu",
    "HP",
    "Lenovo",
    "Medion",
    "MSI",
    "Razer",
    "Samsung",
    "Sony",
)


@dataclass(frozen=True)
class ListMeasured:
    """One list: seconds to make it ready, megabytes, milliseconds, and what interviews came to by kind of people."""

    items: int
    made: float
    compiled: float
    megabytes: float
    scan: float
    diagram: float | None
    diagram_compiled: float | None
    median: float
    slow: float
    screens: dict[str, tuple[float | None, float | None, float, float]]
    """By kind of people: screens to a mean loss of 10% and of 3%; screens until it would stop, and the loss then."""


def laptops(count: int, seed: int = 1) -> Space:
    """So many laptops."""
    rng = np.random.default_rng(seed)
    brand, memory = rng.choice(BRANDS, count), rng.choice([8, 16, 32, 64], count, p=[0.3, 0.4, 0.2, 0.1])
    storage, screen = rng.choice([256, 512, 1024, 2048], count), rng.choice([13, 14, 15, 16, 17], count)
    colour, keyboard = rng.choice(["black", "silver", "blue", "white"], count), rng.choice(["de", "uk", "us"], count)
    good = rng.random(count)
    price = (
        200 + 9 * memory + 0.15 * storage + 500 * good + rng.normal(0, 60, count) + 300 * (brand == "Apple")
    ).round(2)
    weight = (0.8 + 0.09 * screen + rng.normal(0, 0.2, count)).round(2)
    battery, rating = (5 + 10 * good + rng.normal(0, 1, count)).round(1), rng.normal(4, 0.5, count).clip(1, 5).round(1)
    columns = (brand, memory, storage, screen, colour, keyboard, price, weight, battery, rating)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    names = ["brand", "memory", "storage", "screen", "colour", "keyboard", "price", "weight", "battery", "rating"]
    return Space(
        [
            Attribute("brand", BRANDS),
            Attribute("memory", [8, 16, 32, 64], better="higher"),
            Attribute("storage", [256, 512, 1024, 2048], better="higher"),
            Attribute("screen", [13, 14, 15, 16, 17], better="peak"),
            Attribute("colour", ["black", "silver", "blue", "white"]),
            Attribute("keyboard", ["de", "uk", "us"]),
        ],
        quantities=[
            Quantity("price", better="lower"),
            Quantity("weight", better="lower"),
            Quantity("battery", better="higher"),
            Quantity("rating", better="higher"),
        ],
        items=Items(["sku", *names], [(f"L{number}", *row) for number, row in enumerate(rows)], id="sku"),
        name=f"laptops-{count}",
    )


def measured(count: int, people: int) -> ListMeasured:
    """All of one list, in this process."""
    before, began = most_memory(), process_time()
    space = laptops(count)
    made = process_time() - began
    began = process_time()
    oracle = oracle_for(space)
    compiled = process_time() - began
    weights = space.value_weights(np.random.default_rng(SEED).uniform(0, 1, (VECTORS, len(space.feature_names))))
    engine = items_engine_for(space)
    scan, worth = _timed(engine, space, weights)
    outcomes = {family: _asked(space, family, people) for family in FAMILIES}
    megabytes = most_memory() - before
    diagram, ready = None, None
    began = process_time()
    try:
        other = DiagramEngine(lower(space))
    except TooLarge:
        pass
    else:
        ready = process_time() - began
        diagram, same = _timed(other, space, weights)
        if not np.allclose(worth, same, rtol=0, atol=1e-9):
            raise Disagreement(f"the list of {count:,} and its diagram find items of different worth")
    milliseconds = np.concatenate([each[0] for each in outcomes.values()])
    assert oracle.count() == len(engine.rows)
    return ListMeasured(
        count,
        made,
        compiled,
        megabytes,
        scan,
        diagram,
        ready,
        float(np.median(milliseconds)),
        float(np.quantile(milliseconds, 0.95)),
        {family: each[1] for family, each in outcomes.items()},
    )


def _timed(engine: Any, space: Space, weights: Floats) -> tuple[float, Floats]:
    """Milliseconds a weight vector, the best of three, and what the items found are worth."""
    took = []
    for _ in range(3):
        began = process_time()
        found = engine.best(weights)
        took.append(1000 * (process_time() - began) / len(weights))
    worth: Floats = np.take_along_axis(weights, found + space.offsets[:-1], axis=1).sum(axis=1)
    return min(took), worth


def _asked(space: Space, family: str, people: int) -> tuple[Floats, tuple[float | None, float | None, float, float]]:
    """Milliseconds of all screens, and what the interviews came to."""
    case = Case(name=family, space=space, screens=SCREENS)
    drawn = draw_people(space, people, seed=SEED, response=TALKING, weights=family, quantities=True)
    rows = np.array([interview_one(case, person).rows for person in drawn])
    loss, expected, took = rows[..., 0], rows[..., 1], rows[..., 3]
    ends = [np.flatnonzero(each < STOP)[:1] for each in expected]
    stops = [int(end[0]) if len(end) else SCREENS - 1 for end in ends]
    lost = [float(each[stop]) for each, stop in zip(loss, stops, strict=True)]
    curve = loss.mean(axis=0)
    return took[np.isfinite(took)], (
        _stays(curve, 0.1),
        _stays(curve, 0.03),
        1 + float(np.mean(stops)),
        float(np.mean(lost)),
    )


def _stays(curve: Floats, goal: float) -> float | None:
    """After how many screens the mean loss stays below the goal."""
    above = np.flatnonzero(curve > goal)
    first = int(above[-1]) + 2 if len(above) else 1
    return float(first) if first <= len(curve) else None


def run(quick: bool, say: Say) -> Report:
    """Every size in a process of its own, so that memory is its own."""
    found = []
    for size, people in (QUICK if quick else PEOPLE).items():
        say(f"lists: {size:,} items")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found.append(pool.submit(measured, size, people).result())
    return report_of(found)


def report_of(found: Sequence[ListMeasured]) -> Report:
    """The tables."""
    ready = Grid(
        "Made ready, and milliseconds a weight vector in batches of 256",
        ["items", "made (s)", "compiled (s)", "memory (MB)", "every item (ms)", "diagram (ms)", "diagram compiled (s)"],
        [
            [
                f"{each.items:,}",
                f"{each.made:.2f}",
                f"{each.compiled:.3f}",
                f"{each.megabytes:.0f}",
                f"{each.scan:.3f}",
                "–" if each.diagram is None else f"{each.diagram:.3f}",
                "–" if each.diagram_compiled is None else f"{each.diagram_compiled:.1f}",
            ]
            for each in found
        ],
    )
    asked = Grid(
        "Conversations: milliseconds to ask and learn, screens to a mean loss, and where it stops at 3%",
        ["items", "people", "ms, median (p95)", "≤ 10%", "≤ 3%", "stops after", "true loss then"],
        [
            [
                f"{each.items:,}",
                family,
                f"{each.median:.0f} ({each.slow:.0f})",
                *("–" if screens is None else f"{screens:.0f}" for screens in (ten, three)),
                f"{stop:.1f}",
                f"{100 * lost:.1f}%",
            ]
            for each in found
            for family, (ten, three, stop, lost) in each.screens.items()
        ],
    )
    notes = [
        "Memory is what the process holds more than before the list was made, interviews included; times are "
        "processor time.",
        f"At most {SCREENS} screens; – is later, or a diagram that grew too large.",
    ]
    return Report([ready, asked], notes, {"lists": [asdict(each) for each in found]})
