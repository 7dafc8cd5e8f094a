"""A server in the test's own process and thread: requests go in, replies come out."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI

T = TypeVar("T")
API = "/api/v1"
TOKEN = "the-owner-of-everything"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
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


class Caller:
    """Sends requests to an app, from an address of one's choice."""

    def __init__(self, app: FastAPI, runner: asyncio.Runner) -> None:
        self.app, self._runner = app, runner

    def __call__(self, method: str, path: str, *, at: str = "203.0.113.9", **options: Any) -> httpx.Response:
        return self._runner.run(self._send(method, path, at, options))

    def wait(self, what: Coroutine[Any, Any, T]) -> T:
        """What comes of it, where the app runs."""
        return self._runner.run(what)

    def many(self, *calls: tuple[str, str, dict[str, Any]]) -> list[httpx.Response]:
        """All at once."""

        async def together() -> list[httpx.Response]:
            return await asyncio.gather(
                *(self._send(method, path, "203.0.113.9", more) for method, path, more in calls)
            )

        return self._runner.run(together())

    async def _send(self, method: str, path: str, at: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app, client=(at, 4711))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            reply = await client.request(method, path, **options)
        await asyncio.sleep(0)
        return reply


@contextmanager
def calling(app: FastAPI) -> Iterator[Caller]:
    """The app, started, and stopped at the end."""
    with asyncio.Runner() as runner:
        life = app.router.lifespan_context(app)
        runner.run(life.__aenter__())
        try:
            yield Caller(app, runner)
        finally:
            runner.run(life.__aexit__(None, None, None))


class Talk:
    """One interview through the API, as a page would do it."""

    def __init__(self, call: Caller, **wanted: Any) -> None:
        self.call = call
        policy = {"policy": "comparisons"} if wanted.get("strategy", "bayes") == "bayes" else {}
        reply = call("POST", f"{API}/interviews", json={"catalogue": "tea", "seed": 3, **policy, **wanted})
        assert reply.status_code == 201, reply.text
        self.state: dict[str, Any] = reply.json()

    @property
    def place(self) -> str:
        return f"{API}/interviews/{self.state['id']}"

    def send(self, method: str, path: str, *, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.call(method, self.place + path, json={"version": self.state["version"], **body}, headers=headers)

    def do(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        reply = self.send(method, path, **body)
        assert reply.status_code == 200, reply.text
        self.state = reply.json()
        return self.state

    def tell(self, choice: int) -> dict[str, Any]:
        return self.do("POST", "/answers", answer={"choice": choice})

    def get(self, path: str = "") -> Any:
        reply = self.call("GET", self.place + path)
        assert reply.status_code == 200, reply.text
        return reply.json()
