"""A client of the API, in the standard library alone: the same few verbs as an interview in Python.

    with Client("http://127.0.0.1:8000") as client:
        interview = client.start("bicycle", must_haves=["price <= 1500"])
        while (question := interview.ask()) is not None:
            interview.tell(0)               # the first option is the better one
        print(interview.result().best.values)

A request that got no reply is sent again under the same key, so that nothing happens twice. One thread, one client.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

from setmargin.errors import OptionError, SetmarginError

Value = str | int | float
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


@dataclass(frozen=True)
class Option:
    """A configuration, and each of its quantities in its own unit."""

    values: Mapping[str, Value]
    amounts: Mapping[str, float]


@dataclass(frozen=True)
class Question:
    """Options to compare; `number` counts from 1."""

    number: int
    options: tuple[Option, ...]
    differing: tuple[str, ...]
    alike: tuple[str, ...]


@dataclass(frozen=True)
class Stakes:
    """How good the recommendation probably is."""

    expected_loss: float
    probability_within: float
    questions_left: int


@dataclass(frozen=True)
class State:
    """An interview as it is now."""

    id: str
    version: int
    catalogue: str
    title: str
    answered: int
    must_haves: tuple[str, ...]
    question: Question | None
    best: Option
    stakes: Stakes | None
    done: bool
    finished: Option | None
    undo_of: str | None


@dataclass(frozen=True)
class AnswerGiven:
    """A question that was answered; `surprising`: it goes against what all other answers say."""

    number: int
    options: tuple[Option, ...]
    answer: Mapping[str, Any]
    surprising: bool


@dataclass(frozen=True)
class Importance:
    """How much one attribute or quantity matters: its share of all that is at stake, with a 90% interval."""

    name: str
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Alternative:
    """Another good configuration; gains and losses are shares of the best utility."""

    option: Option
    loss: float
    differing: tuple[str, ...]
    gains: Mapping[str, float]
    losses: Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """The recommendation and its reasons."""

    best: Option
    stakes: Stakes | None
    importance: tuple[Importance, ...]
    reasons: tuple[Mapping[str, Any], ...]
    alternatives: tuple[Alternative, ...]
    would_change: Mapping[int, Option]
    """What would be recommended without the answer of that number."""
    answers: tuple[AnswerGiven, ...]


@dataclass(frozen=True)
class Catalogue:
    """A catalogue in short; `configurations` is rounded where there are very many, and None where nobody knows."""

    name: str
    title: str
    description: str
    attributes: int
    quantities: int
    configurations: float | None


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

    def catalogues(self) -> tuple[Catalogue, ...]:
        """What interviews can be about."""
        return tuple(map(_catalogue, self.call("GET", "/catalogues")["catalogues"]))

    def catalogue(self, name: str) -> dict[str, Any]:
        """All about one catalogue, as plain data: its attributes, quantities and rules."""
        document: dict[str, Any] = self.call("GET", f"/catalogues/{quote(name, safe='')}")
        return document

    def start(
        self,
        catalogue: str,
        *,
        strategy: str | None = None,
        set_size: int | None = None,
        differences: int | None = None,
        until: float | None = None,
        seed: int | None = None,
        must_haves: Sequence[str] = (),
    ) -> RemoteInterview:
        """A new interview."""
        given = {"strategy": strategy, "set_size": set_size, "differences": differences, "until": until, "seed": seed}
        options = {name: value for name, value in given.items() if value is not None}
        body = {"catalogue": catalogue, "must_haves": list(must_haves), **options}
        return RemoteInterview(self, _state(self.call("POST", "/interviews", body)))

    def resume(self, id: str) -> RemoteInterview:
        """An interview that was begun before, by its id."""
        return RemoteInterview(self, _state(self.call("GET", _place(id))))

    def put_catalogue(self, name: str, text: str) -> dict[str, Any]:
        """Offer a catalogue (its YAML text); needs the owner's token, and a server that allows uploads."""
        document: dict[str, Any] = self.call("PUT", f"/catalogues/{quote(name, safe='')}", text)
        return document

    def summary(self) -> dict[str, Any]:
        """What people did, by catalogue, as plain data; needs the owner's token."""
        document: dict[str, Any] = self.call("GET", "/owner/summary")
        return document

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

    def tell(self, choice: int) -> State:
        """The option chosen, counted from 0."""
        return self._answer({"choice": choice})

    def rank(self, order: Sequence[int]) -> State:
        """All options, best first."""
        return self._answer({"ranking": list(order)})

    def equal(self) -> State:
        """All options are equally good."""
        return self._answer({"equal": True})

    def skip(self) -> State:
        """Pass over the question."""
        return self._answer({"skip": True})

    def change(self, number: int, answer: Mapping[str, Any] | int) -> State:
        """Answer question `number`, counted from 1, differently; `{"equal": True}` and the like, or the option."""
        said = {"choice": answer} if isinstance(answer, int) else dict(answer)
        return self._do("PUT", f"/answers/{number}", {"answer": said})

    def undo(self) -> State:
        """Take back the last answer, must-have or ending."""
        return self._do("POST", "/undo", {})

    def require(self, rule: str) -> State:
        """Add a must-have; an impossible one raises ClientError, whose `conflict` is a smallest one."""
        return self._do("POST", "/must-haves", {"rule": rule})

    def drop(self, rule: str) -> State:
        """Take a must-have back."""
        query = urlencode({"rule": rule, "version": self.state.version})
        self.state = _state(self._client.call("DELETE", f"{_place(self.id)}/must-haves?{query}"))
        return self.state

    def finish(self, configuration: Mapping[str, Value] | None = None) -> State:
        """Take a configuration; the recommendation unless another one is named."""
        return self._do("POST", "/finish", {} if configuration is None else {"configuration": dict(configuration)})

    def refresh(self) -> State:
        """Look again: somebody else may have answered in another window."""
        self.state = _state(self._client.call("GET", _place(self.id)))
        return self.state

    def catalogue(self) -> dict[str, Any]:
        """All about the catalogue as it was when the interview began, as plain data."""
        document: dict[str, Any] = self._client.call("GET", f"{_place(self.id)}/catalogue")
        return document

    def result(self) -> Result:
        """The recommendation and its reasons."""
        return _result(self._client.call("GET", f"{_place(self.id)}/recommendation"))

    def export(self) -> dict[str, Any]:
        """The whole interview as one document, which `setmargin.Interview.from_document` continues."""
        document: dict[str, Any] = self._client.call("GET", f"{_place(self.id)}/export")
        return document

    def _answer(self, answer: Mapping[str, Any]) -> State:
        return self._do("POST", "/answers", {"answer": dict(answer)})

    def _do(self, method: str, path: str, body: Mapping[str, Any]) -> State:
        reply = self._client.call(method, _place(self.id) + path, {"version": self.state.version, **body})
        self.state = _state(reply)
        return self.state


