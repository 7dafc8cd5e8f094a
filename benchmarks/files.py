"""Large catalogues from files: reading, writing, compiling, the first question, and memory.

Every case runs in a process of its own, so that the memory is its own: the most that the process had, less what it had
once everything was imported.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from decimal import Decimal
from multiprocessing import get_context
from time import process_time
from typing import Any

import numpy as np

from benchmarks.cars import TABLES, car
from benchmarks.timing import Disagreement, Grid, Report, Say, most_memory, short
from setmargin import Interview, Space, Table, dumps, loads, oracle_for
from setmargin.space.document import from_document
from setmargin.space.text import show as quoted

SEEDS = (0, 1, 2)
PLAIN_ROWS = 200_000


@dataclass(frozen=True)
class Measured:
    """What one catalogue took; seconds and megabytes."""

    name: str
    rows: int
    megabytes: float
    read: float
    write: float
    compile: float
    arcs: int | None
    configurations: int | None
    first_question: float
    memory: float


def run(quick: bool, say: Say) -> Report:
    """All cases, one after the other."""

    names = [
        *(f"car {seed}" for seed in (SEEDS[:1] if quick else SEEDS)),
        "car 0 as rules",
        "plain rows",
        "rows with lists",
    ]
    found = []
    for name in names:
        say(f"files: {name}")
        if quick:
            found.append(measured(name, PLAIN_ROWS // 100, tables=TABLES // 4))
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found.append(pool.submit(measured, name, PLAIN_ROWS).result())
    notes = [
        "Processor seconds. What was written is read back, and has to be the same space. A car says the same in "
        "tables and in rules, so it has to have the same number of configurations.",
    ]
    counts = {each.name: each.configurations for each in found}
    if counts["car 0"] != counts["car 0 as rules"]:
        raise Disagreement(f"car 0 has {counts['car 0']} configurations, and {counts['car 0 as rules']} as rules")
    return Report([grid(found)], notes, {"cases": [asdict(each) for each in found]})


def measured(name: str, plain_rows: int, *, tables: int = TABLES) -> Measured:
    """One case, from its text to the first question."""
    before = most_memory()
    space, rows = _space(name, plain_rows, tables)
    text = dumps(space)
    began = process_time()
    again = loads(text)
    read = process_time() - began
    if again != space:
        raise Disagreement(f"{name} is another space when it is read back")
    began = process_time()
    dumps(again)
    write = process_time() - began
    began = process_time()
    oracle = oracle_for(again)
    compiled = process_time() - began
    began = process_time()
    Interview(again, seed=1).ask()
    first = process_time() - began
    size = len(text.encode()) / 1e6
    memory = most_memory() - before
    return Measured(name, rows, size, read, write, compiled, oracle.report.arcs, oracle.count(), first, memory)


def _space(name: str, plain_rows: int, tables: int) -> tuple[Space, int]:
    if name in ("plain rows", "rows with lists"):
        values = [f"v{number}" for number in range(20)]
        drawn = np.random.default_rng(0).integers(20, size=(plain_rows, 5)).tolist()
        written = [_with_lists(row, values) if name == "rows with lists" else [values[n] for n in row] for row in drawn]
        table = Table.allowing([f"a{n}" for n in range(5)], written)
        return Space({f"a{n}": values for n in range(5)}, rules=[table], name="rows"), plain_rows
    document = car(int(name.split()[1]), tables=tables)
    rows = sum(len(rule["rows"]) for rule in document["rules"])
    if name.endswith("as rules"):
        document["rules"] = [_as_rule(rule, document["attributes"]) for rule in document["rules"]]
    return from_document(document), rows


def _with_lists(row: list[int], values: list[str]) -> list[str | list[str]]:
    """One cell in five holds two values."""
    return [[values[cell], values[cell + 10]] if cell < 4 else values[cell] for cell in row]


def _as_rule(table: dict[str, Any], values: dict[str, list[str]]) -> str:
    """A table as a disjunction of memberships."""
    rows = []
    for row in table["rows"]:
        cells = [values[name] if cell == "*" else cell for name, cell in zip(table["allow"], row, strict=True)]
        listed = [[cell] if isinstance(cell, str) else cell for cell in cells]
        named = zip(map(quoted, table["allow"]), listed, strict=True)
        rows.append("(" + " and ".join(f"{name} in {{{', '.join(map(quoted, cell))}}}" for name, cell in named) + ")")
    return " or ".join(rows)


def grid(found: list[Measured]) -> Grid:
    """One line a case."""
    seconds = ["read", "write", "compile"]
    headers = ["catalogue", "rows", "MB", *seconds, "arcs", "configurations", "first question", "memory, MB"]
    rows = [
        [
            each.name,
            f"{each.rows:,}",
            f"{each.megabytes:.2g}",
            *(f"{seconds:.2f} s" for seconds in (each.read, each.write, each.compile)),
            "none" if each.arcs is None else f"{each.arcs:,}",
            "unknown" if each.configurations is None else f"{Decimal(each.configurations):.2g}",
            f"{each.first_question:.2f} s",
            short(each.memory),
        ]
        for each in found
    ]
    return Grid("Catalogues from files", headers, rows)
