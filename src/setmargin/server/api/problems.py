"""What went wrong, as problem documents (RFC 9457): one table from errors to status, reason and cure."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from setmargin.documents import PROBLEM_TYPES, Problem
from setmargin.errors import (
    CatalogueError,
    InfeasibleSpace,
    NoSolutionInTime,
    OtherQuestion,
    SetmarginError,
    SolverError,
    TooTangled,
)
from setmargin.server.errors import (
    Conflict,
    DamagedInterview,
    KeyReused,
    NotOffered,
    RequestError,
    StillReplaying,
    StoreError,
    Unavailable,
    UnknownCatalogue,
    UnknownInterview,
    UnknownPrior,
    UnknownShared,
    WorkBusy,
    WorkCrowded,
    WorkError,
    WorkStarved,
    WorkTimeout,
    WorkTooLarge,
    WorkTooLong,
)

LOGGER: Final = logging.getLogger("setmargin.server")
MEDIA: Final = "application/problem+json"
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


class ProblemError(Exception):
    """Raised where a request is refused; the handlers make a document of it."""

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        cure: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.cure, self.more = kind, detail, cure, more
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """The HTTP status of its kind."""
        return KINDS[self.kind][0]


KINDS: Final[Mapping[str, tuple[int, str, str]]] = {
    "bad-request": (400, "This is no request that can be read", "send what the OpenAPI document describes"),
    "unauthorized": (401, "The owner's token is needed", "send the header Authorization: Bearer TOKEN"),
    "off": (403, "This is switched off", "ask whoever runs the server to switch it on"),
    "not-found": (404, "There is nothing here", "check the address"),
    "method": (405, "This cannot be done with it", "use one of the methods that the header Allow names"),
    "slow": (408, "The request took too long to arrive", "send it again"),
    "conflict": (409, "Somebody else was quicker", "load the interview again and repeat what you meant"),
    "other-question": (409, "This answers another question", "load the interview again and answer what is asked now"),
    "impossible": (409, "Nothing satisfies these together", "drop one of the rules in conflict"),
    "too-large": (413, "The request is too large", "send less"),
    "misdirected": (421, "This is not the server of that name", "use a name that the server is known by"),
    "key-reused": (422, "This key belongs to another request", "send a new Idempotency-Key for each request"),
    "validation": (422, "This does not make sense here", "correct what the detail names"),
    "too-many": (429, "Too many requests", "wait for as many seconds as the header Retry-After says"),
    "too-complex": (422, "This is too much to work out", "ask for something simpler: fewer or shorter rules"),
    "internal": (500, "The server made a mistake", "try again; tell whoever runs the server if it stays"),
    "damaged": (500, "The stored interview is damaged", "start a new one, and tell whoever runs the server"),
    "timeout": (503, "This took too long", "ask for something simpler; try again later if it is simple"),
    "replaying": (503, "The interview is being read", "send it again after as many seconds as Retry-After says"),
    "unavailable": (503, "The server cannot do this now", "try again in a moment"),
}
"""Every kind of problem: its status, its title, and the cure unless a better one is known."""

AGAIN: Final = {"Retry-After": "2"}
"""Only where that helps: what took too long once would do so again, and keep others waiting."""
_BY_STATUS = {400: "bad-request", 404: "not-found", 405: "method", 413: "too-large"}
_DETAILS = {404: "nothing has this address", 405: "this address does not know that method"}


def document(error: ProblemError) -> dict[str, Any]:
    """The problem as plain data."""
    status, title, cure = KINDS[error.kind]
    head = {"type": PROBLEM_TYPES + error.kind, "title": title, "status": status, "detail": error.detail}
    return {**head, "cure": error.cure or cure, **error.more}


def response(error: ProblemError) -> Response:
    """The problem as a reply."""
    return JSONResponse(document(error), error.status, error.headers, MEDIA)


def _conflict(error: Any) -> ProblemError:
    return ProblemError("conflict", f"the interview is at version {error.current}", current=error.current)


def _impossible(error: Any) -> ProblemError:
    return ProblemError("impossible", str(error), conflict=list(error.conflict))


def _damaged(error: Any) -> ProblemError:
    """Up to five mistakes in a catalogue, one a line; all but the first say their lines in words."""
    first, *more = error.message.split("\n")
    others = [re.fullmatch(r"line (\d+): (.*)", text) for text in more]
    errors = [{"line": error.line, "message": first}]
    errors += [{"line": int(each[1]), "message": each[2]} for each in others if each]
    return ProblemError("validation", first, cure="correct the file", errors=errors)


def _replaying(error: Any) -> ProblemError:
    return ProblemError("replaying", str(error), headers=AGAIN, done=error.done, total=error.total)


def _crowded(error: Any) -> ProblemError:
    return ProblemError("too-many", str(error), headers=AGAIN)


def _plainly(kind: str) -> Callable[[Any], ProblemError]:
    return lambda error: ProblemError(kind, str(error))


def _curable(kind: str) -> Callable[[Any], ProblemError]:
    return lambda error: ProblemError(kind, str(error), cure=error.cure)


def _ours(kind: str, detail: str) -> Callable[[Any], ProblemError]:
    """What people need not know; whoever runs the server reads it in the log."""

    def problem(error: Any) -> ProblemError:
        LOGGER.error("%s: %s", type(error).__name__, error)
        return ProblemError(kind, detail, headers=AGAIN if kind == "unavailable" else {})

    return problem


ERRORS: Final[Mapping[type[SetmarginError], Callable[[Any], ProblemError]]] = {
    UnknownInterview: _plainly("not-found"),
    UnknownPrior: _plainly("not-found"),
    UnknownShared: _plainly("not-found"),
    UnknownCatalogue: _plainly("not-found"),
    Conflict: _conflict,
    KeyReused: _plainly("key-reused"),
    DamagedInterview: _ours("damaged", "events of this interview are missing"),
    StoreError: _ours("unavailable", "the store does not answer"),
    WorkBusy: _ours("unavailable", "everybody is busy"),
    WorkCrowded: _crowded,
    WorkTooLarge: _plainly("too-complex"),
    WorkTooLong: _plainly("too-complex"),
    WorkStarved: _ours("unavailable", "everybody is busy"),
    TooTangled: _plainly("too-complex"),
    WorkTimeout: _ours("timeout", "there was not enough time to work this out"),
    WorkError: _ours("unavailable", "a process failed"),
    NoSolutionInTime: _ours("timeout", "there was not enough time to work this out"),
    SolverError: _ours("internal", "a solver failed"),
    NotOffered: _curable("not-found"),
    RequestError: _curable("validation"),
    StillReplaying: _replaying,
    Unavailable: _plainly("unavailable"),
    InfeasibleSpace: _impossible,
    CatalogueError: _damaged,
    OtherQuestion: _plainly("other-question"),
    SetmarginError: _plainly("validation"),
}
"""Every error of the library and the server: the nearest of its classes says what becomes of it."""


def problem_of(error: SetmarginError) -> ProblemError:
    """The error as a problem."""
    return next(ERRORS[kind](error) for kind in type(error).__mro__ if kind in ERRORS)


def install(app: FastAPI) -> None:
    """Let every refusal leave the app as a problem document."""
    app.add_exception_handler(ProblemError, _refused)
    app.add_exception_handler(SetmarginError, _mistaken)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def documented(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """The problems that an operation may answer with, for its OpenAPI description."""
    statuses: dict[int | str, list[str]] = {}
    for kind in ("validation", "too-large", "too-many", "bad-request", "slow", "unavailable", *kinds):
        statuses.setdefault(KINDS[kind][0], []).append(kind)
    return {
        status: {"model": Problem, "description": _described(names)}
        for status, names in sorted(statuses.items(), key=str)
    }


def _described(kinds: list[str]) -> str:
    return "; ".join(f"{kind}: {KINDS[kind][1]}" for kind in kinds)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return response(error)


async def _mistaken(_: Request, error: Exception) -> Response:
    assert isinstance(error, SetmarginError)
    return response(problem_of(error))


async def _invalid(_: Request, error: Exception) -> Response:
    """What was sent is not repeated: it may be long, secret, or no text at all."""
    assert isinstance(error, RequestValidationError)
    errors = [{"at": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors()]
    first = f"{errors[0]['at'].removeprefix('body.')}: {errors[0]['message']}" if errors else "the request does not fit"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return response(ProblemError("validation", first + more, errors=errors[:20]))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (allowed := _allowed(request)):
        headers["Allow"] = ", ".join(allowed)
    kind = _BY_STATUS.get(error.status_code, "bad-request" if error.status_code < 500 else "internal")
    detail = _DETAILS.get(error.status_code) or error.detail or HTTPStatus(error.status_code).phrase
    return response(ProblemError(kind, detail, headers=headers))


def _allowed(request: Request) -> list[str]:
    """The methods that some route takes at this address: each route alone knows only its own."""
    scope = {"type": "http", "path": request.url.path, "root_path": "", "headers": []}
    routes = [route for route in request.app.router.routes if not isinstance(route, Mount)]
    return [
        method
        for method in METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]
