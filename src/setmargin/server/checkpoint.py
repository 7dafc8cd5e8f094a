"""What is kept of an interview's belief."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Checkpoint:
    """A belief as bytes, after so many events in force, for which the key stands."""

    events: int
    key: str
    body: bytes = field(repr=False)
