from __future__ import annotations

import numpy as np
import pytest

from setmargin.logits.rows import choice_rows, gradients, information, log_likelihoods, probabilities
from tests.logits.simulated import choices_of

RNG = np.random.default_rng(1)
TASTES = RNG.standard_normal((3, 2))
PEOPLE = [
    *choices_of(TASTES[:1], tasks=4, options=3, rng=RNG),
    [],  # somebody who chose nothing
    choices_of(TASTES[2:], tasks=2, options=2, rng=RNG)[0] + choices_of(TASTES[2:], tasks=1, options=5, rng=RNG)[0],
]
DATA = choice_rows(PEOPLE, width=2)


def test_the_likelihood_is_that_of_the_taken_options() -> None:
    by_hand = [
        sum(np.log(probabilities(options, taste[None])[taken]) for options, taken in tasks)
        for tasks, taste in zip(PEOPLE, TASTES, strict=True)
    ]
    assert log_likelihoods(DATA, TASTES) == pytest.approx(by_hand)


def test_slopes_and_information_are_the_derivatives() -> None:
    small = 1e-5
    for feature in range(2):
        aside = small * np.eye(2)[feature]
        slopes = (log_likelihoods(DATA, TASTES + aside) - log_likelihoods(DATA, TASTES - aside)) / (2 * small)
        assert gradients(DATA, TASTES)[1][:, feature] == pytest.approx(slopes, abs=1e-8)
        bends = (gradients(DATA, TASTES + aside)[1] - gradients(DATA, TASTES - aside)[1]) / (2 * small)
        assert -information(DATA, TASTES)[:, feature] == pytest.approx(bends, abs=1e-8)


def test_huge_differences_are_no_overflow() -> None:
    likelihoods, slopes = gradients(DATA, 1e6 * TASTES)
    assert np.isfinite(likelihoods).all()
    assert np.isfinite(slopes).all()


def test_nobody_and_nothing_are_possible() -> None:
    nothing = choice_rows([[], []], width=3)
    assert log_likelihoods(nothing, np.zeros((2, 3))).tolist() == [0, 0]
    assert information(nothing, np.zeros((2, 3))).tolist() == np.zeros((2, 3, 3)).tolist()
