"""What `check` and `catalogues` say, as plain data."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.catalogue import load, shipped
from setmargin.space.space import Space

# Looking for rules without effect compiles the space once per rule; more than this many seconds is not worth it.
PATIENCE = 2.0


def overview() -> list[dict[str, Any]]:
    """The shipped catalogues, one line of data for each."""
    return [_overview(name, load(name)) for name in shipped()]


def _overview(name: str, space: Space) -> dict[str, Any]:
    return {
        "catalogue": name,
        "title": space.title,
        "description": space.description,
        "configurations": oracle_for(space).count(),
        "attributes": len(space.attributes),
        "quantities": len(space.quantities),
        "rules": len(space.rules),
    }


def report(space: Space) -> dict[str, Any]:
    """All about one space; raises InfeasibleSpace with the smallest conflict where nothing can be built."""
    oracle = oracle_for(space)
    count = oracle.count()
    # The number may have more digits than Python writes without being asked.
    sys.set_int_max_str_digits(0)
    return {
        "catalogue": space.name,
        "title": space.title,
        "description": space.description,
        "configurations": count,
        "one_hot_features": int(space.offsets[-1]),
        "features": list(space.feature_names),
        "attributes": [_attribute(attribute) for attribute in space.attributes],
        "quantities": [_quantity(quantity, oracle) for quantity in space.quantities],
        "rules": [rule.text for rule in space.rules],
        "impossible_values": impossible_values(oracle),
        "rules_without_effect": rules_without_effect(oracle),
        "oracle": oracle.report.document(),
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "title": attribute.title,
        "unit": attribute.unit,
        "values": list(attribute.values),
    }


def _quantity(quantity: Quantity, oracle: Oracle) -> dict[str, Any]:
    lowest, highest = oracle.range(quantity.name)
    return {
        "name": quantity.name,
        "title": quantity.title,
        "unit": quantity.unit,
        "better": quantity.better,
        "lowest": lowest,
        "highest": highest,
    }


def impossible_values(oracle: Oracle) -> list[str]:
    """Values that the rules exclude altogether, as `attribute=value`."""
    possible = oracle.possible()
    return [
        f"{attribute.name}={label}"
        for attribute in oracle.space.attributes
        for value, label in zip(attribute.values, attribute.labels, strict=True)
        if value not in possible[attribute.name]
    ]


def rules_without_effect(oracle: Oracle, *, patience: float = PATIENCE) -> list[int] | None:
    """Numbers (from 1) of rules that exclude nothing the others leave; None where finding out takes too long."""
    count, rules = oracle.count(), oracle.space.rules
    if count is None or (oracle.report.compile_seconds or 0.0) * len(rules) > patience:
        return None
    deadline, idle = monotonic() + patience, []
    for number, rule in enumerate(rules, 1):
        others = oracle.space.with_only(other for other in rules if other is not rule)
        if Oracle(others).count() == count:
            idle.append(number)
        if monotonic() > deadline:
            return None
    return idle
