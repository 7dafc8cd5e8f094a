"""What every engine behind the oracle can do, and which one a space gets.

There are two: the decision diagram (`diagram/`), and the MILP (`milp/`) where the diagram grows too large. Both are
exact, both speak of configurations as rows of value indices and of weights as one number per one-hot value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from setmargin.arrays import Bools, Floats, Ints
from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.items.engine import ItemsEngine
from setmargin.solve.lowering import Lowered
from setmargin.space.space import Space

if TYPE_CHECKING:
    from setmargin.solve.milp.engine import MilpEngine


class Engine(Protocol):
    """Exact answers about one `Lowered` space."""

    @property
    def name(self) -> str:
        """How reports call this engine."""

    def best(self, weights: Floats) -> Ints:
        """The best configuration for each row of weights (B × one-hot values), as B × attributes value indices."""

    def ranked(self, weights: Floats) -> Iterator[Ints]:
        """All configurations, best first, each once, lazily; `weights` has one number per one-hot value."""

    def possible(self, allowed: Bools) -> Bools:
        """Which one-hot values occur in some configuration that uses only `allowed` values; none if there is none."""

    def count(self) -> int | None:
        """The exact number of configurations, or None where it cannot be counted."""

    def sample(self, rng: np.random.Generator, size: int) -> Ints:
        """Random configurations, uniform wherever they can be counted."""


def engine_for(lowered: Lowered) -> DiagramEngine | MilpEngine:
    """The fastest engine that this space admits; raises ModelInfeasible where nothing can be built."""
    try:
        return DiagramEngine(lowered)
    except TooLarge:
        from setmargin.solve.milp.engine import MilpEngine  # with a solver and SciPy, which most spaces never need

        engine = MilpEngine(lowered)
    engine.check_some()  # a diagram knows at once whether it is empty, a MILP has to look
    return engine


def items_engine_for(space: Space) -> ItemsEngine:
    """The engine of a product list; raises ModelInfeasible where its rules leave no item."""
    rows = space.listing.rows
    return ItemsEngine(space.domains, rows[space.obeying(rows)] if space.rules else rows)
