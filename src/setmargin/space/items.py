"""Product lists: items as they stand in a table, and how a space of items is written in attributes alone.

In a list every item has its own number of a quantity, such as its price. Everything else knows quantities that are sums
over the values of attributes, so the numbers of a list are written in *digits*: hidden attributes, which come after
those that people see, such that each number is a sum of what its digits stand for. Then a list is a space whose
configurations are the rows of one table, and every strategy and solver knows what to do. Few numbers have a single
digit. Many are written with a first digit of many values, so that the largest sum is hardly more than the largest
number, and small ones behind it; all sums are exact.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final

import numpy as np

from setmargin.arrays import Ints
from setmargin.errors import SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.text import LONGEST_NAME, Value, check_name, check_number, exact, native, short, suggest

MOST_ITEMS: Final = 500_000
MISSING: Final = "–"
"""The value of an item whose cell is empty."""
SINGLE: Final = 64
"""So many different numbers are one digit."""
LEADING, FOLLOWING = 16, 8
"""How many values the first digit has at least, and each of those behind it at most."""
PLAIN: Final = (str, int, float)
LONGEST_LINK: Final = 2_000
LINK: Final = re.compile(r"https?://[^/?#\s\\]+[^\s\\]*|/(?![/\\])[^\s\\]*", re.IGNORECASE)
"""What an item's link and picture may be: an address in full, or a path on the server that shows it."""


@dataclass(frozen=True)
class Item:
    """One row of a product list, as people see it: its id and, where the list says so, title, link and picture."""

    id: str
    title: str = ""
    link: str = ""
    image: str = ""


