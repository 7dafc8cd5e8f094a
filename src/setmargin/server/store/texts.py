"""JSON as the store keeps it, and the digests and ids that it goes by."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from setmargin.server.store.errors import StoreError

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")


def to_text(value: object) -> str:
    """JSON in ASCII, in the order given: the order of attributes counts. What would not come back equal is refused."""
    try:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"only plain JSON can be stored: {error}") from None
    if json.loads(text) != value:
        raise StoreError("only plain JSON can be stored: keys have to be words, and lists no tuples")
    return text


def sorted_text(value: object) -> str:
    """JSON in which the order of keys does not count."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def from_text(text: str) -> Any:
    """The value behind the text."""
    return json.loads(text)


def digest_of(text: str) -> str:
    """SHA-256 in hexadecimal; any text will do."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_id(text: str) -> bool:
    """Whether an interview could have this id."""
    return ID.fullmatch(text) is not None


def is_digest(text: str) -> bool:
    """Whether a catalogue could have this digest."""
    return DIGEST.fullmatch(text) is not None
