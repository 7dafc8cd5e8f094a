"""The engine that compiles a space once and answers everything from its diagram."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.errors import ModelInfeasible
from setmargin.solve.diagram.budget import Budgeted
from setmargin.solve.diagram.compile import compile_diagram
from setmargin.solve.diagram.diagram import Diagram
from setmargin.solve.diagram.limits import DiagramLimits, TooLarge
from setmargin.solve.lowered import LinearRow, Lowered

_DRAWS = 200
"""How many uniform configurations may be drawn for each one that pending rows let through."""


class DiagramEngine:
    """Exact answers from a decision diagram; linear rows that do not fit into it are kept beside it.

    Raises `ModelInfeasible` for a space without configurations, and `TooLarge` (here or in any call) where the
    space is not made for diagrams, so that another engine can take over.
    """

    def __init__(self, lowered: Lowered, *, limits: DiagramLimits | None = None, seed: int = 0) -> None:
        self.limits = limits or DiagramLimits()
        started = perf_counter()
        relations = compile_diagram(lowered, limits=self.limits, seed=seed)
        self.diagram, self.pending_rows = _absorbed(relations, lowered.rows, self.limits.absorbed_arcs)
        self._budgeted = Budgeted(self.diagram, self.pending_rows, self.limits.labels)
        if self._budgeted.witness() is None:
            raise ModelInfeasible("no configuration satisfies all relations and linear rows; relax one of them")
        self.compile_seconds = perf_counter() - started

    @property
    def name(self) -> str:
        """How reports call this engine."""
        pending = len(self.pending_rows)
        beside = f" with {pending} budget row{'s' * (pending > 1)}" if pending else ""
        return f"decision diagram{beside}"

    @property
    def nodes(self) -> int:
        """Nodes of the diagram."""
        return self.diagram.nodes

    @property
    def arcs(self) -> int:
        """Arcs of the diagram."""
        return self.diagram.arcs

    def best(self, weights: Floats) -> Ints:
        """The best configuration for each row of weights (B × one-hot values), as B × attributes value indices."""
        return self._budgeted.best(weights)

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All configurations, best first, each once, lazily; `weights` has one number per one-hot value."""
        return self._budgeted.ranked(weights)

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some configuration that uses only `allowed` values."""
        return self._budgeted.possible(allowed)

    def count(self) -> int | None:
        """The exact number of configurations; None where a linear row is not in the diagram."""
        return None if self.pending_rows else self.diagram.count()

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Uniform random configurations; with pending rows by rejection, `TooLarge` where too few pass."""
        if not self.pending_rows:
            return self.diagram.sample(rng, size)
        kept, found, drawn = [], 0, 0
        while found < size:
            if drawn > _DRAWS * (size + 100):
                raise TooLarge(f"only {found} of {drawn:,} random configurations satisfy the linear rows")
            draws = self.diagram.sample(rng, size + 100)
            kept.append(draws[self._budgeted.table.hold(draws)])
            found, drawn = found + len(kept[-1]), drawn + len(draws)
        return np.concatenate([np.zeros((0, len(self.diagram.domains)), dtype=np.int64), *kept])[:size]


def _absorbed(diagram: Diagram, rows: tuple[LinearRow, ...], max_arcs: int) -> tuple[Diagram, tuple[LinearRow, ...]]:
    """The diagram with every row that fits, rows over few attributes first, and the rows that did not fit."""
    pending = []
    for row in sorted(rows, key=lambda row: len(row.coefficients)):
        try:
            diagram = diagram.absorb(row, max_arcs=max_arcs)
        except TooLarge:
            pending.append(row)
    return diagram, tuple(pending)
