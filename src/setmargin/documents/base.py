"""What every document is made of: what pydantic checks, what people read about a field, and reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

Strategy = Literal["bayes", "setmargin", "random"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
USUAL_STRATEGY: Strategy = "bayes"
LARGEST_SET = 6
LARGEST_WHOLE = 2**53 - 1
"""Whole numbers up to here are the same in every language that reads JSON."""
LONGEST_RULE = 500
LONGEST_NAME = 500
MOST_REASONS = 50
MOST_MUST_HAVES = 50
MOST_OPENING = 10
PROBLEM_TYPES = "https://setmargin.invalid/problems/"
D = TypeVar("D")
QUESTION = "5f0c3a9be1d24c7788aa10e2c94d6b03"
LAPTOP: dict[str, Any] = {"values": {"type": "laptop", "memory": 16}, "amounts": {"price": 899.0}}
TOWER: dict[str, Any] = {"values": {"type": "tower", "memory": 16}, "amounts": {"price": 749.0}}


class Checked:
    """What pydantic has to check of a value beyond its type, as entries of its core schema: it need not be imported."""

    def __init__(self, **entries: Any) -> None:
        self._entries = entries

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return {**handler(source), **self._entries}


class OnlyTrue:
    """To Python 1 is True as well."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        function = {"type": "no-info", "function": self._check}
        return {"type": "function-before", "function": function, "schema": handler(source)}

    def _check(self, value: object) -> object:
        if value is not True:
            raise ValueError("write true")
        return value


Value = str | int | float
SentValue = (
    Annotated[str, Checked(strict=True)] | Annotated[int, Checked(strict=True)] | Annotated[float, Checked(strict=True)]
)
"""True is no number here."""
Yes = Annotated[Literal[True], OnlyTrue()]
Place = Annotated[int, Checked(strict=True, ge=0, lt=LARGEST_SET)]
Rule = Annotated[str, Checked(min_length=1, max_length=LONGEST_RULE)]
Name = Annotated[str, Checked(min_length=1, max_length=LONGEST_NAME)]


class Document:
    """Holds nothing that is not declared, and no number that is not one."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}


def with_examples(*examples: dict[str, Any]) -> dict[str, Any]:
    return {**Document.__pydantic_config__, "json_schema_extra": {"examples": list(examples)}}


def about(description: str | None = None, *, example: Any = None, **limits: Any) -> dict[str, Any]:
    """The metadata of a field."""
    shown = {} if example is None else {"examples": [example]}
    return {"description": description, **shown, **limits}


def plain(document: Any) -> dict[str, Any]:
    """The document as plain data, without the parts that say nothing."""
    held = ((each, getattr(document, each.name)) for each in fields(document))
    return {each.name: plain(part) if is_dataclass(part) else part for each, part in held if part != _default(each)}


def _default(part: Field[Any]) -> object:
    return part.default if part.default_factory is MISSING else part.default_factory()


def read(kind: type[D], document: Any) -> D:
    """The document behind plain JSON; what a newer server adds is passed over, what an older one lacks is usual."""
    return cast(D, _read(kind, document))


def _read(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(hint):
        parts = (part for part in _parts(cast(type, hint)) if part.key in value or part.needed)
        return cast(type, hint)(**{part.name: _read(part.hint, value[part.key]) for part in parts})
    if get_origin(hint) in (tuple, list):
        return get_origin(hint)(_read(get_args(hint)[0], each) for each in value)
    if get_origin(hint) in (Union, UnionType):
        kinds = (kind for kind in get_args(hint) if is_dataclass(kind))
        fitting = (kind for kind in kinds if all(part.key in value for part in _parts(cast(type, kind)) if part.needed))
        return _read(next(fitting, None), value)
    return value


class _Part(NamedTuple):
    """A field: its name, its key in JSON, what it holds, and whether it has to be there."""

    name: str
    key: str
    hint: Any
    needed: bool


@cache
def _parts(kind: type) -> list[_Part]:
    hints = get_type_hints(kind)
    return [
        _Part(each.name, each.metadata.get("alias", each.name), hints[each.name], _default(each) is MISSING)
        for each in fields(kind)
    ]
