"""Which engine a space gets: the decision diagram, or the MILP where the diagram grows too large."""

from __future__ import annotations

from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.lowered import Lowered
from setmargin.solve.milp_engine import MilpEngine


def engine_for(lowered: Lowered) -> DiagramEngine | MilpEngine:
    """The fastest engine that this space admits; raises ModelInfeasible where nothing can be built."""
    try:
        return DiagramEngine(lowered)
    except TooLarge:
        return MilpEngine(lowered)
