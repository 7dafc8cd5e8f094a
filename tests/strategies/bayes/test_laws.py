"""The Bayesian strategy obeys every law, whatever it is told about questions."""

from __future__ import annotations

from typing import Any

import pytest

from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.laws import Law, a_noiseless_person_ends_at_zero_loss, laws

OPTIONS: dict[str, dict[str, Any]] = {
    "bayes-to-the-end": {"until": 0.0},
    "bayes-4": {"set_size": 4, "until": 0.0},
    "bayes-readable": {"differences": 1, "until": 0.0},
}


@pytest.mark.parametrize(
    ("options", "law"),
    [pytest.param(options, law, id=f"{name}:{law.__name__}") for name, options in OPTIONS.items() for law in laws()],
)
def test_law(options: dict[str, Any], law: Law) -> None:
    law(lambda: Bayes(**options))


@pytest.mark.parametrize("law", [law for law in laws() if law is not a_noiseless_person_ends_at_zero_loss])
def test_law_with_a_stop_before_the_very_end(law: Law) -> None:
    law(Bayes)
