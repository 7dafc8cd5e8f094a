"""Options as numbers, the way conjoint analysis does it: words as contrasts, numbers as they are, on a common scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats
from setmargin.choices.study import Study
from setmargin.space.space import Configuration, Space


@dataclass(frozen=True, eq=False)
class Coding:
    """How configurations become features: one-hot values times `matrix`.

    Words have orthonormal contrasts, one fewer than words, so that none of them is special and a ridge treats all
    alike. Numbers are linear, with deviation 1 over the options shown; so are quantities that do not follow from the
    rest.
    """

    space: Space
    matrix: Floats

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.matrix.shape[1])

    def column_of(self, attribute: str) -> int:
        """The first feature of an attribute; the only one if it has numbers."""
        position = self.space.names.positions[attribute]
        widths = [1 if each.is_numeric else len(each.values) - 1 for each in self.space.attributes[:position]]
        return sum(widths)

    @classmethod
    def of(cls, study: Study) -> Coding:
        """The coding by all that was shown, whoever took it."""
        space = study.space
        options = {option for person in study.people for task in person.tasks for option in task.options}
        shown = space.onehot(np.stack([space.indices(option) for option in options]))
        matrix = np.zeros((shown.shape[1], 0))
        for start, attribute in zip(space.offsets, space.attributes, strict=False):
            count = len(attribute.values)
            block = np.zeros((shown.shape[1], 1 if attribute.is_numeric else count - 1))
            own = np.array(attribute.values, dtype=float)[:, None] if attribute.is_numeric else contrasts(count)
            block[start : start + count] = own
            matrix = np.column_stack([matrix, _scaled(block, shown) if attribute.is_numeric else block])
        for amounts in space.amounts_table:
            wider = np.column_stack([matrix, _scaled(amounts[:, None], shown)])
            if _rank(shown @ wider) > _rank(shown @ matrix):
                matrix = wider
        return cls(space, matrix)

    def features(self, options: Sequence[Configuration]) -> Floats:
        """The options as rows of features."""
        rows: Floats = self.space.onehot(np.stack([self.space.indices(option) for option in options])) @ self.matrix
        return rows


def contrasts(count: int) -> Floats:
    """An orthonormal basis of all that tells so many values apart: count × (count - 1)."""
    basis, _ = np.linalg.qr(np.column_stack([np.ones(count), np.eye(count)[:, : count - 1]]))
    return basis[:, 1:].astype(np.float64)


def _scaled(numbers: Floats, shown: Floats) -> Floats:
    scaled: Floats = numbers / (float((shown @ numbers).std()) or 1.0)
    return scaled


def _rank(features: Floats) -> int:
    return int(np.linalg.matrix_rank(np.column_stack([np.ones(len(features)), features])))