def _parts(url: str) -> tuple[bool, str, int | None, str]:
    """Whether by HTTPS, to which host and port, below which path."""
    with suppress(ValueError):
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.scheme == "https", parts.hostname, parts.port, parts.path.rstrip("/")
    raise OptionError(f"{url!r} is no address of a server; give one such as http://127.0.0.1:8000")


def _place(id: str) -> str:
    return f"/interviews/{quote(id, safe='')}"


# From documents to values; what a newer server adds is passed over


def _catalogue(document: Mapping[str, Any]) -> Catalogue:
    return Catalogue(**{each.name: document[each.name] for each in fields(Catalogue)})


def _option(document: Mapping[str, Any]) -> Option:
    return Option(document["values"], document["amounts"])


def _maybe(document: Mapping[str, Any] | None) -> Option | None:
    return None if document is None else _option(document)


def _options(documents: Sequence[Mapping[str, Any]]) -> tuple[Option, ...]:
    return tuple(map(_option, documents))


def _question(document: Mapping[str, Any] | None) -> Question | None:
    if document is None:
        return None
    names = tuple(document["differing"]), tuple(document["alike"])
    return Question(document["number"], _options(document["options"]), *names)


def _stakes(document: Mapping[str, Any] | None) -> Stakes | None:
    if document is None:
        return None
    return Stakes(document["expected_loss"], document["probability_within"], document["questions_left"])


def _state(document: Mapping[str, Any]) -> State:
    return State(
        id=document["id"],
        version=document["version"],
        catalogue=document["catalogue"]["name"],
        title=document["catalogue"]["title"],
        answered=document["answered"],
        must_haves=tuple(document["must_haves"]),
        question=_question(document["question"]),
        best=_option(document["best"]),
        stakes=_stakes(document["stakes"]),
        done=document["done"],
        finished=_maybe(document["finished"]),
        undo_of=document["undo_of"],
    )


def _result(document: Mapping[str, Any]) -> Result:
    return Result(
        best=_option(document["best"]),
        stakes=_stakes(document["stakes"]),
        importance=tuple(
            Importance(each["name"], each["share"], each["low"], each["high"]) for each in document["importance"]
        ),
        reasons=tuple(document["reasons"]),
        alternatives=tuple(map(_alternative, document["alternatives"])),
        would_change={each["answer"]: _option(each["instead"]) for each in document["would_change"]},
        answers=tuple(map(_given, document["answers"])),
    )


def _alternative(document: Mapping[str, Any]) -> Alternative:
    gains, losses = ({each["name"]: each["share"] for each in document[side]} for side in ("gains", "losses"))
    return Alternative(_option(document["option"]), document["loss"], tuple(document["differing"]), gains, losses)


def _given(document: Mapping[str, Any]) -> AnswerGiven:
    options = _options(document["options"])
    return AnswerGiven(document["number"], options, document["answer"], document["surprising"])


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
