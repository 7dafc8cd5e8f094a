"""Hostile values and texts, and what spoils a document that would have been fine."""

from __future__ import annotations

import json
import math
import random
from typing import Any

TEXTS = (
    "",
    " ",
    "\0",
    "\n",
    "0",
    "-1",
    "null",
    "true",
    "NaN",
    "price",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE events; --",
    "%s%n${7*7}",
    "ä" * 40,
    "\u202eesrever",
    "e\u0301\u0301\u0301",
    "\U0001f6b2",
    "\ud800",
    "\ufeffprice",
    "x" * 70,
    "x" * 501,
    "x" * 5_000,
    "\u0130ﬁ",
)
NUMBERS = (
    *(0, -0.0, -1, 1, 2, 7, 999, 1000, 1001, 0.5, 1.0, 1e-300, 1e308, -1e308),
    *(2**31, 2**53 - 1, 2**53, 2**63, 2**64, 10**30, 10**400, -(2**63)),
    *(math.nan, math.inf, -math.inf),
)
OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": None}, {"version": {"version": 0}})
KEYS = ("version", "answer", "question", "choice", "ranking", "equal", "change", "because", "__proto__", "", "id", "\0")
BYTES = (
    b"\0",
    b"\xff",
    b"\xc3",
    b"\r\n",
    b'"',
    b"{",
    b"}",
    b"[" * 50,
    b"\\u",
    b"\xed\xa0\x80",
    b"1e999",
    b"\xef\xbb\xbf",
)


def hostile_text(draw: random.Random) -> str:
    """Some text that nobody expects."""
    text = draw.choice(TEXTS)
    return text if draw.random() < 0.7 else text + draw.choice(TEXTS)


def hostile_value(draw: random.Random) -> Any:
    """Some value that nobody expects."""
    kind = draw.randrange(4)
    if kind == 0:
        return hostile_text(draw)
    if kind == 1:
        return draw.choice(NUMBERS)
    if kind == 2:
        return draw.choice(OTHERS)
    return nested(draw, draw.choice([3, 30, 300]))


def nested(draw: random.Random, depth: int) -> Any:
    """Lists and mappings in each other."""
    found: Any = draw.choice(NUMBERS)
    for _ in range(depth):
        found = [found] if draw.random() < 0.5 else {draw.choice(KEYS): found}
    return found


def spoilt(draw: random.Random, document: Any) -> Any:
    """The document with one thing in it changed, left out, added or there twice; it is not changed itself."""
    if isinstance(document, dict) and document and draw.random() < 0.85:
        key = draw.choice(list(document))
        kind = draw.random()
        if kind < 0.6:
            return {**document, key: spoilt(draw, document[key])}
        if kind < 0.75:
            return {name: value for name, value in document.items() if name != key}
        if kind < 0.9:
            return {**document, draw.choice(KEYS): hostile_value(draw)}
        return {(draw.choice(KEYS) if name == key else name): value for name, value in document.items()}
    if isinstance(document, list) and document and draw.random() < 0.85:
        place = draw.randrange(len(document))
        kind = draw.random()
        if kind < 0.6:
            return [*document[:place], spoilt(draw, document[place]), *document[place + 1 :]]
        if kind < 0.75:
            return document[:place] + document[place + 1 :]
        return document * draw.choice([2, 3, 60])
    if isinstance(document, int) and draw.random() < 0.5:
        return document + draw.choice([-1, 1, 0.0, 0.5, 2**40])
    if isinstance(document, str) and draw.random() < 0.5:
        return spoilt_text(draw, document)
    return hostile_value(draw)


def spoilt_text(draw: random.Random, text: str) -> str:
    """The text with something in it cut, repeated, swapped or put in."""
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        start = draw.randint(0, len(text))
        end = min(len(text), start + draw.choice([0, 1, 1, 3, 20]))
        kind = draw.randrange(4)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:start] + draw.choice(TEXTS)[:40] + text[end:]
        elif kind == 2:
            text = text[:start] + text[start:end] * draw.choice([2, 3, 30]) + text[end:]
        else:
            text = text[:start] + text[start:end][::-1] + text[end:]
    return text


def spoilt_bytes(draw: random.Random, content: bytes) -> bytes:
    """The content cut short, in another encoding, nested, there twice, or with bytes in it that do not belong there."""
    kind = draw.randrange(7)
    place = draw.randint(0, len(content))
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + draw.choice(BYTES) + content[place:]
    if kind == 2:
        return content.decode("utf-8", "replace").encode(draw.choice(["utf-16", "utf-32", "cp500"]), "replace")
    if kind == 3:
        depth = draw.choice([20, 2_000, 30_000])
        return b"[" * depth + content + (b"]" * depth if draw.random() < 0.5 else b"")
    if kind == 4:
        return content + content
    if kind == 5:
        return content.replace(b":", b": ", 1) + b" " * draw.choice([1, 70_000])
    return bytes(byte ^ (draw.random() < 0.02) << draw.randrange(8) for byte in content)


def encoded(document: Any) -> bytes:
    """As JSON, with NaN and infinities as programs write them, and every other character escaped."""
    return json.dumps(document).encode("ascii")
