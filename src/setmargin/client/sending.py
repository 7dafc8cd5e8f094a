"""How requests are sent and sent again, without saying by what: two drivers do that, plain and async."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from setmargin.errors import OptionError, SetmarginError

RETRIES: Final = 4
PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0
API: Final = "/api/v1"
_AGAIN: Final = {429, 503}
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


class ServerAddress(NamedTuple):
    """Where a server is."""

    is_secure: bool
    host: str
    port: int | None
    path: str

    @property
    def origin(self) -> str:
        """The address without the path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_secure else 'http'}://{host}{'' if self.port is None else f':{self.port}'}"


def server_address(url: str) -> ServerAddress:
    """The parts of an address; the page may be below a path."""
    with suppress(ValueError):
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme in ("http", "https") and parts.hostname:
            return ServerAddress(parts.scheme == "https", parts.hostname, parts.port, parts.path.rstrip("/"))
    raise OptionError(f"{url!r} is no address of a server; give one such as http://127.0.0.1:8000")


@dataclass(frozen=True)
class HttpRequest:
    """What is sent, as often as need be."""

    method: str
    path: str
    headers: Mapping[str, str]
    payload: bytes | None = None


def request_of(method: str, path: str, body: object, *, key: str | None, token: str | None) -> HttpRequest:
    """A request below the address of the API; a text goes as YAML, anything else as JSON."""
    headers = {"Accept": "application/json"}
    if method != "GET":
        headers["Idempotency-Key"] = key or secrets.token_urlsafe(18)
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if body is None:
        return HttpRequest(method, path, headers)
    if isinstance(body, str):
        return HttpRequest(method, path, headers | {"Content-Type": "application/yaml"}, body.encode())
    return HttpRequest(method, path, headers | {"Content-Type": "application/json"}, json.dumps(body).encode())


@dataclass(frozen=True)
class HttpReply:
    """What came back."""

    status: int
    content: bytes
    retry_after: str = ""

    @property
    def document(self) -> Any:
        """The reply as plain data; None where it is no JSON, as from a proxy in between."""
        try:
            return json.loads(self.content) if self.content else None
        except ValueError:
            return None


class Attempts:
    """The attempts at one request: after each, whether and when there is another one.

    attempts = Attempts(host, retries=4)
    while (pause := attempts.pause_after(send(request))) is not None:
        sleep(pause)
    return attempts.document
    """

    def __init__(self, host: str, *, retries: int) -> None:
        self._host, self._retries, self._made = host, retries, 0
        self.document: Any = None

    def pause_after(self, outcome: HttpReply | Exception) -> float | None:
        """How long to wait before the next one; None: there is a `document`. ClientError: there is no use."""
        pause, is_last = PAUSE * 2.0**self._made, self._made == self._retries
        self._made += 1
        if isinstance(outcome, Exception):
            if is_last:
                raise ClientError(f"no reply from {self._host}: {outcome}") from None
            return min(pause, LONGEST_PAUSE)
        self.document = outcome.document
        if 200 <= outcome.status < 300:
            return None
        if is_last or outcome.status not in _AGAIN or not outcome.retry_after.isdigit():
            raise _refusal(outcome.status, self.document)
        return min(float(outcome.retry_after), LONGEST_PAUSE)


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
