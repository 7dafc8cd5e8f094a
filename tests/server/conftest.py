"""Databases and servers for tests: one that takes `database` or `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from setmargin.server.api.app import create_app
from setmargin.server.services import async_store
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.space.catalogue import loads
from tests.server import postgres
from tests.server.api.calling import TEA, TOKEN, Caller, Talk, calling
from tests.server.api.inline import InlinePool

NUMBERS = count()


@pytest.fixture(scope="session")
def postgres_socket() -> Iterator[str]:
    """The one PostgreSQL server of this test process, started when the first test asks for it."""
    with ExitStack() as stack:
        try:
            socket = stack.enter_context(postgres.running())
        except postgres.NoPostgres as reason:
            pytest.skip(str(reason))
        yield socket


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path}/setmargin.db"


@pytest.fixture
def postgres_url(postgres_socket: str) -> Iterator[str]:
    """An empty database on PostgreSQL; the test is skipped where there is no server."""
    with postgres.database(postgres_socket, f"test_{next(NUMBERS)}") as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database, of each kind in turn."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """A new store on each kind of database in turn."""
    with Store.open(database) as store:
        yield store


@pytest.fixture(autouse=True)
def patient_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that runs many tests at once may be slow; those about stalls say what they wait for themselves."""
    monkeypatch.setattr(async_store, "ANSWER_SECONDS", 30.0)


# A server with one small catalogue


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
