"""What every part of the server may say: that it works, what it forgot, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from setmargin.documents.base import PROBLEM_TYPES, Document, about


@dataclass(frozen=True)
class Alive(Document):
    """The process answers."""

    status: Literal["ok"] = "ok"


@dataclass(frozen=True)
class Forgotten(Document):
    """What was deleted."""

    interviews: int = field(metadata=about("how many interviews", example=3))


@dataclass(frozen=True)
class Problem(Document):
    """A problem document: what went wrong, and what to do about it. Some kinds carry more."""

    __pydantic_config__ = {"extra": "allow"}  # noqa: RUF012

    type: str = field(metadata=about("which kind, by its last segment", example=f"{PROBLEM_TYPES}conflict"))
    title: str = field(metadata=about("the kind in words", example="Somebody else was quicker"))
    status: int = field(metadata=about("the HTTP status again", example=409))
    detail: str = field(metadata=about("what was wrong this time", example="the interview is at version 8, not 7"))
    cure: str = field(metadata=about("what to do about it", example="load the interview again"))
    current: int | None = field(default=None, metadata=about("conflict: the version that the interview has"))
    conflict: list[str] | None = field(
        default=None, metadata=about("impossible: a smallest set of rules that exclude each other")
    )
    errors: list[dict[str, Any]] | None = field(
        default=None, metadata=about("validation: each mistake, with its place")
    )
