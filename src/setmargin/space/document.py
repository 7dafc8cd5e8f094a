"""A space as plain data, the shape of a catalogue file: mappings, lists, words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from setmargin.errors import SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.schema import check_shape
from setmargin.space.space import Space
from setmargin.space.text import Value

MOST_ATTRIBUTES = 2_000
MOST_VALUES = 20_000


def to_document(space: Space) -> dict[str, Any]:
    """The space as plain data; `from_document` gives an equal space back."""
    head = {"catalogue": space.name, "title": space.title, "description": space.description}
    document: dict[str, Any] = {key: text for key, text in head.items() if text}
    document["attributes"] = {a.name: _attribute_document(a) for a in space.attributes}
    if space.quantities:
        document["quantities"] = {q.name: _quantity_document(q) for q in space.quantities}
    if space.rules:
        document["rules"] = [rule.document for rule in space.rules]
    return document


def from_document(document: Mapping[str, Any]) -> Space:
    """The space that the plain data describes; errors say at which place of it they arose."""
    _check_size(document)
    check_shape(document)
    return build(document)


def _check_size(document: object) -> None:
    """Refuse what nobody could be asked about, before any time is spent on it."""
    attributes = document.get("attributes") if isinstance(document, Mapping) else None
    bodies = list(attributes.values()) if isinstance(attributes, Mapping) else []
    lists = (body.get("values") if isinstance(body, Mapping) else body for body in bodies)
    values = sum(len(each) for each in lists if isinstance(each, list))
    if len(bodies) > MOST_ATTRIBUTES or values > MOST_VALUES:
        raise SpaceError(
            f"{len(bodies):,} attributes with {values:,} values in all are too many; "
            f"keep to {MOST_ATTRIBUTES:,} attributes and {MOST_VALUES:,} values",
            at=("attributes",),
        )


def build(document: Mapping[str, Any]) -> Space:
    """The same for data whose shape is known to be right."""
    attributes = [_attribute(name, body) for name, body in document["attributes"].items()]
    quantities = [_quantity(name, body) for name, body in document.get("quantities", {}).items()]
    return Space(
        attributes,
        quantities=quantities,
        rules=document.get("rules", ()),
        name=document["catalogue"],
        title=document.get("title", ""),
        description=document.get("description", ""),
    )


def _attribute_document(attribute: Attribute) -> list[Value] | dict[str, Any]:
    extras = {"unit": attribute.unit, "title": attribute.title}
    given = {key: text for key, text in extras.items() if text}
    return {"values": list(attribute.values), **given} if given else list(attribute.values)


def _quantity_document(quantity: Quantity) -> dict[str, Any]:
    extras = {
        "unit": quantity.unit,
        "title": quantity.title,
        "better": quantity.better,
        "base": quantity.base,
    }
    given = {key: value for key, value in extras.items() if value}
    sums = {name: dict(term) if isinstance(term, Mapping) else term for name, term in quantity.terms.items()}
    return {**given, "sum": sums}


def _attribute(name: str, body: Any) -> Attribute:
    try:
        if isinstance(body, Mapping):
            return Attribute(name, body["values"], unit=body.get("unit", ""), title=body.get("title", ""))
        return Attribute(name, body)
    except SpaceError as error:
        # A plain list of values has no level of its own for the word "values".
        at = error.at if isinstance(body, Mapping) else error.at[1:]
        raise SpaceError(str(error), at=("attributes", name, *at)) from None


def _quantity(name: str, body: Mapping[str, Any]) -> Quantity:
    options = {key: body[key] for key in ("unit", "better", "base", "title") if key in body}
    try:
        return Quantity(name, body["sum"], **options)
    except SpaceError as error:
        raise error.under("quantities", name) from None
