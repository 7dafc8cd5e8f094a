"""A quick adversary: alternate between the worst weights for a given rival and the best rival for given weights.

The first is a linear problem, kept and re-solved warm; the second is one oracle call. What comes out is a valid pick,
and mostly the worst; only where it finds nothing worse than is known does the MILP of `minimax.py` have to prove it.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, ModelOwner, assemble, one, rows
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.rivals.regret.compatible import Compatible, Pick, value_tops

TURNS = 20
BETTER = 1e-7


class Climber(ModelOwner):
    """Rivals of sets of `size` configurations."""

    def __init__(self, compatible: Compatible, size: int) -> None:
        self._compatible, self._oracle = compatible, oracle_for(compatible.space)
        columns = Columns()
        self._w, self._v, blocks = compatible.lay(columns)
        self._harm = columns.add("M", lower=-inf, objective=1.0)
        less = rows(one(np.repeat(self._harm, size)), upper=np.zeros(size))  # M + ⟨v, x^i − y⟩ ≤ 0, x and y to come
        self._apart = np.zeros((size, len(self._v)))
        self._model = Highs().open(assemble(columns, [less, *blocks], maximise=True))

    def climb(self, chosen: Ints, starts: Iterable[Ints]) -> Pick:
        """The worst pick found from these rivals, and from the one that shares least with the chosen."""
        onehot = self._compatible.space.onehot(chosen)
        furthest = self._oracle.best_for_values((value_tops(self._compatible) * (1.0 - onehot.mean(axis=0)))[None])[0]
        ends = [self._end(onehot, start) for start in (furthest, *starts)]
        return max(ends, key=lambda pick: pick.regret)

    def _end(self, onehot: Floats, better: Ints) -> Pick:
        pick = self._worst_weights(onehot, better)
        for _ in range(TURNS):
            rival = self._oracle.best_for_values(pick.value_weights[None])[0]
            following = self._worst_weights(onehot, rival)
            if following.regret <= pick.regret + BETTER:
                break
            pick = following
        return pick

    def _worst_weights(self, onehot: Floats, better: Ints) -> Pick:
        """max over W of min_i ⟨v, y − x^i⟩ for one rival y; only what differs from the last time is handed over."""
        space = self._compatible.space
        apart = onehot - space.onehot(better[None])
        row, value = np.nonzero(apart != self._apart)
        self._model.change_coefficients(row, self._v[value], apart[row, value])
        self._apart = apart
        found = self._model.solve()
        weights = np.maximum(found.values[self._w], 0.0)
        return Pick(better, weights, space.value_weights(weights), found.objective, inf)
