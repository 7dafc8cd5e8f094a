"""A space as a feature model: each attribute a mandatory feature with its values as an alternative group, quantities as
numbers beside the values, rules as constraints.

A linear rule over several attributes is a sum of numbers of its own, called `rule 1` and so on, beside the values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from setmargin.errors import OptionError
from setmargin.space.formula import And, AtMost, Formula, Iff, InBoxes, InTable, Is, Not, Or, fold
from setmargin.space.space import Space

MOST_ROWS: Final = 20_000
"""Rows of a table that become a constraint."""


def export_model(space: Space) -> str:
    """The space as the text of a UVL file; reading it gives as many configurations.

    Raises:
        OptionError: for a product list, and for tables that are too long to be constraints.
    """
    if space.items is not None:
        raise OptionError("a product list is no feature model; export it as CSV")
    return _Exporting(space).text()


class _Exporting:
    def __init__(self, space: Space) -> None:
        self.space = space
        taken: set[str] = set()
        self.root = _own(space.name, taken)
        self.attributes = [_own(each.name, taken) for each in space.attributes]
        self.values = [
            [_own(label if _plain(label) not in taken else f"{each.name} {label}", taken) for label in each.labels]
            for each in space.attributes
        ]
        self.numbers: dict[tuple[int, int], dict[str, str]] = defaultdict(dict)
        self.sums = 0

    def text(self) -> str:
        for quantity in self.space.quantities:
            for place, attribute in enumerate(self.space.attributes):
                for value, amount in enumerate(quantity.table(attribute)):
                    if quantity.terms.get(attribute.name) is not None:
                        self.numbers[place, value][quantity.name] = _decimal(amount)
        constraints = [fold(rule.formula, self.formula) for rule in self.space.rules]
        bases = {quantity.name: _decimal(quantity.base) for quantity in self.space.quantities if quantity.base}
        lines = ["features", f"\t{_quoted(self.root)}{_beside(bases)}", "\t\tmandatory"]
        lines += [line for place in range(len(self.attributes)) for line in self.attribute(place)]
        if constraints:
            lines += ["", "constraints", *(f"\t{each}" for each in constraints)]
        return "\n".join(lines) + "\n"

    def attribute(self, place: int) -> Iterator[str]:
        yield f"\t\t\t{_quoted(self.attributes[place])}"
        yield "\t\t\t\talternative"
        for value, name in enumerate(self.values[place]):
            yield f"\t\t\t\t\t{_quoted(name)}{_beside(self.numbers[place, value])}"

    def formula(self, node: Formula, inner: Sequence[str]) -> str:
        match node:
            case Is(attribute, values):
                return self.among(attribute, values)
            case AtMost(coefficients, bound):
                self.sums += 1
                name = f"rule {self.sums}"
                for attribute, numbers in coefficients:
                    for value, number in enumerate(numbers):
                        self.numbers[attribute, value][name] = str(number)
                return f"sum({_quoted(name)}) <= {bound}"
            case InTable(attributes, rows, allow):
                listed = [[frozenset((int(value),)) for value in row] for row in rows]
                return self.table(attributes, listed, allow=allow)
            case InBoxes(attributes, boxes, allow):
                whole = [frozenset(range(len(self.values[attribute]))) for attribute in attributes]
                cells = [
                    [any_ if cell is None else cell for cell, any_ in zip(box, whole, strict=True)] for box in boxes
                ]
                return self.table(attributes, cells, allow=allow)
            case Not():
                return f"!({inner[0]})"
            case And():
                return self.joined(inner, "&") or _quoted(self.root)
            case Or():
                return self.joined(inner, "|") or f"!{_quoted(self.root)}"
            case Iff():
                return f"({inner[0]}) <=> ({inner[1]})"
        raise AssertionError(node)

    def among(self, attribute: int, values: frozenset[int]) -> str:
        names = [_quoted(self.values[attribute][value]) for value in sorted(values)]
        return self.joined(names, "|") or f"!{_quoted(self.root)}"

    def table(self, attributes: Sequence[int], rows: Sequence[Sequence[frozenset[int]]], *, allow: bool) -> str:
        if len(rows) > MOST_ROWS:
            raise OptionError(f"a table of {len(rows):,} rows is too long for a feature model; export it as CSV")
        whole = [len(self.values[attribute]) for attribute in attributes]
        each = [
            self.joined(
                [
                    self.among(attribute, values)
                    for attribute, values, size in zip(attributes, row, whole, strict=True)
                    if len(values) < size
                ],
                "&",
            )
            or _quoted(self.root)
            for row in rows
        ]
        listed = self.joined(each, "|") or f"!{_quoted(self.root)}"
        return listed if allow else f"!({listed})"

    @staticmethod
    def joined(parts: Sequence[str], sign: str) -> str:
        return f" {sign} ".join(f"({part})" if " " in part else part for part in parts)


def _plain(name: str) -> str:
    """What a quoted name may hold: no double quotes and no points."""
    return name.replace('"', "'").replace(".", "·")


def _own(name: str, taken: set[str]) -> str:
    plain = _plain(name)
    number, tried = 2, plain
    while tried in taken:
        number, tried = number + 1, f"{plain} ({number})"
    taken.add(tried)
    return tried


def _quoted(name: str) -> str:
    return f'"{_plain(name)}"'


def _beside(numbers: dict[str, str]) -> str:
    return f" {{{', '.join(f'{_quoted(name)} {number}' for name, number in numbers.items())}}}" if numbers else ""


def _decimal(number: float) -> str:
    text = repr(float(number)) if "e" not in repr(float(number)) else f"{number:.20f}".rstrip("0")
    return text.removesuffix(".0").removesuffix(".")
