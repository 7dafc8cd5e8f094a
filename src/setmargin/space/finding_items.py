"""Which item of a product list a configuration is: by its id, or by values that only one item has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from setmargin.arrays import Ints
from setmargin.errors import ConfigurationError, SpaceError
from setmargin.space.attributes import Attribute
from setmargin.space.text import Value, short, suggest

if TYPE_CHECKING:
    from setmargin.space.space import Space


def indices_of_item(space: Space, configuration: Mapping[str, Value]) -> Ints:
    """By its id, or by its values where they are those of one item only."""
    assert space.items is not None
    key, listing = space.items.id, space.listing
    values = {name: value for name, value in configuration.items() if name != key}
    unknown = [name for name in values if name not in space.names.positions]
    if unknown:
        hint = suggest(str(unknown[0]), [key, *space.names.positions], what="there is")
        raise ConfigurationError(f"there is no attribute {short(unknown[0])}; {hint}")
    if key in configuration:
        number = listing.number(str(configuration[key]))
        if number is None:
            hint = suggest(str(configuration[key]), space.items.ids, what="there is")
            raise ConfigurationError(f"there is no item with {key} {short(configuration[key])}; {hint}")
        row: Ints = listing.codes[number].astype(np.int64)
        _check_values_of_item(space, row, values)
        return row
    return _only_item_with(space, values)


def _check_values_of_item(space: Space, row: Ints, values: Mapping[str, Value]) -> None:
    for name, value in values.items():
        place = space.names.positions[name]
        attribute = space.attributes[place]
        if attribute.values[row[place]] != value and _index(attribute, value) != row[place]:
            known = space.configuration(row)
            key = next(iter(known))
            raise ConfigurationError(
                f"the item with {key} {known[key]} has {name} = {known[name]}, not {short(value)}; give its {key} alone"
            )


def _only_item_with(space: Space, values: Mapping[str, Value]) -> Ints:
    assert space.items is not None
    rows = space.listing.rows
    for name, value in values.items():
        place = space.names.positions[name]
        rows = rows[rows[:, place] == _index(space.attributes[place], value)]
    if len(rows) != 1:
        told = "no item has" if not len(rows) else f"{len(rows):,} items have"
        raise ConfigurationError(f"{told} these values; give the {space.items.id} of one that there is")
    found: Ints = rows[0].astype(np.int64)
    return found


def _index(attribute: Attribute, value: Value) -> int:
    try:
        return attribute.index(value)
    except SpaceError as error:
        raise ConfigurationError(str(error)) from None
