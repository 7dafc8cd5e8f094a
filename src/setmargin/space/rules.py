"""Rules: what may not be combined, in the owner's words and as formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from setmargin.errors import RuleError
from setmargin.space.formula import Formula, InBoxes, InTable
from setmargin.space.language import Names
from setmargin.space.table_cells import ANY, Cell, plain_cell, table_formula
from setmargin.space.text import Path, Value, short, show

ROWS_SHOWN = 3
PLAIN = {str, int, float}


@dataclass(frozen=True)
class Table:
    """A rule as a table of combinations of some attributes: the only allowed ones, or forbidden ones.

    `Table.allowing` and `Table.forbidding` say which.

    Parameters:
        attributes: the names of the columns.
        rows: a cell for each column: a value, a list of values that will do, or `"*"` for any. An attribute with a
            value that is called `*` has no such wildcard.
        allow: whether only these combinations are possible; else none of them is.

    Raises:
        RuleError: if these are not lists. Whether the attributes and values exist is known only when the table
            becomes part of a `Space`.

    >>> from setmargin import Space, Table, oracle_for
    >>> fits = Table.allowing(["frame", "wheel"], [["S", 26], ["M", 26], ["M", 28]])
    >>> oracle_for(Space({"frame": ["S", "M"], "wheel": [26, 28]}, rules=[fits])).count()
    3
    >>> fits
    <Table allowing 3 rows of frame, wheel>
    >>> Table.allowing(["frame", "wheel"], [["S", 26], ["M", [26, 28]], ["L", "*"]])
    <Table allowing 3 rows of frame, wheel>
    """

    attributes: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    allow: bool

    def __post_init__(self) -> None:
        if not isinstance(self.allow, bool):
            raise RuleError(f"allow is {short(self.allow)}; write True or False")
        verb = "allow" if self.allow else "forbid"
        object.__setattr__(self, "attributes", _tuple(self.attributes, f"after {verb}", at=(verb,)))
        rows = enumerate(_tuple(self.rows, "as rows", at=("rows",)))
        lists = (_tuple(row, f"as row {number + 1} of a table", at=("rows", number)) for number, row in rows)
        object.__setattr__(self, "rows", tuple(map(_plain_row, lists)))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.attributes, self.rows, self.allow))

    def __repr__(self) -> str:
        verb = "allowing" if self.allow else "forbidding"
        return f"<Table {verb} {len(self.rows):,} rows of {', '.join(map(str, self.attributes))}>"

    @classmethod
    def allowing(cls, attributes: Sequence[str], rows: Sequence[Sequence[Cell | Sequence[Value]]]) -> Table:
        """Only these combinations are possible."""
        return cls(attributes, rows, allow=True)  # type: ignore[arg-type]

    @classmethod
    def forbidding(cls, attributes: Sequence[str], rows: Sequence[Sequence[Cell | Sequence[Value]]]) -> Table:
        """None of these combinations is possible."""
        return cls(attributes, rows, allow=False)  # type: ignore[arg-type]

    def document(self) -> dict[str, Any]:
        """The table as it stands in a catalogue."""
        return {
            "allow" if self.allow else "forbid": list(self.attributes),
            "rows": [[list(cell) if isinstance(cell, tuple) else cell for cell in row] for row in self.rows],
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
        rows = [f"({', '.join(map(_show_cell, row))})" for row in self.source.rows[:ROWS_SHOWN]]
        more = len(self.source.rows) - len(rows)
        listed = ", ".join(rows) + (f" and {more} more" if more else "")
        verb = "allow only" if self.source.allow else "forbid"
        return f"{verb} ({', '.join(self.source.attributes)}) in {listed or 'nothing'}"

    def document(self) -> str | dict[str, Any]:
        """The rule as it stands in a catalogue."""
        return self.source if isinstance(self.source, str) else self.source.document()


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
    raise RuleError(f"{short(source)} is not a rule; write it as text, or as a table with allow or forbid, and rows")


def _tuple(items: Any, what: str, *, at: Path) -> tuple[Any, ...]:
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise RuleError(f"{short(items)} stands {what}; write a list", at=at)
    return tuple(items)


def _plain_row(row: tuple[Any, ...]) -> tuple[Cell, ...]:
    return row if PLAIN.issuperset(map(type, row)) else tuple(map(plain_cell, row))


def _show_cell(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return f"{{{', '.join(map(show, cell))}}}"
    return cell if cell == ANY else show(cell)


def _table(document: Mapping[str, Any]) -> Table:
    for verb in ("allow", "forbid"):
        if set(document) == {verb, "rows"}:
            return Table(document[verb], document["rows"], allow=verb == "allow")
    raise RuleError(f"a table has allow or forbid, and rows, but this one has {short(list(document))}; keep just two")


def _rows(table: Table, names: Names) -> InTable | InBoxes:
    columns = _columns(table, names)
    for number, row in enumerate(table.rows):
        if len(row) != len(columns):
            raise RuleError(
                f"row {number + 1} of a table has {len(row)} values; "
                f"write one for each column ({', '.join(table.attributes)})",
                at=("rows", number),
            )
    return table_formula(table.rows, columns, [names.attributes[column] for column in columns], allow=table.allow)


def _columns(table: Table, names: Names) -> tuple[int, ...]:
    verb = "allow" if table.allow else "forbid"
    if not table.attributes:
        raise RuleError(f"a table needs attributes; list them after {verb}", at=(verb,))
    seen: list[int] = []
    for number, name in enumerate(table.attributes):
        try:
            position = names.position(name)
        except RuleError as error:
            raise error.under(verb, number) from None
        if position in seen:
            raise RuleError(f"a table lists the attribute {name} twice; keep one", at=(verb, number))
        seen.append(position)
    return tuple(seen)
