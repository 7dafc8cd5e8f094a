"""Catalogue files: YAML in, space out, and back; every mistake with file, line and cure."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from setmargin.errors import CatalogueError, SpaceError
from setmargin.space.attributes import Attribute, suggest
from setmargin.space.document import from_document, to_document
from setmargin.space.space import Space
from setmargin.space.yaml_reading import Node, line_of, plain, read

LARGEST_FILE = 10_000_000
LARGEST_SYNTHETIC = 10_000


def load(source: str | os.PathLike[str]) -> Space:
    """The space behind a shipped name (`pc`), a synthetic one (`synthetic:4`, `synthetic:10x5`) or a file."""
    text = os.fspath(source)
    if text.startswith("synthetic"):
        return synthetic(text)
    if text in shipped():
        resource = resources.files("setmargin.catalogues").joinpath(f"{text}.yaml")
        return loads(resource.read_text(encoding="utf-8"), file=f"{text}.yaml")
    return loads(_read_file(text), file=text)


def loads(text: str, *, file: str = "<text>") -> Space:
    """The space that a catalogue's text describes."""
    node = read(text, file=file)
    document = plain(node)
    _validate(document, node, file)
    try:
        return from_document(document)
    except SpaceError as error:
        raise CatalogueError(str(error), file=file, line=line_of(node, error.at)) from None


def dumps(space: Space) -> str:
    """The space as the text of a catalogue file; `loads` gives an equal space back."""
    document = {"catalogue": "unnamed", **to_document(space)}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)


def save(space: Space, path: str | os.PathLike[str]) -> None:
    """Write the catalogue file whole or not at all."""
    target = Path(path)
    draft = target.with_name(f"{target.name}.{os.getpid()}.part")
    draft.write_text(dumps(space), encoding="utf-8")
    draft.replace(target)


def shipped() -> tuple[str, ...]:
    """The names of the catalogues that come with the package."""
    files = resources.files("setmargin.catalogues").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema of catalogue files."""
    text = resources.files("setmargin.space").joinpath("catalogue.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def synthetic(name: str) -> Space:
    """`synthetic:R` has R attributes of R values and no rules, `synthetic:AxV` A attributes of V values."""
    found = re.fullmatch(r"synthetic:(\d{1,6})(?:x(\d{1,6}))?", name)
    if not found:
        raise CatalogueError(
            "write synthetic:R or synthetic:AxV with whole numbers, such as synthetic:4", file=name
        )
    attributes, values = int(found[1]), int(found[2] or found[1])
    if not (attributes and values and attributes * values <= LARGEST_SYNTHETIC):
        limit = f"at least one attribute and value, and at most {LARGEST_SYNTHETIC:,} values in all"
        raise CatalogueError(f"choose {limit}", file=name)
    domain = range(1, values + 1)
    return Space(
        [Attribute(f"x{number + 1}", domain) for number in range(attributes)],
        name=name,
        title=f"{attributes} attributes of {values} values",
    )


def _read_file(path: str) -> str:
    file = Path(path)
    if not file.exists():
        hint = suggest(path, shipped(), what="the shipped catalogues are")
        raise CatalogueError(f"there is no such file or shipped catalogue; {hint}", file=path)
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise CatalogueError(f"larger than {LARGEST_FILE:,} bytes; split off large tables", file=path)
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CatalogueError(f"not UTF-8 text (byte {error.start}); save it as UTF-8", file=path) from None
    except OSError as error:
        raise CatalogueError(f"cannot be read: {error.strerror}", file=path) from None


def _validate(document: object, node: Node, file: str) -> None:
    error = best_match(Draft202012Validator(schema()).iter_errors(document), key=_deepest)
    if error is None:
        return
    place = " / ".join(str(step) for step in error.absolute_path) or "the file"
    raise CatalogueError(
        f"{place}: {_cure(error)}", file=file, line=line_of(node, tuple(error.absolute_path))
    )


def _deepest(error: ValidationError) -> int:
    return len(error.absolute_path)


def _cure(error: ValidationError) -> str:
    wanted = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    hint = f"; expected: {wanted}" if wanted else ""
    value = repr(error.instance) if not isinstance(error.instance, dict | list) else ""
    short = value if len(value) <= 80 else value[:79] + "…"
    match error.validator:
        case "required":
            return f"{error.message.replace(' is a required property', '')} is missing{hint}"
        case "additionalProperties":
            known = list(error.schema.get("properties", {})) if isinstance(error.schema, dict) else []
            unknown = [key for key in error.instance if key not in known]
            return f"there is no {unknown[0]!r} here; {suggest(unknown[0], known, what='known are')}"
        case "type":
            kind = {"object": "a mapping", "array": "a list", "string": "text", "number": "a number"}
            types = (
                error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
            )
            given = short or {dict: "a mapping", list: "a list"}.get(type(error.instance), "this")
            return f"{given} is not {' or '.join(kind.get(t, t) for t in types)}{hint}"
        case "enum":
            return f"{short} is not one of {', '.join(map(str, error.validator_value))}"
    message = error.message if len(error.message) < 200 else error.message[:199] + "…"
    return f"{message}{hint}"
