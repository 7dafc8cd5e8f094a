"""What the server writes by a declaration, the client reads by the same one."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from setmargin import documents
from setmargin.documents import AnswersGiven, Catalogues, Chosen, CurrentQuestion, GaveUp, Option, Result, State, read
from tests.compatibility.reading import as_then

REPLIES = json.loads((Path(__file__).parent / "compatibility" / "replies.json").read_text(encoding="utf-8"))
SENT = [
    (kind, REPLIES[name][part])
    for name in ("bayes", "undone and changed", "ranked", "setmargin", "finished")
    for kind, part in (
        (State, "state"),
        (CurrentQuestion, "question"),
        (AnswersGiven, "answers"),
        (Result, "recommendation"),
    )
]


@pytest.mark.parametrize(("kind", "document"), SENT)
def test_what_is_read_is_written_as_it_was(kind: type[Any], document: dict[str, Any]) -> None:
    value = read(kind, document)
    assert as_then(json.loads(TypeAdapter(kind).dump_json(value, by_alias=True)), document) == document
    assert TypeAdapter(kind).validate_python(document) == value


def test_every_part_is_a_value_of_its_own_kind() -> None:
    result = read(Result, REPLIES["bayes"]["recommendation"])
    assert isinstance(result.best, Option)
    assert isinstance(result.answers[0].answer, Chosen)
    assert any(isinstance(reason, GaveUp) for reason in result.reasons)


def test_what_a_newer_server_adds_is_passed_over() -> None:
    card = {"name": "tea", "title": "Tea", "description": "", "attributes": 2, "quantities": 1, "configurations": None}
    newer = {"catalogues": [card | {"picture": "tea.svg"}], "next": None}
    assert read(Catalogues, newer) == read(Catalogues, {"catalogues": [card]})
    unknown: Any = {"kind": "fashion", "year": 2030}
    assert read(Result, REPLIES["bayes"]["recommendation"] | {"reasons": [unknown]}).reasons == (unknown,)


def test_every_document_is_frozen_and_says_what_it_is() -> None:
    kinds = [kind for kind in vars(documents).values() if isinstance(kind, type) and is_dataclass(kind)]
    assert len(kinds) > 20
    for kind in kinds:
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert not (kind.__doc__ or f"{kind.__name__}(").startswith(f"{kind.__name__}("), kind
        assert fields(kind)
