"""The async client does what the plain one does; what both send is tested with the calls."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from setmargin.client import AsyncClient, Client, ClientError
from setmargin.errors import OptionError, PackageMissing
from tests.server.api.calling import TOKEN
from tests.server.api.listening import BadLine


def address(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def test_an_interview_is_the_one_of_the_plain_client(port: int, client: Client) -> None:
    async def talk() -> dict[str, Any]:
        async with AsyncClient(address(port)) as other:
            interview = await other.start("tea", policy="comparisons", seed=5, must_haves=["cups >= 2"])
            while interview.ask() is not None and interview.state.answered < 3:
                await interview.tell(0)
            again = await other.resume(interview.id)
            assert again.state == interview.state
            await interview.finish()
            return await interview.export()

    plain = client.start("tea", policy="comparisons", seed=5, must_haves=["cups >= 2"])
    while plain.ask() is not None and plain.state.answered < 3:
        plain.tell(0)
    plain.finish()
    assert asyncio.run(talk()) == plain.export()


def test_one_client_serves_many_at_once(port: int) -> None:
    async def talk(client: AsyncClient, seed: int) -> str:
        interview = await client.start("tea", strategy="random", seed=seed)
        await interview.tell(0)
        return interview.id

    async def together() -> list[str]:
        async with AsyncClient(address(port), token=TOKEN) as client:
            return await asyncio.gather(*(talk(client, seed) for seed in range(8)))

    assert len(set(asyncio.run(together()))) == 8


def run_on(line: BadLine, what: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client waited between attempts, without waiting."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def talk() -> None:
        monkeypatch.setattr("setmargin.client.async_client.sleep", sleep)
        async with AsyncClient(f"127.0.0.1:{line.server_port}") as client:
            await what(client)

    asyncio.run(talk())
    return waited


def test_an_answer_whose_reply_was_lost_is_given_once(line: BadLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(client: AsyncClient) -> None:
        interview = await client.start("tea")
        line.keys.clear()
        line.fates += ["lost", "busy"]
        assert (await interview.tell(0)).answered == 1
        assert (await interview.refresh()).version == 1

    assert run_on(line, answer, monkeypatch) == [0.2, 1.0]
    assert len(line.keys) == 4
    assert len(set(line.keys[:3])) == 1


def test_a_refusal_is_an_error_with_reason_cure_and_conflict(line: BadLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(client: AsyncClient) -> None:
        interview = await client.start("tea", must_haves=["kind = white"])
        with pytest.raises(ClientError) as refused:
            await interview.require("pot = clay")
        assert (refused.value.kind, set(refused.value.conflict)) == ("impossible", {"kind = white", "pot = clay"})

    assert run_on(line, refuse, monkeypatch) == []


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(PackageMissing, match=r"httpx is not installed; pip install 'setmargin\[async\]'"):
        AsyncClient("http://127.0.0.1:1")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="is no address of a server"):
        AsyncClient("ftp://x")
