"""Stores whose time stands still."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from setmargin.server.store import Store
from tests.server.store.talk import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(database: str, clock: Clock) -> Iterator[Store]:
    """A new store on each kind of database in turn, which goes by `clock`."""
    with Store.open(database, clock=clock) as store:
        yield store
