"""One server for the tests of both clients, and a line to it that loses replies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from setmargin.client import Client
from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.space.catalogue import load, loads
from tests.server.api.calling import TEA, TOKEN
from tests.server.api.inline import InlinePool
from tests.server.api.listening import BadLine, bad_line, listening


@pytest.fixture(scope="package")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    settings = Settings(
        database=f"sqlite:///{tmp_path_factory.mktemp('client')}/setmargin.db",
        catalogues=(loads(TEA).document(), load("bicycle").document()),
        owner_token=TOKEN,
        uploads=True,
        rate=0,
    )
    with listening(create_app(settings, make_pool=InlinePool)) as port:
        yield port


@pytest.fixture
def client(port: int) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{port}", token=TOKEN) as client:
        yield client


@pytest.fixture
def line(port: int) -> Iterator[BadLine]:
    with bad_line(port) as line:
        yield line
