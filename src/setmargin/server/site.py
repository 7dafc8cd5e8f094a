"""Where the page is on the web: below which path, and which other sites may show it and ask its API."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from setmargin.errors import OptionError

ANY: Final = "*"
"""Every site there is."""
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_ORIGIN = re.compile(r"(https?)://((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")
_USUAL_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Site:
    """By default the page is at the top, and no other site may show it or ask its API."""

    base_path: str = ""
    """Such as `/configure`."""
    origins: Sequence[str] = ()
    """Such as `https://shop.example` or `https://*.shop.example`; `*`: any."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_path", _base_path(self.base_path))
        object.__setattr__(self, "origins", tuple(dict.fromkeys(map(_origin, self.origins))))

    def pattern(self) -> str:
        """A regular expression for the origins that are allowed."""
        written = (re.escape(each).replace(r"\*\.", r"([a-z0-9-]+\.)+") for each in self.origins)
        return ".*" if ANY in self.origins else "|".join(f"({each})" for each in written)


def _base_path(given: str) -> str:
    path = given.rstrip("/")
    if path and (not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/"))):
        raise OptionError(f"the base path is {given!r}; give one of plain words such as /configure")
    return path


def _origin(given: str) -> str:
    if given == ANY:
        return given
    found = _ORIGIN.fullmatch(given.lower())
    if found is None:
        raise OptionError(
            f"{given!r} is no origin of a site; give its scheme, name and port alone, such as https://shop.example, "
            f"https://*.shop.example or {ANY} for any"
        )
    scheme, host, port = found.groups()
    return f"{scheme}://{host}" + (f":{port}" if port and port != _USUAL_PORTS[scheme] else "")
