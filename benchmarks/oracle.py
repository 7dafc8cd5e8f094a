"""What one answer of the oracle costs: the decision diagram and HiGHS side by side, on spaces that grow.

Every method answers the same weight vectors, and the values of all optima are compared: a time counts only if
the answer was right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import pairwise

import numpy as np

from benchmarks.spaces import chain, clustered, random_implications, tree, weight_vectors, with_budget
from benchmarks.timing import Disagreement, Effort, Grid, Report, Say, Timing, clocked, exponent, short
from setmargin.arrays import Floats, Ints
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.engine import engine_for
from setmargin.solve.lowering import Lowered, lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.milp.feasible import feasible_block
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, assemble
from setmargin.space.catalogue import load

BATCH = 1000
BATCHES, SINGLE, HIGHS, MILP = "diagram, batches of 1,000", "diagram, one at a time", "HiGHS MILP", "MILP engine"
METHODS = (BATCHES, SINGLE, HIGHS, MILP)
GOALS = {"pc": 0.01, "random 10×10, 40": 0.2}
"""Milliseconds a vector in batches, which spaces whose name starts so should stay under."""
TOLERANCE = 1e-6
"""How far values of optima may differ, by a solver's tolerances, before it is a disagreement."""

Best = Callable[[Floats], Ints]

# The spaces


@dataclass(frozen=True, eq=False)
class Case:
    """One space to measure; a family grows in its number of attributes."""

    name: str
    lowered: Lowered
    family: str = ""


def sections(*, quick: bool) -> dict[str, list[Case]]:
    """All that is measured, under the title of its table."""
    return {
        "Catalogues": _catalogues(quick),
        "Structured spaces": _growing(STRUCTURED, (10, 20) if quick else (10, 20, 40, 70, 100)),
        "With one more budget row over all attributes": _growing(BUDGETS, (10, 20) if quick else (20, 40, 70, 100)),
        "Random implications": _tangled({10: 1, 15: 1} if quick else {10: 5, 15: 2, 20: 2, 30: 2, 40: 2}),
    }


def _catalogues(quick: bool) -> list[Case]:
    names = ("pc", "bicycle") if quick else ("pc", "bicycle", "laptop", "trip")
    return [Case(name, lower(load(name))) for name in names]


def _tangled(seeds: dict[int, int]) -> list[Case]:
    """So many spaces of each number of attributes."""
    return [_implications(size, seed) for size, count in seeds.items() for seed in range(count)]


def _implications(size: int, seed: int) -> Case:
    lowered = random_implications(attributes=size, values=10, implications=4 * size, seed=seed)
    return Case(f"random {size}×10, {4 * size} (seed {seed})", lowered)


def _chain(size: int) -> Lowered:
    return chain(attributes=size, values=6, seed=0)


