"""The setwise benchmark: its instances load, its methods agree on a small one, and a disagreement is noticed."""

from __future__ import annotations

import pytest
from benchmarks.instances import Instance, instances
from benchmarks.setwise import EXACT, PRINTED_HIGHS, SEARCH_SHORT, Run, best_known, measured, quality, times
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
    runs = [measured(TINY, name, limit=10.0) for name in (PRINTED_HIGHS, EXACT, SEARCH_SHORT)]
    kept = [each for each in runs if each is not None]
    assert [each.proven for each in kept] == [True, True, False]
    best = best_known(kept)["tiny"]
    assert [each.objective for each in kept] == pytest.approx([best] * 3)
    assert [row[0] for row in times(kept).rows] == [PRINTED_HIGHS, EXACT, SEARCH_SHORT]
    assert [row[1] for row in quality(kept, {"tiny": best}).rows] == ["100%"] * 3


def test_a_false_proof_is_a_disagreement() -> None:
    runs = [Run("a", EXACT, 1.0, 2.0, proven=True), Run("a", SEARCH_SHORT, 1.0, 2.1, proven=False)]
    with pytest.raises(Disagreement, match="exact mode proves 2"):
        best_known(runs)
