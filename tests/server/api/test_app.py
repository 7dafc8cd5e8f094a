"""What a server does now and then."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from setmargin.server.api.app import create_app, tidy
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.store import now
from tests.server.api.calling import Talk, calling
from tests.server.api.inline import InlinePool


@pytest.mark.parametrize(("days", "is_kept"), [(0.5, True), (1.5, False)])
def test_beliefs_of_people_who_left_are_dropped(options: Settings, days: float, is_kept: bool) -> None:
    with calling(create_app(options, make_pool=InlinePool)) as call:
        talk = Talk(call, strategy="random")
        for _ in range(5):
            talk.tell(0)
    with Store.open(options.database, clock=lambda: now() + timedelta(days=days)) as store:
        with suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(tidy(store), 1))
        assert (store.belief(talk.state["id"]) is not None) == is_kept
