"""How a person answers a question, by name."""

from __future__ import annotations

from enum import StrEnum


class Way(StrEnum):
    """What one question asks for."""

    CHOICE = "choice"
    PAIRS = "pairs"
    RANKING = "ranking"
    SORT = "sort"
