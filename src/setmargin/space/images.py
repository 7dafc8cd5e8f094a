"""Pictures of a catalogue: read from files beside it or from data addresses, never from another server."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Final
from urllib.parse import unquote_to_bytes

from setmargin.errors import SpaceError
from setmargin.space.text import short

LARGEST_IMAGE: Final = 100_000
MOST_IN_ALL: Final = 1_000_000
"""Bytes of all pictures of one catalogue: they travel with it, and are stored with each of its versions."""
TYPES: Final = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp", "svg": "image/svg+xml"}
_DATA: Final = re.compile(r"data:(image/[a-z+.-]+)(?:;charset=[\w-]+)?(;base64)?,(.*)", re.IGNORECASE | re.DOTALL)
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_SVG: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]", re.DOTALL)
_UNSAFE: Final = (
    (re.compile(rb"<\s*script", re.IGNORECASE), "a script"),
    (re.compile(rb"[\s\"'/]on\w+\s*=", re.IGNORECASE), "an event handler (on…=)"),
    (re.compile(rb"<\s*foreignObject", re.IGNORECASE), "a foreignObject"),
    (re.compile(rb"<!\s*(ENTITY|DOCTYPE)", re.IGNORECASE), "a DOCTYPE or ENTITY"),
    (re.compile(rb"href\s*=\s*[\"']?\s*(?!#|data:image/|[\"'\s])", re.IGNORECASE), "a link to something else"),
    (re.compile(rb"@import|url\(\s*[\"']?\s*(?!#|[\"'\s])", re.IGNORECASE), "a style that loads something"),
)
"""A browser runs none of it where a picture is shown as one; it may not even try where somebody opens its address."""


@dataclass(frozen=True)
class Image:
    """A picture: its kind, png, jpeg, webp or svg, and its bytes."""

    kind: str
    content: bytes

    @property
    def type(self) -> str:
        """Its media type, such as `image/svg+xml`."""
        return TYPES[self.kind]

    @cached_property
    def digest(self) -> str:
        """What its address on a server ends with: another picture has another one."""
        return hashlib.sha256(self.content).hexdigest()[:32]

    @cached_property
    def data(self) -> str:
        """The whole picture as a data address."""
        return f"data:{self.type};base64,{base64.b64encode(self.content).decode()}"


def read_image(written: str, folder: Traversable | None) -> Image:
    """The picture behind a data address, or in a file of the catalogue's folder.

    Raises:
        SpaceError: if there is none, or it is too large, of an unknown kind or unsafe.
    """
    if written[:5].lower() == "data:":
        return _checked(_decoded(written), "the image")
    shown = f"the image {short(written)}"
    if _ADDRESS.match(written):
        raise SpaceError(f"{shown} is on another server; put the file beside the catalogue and write its name")
    if folder is None:
        raise SpaceError(
            f"{shown} is a file, which only a catalogue that is loaded from its own file may name; "
            f"write a data address (data:image/svg+xml;base64,…), or save the catalogue beside the image"
        )
    parts = written.replace("\\", "/").split("/")
    if written.startswith(("/", "\\")) or ".." in parts:
        raise SpaceError(f"{shown} is not beside the catalogue; put it into the same folder or one below it")
    try:
        with folder.joinpath(*parts).open("rb") as file:
            content = file.read(LARGEST_IMAGE + 1)
    except (OSError, ValueError):
        raise SpaceError(
            f"{shown} is not there; put the file into the folder of the catalogue, or correct its name"
        ) from None
    return _checked(content, shown)


def _decoded(written: str) -> bytes:
    found = _DATA.fullmatch(written.strip())
    if not found:
        raise SpaceError(f"the image {short(written)} cannot be read; write data:image/png;base64,… or another kind")
    if not found[2]:
        return unquote_to_bytes(found[3])
    try:
        return base64.b64decode(re.sub(r"\s", "", found[3]), validate=True)
    except (binascii.Error, ValueError):
        raise SpaceError(f"the image {short(written)} is not written in base64; encode the file again") from None


def _checked(content: bytes, shown: str) -> Image:
    if len(content) > LARGEST_IMAGE:
        raise SpaceError(f"{shown} has more than {LARGEST_IMAGE:,} bytes; make it smaller, such as 400 pixels wide")
    kind = _kind_of(content)
    if kind is None:
        raise SpaceError(f"{shown} is neither PNG, JPEG, WebP nor SVG; save it as one of these")
    if kind == "svg":
        for pattern, what in _UNSAFE:
            if pattern.search(content):
                raise SpaceError(f"{shown} has {what}; remove it, for pictures are only shown")
    return Image(kind, content)


def _kind_of(content: bytes) -> str | None:
    """By what the file begins with, whatever its name says."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    return "svg" if _SVG.match(content.removeprefix(b"\xef\xbb\xbf")) else None
