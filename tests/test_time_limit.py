"""A limit of time around a call reaches the compiler and the solver, and leaves everything usable."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from setmargin.errors import TimeIsUp
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle
from setmargin.space.catalogue import load
from setmargin.time_limit import check_time, seconds_left, time_limit


def test_without_a_limit_there_is_all_the_time_in_the_world() -> None:
    assert seconds_left() == inf
    check_time()


def test_the_tighter_of_two_limits_holds_and_ends_with_its_block() -> None:
    with time_limit(100.0):
        with time_limit(0.0), pytest.raises(TimeIsUp, match="ask for something simpler"):
            check_time()
        with time_limit(1000.0):
            assert seconds_left() <= 100.0
        check_time()
    assert seconds_left() == inf


def test_the_compiler_ends_when_the_time_is_up() -> None:
    space = load("bicycle")
    with time_limit(0.0), pytest.raises(TimeIsUp):
        Oracle(space)
    assert Oracle(space).count()


def test_the_solver_ends_when_the_time_is_up() -> None:
    lowered = lower(load("bicycle"))
    engine, indifferent = MilpEngine(lowered), np.zeros((1, sum(lowered.domains)))
    with time_limit(0.0), pytest.raises(TimeIsUp):
        engine.best(indifferent)
    assert len(engine.best(indifferent)) == 1