def _clusters(size: int) -> Lowered:
    return clustered(clusters=size // 10, attributes=10, values=5, implications=30, links=2, seed=0)


STRUCTURED: dict[str, Callable[[int], Lowered]] = {
    "chain": _chain,
    "tree": lambda size: tree(attributes=size, values=6, seed=0),
    "clusters": _clusters,
}
BUDGETS: dict[str, Callable[[int], Lowered]] = {
    "chain, costs to 3": lambda size: with_budget(_chain(size), seed=0, largest=3),
    "chain, costs to 1,000": lambda size: with_budget(_chain(size), seed=0),
    "clusters, costs to 1,000": lambda size: with_budget(_clusters(size), seed=0),
}


def _growing(families: dict[str, Callable[[int], Lowered]], sizes: Sequence[int]) -> list[Case]:
    return [Case(f"{name}, {size}", made(size), name) for name, made in families.items() for size in sizes]


# The methods


class PlainHighs:
    """One model kept by HiGHS, its objective changed for every vector: no cache, and no relaxation before."""

    def __init__(self, lowered: Lowered) -> None:
        columns = Columns()
        self._x, rows = feasible_block(lowered).lay(columns, "x")
        self._objective = np.zeros(len(columns))
        self._model = Highs().open(assemble(columns, [rows], maximise=True))
        self._blocks = [slice(start, end) for start, end in pairwise(lowered.offsets.tolist())]

    def best(self, weights: Floats) -> Ints:
        """The best configuration for one row of weights, in the shape that engines give."""
        self._objective[self._x] = weights[0]
        self._model.change_objective(self._objective)
        chosen = self._model.solve().values[self._x]
        return np.array([[chosen[block].argmax() for block in self._blocks]], dtype=np.int64)


def _methods(lowered: Lowered, engine: DiagramEngine | MilpEngine) -> dict[str, Best]:
    methods: dict[str, Best] = {HIGHS: PlainHighs(lowered).best, MILP: MilpEngine(lowered).best}
    if isinstance(engine, DiagramEngine):
        methods = {BATCHES: engine.best, SINGLE: engine.best, **methods}
    return methods


# Measuring


@dataclass(frozen=True)
class Record:
    """What was measured on one space."""

    family: str
    space: str
    attributes: int
    configurations: int | None
    engine: str
    ready_seconds: float
    nodes: int | None
    arcs: int | None
    timings: dict[str, Timing]

    def median(self, method: str) -> float | None:
        """Milliseconds a vector, or None where the method has no say."""
        return self.timings[method].median if method in self.timings else None


def measured(case: Case, effort: Effort) -> Record:
    """All methods on one space; raises Disagreement unless their optima have the same values."""
    compiling = Effort(seconds=effort.seconds, least=1, most=5)
    seconds, (*_, engine) = clocked(engine_for, [case.lowered] * compiling.most, compiling)
    weights = weight_vectors(case.lowered, size=BATCH, seed=1)
    timings, answers = {}, {}
    for name, best in _methods(case.lowered, engine).items():
        timings[name], answers[name] = _timed(best, weights, effort, batch=BATCH if name is BATCHES else 1)
    check_agreement(case, weights, answers)
    nodes, arcs = (engine.diagram.nodes, engine.diagram.arcs) if isinstance(engine, DiagramEngine) else (None, None)
    return Record(
        family=case.family,
        space=case.name,
        attributes=len(case.lowered.domains),
        configurations=engine.count(),
        engine=engine.name,
        ready_seconds=float(np.median(seconds)),
        nodes=nodes,
        arcs=arcs,
        timings=timings,
    )


def _timed(best: Best, weights: Floats, effort: Effort, *, batch: int) -> tuple[Timing, Ints]:
    """How long each vector takes, and the answers to the first ones; the last vector only warms up."""
    best(weights[-1:])
    inputs = [weights] * effort.most if batch > 1 else [weights[i : i + 1] for i in range(len(weights) - 1)]
    seconds, answers = clocked(best, inputs, effort)
    return Timing.of(seconds, per=batch), answers[-1] if batch > 1 else np.concatenate(answers)


def check_agreement(case: Case, weights: Floats, answers: dict[str, Ints]) -> None:
    """Every answer can be built, and every method's optima are worth what those of the first method are."""
    worth = {}
    for name, found in answers.items():
        if not case.lowered.holds(found).all():
            raise Disagreement(f"{case.name}: {name} gave a configuration that breaks a rule")
        values = np.take_along_axis(weights[: len(found)], found + case.lowered.offsets[:-1], axis=1)
        worth[name] = values.sum(axis=1)
    (first, reference), *others = worth.items()
    for name, own in others:
        shared = min(len(own), len(reference))
        apart = float(np.abs(own[:shared] - reference[:shared]).max())
        if apart > TOLERANCE:
            raise Disagreement(f"{case.name}: optima of {name} and of {first} differ by {apart:.2g}")


# Reporting


def run(quick: bool, say: Say) -> Report:
    """Measure everything."""
    effort = Effort(seconds=0.02, least=2) if quick else Effort(seconds=0.6, least=7)
    found: dict[str, list[Record]] = {}
    for title, cases in sections(quick=quick).items():
        found[title] = [_announced(case, effort, say) for case in cases]
    records = [record for section in found.values() for record in section]
    grown = growth(records)
    *grids, last = (_comparison(title, section) for title, section in found.items())
    document = {"records": [asdict(record) for record in records], "growth": grown, "goals": GOALS}
    return Report([*grids, _growth_grid(grown), last], _goals(records), document)


def _announced(case: Case, effort: Effort, say: Say) -> Record:
    say(f"oracle: {case.name}")
    return measured(case, effort)


def growth(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """For each family the powers with which its costs grow in the attributes, and batches in the arcs."""
    families: dict[str, list[Record]] = {}
    for record in records:
        if record.family:
            families.setdefault(record.family, []).append(record)
    return {name: _powers(members) for name, members in families.items()}


def _powers(members: Sequence[Record]) -> dict[str, float]:
    sizes = [float(record.attributes) for record in members]
    powers = {"compiling": exponent(sizes, [record.ready_seconds for record in members])}
    for method in METHODS:
        costs = [cost for record in members if (cost := record.median(method)) is not None]
        if len(costs) == len(members):
            powers[method] = exponent(sizes, costs)
    arcs = [float(record.arcs) for record in members if record.arcs]
    if BATCHES in powers:
        powers["batches, in arcs"] = exponent(arcs, [record.timings[BATCHES].median for record in members])
    return powers


def _comparison(title: str, records: Sequence[Record]) -> Grid:
    headers = ("space", "attributes", "configurations", "answered by", "ready in s", "nodes", "arcs")
    rows = [_cells(record) for record in records]
    return Grid(f"{title} (ms a vector: median, 95th percentile)", (*headers, *METHODS, "HiGHS ÷ batches"), rows)


def _cells(record: Record) -> list[str]:
    sizes = [_count(record.configurations), record.engine, short(record.ready_seconds)]
    inner = ["–" if number is None else f"{number:,}" for number in (record.nodes, record.arcs)]
    times = [str(record.timings.get(method, "–")) for method in METHODS]
    batches, highs = record.median(BATCHES), record.median(HIGHS)
    ratio = "–" if batches is None or highs is None else short(highs / batches)
    return [record.space, str(record.attributes), *sizes, *inner, *times, ratio]


def _count(number: int | None) -> str:
    """Exact where it is short, else its first digits, however large it is."""
    if number is None:
        return "not counted"
    return f"{number:,}" if number < 10**12 else f"{Decimal(number):.2e}".replace("e+", "e")


def _growth_grid(grown: dict[str, dict[str, float]]) -> Grid:
    headers = ("compiling", *METHODS, "batches, in arcs")
    rows = [[name, *(f"{powers[h]:.1f}" if h in powers else "–" for h in headers)] for name, powers in grown.items()]
    return Grid("How cost grows: the power of the number of attributes, fitted", ("family", *headers), rows)


def _goals(records: Sequence[Record]) -> list[str]:
    said = []
    for start, goal in GOALS.items():
        costs = [cost for r in records if r.space.startswith(start) and (cost := r.median(BATCHES)) is not None]
        if costs:
            verdict = "met" if max(costs) < goal else "missed"
            said.append(f"Goal: {start} under {goal} ms a vector in batches: {short(max(costs))} ms, {verdict}.")
    return said
