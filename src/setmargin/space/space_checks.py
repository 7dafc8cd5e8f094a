"""Whether the parts of a space fit together: texts, names, directions, sums, and a product list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from setmargin.errors import SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.text import check_text, short, suggest

if TYPE_CHECKING:
    from setmargin.space.space import Space

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
LARGEST_TABLE = 10_000_000
LARGEST_TRENDS = 4_000_000


def check_parts(space: Space) -> None:
    """Raise SpaceError, with the place and the cure, where attributes, quantities and items do not fit together."""
    _check_texts(space)
    _check_items(space)
    _check_directions(space)
    _check_names(space)
    _check_quantities(space)


def _check_texts(space: Space) -> None:
    if not isinstance(space.name, str) or not NAME.fullmatch(space.name):
        raise SpaceError(
            f"the catalogue's name is {short(space.name)}; use up to 64 letters, digits, - _ . and :",
            at=("catalogue",),
        )
    check_text(space.title, "the title", at=("title",))
    check_text(space.description, "the description", at=("description",), longest=2000)


def _check_items(space: Space) -> None:
    """The names of a list's columns have their own meaning, so nothing else may be called like its ids."""
    if space.items is None or not space.attributes:
        return
    if space.listing.items.id in space.things:
        kind = "attributes" if space.items.id in space.names.positions else "quantities"
        raise SpaceError(
            f"{space.items.id} is what items are called, which nobody is asked about; take it out of the {kind}, or "
            f"name another column as id",
            at=(kind, space.items.id),
        )


def _check_directions(space: Space) -> None:
    """Every trend is a row over all values, so there may not be very many."""
    directed = [each for each in space.attributes if each.better]
    count, values = sum(len(each.values) for each in directed), int(space.offsets[-1])
    if count * values > LARGEST_TRENDS:
        first = max(directed, key=lambda each: len(each.values))
        raise SpaceError(
            f"{count:,} values of attributes that say what is better, of {values:,} in all, are too many; keep the "
            f"product below {LARGEST_TRENDS:,}, or leave better out of {first.name}",
            at=("attributes", first.name, "better"),
        )


def _check_names(space: Space) -> None:
    if not space.attributes:
        raise SpaceError("a space needs at least one attribute", at=("attributes",))
    features: set[str] = set()
    named: set[str] = set()
    for kind, things in (("attributes", space.attributes), ("quantities", space.quantities)):
        for thing in things:
            where = (kind, thing.name)
            if thing.name in named:
                raise SpaceError(f"the name {thing.name!r} is used twice; rename one", at=where)
            for feature in feature_names_of(thing):
                if feature in features:
                    raise SpaceError(f"two features are called {feature!r}; rename one", at=where)
                features.add(feature)
            named.add(thing.name)
    for trend in space.trends:
        if trend.name in features:
            where = ("attributes", space.attributes[trend.attribute].name)
            raise SpaceError(f"two features are called {trend.name!r}; rename one", at=where)
        features.add(trend.name)


def _check_quantities(space: Space) -> None:
    if len(space.quantities) * int(space.offsets[-1]) > LARGEST_TABLE:
        raise SpaceError(
            f"{len(space.quantities):,} quantities over {space.offsets[-1]:,} values are too many; keep the "
            f"product below {LARGEST_TABLE:,}",
            at=("quantities",),
        )
    known = space.names.positions
    for quantity in space.quantities:
        if not quantity.terms and space.items is None:
            raise SpaceError(
                f"quantity {quantity.name} sums over no attribute; give it at least one, or a product list",
                at=("quantities", quantity.name, "sum"),
            )
        for name in quantity.terms:
            if name not in known:
                raise SpaceError(
                    f"quantity {quantity.name} sums over {name!r}, which is no attribute; "
                    f"{suggest(name, list(known), what='the attributes are')}",
                    at=("quantities", quantity.name, "sum", name),
                )
            try:
                quantity.table(space.attributes[known[name]])
            except SpaceError as error:
                raise error.under("quantities", quantity.name) from None


def feature_names_of(thing: Attribute | Quantity) -> tuple[str, ...]:
    """One for each value of an attribute, such as `memory=8`; a quantity is its own."""
    if isinstance(thing, Quantity):
        return (thing.name,)
    return tuple(f"{thing.name}={label}" for label in thing.labels)
