"""The setwise benchmarks: instances load or are drawn, methods agree on a small one, a disagreement is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.fresh import FAMILIES, HARD, Family, drawn
from benchmarks.instances import Instance, instances
from benchmarks.recorded import times
from benchmarks.setwise import left_unproven, ratios
from benchmarks.setwise_runs import (
    EXACT,
    FAST,
    PRINTED_GUROBI,
    PRINTED_HIGHS,
    SEARCH_SHORT,
    Run,
    best_known,
    measured,
    quality,
)
from benchmarks.timing import Disagreement

from setmargin.strategies.setmargin.problem import Hyperparameters

TINY = Instance(
    "tiny", "synthetic:2", 2, Hyperparameters(10.0, 0.1, 0.1), (((0, 0), (1, 0), True), ((0, 1), (0, 0), False))
)


def test_there_are_enough_instances_of_every_kind() -> None:
    found = instances()
    assert len(found) >= 60
    assert {(each.space, each.set_size) for each in found} == {
        (space, size) for space in ("synthetic:4", "synthetic:5", "pc") for size in (2, 3)
    }
    assert len({each.setting for each in found}) >= 15
    for each in found[::10]:
        problem = each.problem()
        assert len(problem.pairs) == len(each.pairs)
        assert problem.size == each.set_size


def test_the_methods_agree_on_a_small_instance() -> None:
    methods = (PRINTED_HIGHS, EXACT, FAST, SEARCH_SHORT)
    runs = [measured(TINY, name, limit=10.0) for name in methods]
    kept = [each for each in runs if each is not None]
    assert [each.proven for each in kept] == [True, True, True, False]
    best = best_known(kept)["tiny"]
    assert [each.objective for each in kept] == pytest.approx([best] * 4)
    assert [row[0] for row in times(kept).rows] == [PRINTED_HIGHS, EXACT, SEARCH_SHORT]
    assert [row[1] for row in quality(kept, {"tiny": best}).rows] == ["100%"] * 4


def test_a_seed_draws_the_same_instances_of_every_family() -> None:
    first, again, other = (list(drawn(seed, count=1)) for seed in (5, 5, 6))
    assert first == again
    assert [family for family, _ in first] == [*FAMILIES, *HARD]
    assert all(one.pairs != two.pairs for (_, one), (_, two) in zip(first, other, strict=True))
    for family, instance in first:
        problem = instance.problem()
        assert problem.size == family.set_size
        assert len(problem.pairs) == len(instance.pairs) == (family.answers or len(instance.pairs)) > 0
        assert len(problem.space.quantities) == (family.space == "pc")
        rows = np.array([row for better, worse, _ in instance.pairs for row in (better, worse)])
        assert problem.space.feasible(rows).all()


def test_ratios_are_told_by_family_and_what_gurobi_alone_proves_is_named() -> None:
    families = {"a": FAMILIES[0], "b": FAMILIES[0], "c": HARD[0], "d": Family("mine", "synthetic:2", 2)}
    runs = [
        *(Run(name, PRINTED_GUROBI, 100.0, 1.0, proven=name != "d") for name in families),
        Run("a", EXACT, 50.0, 1.0, proven=True),
        Run("b", EXACT, 200.0, 1.0, proven=True),
        Run("c", EXACT, 2000.0, 0.5, proven=False),
        Run("d", EXACT, 2000.0, 0.5, proven=False),
    ]
    rows = {row[0]: row[1:] for row in ratios(runs, families).rows}
    assert rows["r = 3, k = 2"] == ["2", "2", "2", "1.2", "1", "1.9"]
    assert rows[HARD[0].name] == ["1", "0", "1", "20", "20", "20"]
    assert rows["mine"][3:] == ["–"] * 3
    assert rows["all but the hard ones"] == rows["r = 3, k = 2"]
    assert left_unproven(runs) == ["Left unproven: c (0.5), which Gurobi proves in 0.10 s (1)."]


def test_a_false_proof_is_a_disagreement() -> None:
    runs = [Run("a", EXACT, 1.0, 2.0, proven=True), Run("a", SEARCH_SHORT, 1.0, 2.1, proven=False)]
    with pytest.raises(Disagreement, match="exact mode proves 2"):
        best_known(runs)
