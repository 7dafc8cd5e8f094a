"""Receivers that refuse, hang and die are told all the same, under one id, and are in nobody's way."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from scripts.laboratory.receiver import SECRET, Receiver, is_signed, receiving, several_ids, untold, wait_until

from setmargin.client import Client
from setmargin.server.api.app import create_app
from setmargin.server.services.async_store import AsyncStore
from setmargin.server.services.webhooks import WebhookService
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.outbox import OutboxMessage
from setmargin.server.webhooks import Webhooks
from setmargin.space.catalogue import loads
from tests.server.api.calling import TEA, TOKEN
from tests.server.api.inline import InlinePool
from tests.server.api.listening import listening
from tests.server.store.talk import begin


@pytest.fixture
def options(sqlite_url: str) -> Settings:
    """A server with a database of its own."""
    return Settings(database=sqlite_url, catalogues=(loads(TEA).document(),), owner_token=TOKEN, rate=0)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as found:
        yield found


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def serve(stack: ExitStack, options: Settings, *urls: str, attempts: int = 9, seconds: float = 5.0) -> Client:
    """A server that tells these, and soon again."""
    webhooks = Webhooks(urls=urls, secrets=[SECRET], attempts=attempts, pause=0.01, seconds=seconds)
    port = stack.enter_context(listening(create_app(replace(options, webhooks=webhooks), make_pool=InlinePool)))
    return stack.enter_context(Client(f"http://127.0.0.1:{port}", token=TOKEN))


def finish(client: Client) -> tuple[str, int]:
    interview = client.start("tea", strategy="random", must_haves=["cups >= 2"])
    interview.tell(0)
    interview.finish()
    return interview.id, interview.state.version


def test_a_receiver_that_fails_three_times_and_is_killed_once_is_told_everything_under_one_id(
    stack: ExitStack, options: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.server.services.webhooks.LOOK_SECONDS", 0.05)
    caplog.set_level(logging.INFO)
    first, second = Receiver(), None
    with receiving(first):
        client = serve(stack, options, first.url)
        first.fates += [500, "drop", 301]
        finished = [finish(client)]
        assert wait_until(lambda: first.told)
        assert first.refused == 3
    finished += [finish(client), finish(client)]
    assert wait_until(lambda: client.webhooks().failed)
    second = stack.enter_context(receiving(Receiver(first.server_port)))
    assert wait_until(lambda: not untold(finished, [*first.told, *second.told]))
    assert not several_ids([*first.told, *second.told])
    assert [*first.problems, *second.problems] == []
    assert wait_until(lambda: client.webhooks().receivers[0].sent == 3)
    assert client.webhooks().failed == ()
    assert SECRET not in caplog.text
    assert "of=interviews" not in caplog.text
    assert "webhook not taken: the reply has status 301" in caplog.text


def test_what_is_told_is_what_was_taken_and_signed(stack: ExitStack, options: Settings, receiver: Receiver) -> None:
    client = serve(stack, options, receiver.url)
    interview = client.start("tea", must_haves=["cups >= 2"])
    taken = interview.finish({"kind": "white", "cups": 4, "pot": "glass"}).finished
    assert taken is not None
    assert wait_until(lambda: receiver.told)
    headers, body = receiver.bodies[0]
    assert headers["content-type"] == "application/json"
    assert is_signed(headers, body)
    assert not is_signed(headers, body + b" ")
    told = receiver.told[0]
    assert json.loads(body) == {
        "type": "interview.finished",
        "id": told.id,
        "interview": interview.id,
        "version": interview.state.version,
        "catalogue": "tea",
        "answered": 0,
        "must_haves": ["cups >= 2"],
        "taken": {"values": dict(taken.values), "amounts": dict(taken.amounts)},
    }
    interview.undo()
    interview.finish()
    assert wait_until(lambda: len(receiver.told) == 2)
    assert receiver.told[1].id != told.id
    assert receiver.told[1].version > told.version


def test_one_that_hangs_keeps_nobody_from_being_told_and_is_given_up(
    stack: ExitStack, options: Settings, receiver: Receiver
) -> None:
    poisoned = stack.enter_context(receiving(Receiver()))
    poisoned.fates += ["hang"] * 9
    client = serve(stack, options, poisoned.url, receiver.url, attempts=2, seconds=0.2)
    finished = [finish(client) for _ in range(3)]
    assert wait_until(lambda: not untold(finished, receiver.told))
    assert wait_until(lambda: client.webhooks().receivers[0].given_up == 3)
    bad, good = client.webhooks().receivers
    assert (bad.address, bad.is_served, bad.sent) == (poisoned.url.partition("?")[0], True, 0)
    assert (good.waiting, good.given_up) == (0, 0)
    assert {(each.fate, each.attempts, each.problem) for each in client.webhooks().failed} == {
        ("given up", 2, "no reply within 0.2 seconds")
    }
    poisoned.fates.clear()
    assert client.send_webhooks_again() == 3
    assert wait_until(lambda: not untold(finished, poisoned.told))
    assert {each.id for each in poisoned.told} == {each.id for each in receiver.told}


def test_of_several_servers_one_sends_and_when_it_is_killed_another(database: str, receiver: Receiver) -> None:
    webhooks = Webhooks(urls=[receiver.url], secrets=[SECRET], seconds=0.3)
    receiver.fates += ["hang"]

    async def serve_with_two() -> None:
        with Store.open(database) as one, Store.open(database) as other:
            stores = [AsyncStore(one), AsyncStore(other)]
            first, second = [asyncio.create_task(WebhookService(store, webhooks).run()) for store in stores]
            interview = begin(one)
            one.append(interview.id, {"finish": None}, after=0, messages=[message(interview.id)])
            while not receiver.refused:
                await asyncio.sleep(0.01)
            first.cancel()  # whichever has it, half of the time
            while not receiver.told:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            second.cancel()
            await asyncio.gather(first, second, return_exceptions=True)
            for store in stores:
                store.close()

    def message(id: str) -> OutboxMessage:
        body = f'{{"id": "m", "interview": "{id}", "version": 1}}'
        return OutboxMessage("m", receiver.url, body)

    asyncio.run(asyncio.wait_for(serve_with_two(), 30))
    assert [each.id for each in receiver.told] == ["m"]
    assert len(receiver.bodies) == 2


def test_by_default_nobody_is_told(stack: ExitStack, options: Settings) -> None:
    client = serve(stack, options)
    finish(client)
    assert client.webhooks().receivers == ()
