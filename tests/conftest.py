"""Options of the whole suite."""

from __future__ import annotations

import pytest

from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Milp, OpenModel
from tests.another_path import AnotherPath


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--another-path",
        type=int,
        metavar="SEED",
        help="solve every linear problem on another path, as another processor would: what is promised holds on any",
    )
    parser.addoption("--thorough", action="store_true", help="statistical proofs with more people and more draws")


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether there is time for a long proof."""
    found: bool = request.config.getoption("--thorough")
    return found


@pytest.fixture(autouse=True)
def _another_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    seed: int | None = request.config.getoption("--another-path")
    if seed is not None:

        def open_shuffled(_: Highs, model: Milp) -> OpenModel:
            return AnotherPath(seed).open(model)

        monkeypatch.setattr(Highs, "open", open_shuffled)
