from __future__ import annotations

import numpy as np
import pytest

from setmargin.logits.ridge import best_penalty, pooled_tastes, ridge_tastes
from setmargin.logits.rows import choice_rows, gradients
from tests.logits.simulated import choices_of


def test_a_ridge_ends_where_the_slope_is_the_penalty() -> None:
    rng = np.random.default_rng(2)
    data = choice_rows([*choices_of(3 * rng.standard_normal((20, 4)), tasks=6, options=3, rng=rng), []], width=4)
    for penalty in (1e-4, 0.3, 30.0):
        tastes = ridge_tastes(data, penalty)
        assert gradients(data, tastes)[1] == pytest.approx(penalty * tastes, abs=1e-5)
        assert tastes[-1].tolist() == [0, 0, 0, 0]


def test_the_pooled_logit_finds_the_tastes_that_all_share() -> None:
    rng = np.random.default_rng(3)
    taste = np.array([1.0, -0.5, 0.0])
    data = choice_rows(choices_of(np.tile(taste, (200, 1)), tasks=10, options=4, rng=rng), width=3)
    assert pooled_tastes(data) == pytest.approx(taste, abs=0.1)


def test_small_tastes_get_a_large_ridge() -> None:
    rng = np.random.default_rng(4)
    weak, strong = (
        choice_rows(choices_of(size * rng.standard_normal((60, 3)), tasks=8, options=3, rng=rng), width=3)
        for size in (0.2, 3.0)
    )
    assert best_penalty(weak) > 5 * best_penalty(strong)
