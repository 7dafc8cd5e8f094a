"""A server with one small catalogue, for the tests of the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.space.catalogue import loads
from tests.server.api.calling import TOKEN, Caller, Talk, calling
from tests.server.api.inline import InlinePool

TEA = """
catalogue: tea
title: Find your tea
attributes:
  kind: [green, black, white]
  cups: {values: [1, 2, 4], unit: cups}
  pot: [glass, clay]
quantities:
  price:
    unit: €
    better: lower
    sum:
      kind: {green: 3, black: 2, white: 6}
      cups: {1: 1, 2: 2, 4: 4}
      pot: {glass: 5, clay: 9}
rules:
  - kind = white => pot = glass
"""


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    database = f"sqlite:///{tmp_path_factory.mktemp('api')}/setmargin.db"
    return Settings(database=database, catalogues=(loads(TEA).document(),), owner_token=TOKEN, uploads=True, rate=0)


@pytest.fixture(scope="module")
def call(options: Settings) -> Iterator[Caller]:
    """One server for all tests of a module; each test has an interview of its own."""
    with calling(create_app(options, make_pool=InlinePool)) as caller:
        yield caller


@pytest.fixture
def talk(call: Caller) -> Talk:
    return Talk(call)
