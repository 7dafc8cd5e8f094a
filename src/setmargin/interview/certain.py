"""What follows from the answers of an interview for certain, whichever strategy asked.

Robust ordinal regression (UTA-GMS of Greco, Mousseau and Słowiński 2008) on our weights: of all weights that agree with
the answers, do all prefer a to b, or some, or none? So it is told what was said from what was only inferred.

    certain = interview.certain()
    certain.necessarily(a, b)          # everybody who answers so finds a at least as good as b
    certain.possibly(a, b)             # somebody does
    certain.necessarily_best(a)        # the recommendation is proven

How answers are read, and bent where they contradict one another, is the same as for regret: see `AnswerMargins`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, OpenModel, assemble, one, rows, total
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import History
from setmargin.strategies.rivals.regret.compatible_weights import (
    USUAL_MARGINS,
    AnswerMargins,
    CompatibleWeights,
    compatible_with,
)
from setmargin.strategies.rivals.regret.strategy import Guarantee, max_regret

NOTHING = 1e-6
"""Differences of utility below this are none."""

Built = Mapping[str, Value]


@dataclass(frozen=True)
class Difference:
    """How much better one configuration is than another: at least and at most, among all who answer so."""

    least: float
    most: float


@dataclass(frozen=True)
class Certain:
    """What the answers of an interview imply for certain; see `Interview.certain`."""

    space: Space
    history: History
    reading: AnswerMargins = USUAL_MARGINS

    @property
    def contradiction(self) -> float:
        """By how much the answers have to be bent until some weights explain them; 0 where they agree."""
        return self._compatible.budget

    def difference(self, one_of_them: Built, other: Built) -> Difference:
        """How much better the first is than the second."""
        apart = self._row(one_of_them) - self._row(other)
        return Difference(-_most(self._compatible, -apart), _most(self._compatible, apart))

    def necessarily(self, preferred: Built, other: Built) -> bool:
        """Whether all who answer so find the first at least as good as the second."""
        return _most(self._compatible, self._row(other) - self._row(preferred)) <= NOTHING

    def possibly(self, preferred: Built, other: Built) -> bool:
        """Whether somebody who answers so finds the first at least as good as the second."""
        return _most(self._compatible, self._row(preferred) - self._row(other)) >= -NOTHING

    def guarantee(self, configuration: Built, *, seconds: float = 60.0) -> Guarantee:
        """The most that can be lost with a configuration, and how."""
        return max_regret(self.space, self.history, configuration, reading=self.reading, seconds=seconds)

    def necessarily_best(self, configuration: Built, *, seconds: float = 60.0) -> bool:
        """Whether nobody who answers so would rather have anything else; False also where time ran out."""
        return self.guarantee(configuration, seconds=seconds).regret <= NOTHING

    def possibly_best(self, configuration: Built) -> bool:
        """Whether somebody who answers so would not rather have anything else."""
        self.space.check(configuration)
        return _has_supporter(self._compatible, self._row(configuration))

    @property
    def _compatible(self) -> CompatibleWeights:
        return compatible_with(self.space, self.history, self.reading)

    def _row(self, configuration: Built) -> Floats:
        row: Floats = self.space.onehot(self.space.indices(configuration)[None])[0]
        return row


def _most(compatible: CompatibleWeights, apart: Floats) -> float:
    """max ⟨w, apart⟩ over all compatible weights."""
    columns = Columns()
    _, v, blocks = compatible.lay(columns)
    most = columns.add("most", lower=-np.inf, objective=1.0)
    blocks.append(rows(one(most), total(v, -apart), upper=0.0))
    return Highs().solve(assemble(columns, blocks, maximise=True)).objective


def _has_supporter(compatible: CompatibleWeights, row: Floats) -> bool:
    """Whether the configuration is a best one for some weights: rivals are added as the oracle finds them."""
    columns = Columns()
    w, v, blocks = compatible.lay(columns)
    lead = columns.add("lead", lower=-np.inf, upper=0.0, objective=1.0)
    with Highs().open(assemble(columns, blocks, maximise=True)) as model:
        while True:
            found = model.solve()
            if found.objective < -NOTHING:
                return False
            values = compatible.space.value_weights(np.maximum(found.values[w], 0.0))
            rival = compatible.space.onehot(oracle_for(compatible.space).best_for_values(values[None]))[0]
            if float(values @ (rival - row)) <= NOTHING:
                return True
            _add_rival(model, v, lead, row - rival, len(columns))


def _add_rival(model: OpenModel, v: Ints, lead: Ints, apart: Floats, width: int) -> None:
    """lead ≤ ⟨v, x − rival⟩."""
    block = rows(total(v, apart), one(lead, -1.0), lower=0.0)
    model.add_rows(block.matrix(width), block.lower, block.upper)
