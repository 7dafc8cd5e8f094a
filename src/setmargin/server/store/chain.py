"""Checksums that hold the events of an interview together: each covers the event and the checksum of the one before.

What an interview is, its row but for what changes, is the beginning of its chain; the row also holds the checksum of
its last event. So an event that is missing, changed, there twice or in another place shows. It is no signature: whoever
can write to the database can write another chain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

INTERVIEW: Final = ("id", "digest", "strategy", "seed", "created")
EVENT: Final = ("body", "key", "request", "question", "created")
"""The columns that are covered. An event's number is not: its place in the chain says it."""


def beginning(interview: Mapping[str, Any]) -> str:
    """The checksum of an interview without events."""
    return _digest("", [interview[name] for name in INTERVIEW])


def following(before: str, event: Mapping[str, Any]) -> str:
    """The checksum of an event that follows the one of this checksum."""
    return _digest(before, [event[name] for name in EVENT])


def _digest(before: str, values: list[Any]) -> str:
    text = json.dumps([before, *map(_plain, values)])
    return sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Times are written alike whichever database they come from."""
    return value.astimezone(UTC).isoformat(timespec="microseconds") if isinstance(value, datetime) else value