@dataclass(frozen=True, eq=False)
class Items:
    """A product list: a table of items, and what its columns tell about each of them.

    Attributes and quantities of a `Space` with items take their values from the columns of the same name; other columns
    are just kept.

    Parameters:
        columns: the names of the columns.
        rows: one value for each column: a word, a number, or `""` where nothing is known.
        id: the column that names each item; nobody is asked about it.
        title, link, image: columns with what people see of an item, its page in a shop and its picture.

    Raises:
        SpaceError: for rows of another length, columns or ids that stand there twice, or links that lead nowhere.

    >>> from setmargin import Attribute, Items, Quantity, Space, oracle_for
    >>> items = Items(["sku", "kind", "price"], [["A1", "desk", 30], ["A2", "floor", 55], ["A3", "desk", 25]], id="sku")
    >>> space = Space({"kind": ["desk", "floor"]}, quantities=[Quantity("price", better="lower")], items=items)
    >>> oracle_for(space).best({"price": 1.0})
    Configuration({'sku': 'A3', 'kind': 'desk'})
    >>> space.amounts({"sku": "A2"})
    {'price': 55.0}
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...] = field(repr=False)
    id: str
    title: str = ""
    link: str = ""
    image: str = ""

    def __init__(
        self,
        columns: Iterable[str],
        rows: Iterable[Iterable[Value]],
        *,
        id: str,
        title: str = "",
        link: str = "",
        image: str = "",
    ) -> None:
        object.__setattr__(self, "columns", _listed(columns, "columns"))
        object.__setattr__(self, "rows", tuple(map(tuple, _rows(rows))))
        for key, column in {"id": id, "title": title, "link": link, "image": image}.items():
            object.__setattr__(self, key, column)
        self._check_columns()
        self._check_rows()
        self._check_ids()
        for column in (self.link, self.image):
            self._check_links(column)

    def __repr__(self) -> str:
        return f"<Items: {len(self.rows):,} rows of {', '.join(self.columns)}>"

    def __len__(self) -> int:
        return len(self.rows)

    def _check_columns(self) -> None:
        seen: set[str] = set()
        for place, column in enumerate(self.columns):
            try:
                check_name(column, "column")
            except SpaceError as error:
                raise error.under("items", "columns", place) from None
            if column in seen:
                raise SpaceError(
                    f"two columns are called {column!r}; rename or remove one", at=("items", "columns", place)
                )
            seen.add(column)
        for key in ("id", "title", "link", "image"):
            column = getattr(self, key)
            if (column or key == "id") and column not in seen:
                hint = suggest(str(column), self.columns, what="the columns are")
                raise SpaceError(f"items: {key} names the column {short(column)}; {hint}", at=("items", key))

    def _check_rows(self) -> None:
        if not self.rows:
            raise SpaceError("the list has no items; give it at least one row", at=("items", "rows"))
        if len(self.rows) > MOST_ITEMS:
            raise SpaceError(
                f"{len(self.rows):,} items are too many; keep to {MOST_ITEMS:,}", at=("items", "rows", MOST_ITEMS)
            )
        width = len(self.columns)
        for number, row in enumerate(self.rows):
            if len(row) != width:
                raise SpaceError(
                    f"an item has {len(row)} cells where there are {width} columns ({', '.join(self.columns[:8])}"
                    f"{', …' * (width > 8)}); write one for each, empty ones too",
                    at=("items", "rows", number),
                )
            for cell in row:
                if not isinstance(cell, str | int | float) or isinstance(cell, bool):
                    raise SpaceError(
                        f"{short(cell)} is neither a word nor a number; put words in quotes, and leave empty cells "
                        f'empty ("")',
                        at=("items", "rows", number),
                    )

    def _check_ids(self) -> None:
        seen: dict[str, int] = {}
        for number, name in enumerate(self.ids):
            at = ("items", "rows", number)
            if not name.strip():
                raise SpaceError(f"an item has no {self.id}; give every item one of its own", at=at)
            if len(name) > LONGEST_NAME:
                raise SpaceError(f"the {self.id} {short(name)} is too long; use up to {LONGEST_NAME} characters", at=at)
            if seen.setdefault(name, number) != number:
                raise SpaceError(
                    f"{self.id} {short(name)} stands there twice, as item {seen[name] + 1} and item {number + 1}; give "
                    f" every item one of its own, or name another column as id",
                    at=at,
                )

    def _check_links(self, column: str) -> None:
        for number, written in enumerate(self.column(column) if column else ()):
            if written and not (isinstance(written, str) and len(written) <= LONGEST_LINK and LINK.fullmatch(written)):
                raise SpaceError(
                    f"{column} is {short(written)}, which leads nowhere; write an address that begins with https:// or "
                    f"/, or leave the cell empty",
                    at=("items", "rows", number),
                )

    def column(self, name: str) -> list[Value]:
        """What stands in a column, from the first item to the last."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """What each item is called."""
        return tuple(map(str, self.column(self.id)))

    def item(self, number: int) -> Item:
        """What people see of one item."""
        row = dict(zip(self.columns, self.rows[number], strict=True))
        shown = (str(row.get(column, "")) for column in (self.title, self.link, self.image))
        return Item(self.ids[number], *shown)

    def document(self) -> dict[str, Any]:
        """The list as it stands in a catalogue."""
        named = {key: getattr(self, key) for key in ("id", "title", "link", "image")}
        given = {key: column for key, column in named.items() if column}
        return {**given, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    @classmethod
    def from_document(cls, body: Mapping[str, Any]) -> Items:
        """The list that stands in a catalogue."""
        named = {key: body[key] for key in ("id", "title", "link", "image") if key in body}
        return cls(body["columns"], body["rows"], **named)

    @cached_property
    def digest(self) -> str:
        """Lists with the same digest are the same."""
        return hashlib.sha256(json.dumps(self.document()).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Items) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True, eq=False)
class Listing:
    """The items of a space as rows of value indices: first those of its attributes, then those of the digits."""

    items: Items
    hidden: tuple[Attribute, ...]
    sums: tuple[Quantity, ...]
    """The quantities of the space, those of the list as sums over digits."""
    codes: Ints
    """Items × attributes and digits."""

    @cached_property
    def first(self) -> Ints:
        """Of items that are the same in all that is compared, the number of the first."""
        return np.array(sorted({row: number for number, row in reversed([*enumerate(self._keys)])}.values()))

    @cached_property
    def rows(self) -> Ints:
        """The configurations: items that differ in something, in the order of the list."""
        return np.ascontiguousarray(self.codes[self.first])

    @cached_property
    def _keys(self) -> list[bytes]:
        width = self.codes.shape[1] * self.codes.itemsize
        packed = np.ascontiguousarray(self.codes).tobytes()
        return [packed[place : place + width] for place in range(0, len(packed), width)]

    @cached_property
    def _alike(self) -> Mapping[bytes, list[int]]:
        """The numbers of the items with each row."""
        found: dict[bytes, list[int]] = {}
        for number, key in enumerate(self._keys):
            found.setdefault(key, []).append(number)
        return found

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.items.ids)}

    def alike(self, row: Ints) -> list[int]:
        """The numbers of the items with this row, which are the same in all that is compared; none if it is no item."""
        return self._alike.get(np.ascontiguousarray(row, dtype=self.codes.dtype).tobytes(), [])

    def number(self, name: str) -> int | None:
        """The number of the item of that id."""
        return self._numbers.get(name)


def listing_of(attributes: Sequence[Attribute], quantities: Sequence[Quantity], items: Items) -> Listing:
    """Every item in terms of the attributes, and of digits for each quantity that is no sum over them."""
    if not isinstance(items, Items):
        raise SpaceError(f"items is {short(items)}; give Items, or leave it out", at=("items",))
    columns: list[Ints] = [_positions(attribute, items) for attribute in attributes]
    hidden: list[Attribute] = []
    sums: list[Quantity] = []
    for quantity in quantities:
        if quantity.terms:
            sums.append(quantity)
            continue
        digits, terms, base, own = _digits(quantity, *_numbers(quantity, items))
        hidden += digits
        columns += own
        sums.append(_summing(quantity, terms, base))
    return Listing(items, tuple(hidden), tuple(sums), np.stack(columns, axis=1).astype(np.int32))


def _positions(attribute: Attribute, items: Items) -> Ints:
    """Which value of the attribute each item has."""
    cells = _cells(attribute.name, "attributes", items)
    places = {cell: _position(attribute, cell, cells) for cell in dict.fromkeys(cells)}
    return np.array([places[cell] for cell in cells], dtype=np.int64)


def _position(attribute: Attribute, cell: Value, cells: list[Value]) -> int:
    written = MISSING if cell == "" else cell
    if attribute.bins and not isinstance(written, str):
        return int(np.searchsorted(attribute.bins, written, side="right"))
    try:
        return attribute.index(written)
    except SpaceError as error:
        cure = "fill in the cell, or add this value" if cell == "" else "correct the cell, or add the value"
        raise SpaceError(f"{error}; {cure}", at=("items", "rows", cells.index(cell))) from None


def _numbers(quantity: Quantity, items: Items) -> tuple[list[Fraction], Ints]:
    """The different numbers of a quantity, and which of them each item has."""
    cells = _cells(quantity.name, "quantities", items)
    places = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}
    for cell in places:
        if isinstance(cell, str):
            told = f"is {short(cell)}, which is a word" if cell else "is empty"
            raise SpaceError(
                f"the quantity {quantity.name} {told}; write a number for every item, with a decimal point and nothing "
                f"else, or make {quantity.name} an attribute",
                at=("items", "rows", cells.index(cell)),
            )
        try:
            check_number(cell, f"the quantity {quantity.name}", at=())
        except SpaceError as error:
            raise error.under("items", "rows", cells.index(cell)) from None
    return [exact(cell) for cell in places if not isinstance(cell, str)], np.array([places[cell] for cell in cells])


def _cells(name: str, kind: str, items: Items) -> list[Value]:
    if name not in items.columns:
        hint = suggest(name, items.columns, what="the columns are")
        raise SpaceError(f"the list has no column {short(name)}; {hint}", at=(kind, name))
    return items.column(name)


Digits = tuple[list[Attribute], dict[str, Mapping[Value, float] | float], Fraction, list[Ints]]


def _digits(quantity: Quantity, different: list[Fraction], which: Ints) -> Digits:
    """The numbers as sums: hidden attributes, what their values stand for, what is always added, and indices."""
    lowest = min(different)
    above = [number - lowest for number in different]
    terms: dict[str, Mapping[Value, float] | float] = {}
    if len(different) <= SINGLE:
        name, ranks = f"{quantity.name} #1", np.argsort(np.argsort([float(number) for number in above]))
        terms[name] = {int(rank): float(number) for rank, number in zip(ranks, above, strict=True)}
        return [Attribute(name, range(len(different)))], terms, lowest, [ranks[which]]
    unit = _unit(above)
    steps = np.array([int(number / unit) for number in above], dtype=np.int64)
    sizes = [1]
    while steps.max() // sizes[0] >= LEADING * FOLLOWING:
        sizes.insert(0, sizes[0] * FOLLOWING)
    attributes, indices = [], []
    for number, size in enumerate(sizes, 1):
        digit = steps // size if number == 1 else steps // size % FOLLOWING
        attributes.append(Attribute(f"{quantity.name} #{number}", range(int(digit.max()) + 1)))
        terms[attributes[-1].name] = float(size * unit)
        indices.append(digit[which])
    return attributes, terms, lowest, indices


def _unit(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are multiples."""
    below = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * below) for number in numbers)), below)


def _summing(quantity: Quantity, terms: Mapping[str, Mapping[Value, float] | float], base: Fraction) -> Quantity:
    start = float(exact(quantity.base) + base)
    return Quantity(quantity.name, terms, unit=quantity.unit, better=quantity.better, base=start, title=quantity.title)


def _listed(columns: Any, what: str) -> tuple[Any, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise SpaceError(f"{what} is {short(columns)}; give a list", at=("items", what))
    return tuple(columns)


def _rows(rows: Any) -> Iterable[Any]:
    for number, row in enumerate(_listed(rows, "rows")):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise SpaceError(f"an item is {short(row)}; give a list of cells", at=("items", "rows", number))
        yield [cell if type(cell) in PLAIN else native(cell) for cell in row]
