"""Headers that keep a browser from doing more than the page needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setmargin.server.api.sites import is_of_owner

POLICY: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
)
ALWAYS: Final = {
    "Content-Security-Policy": "; ".join([*POLICY, "frame-ancestors 'none'"]),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The address of an interview is the key to it, and must not travel to other sites.
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UNKEPT: Final = "no-store"
PLAIN_HOST: Final = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?")
MOST_PICTURE_ORIGINS: Final = 20


class SecureHeaders:
    """Adds them to every reply; what the page does not say may be kept is not kept anywhere."""

    def __init__(self, app: ASGIApp, *, origins: Sequence[str] = (), pictures: Sequence[str] = ()) -> None:
        """The origins are those of sites that may show the page and its pictures in their own pages.

        From those of `pictures` the page may load some: where the items of product lists have theirs.
        """
        self._app, self._open = app, _with_pictures(_open_to(origins), pictures)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the reply back with its headers."""
        always = ALWAYS if scope["type"] != "http" or is_of_owner(scope["path"]) else self._open

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in always.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", UNKEPT)
            await send(message)

        await self._app(scope, receive, sending)


def picture_origins(catalogues: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Where the pictures of product lists are, of catalogues by their documents."""
    found: dict[str, None] = {}
    for items in (document["items"] for document in catalogues if "image" in document.get("items", {})):
        place = items["columns"].index(items["image"])
        for row in items["rows"]:
            address = urlsplit(str(row[place]))
            if address.netloc and PLAIN_HOST.fullmatch(address.netloc):
                found[f"{address.scheme}://{address.netloc}"] = None
    return tuple(found)[:MOST_PICTURE_ORIGINS]


def _with_pictures(headers: Mapping[str, str], pictures: Sequence[str]) -> Mapping[str, str]:
    policy, own = headers["Content-Security-Policy"], "img-src 'self' data:"
    return {**headers, "Content-Security-Policy": policy.replace(own, " ".join([own, *pictures]))}


def _open_to(origins: Sequence[str]) -> Mapping[str, str]:
    """The headers of what other sites may show; X-Frame-Options could not name them."""
    if not origins:
        return ALWAYS
    policy = "; ".join([*POLICY, f"frame-ancestors {' '.join(origins)}"])
    others = {name: value for name, value in ALWAYS.items() if name != "X-Frame-Options"}
    return others | {"Content-Security-Policy": policy, "Cross-Origin-Resource-Policy": "cross-origin"}
