"""The published schema of catalogues, and what to do about data that does not fit it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator

from setmargin.errors import SpaceError
from setmargin.space.words import Path, short, suggest

# A jsonschema.ValidationError, whose fields are declared as possibly unset.
Mistake = Any

ERRORS_COMPARED = 100
KINDS = {"object": "a mapping", "array": "a list", "string": "text", "number": "a number"}


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema of catalogue files."""
    text = resources.files("setmargin.space").joinpath("catalogue.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def check_shape(document: object) -> None:
    """Raise a SpaceError for data that is not shaped like a catalogue."""
    if document is None:
        raise SpaceError("the file is empty; start it with catalogue: and attributes:")
    errors: Iterable[Mistake] = islice(_validator().iter_errors(_without_rows(document)), ERRORS_COMPARED)
    # The deepest mistake is the most precise one.
    worst: Mistake = max(errors, key=lambda error: len(_at(error)), default=None)
    if worst is not None:
        raise SpaceError(f"{_place(worst)}: {_cure(worst)}", at=_at(worst))


def _without_rows(document: object) -> object:
    """Without the rows of tables, which may be many: binding the rule looks at each of them anyway."""
    if not isinstance(document, Mapping) or not isinstance(document.get("rules"), list):
        return document
    return {**document, "rules": [_without_own_rows(rule) for rule in document["rules"]]}


def _without_own_rows(rule: object) -> object:
    return {**rule, "rows": []} if isinstance(rule, Mapping) and isinstance(rule.get("rows"), list) else rule


def _place(error: Mistake) -> str:
    steps = (f"item {step + 1}" if isinstance(step, int) else str(step) for step in error.absolute_path)
    return " / ".join(steps) or "the file"


def _at(error: Mistake) -> Path:
    return (*error.absolute_path, *_unknown(error)[:1])


def _unknown(error: Mistake) -> list[str]:
    if error.validator != "additionalProperties":
        return []
    return [key for key in error.instance if key not in error.schema.get("properties", {})]


def _cure(error: Mistake) -> str:
    """What is wrong, and what is expected instead, in words for the owner of the catalogue."""
    wanted = error.schema.get("description", "")
    hint = f"; expected: {wanted[0].lower()}{wanted[1:].rstrip('.')}" if wanted else ""
    given = _given(error.instance)
    match error.validator:
        case "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            return f"{missing} is missing{hint}"
        case "additionalProperties":
            unknown, known = _unknown(error)[0], list(error.schema["properties"])
            return f"there is no {short(unknown)} here; {suggest(unknown, known, what='known are')}"
        case "type":
            return _wrong_type(error, given) + hint
        case "enum":
            return f"{given} is not one of {', '.join(map(str, error.validator_value))}"
        case "minItems" | "minProperties" | "minLength" if not error.instance:
            return f"nothing is listed here{hint}"
        case "maxLength":
            return f"{given} is longer than {error.validator_value} characters; shorten it"
    return f"{given} does not fit{hint}"


def _given(value: object) -> str:
    return "this mapping" if isinstance(value, Mapping) else "this list" if isinstance(value, list) else short(value)


def _wrong_type(error: Mistake, given: str) -> str:
    types = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
    wanted = " or ".join(KINDS[kind] for kind in types)
    if error.instance is None:
        return f"nothing stands here, where {wanted} should be"
    quotes = isinstance(error.instance, int | float) and "string" in types
    return f"{given} is not {wanted}{'; put it in quotes' if quotes else _as_number(error.instance, types)}"


def _as_number(text: object, types: list[str]) -> str:
    """`1e3` and `1_000` are words in a catalogue; where a number is due, say how to write it."""
    try:
        number = float(text) if isinstance(text, str) and "number" in types else math.nan
    except ValueError:
        return ""
    return f"; write {number:.12g}" if math.isfinite(number) and number < 1e12 else ""
