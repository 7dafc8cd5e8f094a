"""One line for each request: which route, never which interview. JSON for machines, or text for people."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, Literal

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setmargin.server.api.problems import METHODS, ProblemError, response

LOGGER: Final = logging.getLogger("setmargin.server")
HEADER: Final = "X-Request-ID"
STATIC: Final = "/static/"
_SENSIBLE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = {"/health", "/ready", "/metrics"}

Form = Literal["json", "text"]
Watch = Callable[[str, str, int, float], None]


class JsonLines(logging.Formatter):
    """One JSON document a line."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"time": when, "level": record.levelname.lower(), "message": record.getMessage()}
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class TextLines(logging.Formatter):
    """The same for people."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        line = f"{when} {record.levelname.lower():7} {record.getMessage()} {fields}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def log_to_stderr(form: Form, *, level: int = logging.INFO) -> None:
    """Send this server's lines, and warnings of what it is built on, to stderr in one form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    for name, least in (("setmargin.server", level), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(level, least))


def route_of(scope: Scope) -> str:
    """The template of the route, so that ids stay out of logs and metrics."""
    if scope["path"].startswith(STATIC):
        return f"{STATIC}{{file}}"
    return getattr(scope.get("route"), "path", None) or "unmatched"


def request_id(scope: Scope) -> str:
    """The one that a proxy gave, if it is sensible, or a new one."""
    given = Headers(scope=scope).get(HEADER, "")
    return given if _SENSIBLE.fullmatch(given) else secrets.token_hex(8)


class RequestLog:
    """Logs and counts every request; a mistake of ours becomes a problem document without details, and a traceback."""

    def __init__(self, app: ASGIApp, *, watch: Watch) -> None:
        self._app, self._watch = app, watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and say how it went."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        status, begun, named = 0, time.perf_counter(), request_id(scope)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[HEADER] = named
                headers["Server-Timing"] = f"app;dur={_milliseconds(begun)}"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:
            LOGGER.exception("mistake", extra={"fields": {"request": named, "route": route_of(scope)}})
            if not status:
                problem = ProblemError("internal", f"the log tells more about request {named}")
                await response(problem)(scope, receive, sending)
        finally:
            self._said(scope, named, status, begun)

    def _said(self, scope: Scope, named: str, status: int, begun: float) -> None:
        method, route = scope["method"] if scope["method"] in METHODS else "other", route_of(scope)
        self._watch(method, route, status, time.perf_counter() - begun)
        level = logging.DEBUG if route in _QUIET or route.startswith(STATIC) else logging.INFO
        fields = {"request": named, "method": method, "route": route, "status": status, "ms": _milliseconds(begun)}
        LOGGER.log(level, "request", extra={"fields": fields})


def _milliseconds(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)
