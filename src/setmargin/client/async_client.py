"""The async client, on httpx: the verbs of the plain one, to be awaited. One client serves many tasks at once."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from setmargin.client import calls
from setmargin.client.calls import ApiCall, named_after
from setmargin.client.sending import API, RETRIES, Attempts, HttpReply, HttpRequest, request_of, server_address
from setmargin.documents import Question, State
from setmargin.late_imports import import_extra

if TYPE_CHECKING:
    from httpx import AsyncClient as Connections

P = ParamSpec("P")
T = TypeVar("T")


def _sent(describe: Callable[P, ApiCall[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """A method that sends this call and returns what came of it."""

    @named_after(describe)
    async def method(self: AsyncClient, /, *given: P.args, **options: P.kwargs) -> T:
        return await self.send(describe(*given, **options))

    return method


def _opened(
    describe: Callable[P, ApiCall[State]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, AsyncRemoteInterview]]:
    """A method that sends this call and returns the interview."""

    @named_after(describe, returns="AsyncRemoteInterview")
    async def method(self: AsyncClient, /, *given: P.args, **options: P.kwargs) -> AsyncRemoteInterview:
        return AsyncRemoteInterview(self, await self.send(describe(*given, **options)))

    return method


class AsyncClient:
    """A server, by its address, for programs that await: `pip install setmargin[async]`.

        async with AsyncClient("http://127.0.0.1:8000") as client:
            interview = await client.start("bicycle", must_haves=["price <= 1500"])
            while (question := interview.ask()) is not None:
                await interview.tell(0)

    The owner's token is needed for what only the owner may do.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0, retries: int = RETRIES) -> None:
        address = server_address(url)
        self._connections = _connections(address.origin, timeout)
        self._host, self._base, self._token, self._retries = address.host, address.path + API, token, retries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Hang up, for good."""
        await self._connections.aclose()

    catalogues = _sent(calls.catalogues)
    catalogue = _sent(calls.catalogue)
    possible = _sent(calls.possible)
    check_catalogue = _sent(calls.check_catalogue)
    put_catalogue = _sent(calls.put_catalogue)
    start = _opened(calls.start)
    resume = _opened(calls.resume)
    shared = _sent(calls.shared)
    summary = _sent(calls.summary)
    owned = _sent(calls.owned)
    withdraw = _sent(calls.withdraw)
    offer = _sent(calls.offer)
    priors = _sent(calls.priors)
    prior = _sent(calls.prior)
    forget = _sent(calls.forget)
    forget_unseen = _sent(calls.forget_unseen)
    webhooks = _sent(calls.webhooks)
    send_webhooks_again = _sent(calls.send_webhooks_again)

    async def send(self, call: ApiCall[T]) -> T:
        """Send one of the calls of `setmargin.client.calls`, and return what came of it."""
        return call.result(await self.call(call.method, call.address, call.body))

    async def call(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Any:
        """One request and its JSON reply, sent again while that is safe and may help.

        A text goes as YAML, anything else as JSON.
        """
        request = request_of(method, self._base + path, body, key=key, token=self._token)
        attempts = Attempts(self._host, retries=self._retries)
        while (pause := attempts.pause_after(await self._attempt(request))) is not None:
            await sleep(pause)
        return attempts.document

    async def _attempt(self, request: HttpRequest) -> HttpReply | Exception:
        from httpx import TransportError

        try:
            response = await self._connections.request(
                request.method, request.path, content=request.payload, headers=dict(request.headers)
            )
        except TransportError as error:
            return error
        return HttpReply(response.status_code, response.content, response.headers.get("Retry-After", ""))


def _connections(origin: str, timeout: float) -> Connections:
    connections: Connections = import_extra("httpx").AsyncClient(base_url=origin, timeout=timeout)
    return connections


def _changed(
    describe: Callable[Concatenate[State, P], ApiCall[State]],
) -> Callable[Concatenate[AsyncRemoteInterview, P], Coroutine[Any, Any, State]]:
    """A method that sends this call and keeps the state that came of it."""

    @named_after(describe)
    async def method(self: AsyncRemoteInterview, /, *given: P.args, **options: P.kwargs) -> State:
        self.state = await self.client.send(describe(self.state, *given, **options))
        return self.state

    return method


def _looked(
    describe: Callable[Concatenate[State, P], ApiCall[T]],
) -> Callable[Concatenate[AsyncRemoteInterview, P], Coroutine[Any, Any, T]]:
    """A method that sends this call and changes nothing."""

    @named_after(describe)
    async def method(self: AsyncRemoteInterview, /, *given: P.args, **options: P.kwargs) -> T:
        return await self.client.send(describe(self.state, *given, **options))

    return method


class AsyncRemoteInterview:
    """One person's interview on a server; `state` is as of the last request."""

    def __init__(self, client: AsyncClient, state: State) -> None:
        self.client, self.state = client, state

    @property
    def id(self) -> str:
        """The key to it: whoever has it may read and answer."""
        return self.state.id

    def ask(self) -> Question | None:
        """The current question, which is known already; None: no more."""
        return self.state.question

    tell = _changed(calls.tell)
    rank = _changed(calls.rank)
    equal = _changed(calls.equal)
    skip = _changed(calls.skip)
    adjust = _changed(calls.adjust)
    change = _changed(calls.change)
    ask_on = _changed(calls.ask_on)
    undo = _changed(calls.undo)
    require = _changed(calls.require)
    drop = _changed(calls.drop)
    finish = _changed(calls.finish)
    refresh = _changed(calls.refresh)
    catalogue = _looked(calls.catalogue_of)
    result = _looked(calls.result)
    changes = _looked(calls.changes)
    previews = _looked(calls.previews)
    preview = _looked(calls.preview)
    share = _looked(calls.share)
    export = _looked(calls.export)
    delete = _looked(calls.delete)
