"""Real processes for tests: one behind all of a file that do not end it for good."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from setmargin.server.work.pool import WorkerPool
from setmargin.server.work.worker import Worker
from tests.server.work.waiting import LIMIT, run


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """One process behind all tests that do not end it for good."""
    pool = WorkerPool(workers=1, seconds=LIMIT)
    run(pool.__aenter__())
    yield pool
    run(pool.__aexit__())


@pytest.fixture
def worker(pool: WorkerPool) -> Worker:
    return pool.workers[0]
