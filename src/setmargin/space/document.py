"""A space as plain data, read with care: the published schema of catalogues, and what to do where data does not fit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import islice
from typing import TYPE_CHECKING, Any

from setmargin.errors import SpaceError
from setmargin.space.attributes import check_size
from setmargin.space.list_document import whole_list
from setmargin.space.list_files import ListFile
from setmargin.space.presentation_document import split_document
from setmargin.space.space import Space, space_of
from setmargin.space.text import Path, short, suggest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

# A jsonschema.ValidationError, whose fields are declared as possibly unset.
Mistake = Any

ERRORS_COMPARED = 100
ERRORS_TOLD = 5
PRIOR = "prior"
"""The only key of a file that says nothing about its space."""
KINDS = {"object": "a mapping", "array": "a list", "string": "text", "number": "a number", "integer": "a whole number"}


# What to write where something is missing, or is no mapping; the whole file has no name.
EXAMPLES = {
    "": "start it with catalogue: and attributes:, each on a line of its own",
    "catalogue": "write a line such as catalogue: lamps",
    "attributes": "write attributes: and below it, indented, a line for each, such as colour: [red, green]",
    "values": "write values: and a list, such as values: [red, green]",
    "quantities": "write quantities: and below it, indented, a name and its sum for each",
    "sum": "write sum: and below it, indented, what each value adds, such as colour: {red: 10, green: 12}",
    "accent": 'put the colour in quotes, such as accent: "#1d6b5a"',
    "light": 'put the colour in quotes, such as light: "#1d6b5a"',
    "dark": 'put the colour in quotes, such as dark: "#7fd0b7"',
    "answers": "write answers: and below it, indented, a name and a title for each, such as city: {title: In town}",
    "rows": "write rows: and below it, indented, a list for each combination, such as - [red, 10]",
}


class ShapeError(SpaceError):
    """Data that is not shaped like a catalogue; `others` are further mistakes, each with its place."""

    others: tuple[SpaceError, ...] = ()


def from_document(
    document: Mapping[str, Any],
    *,
    in_file: bool = False,
    folder: Traversable | None = None,
    source: ListFile | None = None,
) -> Space:
    """The space that the plain data describes; errors say at which place of it they arose.

    Only the data of a file may name other files, a prior, which `prior_named_in` finds, images and a product list, in
    the `folder`: a server must not read what is sent. Where the list was read from a file before, that is its `source`.
    """
    whole = None
    if isinstance(document, Mapping) and "items" in document:
        whole = whole_list(document, folder, in_file=in_file, source=source)
        document = whole.document
    _check_size(document)
    _check_shape(document)
    if PRIOR in document and not in_file:
        cure = "leave it out, and give it with --prior or Bayes(prior=...)"
        raise SpaceError(f"only a catalogue that is loaded from its file may name a prior; {cure}", at=(PRIOR,))
    try:
        return space_of(*split_document(document, folder))
    except SpaceError as error:
        raise whole.located(error) if whole else error from None


def _check_size(document: object) -> None:
    """The limits of a space, looked at before any time is spent on it."""
    attributes = document.get("attributes") if isinstance(document, Mapping) else None
    bodies = list(attributes.values()) if isinstance(attributes, Mapping) else []
    lists = (body.get("values") if isinstance(body, Mapping) else body for body in bodies)
    values = sum(len(each) for each in lists if isinstance(each, list))
    check_size(len(bodies), values)


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema of catalogue files."""
    text = resources.files("setmargin.space").joinpath("catalogue.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # when the first document is checked: it takes a while to import

    return Draft202012Validator(schema())


def _check_shape(document: object) -> None:
    """Raise a SpaceError for data that is not shaped like a catalogue."""
    if document is None:
        raise SpaceError("the file is empty; start it with catalogue: and attributes:")
    errors: Iterable[Mistake] = islice(_validator().iter_errors(_without_rows(document)), ERRORS_COMPARED)
    # The deepest mistake is the most precise one; a second one at the same place mostly follows from the first.
    places: dict[Path, Mistake] = {}
    for error in sorted(errors, key=lambda error: len(_at(error)), reverse=True):
        places.setdefault(tuple(error.absolute_path), error)
    told = [ShapeError(f"{_place(each)}: {_cure(each)}", at=_at(each)) for each in places.values()][:ERRORS_TOLD]
    if told:
        told[0].others = tuple(told[1:])
        raise told[0]


def _without_rows(document: object) -> object:
    """Without the rows of tables and lists, which may be many: they are all looked at later anyway."""
    if isinstance(document, Mapping) and isinstance(document.get("items"), Mapping):
        document = {**document, "items": _without_own_rows(document["items"])}
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
            missing = [key for key in error.validator_value if key not in error.instance]
            cures = [EXAMPLES[key] for key in missing if key in EXAMPLES]
            return "; ".join([f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing", *cures])
        case "additionalProperties":
            unknown, known = _unknown(error)[0], list(error.schema["properties"])
            point = "; decimals are written with a point, such as 1.5" if unknown.isdecimal() else ""
            return f"there is no {short(unknown)} here; {suggest(unknown, known, what='known are')}{point}"
        case "type":
            return _wrong_type(error, given) + (_example(error) or hint)
        case "maxProperties" if {"allow", "forbid"} <= error.instance.keys():
            return "this table has both allow and forbid; keep one of them, and rows"
        case "enum":
            # `true` is a word in a file, and a truth value in JSON; they are named once.
            return (
                f"{given} is not one of {', '.join(dict.fromkeys(str(each).lower() for each in error.validator_value))}"
            )
        case "minItems" | "minProperties" | "minLength" if not error.instance:
            return f"nothing is listed here{hint}"
        case "maxLength":
            return f"{given} is longer than {error.validator_value} characters; shorten it"
    return f"{given} does not fit{hint}"


def _example(error: Mistake) -> str:
    """What to write where a mapping is expected."""
    name = error.absolute_path[-1] if error.absolute_path else ""
    return f"; {EXAMPLES[name]}" if error.validator_value == "object" and name in EXAMPLES else ""


def _given(value: object) -> str:
    return "this mapping" if isinstance(value, Mapping) else "this list" if isinstance(value, list) else short(value)


def _wrong_type(error: Mistake, given: str) -> str:
    types = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
    wanted = " or ".join(KINDS[kind] for kind in types)
    if error.instance is None:
        cure = EXAMPLES.get(error.absolute_path[-1], "") if "string" in types and error.absolute_path else ""
        return f"nothing stands here, where {wanted} should be{'; ' * bool(cure)}{cure}"
    quotes = isinstance(error.instance, int | float) and "string" in types
    return f"{given} is not {wanted}{'; put it in quotes' if quotes else _as_number(error.instance, types)}"


def _as_number(text: object, types: list[str]) -> str:
    """`1e3`, `1_000` and `1,5` are words in a catalogue; where a number is due, say how to write it."""
    if isinstance(text, str) and "number" in types and re.fullmatch(r"[-+]?\d+,\d+", text):
        return f"; write {text.replace(',', '.')}, with a decimal point"
    try:
        number = float(text) if isinstance(text, str) and "number" in types else math.nan
    except ValueError:
        return ""
    return f"; write {number:.12g}" if math.isfinite(number) and number < 1e12 else ""
