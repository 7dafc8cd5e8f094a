"""The plain client, in the standard library alone. One thread, one client."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from setmargin.client import calls
from setmargin.client.calls import ApiCall, named_after
from setmargin.client.sending import API, RETRIES, Attempts, HttpReply, HttpRequest, request_of, server_address
from setmargin.documents import Question, State

P = ParamSpec("P")
T = TypeVar("T")


def _sent(describe: Callable[P, ApiCall[T]]) -> Callable[Concatenate[Client, P], T]:
    """A method that sends this call and returns what came of it."""

    @named_after(describe)
    def method(self: Client, /, *given: P.args, **options: P.kwargs) -> T:
        return self.send(describe(*given, **options))

    return method


def _opened(describe: Callable[P, ApiCall[State]]) -> Callable[Concatenate[Client, P], RemoteInterview]:
    """A method that sends this call and returns the interview."""

    @named_after(describe, returns="RemoteInterview")
    def method(self: Client, /, *given: P.args, **options: P.kwargs) -> RemoteInterview:
        return RemoteInterview(self, self.send(describe(*given, **options)))

    return method


class Client:
    """A server, by its address. The owner's token is needed for what only the owner may do."""

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0, retries: int = RETRIES) -> None:
        is_secure, host, port, path = server_address(url)
        self._connection = (HTTPSConnection if is_secure else HTTPConnection)(host, port, timeout=timeout)
        self._base, self._token, self._retries = path + API, token, retries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; the next request would connect again."""
        self._connection.close()

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

    def send(self, call: ApiCall[T]) -> T:
        """Send one of the calls of `setmargin.client.calls`, and return what came of it."""
        return call.result(self.call(call.method, call.address, call.body))

    def call(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Any:
        """One request and its JSON reply, sent again while that is safe and may help.

        A text goes as YAML, anything else as JSON.
        """
        request = request_of(method, self._base + path, body, key=key, token=self._token)
        attempts = Attempts(self._connection.host, retries=self._retries)
        while (pause := attempts.pause_after(self._attempt(request))) is not None:
            time.sleep(pause)
        return attempts.document

    def _attempt(self, request: HttpRequest) -> HttpReply | Exception:
        reused = self._connection.sock is not None
        try:
            try:
                response = self._exchange(request)
            except (ConnectionError, HTTPException):
                if not reused:
                    raise
                # The server hung up while nothing was said, as servers do; that is no failure yet.
                self._connection.close()
                response = self._exchange(request)
            return HttpReply(response.status, response.read(), response.headers.get("Retry-After", ""))
        except (OSError, HTTPException) as error:
            self._connection.close()
            return error

    def _exchange(self, request: HttpRequest) -> HTTPResponse:
        self._connection.request(request.method, request.path, request.payload, dict(request.headers))
        return self._connection.getresponse()


def _changed(
    describe: Callable[Concatenate[State, P], ApiCall[State]],
) -> Callable[Concatenate[RemoteInterview, P], State]:
    """A method that sends this call and keeps the state that came of it."""

    @named_after(describe)
    def method(self: RemoteInterview, /, *given: P.args, **options: P.kwargs) -> State:
        self.state = self.client.send(describe(self.state, *given, **options))
        return self.state

    return method


def _looked(describe: Callable[Concatenate[State, P], ApiCall[T]]) -> Callable[Concatenate[RemoteInterview, P], T]:
    """A method that sends this call and changes nothing."""

    @named_after(describe)
    def method(self: RemoteInterview, /, *given: P.args, **options: P.kwargs) -> T:
        return self.client.send(describe(self.state, *given, **options))

    return method


class RemoteInterview:
    """One person's interview on a server; `state` is as of the last request."""

    def __init__(self, client: Client, state: State) -> None:
        self.client, self.state = client, state

    @property
    def id(self) -> str:
        """The key to it: whoever has it may read and answer."""
        return self.state.id

    def ask(self) -> Question | None:
        """The current question; None: no more."""
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
