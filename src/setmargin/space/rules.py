"""Rules: what may not be combined, in the owner's words and as formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from setmargin.errors import RuleError
from setmargin.space.attributes import Value, show
from setmargin.space.formula import Formula, Rows
from setmargin.space.language import Names, values_of

ROWS_SHOWN = 3


@dataclass(frozen=True)
class Table:
    """A rule as a table: the only allowed combinations of some attributes, or forbidden ones."""

    attributes: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    allow: bool

    @classmethod
    def allowing(cls, attributes: Sequence[str], rows: Sequence[Sequence[Value]]) -> Table:
        """Only these combinations are possible."""
        return cls(tuple(attributes), tuple(tuple(row) for row in rows), allow=True)

    @classmethod
    def forbidding(cls, attributes: Sequence[str], rows: Sequence[Sequence[Value]]) -> Table:
        """None of these combinations is possible."""
        return cls(tuple(attributes), tuple(tuple(row) for row in rows), allow=False)

    @property
    def document(self) -> dict[str, Any]:
        """The table as it stands in a catalogue."""
        return {
            "allow" if self.allow else "forbid": list(self.attributes),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True)
class Rule:
    """One rule: `source` is what was written, `formula` what it means in its space."""

    source: str | Table
    formula: Formula = field(compare=False, repr=False)

    @property
    def text(self) -> str:
        """The rule in its own words, for people."""
        if isinstance(self.source, str):
            return self.source
        rows = [f"({', '.join(show(value) for value in row)})" for row in self.source.rows[:ROWS_SHOWN]]
        more = len(self.source.rows) - len(rows)
        listed = ", ".join(rows) + (f" and {more} more" if more else "")
        verb = "allow only" if self.source.allow else "forbid"
        return f"{verb} ({', '.join(self.source.attributes)}) in {listed or 'nothing'}"

    @property
    def document(self) -> str | dict[str, Any]:
        """The rule as it stands in a catalogue."""
        return self.source if isinstance(self.source, str) else self.source.document


def bind(source: object, names: Names) -> Rule:
    """Give a rule, written as text, table or document, its meaning in a space."""
    if isinstance(source, Rule):
        return bind(source.source, names)
    if isinstance(source, str):
        text = source.strip()
        return Rule(text, names.parse(text))
    if isinstance(source, Mapping):
        source = _table(source)
    if isinstance(source, Table):
        return Rule(source, _rows(source, names))
    raise RuleError(
        f"{source!r} is not a rule; write it as text, or as a table with allow or forbid, and rows"
    )


def _table(document: Mapping[str, Any]) -> Table:
    keys = set(document)
    if keys not in ({"allow", "rows"}, {"forbid", "rows"}):
        raise RuleError(
            f"a table has allow or forbid, and rows, but this one has {', '.join(map(str, document))}"
        )
    allow = "allow" in keys
    make = Table.allowing if allow else Table.forbidding
    return make(document["allow" if allow else "forbid"], document["rows"])


def _rows(table: Table, names: Names) -> Rows:
    verb = "allow" if table.allow else "forbid"
    if not table.attributes:
        raise RuleError(f"a table needs attributes; list them after {verb}", at=(verb,))
    if len(set(table.attributes)) < len(table.attributes):
        raise RuleError(f"a table lists an attribute twice: {', '.join(table.attributes)}", at=(verb,))
    try:
        attributes = tuple(names.position(name) for name in table.attributes)
    except RuleError as error:
        raise error.under(verb) from None
    rows: dict[tuple[int, ...], None] = {}
    for number, row in enumerate(table.rows):
        if len(row) != len(attributes):
            raise RuleError(
                f"row {number + 1} of a table has {len(row)} values for {len(attributes)} attributes "
                f"({', '.join(table.attributes)})",
                at=("rows", number),
            )
        try:
            rows[tuple(values_of(names, a, row, column) for column, a in enumerate(attributes))] = None
        except RuleError as error:
            raise error.under("rows", number) from None
    return Rows(attributes, tuple(rows), table.allow)
