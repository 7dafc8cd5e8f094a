"""The names under which a server is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from setmargin.server.api.problems import ProblemError, response

HERE: Final = ("127.0.0.1", "[::1]", "localhost")
"""Always known: whoever runs the server asks for its health and its metrics there."""


def host_name(header: str) -> str:
    """The name in a `Host` header, without its port."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].rstrip(".")


class KnownHosts:
    """Refuses requests for other names, such as those of a page that had its own name point here."""

    def __init__(self, app: ASGIApp, *, names: Sequence[str]) -> None:
        known = [host_name(name) for name in (*HERE, *names)]
        self._app = app
        self._names = frozenset(name for name in known if not name.startswith("*."))
        self._endings = tuple(name[1:] for name in known if name.startswith("*."))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or self._knows(scope):
            return await self._app(scope, receive, send)
        problem = ProblemError("misdirected", "this server is not known by the name in the header Host")
        return await response(problem)(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        given = [host_name(value.decode("latin-1")) for name, value in scope["headers"] if name == b"host"]
        return len(given) == 1 and (given[0] in self._names or given[0].endswith(self._endings))
