"""Random spaces and rules, and a second, naive opinion on what a rule means."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from setmargin.space.attributes import Attribute, Better, Quantity
from setmargin.space.rules import Table
from setmargin.space.space import Space
from setmargin.space.text import Value, show

Ints = NDArray[np.int64]
Tree = tuple[Any, ...]
BETTER: list[Better] = ["lower", "higher"]

WEIRD = """
    yes no null ~ - = << 12:30 007 1e3 1_000 0x1F 1. .5 -.5 -5 +5 .inf .nan true Off # 'a "b a\\b é 猫 😀 * & ! % @ ` |
    > and or not in { } [ ] , ? -- --- ... 2001-01-01 a-b 1-2 Null NULL y n 1:30 0o7 e +
"""
SPACED = ["a: b", "a #b", "- a", "? a", "a, b", "x  y", "a 'b' \"c\"", "not in", "x = 1", "key: [1]"]

words = st.sampled_from([*WEIRD.split(), *SPACED]) | st.text(max_size=6).map(
    lambda text: "".join(c for c in text if c.isprintable()).strip() or "w"
)
numbers = st.integers(-50, 50) | st.integers(-999, 999).map(lambda n: n / 100) | st.sampled_from([10**12, 1e-7, -1e11])
values = words | numbers


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    kept: list[Value] = []
    taken: set[object] = set()
    for value in draw(st.lists(draw(st.sampled_from([words, numbers, values])), min_size=1, max_size=4)):
        if not {value, str(value)} & taken:
            kept.append(value)
            taken |= {value, str(value)}
    return Attribute(name, kept, unit=draw(texts), title=draw(texts))


texts = st.sampled_from(["", "", "€", "yes", "a: b", "two\nlines", "#x", " spaced "])


@st.composite
def quantities(draw: st.DrawFn, name: str, over: list[Attribute]) -> Quantity:
    terms: dict[str, dict[Value, float] | float] = {}
    for attribute in draw(st.lists(st.sampled_from(over), min_size=1, unique_by=lambda a: a.name)):
        one_factor = attribute.is_numeric and draw(st.booleans())
        terms[attribute.name] = draw(numbers) if one_factor else {v: draw(numbers) for v in attribute.values}
    better: Better = draw(st.sampled_from(BETTER))
    return Quantity(name, terms, better=better, base=draw(numbers), unit=draw(texts), title=draw(texts))


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    names = draw(st.lists(words, min_size=2, max_size=5, unique=True))
    cut = draw(st.integers(1, len(names)))
    chosen = [draw(attributes(name)) for name in names[:cut]]
    derived = [draw(quantities(name, chosen)) for name in names[cut:]]
    rules = [draw(plain_rules(chosen, derived)) for _ in range(draw(st.integers(0, 3)))]
    title, description = draw(texts), draw(texts)
    return Space(chosen, quantities=derived, rules=rules, name="a-1", title=title, description=description)


@st.composite
def plain_rules(draw: st.DrawFn, over: list[Attribute], derived: list[Quantity]) -> str | Table:
    first, second = draw(st.sampled_from(over)), draw(st.sampled_from(over))
    kind = draw(st.sampled_from(["value", "table", "sum"]))
    if kind == "sum" and derived:
        return f"{show(draw(st.sampled_from(derived)).name)} <= {draw(st.integers(0, 99))}"
    if kind == "table":
        return draw(tables(over))
    one, other = draw(st.sampled_from(first.values)), draw(st.sampled_from(second.values))
    return f"{show(first.name)} = {show(one)}\n  => {show(second.name)} not in {{{show(other)}}}"


@st.composite
def tables(draw: st.DrawFn, over: list[Attribute]) -> Table:
    """A table of values, lists of values and wildcards."""
    columns = draw(st.lists(st.sampled_from(over), min_size=1, max_size=3, unique_by=lambda each: each.name))
    cells = [
        st.sampled_from([*each.values, "*"]) | st.lists(st.sampled_from(each.values), min_size=1, max_size=3).map(tuple)
        if "*" not in each.labels
        else st.sampled_from(each.values)
        for each in columns
    ]
    rows = draw(st.lists(st.tuples(*cells), max_size=3))
    return Table(tuple(each.name for each in columns), tuple(rows), allow=draw(st.booleans()))


def means(table: Table, space: Space, configuration: Mapping[str, Value]) -> bool:
    """Whether a configuration obeys a table, cell by cell."""

    def fits(cell: Any, name: str) -> bool:
        attribute = space.attributes[space.names.positions[name]]
        if cell == "*" and "*" not in attribute.labels:
            return True
        listed = cell if isinstance(cell, tuple) else (cell,)
        return configuration[name] in [attribute.values[attribute.index(value)] for value in listed]

    found = any(all(map(fits, row, table.attributes)) for row in table.rows)
    return found == table.allow


def everything(space: Space) -> Ints:
    """All combinations of values as rows of indices, feasible or not."""
    return np.array(list(product(*map(range, space.domains))), dtype=np.int64)


# A small space to state rules in, with every kind of attribute, and trees of formulas over it.

SHOP = Space(
    [
        Attribute("type", ["laptop", "tower", 'big "one"']),
        Attribute("main memory", [64, 128, -5]),
        Attribute("ratio", [0.1, 0.2, -0.3]),
        Attribute("size", ["S", 10, "007"]),
    ],
    quantities=[
        Quantity("price", {"type": {"laptop": 0.1, "tower": 0.2, 'big "one"': 7}, "ratio": 3}, base=0.1),
        Quantity("weight", {"size": {"S": 1, 10: -2, "007": 0.5}, "main memory": -0.1}),
    ],
)
COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LEVEL = {"iff": 0, "=>": 1, "or": 2, "and": 3, "not": 4}

factors = st.sampled_from(["", "1", "2", "0.1", ".5", "3.", "1e1", "0"])
sums = st.lists(
    st.tuples(st.sampled_from("+-"), factors, st.sampled_from(["price", "weight", "main memory", "ratio", None])),
    min_size=1,
    max_size=3,
)
leaves = (
    st.sampled_from(SHOP.attributes).flatmap(
        lambda a: st.tuples(st.sampled_from(["=", "!="]), st.just(a.name), st.sampled_from(a.values))
    )
    | st.sampled_from(SHOP.attributes).flatmap(
        lambda a: st.tuples(
            st.sampled_from(["in", "not in"]),
            st.just(a.name),
            st.lists(st.sampled_from(a.values), min_size=1, max_size=2),
        )
    )
    | st.tuples(st.just("sum"), sums, st.sampled_from(sorted(COMPARE)), sums)
)
trees: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(st.just("not"), inner)
        | st.tuples(st.sampled_from(["iff", "=>"]), inner, inner)
        | st.tuples(st.sampled_from(["and", "or"]), inner, inner)
        | st.tuples(st.sampled_from(["and", "or"]), inner, inner, inner)
    ),
    max_leaves=8,
)


def render(tree: Tree, level: int = 0) -> str:
    """The tree as text with no parentheses but those that the precedence asks for."""
    own = LEVEL.get(tree[0], 5)
    text = _text(tree, own)
    return f"({text})" if own < level else text


def _text(tree: Tree, own: int) -> str:
    match tree:
        case "not", part:
            return f"not {render(part, 4)}"
        case "iff", left, right:
            return f"{render(left, 0)} <=> {render(right, 1)}"
        case "=>", left, right:
            return f"{render(left, 2)} => {render(right, 1)}"
        case ("and" | "or") as word, *parts:
            return f" {word} ".join(render(part, own + 1) for part in parts)
        case "sum", left, sign, right:
            # With a zero, since "ratio = 1" alone would be refused: ratio has no value 1.
            return f"{_sum_text(left)} {sign} {_sum_text(right)} + 0"
        case ("in" | "not in") as word, name, listed:
            return f"{show(name)} {word} {{{', '.join(map(show, listed))}}}"
    sign, name, value = tree
    return f"{show(name)}{sign}{show(value)}"


def _sum_text(terms: list[tuple[str, str, str | None]]) -> str:
    text = " ".join(f"{sign} {_term_text(factor, name)}" for sign, factor, name in terms)
    return text.removeprefix("+ ")


def _term_text(factor: str, name: str | None) -> str:
    if name is None:
        return factor or "1"
    return f"{factor} * {show(name)}" if factor else show(name)


def meaning(tree: Tree, chosen: Mapping[str, Value]) -> bool:
    """Whether the tree is true for the chosen values, computed as naively as possible."""
    match tree:
        case "not", part:
            return not meaning(part, chosen)
        case "iff", left, right:
            return meaning(left, chosen) == meaning(right, chosen)
        case "=>", left, right:
            return not meaning(left, chosen) or meaning(right, chosen)
        case "and", *parts:
            return all(meaning(part, chosen) for part in parts)
        case "or", *parts:
            return any(meaning(part, chosen) for part in parts)
        case "sum", left, sign, right:
            return bool(COMPARE[sign](_total(left, chosen), _total(right, chosen)))
        case "in", name, listed:
            return chosen[name] in listed
        case "not in", name, listed:
            return chosen[name] not in listed
    sign, name, value = tree
    return bool(COMPARE[sign](chosen[name], value))


def _total(terms: list[tuple[str, str, str | None]], chosen: Mapping[str, Value]) -> Fraction:
    return sum((Fraction(f"{sign}{factor or 1}") * _amount(name, chosen) for sign, factor, name in terms), Fraction(0))


def _amount(name: str | None, chosen: Mapping[str, Value]) -> Fraction:
    if name is None:
        return Fraction(1)
    for quantity in SHOP.quantities:
        if quantity.name == name:
            return Fraction(str(quantity.base)) + sum(
                _part(term, chosen[attribute]) for attribute, term in quantity.terms.items()
            )
    return Fraction(str(chosen[name]))


def _part(term: Mapping[str, float] | float, value: Value) -> Fraction:
    if isinstance(term, Mapping):
        return Fraction(str(term[str(value)]))
    return Fraction(str(term)) * Fraction(str(value))
