"""The server as a part of a site: below a path, and asked by the scripts of other sites that may."""

from __future__ import annotations

from typing import Final

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from setmargin.server.site import Site

OF_THE_OWNER: Final = ("/owner", "/api/v1/owner")
"""What no other site may show or ask, whatever is allowed."""
OF_THE_MACHINE: Final = frozenset({"/health", "/ready", "/metrics"})
"""What whoever watches the server asks for by the same address wherever the page is."""
NOWHERE: Final = "/nowhere/"
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE")
SENT: Final = ("Accept-Language", "Content-Type", "Idempotency-Key", "X-Request-ID")
"""Headers that scripts of other sites may send; the owner's token is for no site's visitors."""
SHOWN: Final = ("Location", "Retry-After", "X-Request-ID")
KNOWN_SECONDS: Final = 600


def is_of_owner(path: str) -> bool:
    """Whether this is the owner's alone."""
    return any(path == part or path.startswith(f"{part}/") for part in OF_THE_OWNER)


class BasePath:
    """Takes the path away below which everything is; what is elsewhere is nowhere. Whatever is inside knows of none."""

    def __init__(self, app: ASGIApp, *, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http" and scope["path"] not in OF_THE_MACHINE:
            scope = {**scope, "path": self._inside(scope["path"])}
            scope.pop("raw_path", None)
        await self._app(scope, receive, send)

    def _inside(self, path: str) -> str:
        if path == self._path:
            return "/"
        return path.removeprefix(self._path) if path.startswith(f"{self._path}/") else NOWHERE


class OtherSites:
    """Lets the scripts of allowed origins ask the API (CORS), but for what is the owner's."""

    def __init__(self, app: ASGIApp, *, site: Site) -> None:
        self._app = app
        self._allowing = CORSMiddleware(
            app,
            allow_origin_regex=site.pattern(),
            allow_methods=METHODS,
            allow_headers=SENT,
            expose_headers=SHOWN,
            max_age=KNOWN_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer what a browser asks before it sends one."""
        is_open = scope["type"] == "http" and not is_of_owner(scope["path"])
        await (self._allowing if is_open else self._app)(scope, receive, send)
