"""The figures of the benchmark, where they can be known beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.bayes import AsDrawn, calibration, codebook_losses, reached

from setmargin.space.space import Space


@pytest.mark.parametrize(
    ("curve", "question"),
    [([0.5, 0.05, 0.2, 0.1], 4), ([0.1, 0.0], 1), ([0.5, 0.4], None), ([0.0, 0.5], None)],
)
def test_a_level_counts_as_reached_when_it_is_kept(curve: list[float], question: int | None) -> None:
    assert reached(np.array(curve), 0.1) == question


def test_enough_bits_buy_everything() -> None:
    space = Space({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    losses = codebook_losses(space, bits=3, people=200)
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0.1
    assert losses[-1] == pytest.approx(0.0, abs=1e-6)


def test_claims_that_hold_are_calibrated() -> None:
    claimed = np.array([0.1] * 10 + [0.9] * 10)
    true = np.array([1.0] + [0.0] * 9 + [1.0] * 9 + [0.0])
    low, high = calibration((claimed, true, (0.0, 0.5, 1.0)))
    assert low == {"claimed": pytest.approx(0.1), "true": pytest.approx(0.1), "times": 10}
    assert high == {"claimed": pytest.approx(0.9), "true": pytest.approx(0.9), "times": 10}


def test_the_known_prior_is_that_of_the_drawn_people() -> None:
    assert [int(AsDrawn(0.2, 1.0).counts(size).argmax()) for size in (3, 8, 10, 37)] == [1, 1, 2, 7]
