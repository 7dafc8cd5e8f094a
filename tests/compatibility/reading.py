"""Documents of today compared with those of earlier versions."""

from __future__ import annotations

from typing import Any


def as_then(now: Any, then: Any) -> Any:
    """The document without the keys that were added since."""
    match now, then:
        case dict(), dict():
            return {key: as_then(part, then[key]) for key, part in now.items() if key in then}
        case list(), list() if len(now) == len(then):
            return [as_then(*parts) for parts in zip(now, then, strict=True)]
    return now
