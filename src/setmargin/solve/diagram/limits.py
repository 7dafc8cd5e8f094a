"""How much work a decision diagram may cost before another engine takes over."""

from __future__ import annotations

from dataclasses import dataclass

from setmargin.time_limit import check_time


class TooLarge(Exception):
    """Internal: a diagram or a search outgrew its limit; the MILP can take over. Never shown to a user."""


@dataclass(frozen=True, kw_only=True)
class DiagramLimits:
    """Where compiling and searching give up.

    All of them count work and none looks at a clock, so that the same space gives the same diagram on every machine,
    however busy it is. A limit of time around a call ends it with an error instead (`time_limit.py`).
    """

    arcs: int = 2_000_000
    """Arcs of a diagram while it is built, before equal nodes are merged."""
    sketch_arcs: int = 300_000
    """The same for the first orders; if none of them fits, the one that got furthest is tried with all of `arcs`."""
    cells: int = 16_000_000
    """Nodes times the relations that each has to remember, over all layers; for a sketch in proportion."""
    tries: int = 12
    """How many orders of the attributes are tried at most."""
    failures: int = 3
    """How many orders may outgrow the limits of a sketch, when none has fitted yet."""
    work: int = 3_000_000
    """Arcs built over all tries after which no further order is tried."""
    row_arcs: int = 300_000
    """Arcs while a linear row is multiplied into the diagram."""
    row_work: int = 3_000_000
    """Arcs built over all linear rows after which those left stay outside the diagram."""
    pending_rows: int = 12
    """How many linear rows may stay outside: a search under more of them seldom ends."""
    labels: int = 400_000
    """Labels kept in one layer, or partial configurations on a heap, of a search under linear rows."""


@dataclass
class ArcCounter:
    """Counts the arcs that were built, and stops the work where it gets too much."""

    max_arcs: int
    max_cells: float = float("inf")
    arcs: int = 0
    cells: int = 0
    layers: int = 0
    """How many layers are complete."""

    def add(self, arcs: int) -> None:
        check_time()
        self.arcs += arcs
        if self.arcs > self.max_arcs:
            raise TooLarge(f"{self.arcs:,} arcs passed the limit of {self.max_arcs:,}")

    def step(self, cells: int) -> None:
        """So much was looked at before any arc was built."""
        self.cells += cells
        if self.cells > self.max_cells:
            raise TooLarge(f"{self.cells:,} cells passed the limit of {self.max_cells:,.0f}")

    def layer(self, cells: int) -> None:
        """A layer is complete, and its nodes remember so much."""
        self.layers += 1
        self.step(cells)
