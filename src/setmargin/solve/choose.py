"""Which engine a space gets: the decision diagram, or the MILP where the diagram grows too large."""

from __future__ import annotations

import numpy as np

from setmargin.solve.diagram.engine import DiagramEngine
from setmargin.solve.diagram.limits import TooLarge
from setmargin.solve.lowered import Lowered
from setmargin.solve.milp.engine import MilpEngine


def engine_for(lowered: Lowered) -> DiagramEngine | MilpEngine:
    """The fastest engine that this space admits; raises ModelInfeasible where nothing can be built."""
    try:
        return DiagramEngine(lowered)
    except TooLarge:
        engine = MilpEngine(lowered)
    engine.best(np.zeros((1, sum(lowered.domains))))  # a diagram knows at once whether it is empty, a MILP has to look
    return engine
