"""An interview as plain data, and as one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from setmargin.answers import Question
from setmargin.errors import InterviewError
from setmargin.files import FileTaken, KnownFiles
from setmargin.interview.kept_catalogue import keep_catalogue
from setmargin.interview.log import Event, entry_document, read_question
from setmargin.space.space import Space
from setmargin.space.text import short
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import restore_strategy

FORMAT = 1


def interview_document(space: Space, strategy: Strategy[Any], *, seed: int, events: Sequence[Event]) -> dict[str, Any]:
    """An interview as plain data without its current question; nothing is replayed for it."""
    return {
        "setmargin": FORMAT,
        "catalogue": space.document(),
        "strategy": {"name": strategy.name, **strategy.options()},
        "seed": seed,
        "events": [entry_document(event) for event in events],
    }


PARTS = {"catalogue": dict, "strategy": dict, "seed": int, "events": list}


def check_parts(document: object) -> None:
    """Raises InterviewError where this is no saved interview, or a part of it is missing."""
    if not isinstance(document, Mapping) or "setmargin" not in document:
        raise InterviewError("this is no saved interview; save one with --save")
    if document["setmargin"] != FORMAT:
        raise InterviewError(f"format {short(document['setmargin'])} is not known; this version reads {FORMAT}")
    for part, kind in PARTS.items():
        if not isinstance(document.get(part), kind):
            raise InterviewError(f"the part {part} is missing or damaged: {short(document.get(part))}")


def strategy_in(document: Mapping[str, Any]) -> Strategy[Any]:
    """The strategy that it was begun with."""
    try:
        return restore_strategy(**document)
    except (AttributeError, TypeError, ValueError) as error:
        raise InterviewError(f"its strategy cannot be made: {error}") from None


def shown_in(document: Mapping[str, Any]) -> Question | None:
    """What was on the screen when the interview was saved."""
    shown = document["question"]
    return None if shown is None else read_question(shown)


def write_interview(
    target: Path, document: dict[str, Any], space: Space, *, files: KnownFiles, overwrite: bool
) -> None:
    """The whole interview in a file, a large catalogue beside it; raises InterviewError where it cannot be written."""
    try:
        kept = keep_catalogue(space, document, target.parent)
        files.write(target, json.dumps(kept, indent=1, ensure_ascii=False) + "\n", overwrite=overwrite)
    except FileTaken as error:
        raise InterviewError(f"cannot write {target}: {error.strerror}; {error.cure}") from None
    except (OSError, ValueError) as error:
        raise InterviewError(f"cannot write {target}: {_reason(error)}; choose another place") from None


def read_interview(path: Path) -> tuple[Mapping[str, Any], bytes]:
    """What a file holds, and its bytes; raises InterviewError where it cannot be read."""
    try:
        content = path.read_bytes()
        return json.loads(content.decode("utf-8")), content
    except OSError as error:
        raise InterviewError(f"cannot read {path}: {_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InterviewError(f"{path} is no JSON: {error}") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
