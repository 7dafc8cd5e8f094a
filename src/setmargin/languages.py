"""Languages by their codes (`de`, `pt-BR`): which of those there are suits somebody."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

CODE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
MOST_WANTED: Final = 20
"""More than anybody speaks; the header may come from anywhere."""
_PART: Final = re.compile(r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?")


def wanted_languages(header: str) -> tuple[str, ...]:
    """The codes in an `Accept-Language` header, the most wanted first; what is badly written is passed over.

    >>> wanted_languages("fr;q=0.5, de-AT, en;q=0.8, *;q=0.1")
    ('de-AT', 'en', 'fr')
    """
    parts = [_PART.fullmatch(part) for part in header.split(",")[:MOST_WANTED]]
    weighted = [(float(part[2] or 1), part[1]) for part in parts if part]
    return tuple(code for weight, code in sorted(weighted, key=lambda each: -each[0]) if weight > 0)


def choose_language(wanted: Sequence[str], offered: Sequence[str]) -> str:
    """The first language that is wanted and offered, whatever its region; else the first one offered.

    >>> choose_language(["de-AT", "fr"], ["en", "de"])
    'de'
    >>> choose_language(["ja"], ["en", "de"])
    'en'
    """
    for code in wanted:
        near = [each for each in offered if each.lower() == code.lower()]
        near += [each for each in offered if _language(each) == _language(code)]
        if near:
            return near[0]
    return offered[0]


def _language(code: str) -> str:
    return code.partition("-")[0].lower()
