"""What a server does now and then."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from datetime import timedelta

import pytest

from setmargin.server.api.app import create_app, tidy
from setmargin.server.errors import UnknownInterview
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.database import now
from tests.server.api.calling import Talk, calling
from tests.server.api.inline import InlinePool


@pytest.mark.parametrize(("days", "is_there"), [(29, True), (31, False)])
def test_interviews_that_nobody_looks_at_are_forgotten_after_their_days(
    options: Settings, days: float, is_there: bool
) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as call:
        id = Talk(call, strategy="random").state["id"]
    with Store.open(options.database, clock=lambda: now() + timedelta(days=days)) as store:
        with suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(tidy(store, retention=30), 1))
        with nullcontext() if is_there else pytest.raises(UnknownInterview):
            assert store.version_of(id) == 0
