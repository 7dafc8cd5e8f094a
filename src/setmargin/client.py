"""A client of the API, in the standard library alone: the same few verbs as an interview in Python.

    with Client("http://127.0.0.1:8000") as client:
        interview = client.start("bicycle", must_haves=["price <= 1500"])
        while (question := interview.ask()) is not None:
            interview.tell(0)               # the first option is the better one; or tell(0, because="price")
        print(interview.result().best.values)

A request that got no reply is sent again under the same key, so that nothing happens twice. One thread, one client.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

from setmargin.documents import (
    Answer,
    AnswerPreview,
    Catalogue,
    CatalogueCard,
    Catalogues,
    ChangesOfBest,
    Forgotten,
    Possible,
    Previews,
    PriorFile,
    Priors,
    Question,
    Result,
    Shared,
    SharedResult,
    State,
    Summary,
    Value,
    plain,
    read,
)
from setmargin.errors import OptionError, SetmarginError

RETRIES = 4
PAUSE = 0.2
LONGEST_PAUSE = 30.0
_AGAIN = {429, 503}
"""Sent again where the server says when."""


class ClientError(SetmarginError):
    """The server refused, or could not be reached (status 0): the reason, the cure, and the rules in conflict."""

    def __init__(
        self,
        reason: str,
        *,
        status: int = 0,
        kind: str = "unreachable",
        cure: str = "see that the server runs and that its address is right",
        conflict: Sequence[str] = (),
        current: int | None = None,
    ) -> None:
        self.status, self.kind, self.reason, self.cure = status, kind, reason, cure
        self.conflict, self.current = tuple(conflict), current
        super().__init__(reason if "; " in reason else f"{reason}; {cure}")


class Client:
    """A server, by its address. The owner's token is needed for what only the owner may do."""

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0, retries: int = RETRIES) -> None:
        is_secure, host, port, path = _parts(url)
        self._connection = (HTTPSConnection if is_secure else HTTPConnection)(host, port, timeout=timeout)
        self._base, self._token, self._retries = f"{path}/api/v1", token, retries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; the next request would connect again."""
        self._connection.close()

    def catalogues(self) -> tuple[CatalogueCard, ...]:
        """What interviews can be about."""
        return read(Catalogues, self.call("GET", "/catalogues")).catalogues

    def catalogue(self, name: str, *, language: str | None = None) -> Catalogue:
        """All about one catalogue: its attributes, quantities and rules, and what people see of it in a language."""
        query = f"?language={quote(language, safe='')}" if language else ""
        return read(Catalogue, self.call("GET", f"/catalogues/{quote(name, safe='')}{query}"))

    def possible(self, catalogue: str, must_haves: Sequence[str] = ()) -> Possible:
        """What must-haves leave of a catalogue: how many configurations, which values, and the ranges of quantities."""
        body = {"must_haves": list(must_haves)}
        return read(Possible, self.call("POST", f"/catalogues/{quote(catalogue, safe='')}/possible", body))

    def start(
        self,
        catalogue: str,
        *,
        strategy: str | None = None,
        policy: str | None = None,
        set_size: int | None = None,
        differences: int | None = None,
        until: float | None = None,
        seed: int | None = None,
        must_haves: Sequence[str] = (),
        opening: Mapping[str, str] | None = None,
    ) -> RemoteInterview:
        """A new interview; `opening` are answers to the catalogue's opening questions, by their ids."""
        given = {
            "strategy": strategy,
            "policy": policy,
            "set_size": set_size,
            "differences": differences,
            "until": until,
            "seed": seed,
            "opening": opening and dict(opening),
        }
        options = {name: value for name, value in given.items() if value is not None}
        body = {"catalogue": catalogue, "must_haves": list(must_haves), **options}
        return RemoteInterview(self, read(State, self.call("POST", "/interviews", body)))

    def shared(self, token: str) -> SharedResult:
        """A result that somebody shared, by the token of its link."""
        return read(SharedResult, self.call("GET", f"/shared/{quote(token, safe='')}"))

    def resume(self, id: str) -> RemoteInterview:
        """An interview that was begun before, by its id."""
        return RemoteInterview(self, read(State, self.call("GET", _place(id))))

    def put_catalogue(self, name: str, text: str) -> Catalogue:
        """Offer a catalogue (its YAML text); needs the owner's token, and a server that allows uploads."""
        return read(Catalogue, self.call("PUT", f"/catalogues/{quote(name, safe='')}", text))

    def summary(self) -> Summary:
        """What people did, by catalogue; needs the owner's token."""
        return read(Summary, self.call("GET", "/owner/summary"))

    def priors(self) -> Priors:
        """What is known of earlier people, by catalogue; needs the owner's token."""
        return read(Priors, self.call("GET", "/owner/priors"))

    def prior(self, catalogue: str, version: int) -> PriorFile:
        """One version of it whole, as `Bayes(prior=...)` takes its document; needs the owner's token."""
        return read(PriorFile, self.call("GET", f"/owner/priors/{quote(catalogue, safe='')}/{version}"))

    def forget(self, id: str) -> None:
        """Delete an interview with all that was shown and said; needs the owner's token."""
        self.call("DELETE", f"/owner{_place(id)}")

    def forget_unseen(self, *, days: float) -> int:
        """Delete the interviews that nobody has looked at for so many days; needs the owner's token. Says how many."""
        return read(Forgotten, self.call("DELETE", f"/owner/interviews?{urlencode({'days': days})}")).interviews

    def call(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Any:
        """One request and its JSON reply, sent again while that is safe and may help.

        A text goes as YAML, anything else as JSON.
        """
        payload, headers = _payload(body)
        headers |= {"Idempotency-Key": key or secrets.token_urlsafe(18)} if method != "GET" else {}
        headers |= {"Authorization": f"Bearer {self._token}"} if self._token else {}
        for remaining in range(self._retries, -1, -1):
            try:
                status, reply, wait = self._send(method, path, payload, headers)
            except (OSError, HTTPException) as error:
                self._connection.close()
                if not remaining:
                    raise ClientError(f"no reply from {self._connection.host}: {error}") from None
                status, reply, wait = 0, None, None
            if 200 <= status < 300:
                return reply
            if status and (status not in _AGAIN or wait is None or not remaining):
                raise _refusal(status, reply)
            time.sleep(min(wait if wait is not None else PAUSE * 2 ** (self._retries - remaining), LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    def _send(
        self, method: str, path: str, payload: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Any, float | None]:
        reused = self._connection.sock is not None
        try:
            response = self._sent(method, path, payload, headers)
        except (ConnectionError, HTTPException):
            if not reused:
                raise
            # The server hung up while nothing was said, as servers do; that is no failure yet.
            self._connection.close()
            response = self._sent(method, path, payload, headers)
        return response.status, _read(response), _wait(response)

    def _sent(self, method: str, path: str, payload: bytes | None, headers: Mapping[str, str]) -> HTTPResponse:
        self._connection.request(method, self._base + path, payload, dict(headers))
        return self._connection.getresponse()


class RemoteInterview:
    """One person's interview on a server; `state` is as of the last request."""

    def __init__(self, client: Client, state: State) -> None:
        self._client, self.state = client, state

    @property
    def id(self) -> str:
        """The key to it: whoever has it may read and answer."""
        return self.state.id

    def ask(self) -> Question | None:
        """The current question; None: no more."""
        return self.state.question

    def tell(self, answer: Answer | Mapping[str, Any] | int, because: str | Sequence[str] = ()) -> State:
        """The option chosen, counted from 0, and the things that decided; or any answer as a document.

        Where a question asks for a change, `Changing(WantedChange("brakes", "disc"))` says which one.
        """
        return self._answer(_said(answer, because))

    def rank(self, order: Sequence[int], because: str | Sequence[str] = ()) -> State:
        """All options, best first, and what puts the first one before the others."""
        return self._answer(_said({"ranking": list(order)}, because))

    def equal(self, because: str | Sequence[str] = ()) -> State:
        """All options are equally good, and these things do not matter."""
        return self._answer(_said({"equal": True}, because))

    def adjust(self, name: str | None = None, value: Value | None = None, *, keep: bool = False) -> State:
        """Change something about the recommendation: an attribute's value, or a quantity, to be better.

        Without a name: nothing should change about it. With `keep` what comes of it is recommended from then on.
        """
        given = {"name": name, "value": value, "keep": keep or None}
        return self._do("POST", "/adjustments", {key: part for key, part in given.items() if part is not None})

    def changes(self) -> ChangesOfBest:
        """What can be asked for instead of the recommendation."""
        return read(ChangesOfBest, self._client.call("GET", f"{_place(self.id)}/changes"))

    def previews(self, name: str) -> Previews:
        """What each other value of an attribute of the recommendation would come to; `adjust` with `keep` takes one."""
        return read(Previews, self._client.call("GET", f"{_place(self.id)}/previews?{urlencode({'name': name})}"))

    def ask_on(self) -> State:
        """Ask more although no more needs to be asked."""
        return self._do("POST", "/ask-on", {})

    def preview(self, number: int, answer: Answer | Mapping[str, Any] | int) -> AnswerPreview:
        """What would be recommended if question `number`, counted from 0, were answered so; nothing changes."""
        body = {"version": self.state.version, "answer": _said(answer)}
        place = f"{_place(self.id)}/answers/{number + 1}/preview"
        return read(AnswerPreview, self._client.call("POST", place, body))

    def share(self) -> str:
        """The token of a link to the result as it is now: the page shows it at /r/ and the token."""
        body = {"version": self.state.version}
        return read(Shared, self._client.call("POST", f"{_place(self.id)}/share", body)).token

    def skip(self) -> State:
        """Pass over the question."""
        return self._answer({"skip": True})

    def change(self, number: int, answer: Answer | Mapping[str, Any] | int) -> State:
        """Answer question `number`, counted from 0, differently; `{"equal": True}` and the like, or the option."""
        return self._do("PUT", f"/answers/{number + 1}", {"answer": _said(answer)})

    def undo(self) -> State:
        """Take back the last answer, must-have or ending."""
        return self._do("POST", "/undo", {})

    def require(self, rule: str) -> State:
        """Add a must-have; an impossible one raises ClientError, whose `conflict` is a smallest one."""
        return self._do("POST", "/must-haves", {"rule": rule})

    def drop(self, rule: str) -> State:
        """Take a must-have back."""
        query = urlencode({"rule": rule, "version": self.state.version})
        self.state = read(State, self._client.call("DELETE", f"{_place(self.id)}/must-haves?{query}"))
        return self.state

    def finish(self, configuration: Mapping[str, Value] | None = None) -> State:
        """Take a configuration; the recommendation unless another one is named."""
        return self._do("POST", "/finish", {} if configuration is None else {"configuration": dict(configuration)})

    def refresh(self) -> State:
        """Look again: somebody else may have answered in another window."""
        self.state = read(State, self._client.call("GET", _place(self.id)))
        return self.state

    def catalogue(self) -> Catalogue:
        """All about the catalogue as it was when the interview began."""
        return read(Catalogue, self._client.call("GET", f"{_place(self.id)}/catalogue"))

    def result(self) -> Result:
        """The recommendation and its reasons."""
        return read(Result, self._client.call("GET", f"{_place(self.id)}/recommendation"))

    def export(self) -> dict[str, Any]:
        """The whole interview as one document, which `setmargin.Interview.from_document` continues."""
        document: dict[str, Any] = self._client.call("GET", f"{_place(self.id)}/export")
        return document

    def _answer(self, answer: Mapping[str, Any]) -> State:
        """The answer, and what it is the answer to; older servers do not tell."""
        question = self.state.question
        shown = {"question": question.id} if question is not None and question.id else {}
        return self._do("POST", "/answers", {"answer": dict(answer), **shown})

    def _do(self, method: str, path: str, body: Mapping[str, Any]) -> State:
        reply = self._client.call(method, _place(self.id) + path, {"version": self.state.version, **body})
        self.state = read(State, reply)
        return self.state


def _parts(url: str) -> tuple[bool, str, int | None, str]:
    """Whether by HTTPS, to which host and port, below which path."""
    with suppress(ValueError):
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.scheme == "https", parts.hostname, parts.port, parts.path.rstrip("/")
    raise OptionError(f"{url!r} is no address of a server; give one such as http://127.0.0.1:8000")


def _said(answer: Answer | Mapping[str, Any] | int, because: str | Sequence[str] = ()) -> dict[str, Any]:
    """The answer as it is sent; reasons that it has already stay where none are given."""
    said = {"choice": answer} if isinstance(answer, int) else answer
    said = dict(said) if isinstance(said, Mapping) else plain(said)
    reasons = [because] if isinstance(because, str) else list(because)
    return {**said, "because": reasons} if reasons else said


def _place(id: str) -> str:
    return f"/interviews/{quote(id, safe='')}"


# Requests and replies


def _payload(body: object) -> tuple[bytes | None, dict[str, str]]:
    headers = {"Accept": "application/json"}
    if body is None:
        return None, headers
    if isinstance(body, str):
        return body.encode(), headers | {"Content-Type": "application/yaml"}
    return json.dumps(body).encode(), headers | {"Content-Type": "application/json"}


def _read(response: HTTPResponse) -> Any:
    """The reply as plain data; None where it is no JSON, as from a proxy in between."""
    content = response.read()
    try:
        return json.loads(content) if content else None
    except ValueError:
        return None


def _wait(response: HTTPResponse) -> float | None:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdigit() else None


def _refusal(status: int, reply: object) -> ClientError:
    if not isinstance(reply, Mapping) or "detail" not in reply:
        return ClientError(f"the server answered with status {status}", status=status, kind="unknown")
    return ClientError(
        reply["detail"],
        status=status,
        kind=str(reply.get("type", "")).rsplit("/", 1)[-1],
        cure=reply.get("cure", ""),
        conflict=reply.get("conflict") or (),
        current=reply.get("current"),
    )
