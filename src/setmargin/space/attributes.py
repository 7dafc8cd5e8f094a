"""Attributes and quantities: what is chosen, and what follows linearly from the choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any, Final, Literal

from setmargin.errors import SpaceError
from setmargin.space.text import (
    LONGEST_UNIT,
    Value,
    check_name,
    check_number,
    check_text,
    check_word,
    exact,
    native,
    read_number,
    short,
    suggest,
)

Better = Literal["lower", "higher"]
Direction = Literal["lower", "higher", "peak"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("higher", "lower", "peak")
VALUES_SHOWN = 8
MOST_ATTRIBUTES = 2_000
MOST_VALUES = 20_000
"""Values of all attributes of a space together."""


def check_size(attributes: int, values: int) -> None:
    """Refuse what nobody could be asked about."""
    if attributes > MOST_ATTRIBUTES or values > MOST_VALUES:
        raise SpaceError(
            f"{attributes:,} attributes with {values:,} values in all are too many; "
            f"keep to {MOST_ATTRIBUTES:,} attributes and {MOST_VALUES:,} values",
            at=("attributes",),
        )


@dataclass(frozen=True)
class Attribute:
    """Something that is chosen from a list of values.

    Parameters:
        name: what it is called in rules and configurations.
        values: words or numbers, in the order in which people see them. All numbers make it numeric: rules may then
            compare and add them.
        unit: what the numbers are counted in, for people to read.
        title: what people see instead of the name.
        better: which values people like, all else being equal: `higher` or `lower` ones, or `peak`, where everybody has
            one best place, not the same for all, and likes values less the further they are from it. None says nothing.
        ordered: whether words are listed from least to most; numbers have an order of their own.
        bins: in a product list, the numbers between which a column's numbers go together: the first value stands for
            all below the first of them, the next for those from there to below the second, and so on. Further values
            are words that stand in the column as they are.

    Raises:
        SpaceError: if there is no value, one stands there twice, or one is neither a word nor a number; or if something
            is said to be better among words in no order.

    >>> from setmargin import Attribute
    >>> memory = Attribute("memory", [8, 16, 32], unit="GB", better="higher")
    >>> memory.index("16")
    1
    >>> memory
    Attribute('memory', [8, 16, 32], unit='GB', better='higher')
    """

    name: str
    values: tuple[Value, ...]
    unit: str = ""
    title: str = ""
    better: Direction | None = None
    ordered: bool = False
    bins: tuple[float, ...] = ()

    def __init__(
        self,
        name: str,
        values: Iterable[Value],
        *,
        unit: str = "",
        title: str = "",
        better: Direction | None = None,
        ordered: bool = False,
        bins: Iterable[float] = (),
    ) -> None:
        check_name(name, "attribute")
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise SpaceError(f"attribute {name}: {short(values)} is not a list of values; give a list", at=("values",))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", tuple(native(value) for value in values))
        object.__setattr__(
            self, "unit", check_text(unit, f"attribute {name}: unit", at=("unit",), longest=LONGEST_UNIT)
        )
        object.__setattr__(self, "title", check_text(title, f"attribute {name}: title", at=("title",)))
        object.__setattr__(self, "better", better)
        object.__setattr__(self, "ordered", ordered)
        object.__setattr__(self, "bins", tuple(bins))
        self._check_values()
        self._check_order()
        self._check_bins()

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.values[:VALUES_SHOWN]))
        more = f", … {len(self.values)} in all" if len(self.values) > VALUES_SHOWN else ""
        extras = _named(
            unit=self.unit, title=self.title, better=self.better, ordered=self.ordered, bins=list(self.bins)
        )
        return f"Attribute({self.name!r}, [{shown}{more}]{extras})"

    def _check_values(self) -> None:
        if not self.values:
            raise SpaceError(f"attribute {self.name} has no values; list at least one", at=("values",))
        seen: set[str | Fraction] = set()
        for position, value in enumerate(self.values):
            at = ("values", position)
            if isinstance(value, str):
                check_word(value, f"attribute {self.name}", at=at)
            elif isinstance(value, bool) or not isinstance(value, int | float):
                what = f"attribute {self.name}: {short(value)}"
                raise SpaceError(f"{what} is neither a word nor a number; put words in quotes", at=at)
            else:
                check_number(value, f"attribute {self.name}: a value", at=at)
            keys: set[str | Fraction] = {str(value)}
            if not isinstance(value, str):
                keys.add(exact(value))
            if keys & seen:
                raise SpaceError(f"attribute {self.name} lists the value {value} twice; keep one", at=at)
            seen |= keys

    def _check_order(self) -> None:
        if not isinstance(self.ordered, bool):
            raise SpaceError(
                f"attribute {self.name}: ordered is {short(self.ordered)}; write true or false", at=("ordered",)
            )
        if self.better is None:
            return
        if self.better not in DIRECTIONS:
            raise SpaceError(
                f"attribute {self.name}: better is {short(self.better)}; write higher, lower or peak, or leave it out",
                at=("better",),
            )
        if not self.is_numeric and not self.ordered:
            raise SpaceError(
                f"attribute {self.name}: better is {self.better!r}, but its values are words in no order; add "
                f"ordered: true if they are listed from least to most, or leave better out",
                at=("better",),
            )

    def _check_bins(self) -> None:
        for number in self.bins:
            check_number(number, f"attribute {self.name}: a bin", at=("bins",))
        if any(high <= low for low, high in pairwise(self.bins)):
            raise SpaceError(
                f"attribute {self.name}: the bins {list(self.bins)} do not rise; write them from least to most",
                at=("bins",),
            )
        if self.bins and len(self.values) <= len(self.bins):
            raise SpaceError(
                f"attribute {self.name} has {len(self.values)} values for {len(self.bins)} bins; name one for what is "
                f"below the first, and one for each of them, or leave values out",
                at=("values",),
            )

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every value is a number, so that values can be ordered."""
        return all(not isinstance(value, str) for value in self.values)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The values as they are written in feature names and rules."""
        return tuple(str(value) for value in self.values)

    @cached_property
    def _by_label(self) -> Mapping[str, int]:
        return {label: position for position, label in enumerate(self.labels)}

    @cached_property
    def _by_number(self) -> Mapping[Fraction, int]:
        return {exact(v): position for position, v in enumerate(self.values) if not isinstance(v, str)}

    def index(self, value: Value) -> int:
        """The position of a value; numbers are compared as numbers, so 10, 10.0 and "10" are all the same one."""
        if type(value) is str and value in self._by_label:
            return self._by_label[value]
        number = None
        if isinstance(value, str | Real) and not isinstance(value, bool):
            text = str(value)
            if text in self._by_label:
                return self._by_label[text]
            number = read_number(text)
            if number is not None and number in self._by_number:
                return self._by_number[number]
        shown = value if number is not None else short(value)
        raise SpaceError(f"{self.name} has no value {shown}; {suggest(str(value), self.labels, what='its values are')}")

    def document(self) -> list[Value] | dict[str, Any]:
        """The attribute as it stands in a catalogue."""
        extras = {"unit": self.unit, "title": self.title, "better": self.better, "ordered": self.ordered}
        given = {key: value for key, value in (*extras.items(), ("bins", list(self.bins))) if value}
        return {"values": list(self.values), **given} if given else list(self.values)

    @classmethod
    def from_document(cls, name: str, body: Any) -> Attribute:
        """The attribute that stands in a catalogue under this name."""
        try:
            if isinstance(body, Mapping):
                options = {key: body[key] for key in ("unit", "title", "better", "bins") if key in body}
                return cls(name, body["values"], **options, ordered=_read_truth(body.get("ordered", False)))
            return cls(name, body)
        except SpaceError as error:
            # A plain list of values has no level of its own for the word "values".
            at = error.at if isinstance(body, Mapping) else error.at[1:]
            raise SpaceError(str(error), at=("attributes", name, *at)) from None


@dataclass(frozen=True)
class Quantity:
    """Something linear in the choices, such as a price: a constant plus one number per chosen value.

    Parameters:
        name: what it is called in rules.
        terms: for each attribute that matters, the number that each of its values adds; or for a numeric attribute one
            factor, by which its values are multiplied. None in a product list, where every item has a number of its
            own in the column of that name.
        unit: what the numbers are counted in, for people to read.
        better: whether people want `lower` or `higher` amounts, all else being equal. With `lower` the feature is
            turned around, so that a person's weights are never negative.
        base: what is there before anything is chosen.
        title: what people see instead of the name.

    Raises:
        SpaceError: if there is no term, or something is no number. Whether the attributes and values exist is known
            only when the quantity becomes part of a `Space`.

    >>> from setmargin import Quantity
    >>> Quantity("price", {"frame": {"steel": 300, "carbon": 900}, "gears": 20}, unit="€", better="lower")
    Quantity('price', {'frame': {…}, 'gears': 20}, unit='€', better='lower')
    """

    name: str
    terms: Mapping[str, Mapping[str, float] | float] = field(hash=False)
    unit: str = ""
    better: Better = "higher"
    base: float = 0
    title: str = ""

    def __init__(
        self,
        name: str,
        terms: Mapping[str, Mapping[Value, float] | float] | None = None,
        *,
        unit: str = "",
        better: Better = "higher",
        base: float = 0,
        title: str = "",
    ) -> None:
        check_name(name, "quantity")
        if better not in ("lower", "higher"):
            raise SpaceError(f"quantity {name}: better is {better!r}; write lower or higher", at=("better",))
        if terms is not None and not isinstance(terms, Mapping):
            raise SpaceError(
                f"quantity {name} sums over {short(terms)}; give the numbers by attribute, such as "
                f"{{'frame': {{'steel': 300, 'carbon': 900}}}}",
                at=("sum",),
            )
        if terms is not None and not terms:
            raise SpaceError(f"quantity {name} sums over no attribute; give it at least one", at=("sum",))
        terms = terms or {}
        if wrong := [key for key in terms if not isinstance(key, str)]:
            raise SpaceError(f"quantity {name} sums over {short(wrong[0])}; give the name of an attribute", at=("sum",))
        check_number(base, f"quantity {name}: base", at=("base",))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "terms", {key: _by_label(name, key, term) for key, term in terms.items()})
        object.__setattr__(self, "unit", check_text(unit, f"quantity {name}: unit", at=("unit",), longest=LONGEST_UNIT))
        object.__setattr__(self, "better", better)
        object.__setattr__(self, "base", _whole(base))
        object.__setattr__(self, "title", check_text(title, f"quantity {name}: title", at=("title",)))

    def __repr__(self) -> str:
        terms = ", ".join(f"{k!r}: {'{…}' if isinstance(term, Mapping) else term}" for k, term in self.terms.items())
        better = "" if self.better == "higher" else self.better
        extras = _named(unit=self.unit, better=better, base=self.base, title=self.title)
        return f"Quantity({self.name!r}{f', {{{terms}}}' if self.terms else ''}{extras})"

    def table(self, attribute: Attribute) -> tuple[float, ...]:
        """What each value of the attribute adds; zeros for an attribute that does not matter."""
        term = self.terms.get(attribute.name, 0)
        if isinstance(term, Mapping):
            return self._listed(attribute, term)
        if term == 0:
            return (0.0,) * len(attribute.values)
        if not attribute.is_numeric:
            raise SpaceError(
                f"quantity {self.name} has one factor for {attribute.name}, whose values are not all numbers; "
                f"list a number for each value instead",
                at=("sum", attribute.name),
            )
        # Through exact decimals, so that 3 times 0.1 is 0.3.
        return tuple(float(exact(term) * exact(value)) for value in attribute.values if not isinstance(value, str))

    def _listed(self, attribute: Attribute, term: Mapping[str, float]) -> tuple[float, ...]:
        found: dict[int, float] = {}
        for value, number in term.items():
            where = ("sum", attribute.name, value)
            try:
                position = attribute.index(value)
            except SpaceError as error:
                raise SpaceError(f"quantity {self.name}: {error}", at=where) from None
            if position in found:
                raise SpaceError(f"quantity {self.name} lists {attribute.name} = {value} twice; keep one", at=where)
            found[position] = float(number)
        if missing := [label for position, label in enumerate(attribute.labels) if position not in found]:
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            raise SpaceError(
                f"quantity {self.name} has no number for {attribute.name} = {shown}; "
                f"add {'it' if len(missing) == 1 else 'them'} (0 if nothing is added)",
                at=("sum", attribute.name),
            )
        return tuple(found[position] for position in range(len(attribute.values)))

    def document(self) -> dict[str, Any]:
        """The quantity as it stands in a catalogue."""
        extras = {"unit": self.unit, "title": self.title, "better": self.better, "base": self.base}
        sums = {name: dict(term) if isinstance(term, Mapping) else term for name, term in self.terms.items()}
        return {**{key: value for key, value in extras.items() if value}, **({"sum": sums} if sums else {})}

    @classmethod
    def from_document(cls, name: str, body: Mapping[str, Any]) -> Quantity:
        """The quantity that stands in a catalogue under this name."""
        options = {key: body[key] for key in ("unit", "better", "base", "title") if key in body}
        try:
            return cls(name, body.get("sum"), **options)
        except SpaceError as error:
            raise error.under("quantities", name) from None


def _read_truth(written: Any) -> Any:
    """Words stay words when a catalogue is read, `true` and `false` too; anything else is refused later."""
    return {"true": True, "false": False}.get(written, written) if isinstance(written, str) else written


def _named(**options: object) -> str:
    return "".join(f", {name}={value!r}" for name, value in options.items() if value)


def _by_label(quantity: str, name: str, term: Mapping[Value, float] | float) -> dict[str, float] | float:
    """Numbers under the labels of their values, as in a file, where every key is a text."""
    if not isinstance(term, Mapping):
        check_number(term, f"quantity {quantity}: the factor of {name}", at=("sum", name))
        return _whole(term)
    labelled: dict[str, float] = {}
    for value, number in term.items():
        label, at = str(native(value)), ("sum", name, str(native(value)))
        check_number(number, f"quantity {quantity}: {name} = {label}", at=at)
        if label in labelled:
            raise SpaceError(f"quantity {quantity} lists {name} = {label} twice; keep one", at=at)
        labelled[label] = _whole(number)
    return labelled


def _whole(number: float) -> float:
    """Whole numbers as integers, so that 50 and 50.0 are written and compared as one."""
    plain = native(number)
    assert not isinstance(plain, str)
    return int(plain) if float(plain).is_integer() else plain
