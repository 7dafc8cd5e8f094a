"""Interviews to test."""

from __future__ import annotations

import pytest

from setmargin.interview.interview import Interview
from tests.interview.talks import SPACE, STRATEGIES, Make


@pytest.fixture(params=STRATEGIES)
def make(request: pytest.FixtureRequest) -> Make:
    return lambda: Interview(SPACE, STRATEGIES[request.param](), seed=4)


@pytest.fixture
def interview() -> Interview:
    return Interview(SPACE, STRATEGIES["random"](), seed=4)
