"""The rule language: text in, formula out. Nothing is ever evaluated as Python.

The parser (rules.lark) calls `_Builder` at each reduction, and the builder asks `Names` what the words mean in a
space. It all goes bottom-up without recursion, so nesting has no limit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from threading import Lock
from typing import NamedTuple, cast

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken, v_args

from setmargin.errors import RuleError, SpaceError
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.formula import And, Formula, Iff, Is, Linear, Not, Or, at_most_zero, combine, negated
from setmargin.space.text import LONGEST_NAME, exact, read_number, short, suggest

LONGEST_RULE = 1_000_000
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


class Word(NamedTuple):
    """A name or a value as it stands in the rule; a bare number is also known as a number."""

    text: str
    number: Fraction | None = None


class Multiple(NamedTuple):
    """A multiple of something named, or of a number."""

    factor: Fraction
    word: Word


@dataclass(frozen=True)
class Names:
    """The attributes and quantities that rules may speak of."""

    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]
    hidden: tuple[Attribute, ...] = ()
    """Attributes behind the others, over which quantities of a product list sum."""

    @cached_property
    def positions(self) -> Mapping[str, int]:
        return {attribute.name: position for position, attribute in enumerate(self.attributes)}

    @cached_property
    def _all(self) -> tuple[Attribute, ...]:
        return (*self.attributes, *self.hidden)

    @cached_property
    def _summed(self) -> Mapping[str, int]:
        return {attribute.name: position for position, attribute in enumerate(self._all)}

    @cached_property
    def _quantities(self) -> Mapping[str, Quantity]:
        return {quantity.name: quantity for quantity in self.quantities}

    @cached_property
    def _sums(self) -> dict[str, Linear]:
        return {}

    def parse(self, text: str) -> Formula:
        """The formula that the text means in this space."""
        if len(text) > LONGEST_RULE:
            raise RuleError(f"a rule of {len(text):,} characters is too long; split it, or use a table")
        try:
            return _read(text, self)
        except UnexpectedInput as error:
            told = _explain(text, error)
        except SpaceError as error:
            told = f"{error} – in the rule: {_around(text, 0)}"
        # Not raised by the handlers: the parser's error would come along, and cannot go to another process.
        raise RuleError(told)

    def position(self, name: str) -> int:
        """Where the attribute of that name stands."""
        if name not in self.positions:
            hint = suggest(str(name), list(self.positions), what="the attributes are")
            raise RuleError(f"there is no attribute {short(name)}; {hint}")
        return self.positions[name]

    def among(self, name: Word, words: Sequence[Word]) -> Is:
        """`name in {words}`."""
        position = self.position(name.text)
        attribute = self.attributes[position]
        return Is(position, frozenset(attribute.index(word.text) for word in words))

    def compare(self, left: Sequence[Multiple], operator: str, right: Sequence[Multiple]) -> Formula:
        """`left operator right`, between an attribute and one of its values, or between linear sums."""
        return (
            self._choice(left, operator, right)
            or self._choice(right, TURNED[operator], left)
            or self._linear(left, operator, right)
        )

    def _choice(self, left: Sequence[Multiple], operator: str, right: Sequence[Multiple]) -> Formula | None:
        """`attribute = value` or `attribute != value`; a value goes before an attribute or quantity of that name."""
        name, word = _alone(left), _alone(right)
        if name is None or name.number is not None or name.text not in self.positions or word is None:
            return None
        attribute = self.attributes[self.positions[name.text]]
        named = word.number is None and (word.text in self.positions or word.text in self._quantities)
        if operator not in ("=", "!="):
            if word.number is None and not named and attribute.is_numeric:
                raise RuleError(f"{name.text} {operator} {short(word.text)} compares with a word; write a number")
            return None
        if named and word.text not in attribute.labels:
            return None
        chosen = self.among(name, [word])
        return chosen if operator == "=" else Not(chosen)

    def _linear(self, left: Sequence[Multiple], operator: str, right: Sequence[Multiple]) -> Formula:
        difference = self._collect([*left, *(Multiple(-factor, word) for factor, word in right)])
        match operator:
            case "<=" | "<":
                return at_most_zero(difference, strict=operator == "<")
            case ">" | ">=":
                return negated(at_most_zero(difference, strict=operator == ">="))
        below, strictly_below = at_most_zero(difference), at_most_zero(difference, strict=True)
        if operator == "=":
            return And((below, negated(strictly_below)))
        return Or((strictly_below, negated(below)))

    def _collect(self, terms: Sequence[Multiple]) -> Linear:
        factors: defaultdict[str, Fraction] = defaultdict(Fraction)
        constant = Fraction(0)
        for factor, word in terms:
            if word.number is None:
                factors[word.text] += factor
            else:
                constant += factor * word.number
        named = [(factor, self._sum(name)) for name, factor in factors.items()]
        return combine([(Fraction(1), Linear.of({}, constant)), *named])

    def _sum(self, name: str) -> Linear:
        if name not in self._sums:
            self._sums[name] = self._new_sum(name)
        return self._sums[name]

    def _new_sum(self, name: str) -> Linear:
        """What each value of each attribute adds to something that is named in a sum."""
        if name in self._quantities:
            quantity = self._quantities[name]
            places = {self._summed[key]: self._all[self._summed[key]] for key in quantity.terms}
            tables = {position: quantity.table(attribute) for position, attribute in places.items()}
            return Linear.of({p: [exact(n) for n in table] for p, table in tables.items()}, exact(quantity.base))
        if name not in self.positions:
            known = [*self.positions, *self._quantities]
            minus = "-" in name and any(part in known for part in name.split("-"))
            hint = "put spaces around a minus" if minus else suggest(name, known, what="there is")
            raise RuleError(f"there is no attribute or quantity {short(name)}; {hint}")
        values = self.attributes[self.positions[name]].values
        if words := [value for value in values if isinstance(value, str)]:
            raise RuleError(
                f"{name} cannot be ordered or calculated with, because {words[0]!r} is a word; "
                f"write {name} = … or {name} in {{…}}, or list combinations in a table"
            )
        return Linear.of({self.positions[name]: [exact(value) for value in values if not isinstance(value, str)]})


def _alone(terms: Sequence[Multiple]) -> Word | None:
    """The word or number that is all there is on one side."""
    factor, word = terms[0]
    if len(terms) > 1 or abs(factor) != 1 or (factor == -1 and word.number is None):
        return None
    return word if factor == 1 or word.number is None else Word(f"-{word.text}", -word.number)


@v_args(inline=True)
class _Builder(Transformer[Token, Formula]):
    """Called by the parser at each reduction, so that no tree is walked afterwards."""

    names: Names

    def word(self, token: Token) -> Word:
        return Word(str(token))

    def quoted(self, token: Token) -> Word:
        return Word(re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL))

    def number(self, token: Token) -> Word:
        return Word(str(token), _number(token))

    def negative(self, token: Token) -> Word:
        return Word(f"-{token}", -_number(token))

    def sign(self, token: Token) -> int:
        return 1 if token == "+" else -1

    def times(self, number: Token, name: Word) -> Multiple:
        return Multiple(_number(number), name)

    def times_after(self, name: Word, number: Token) -> Multiple:
        return Multiple(_number(number), name)

    def constant(self, number: Token) -> Multiple:
        return Multiple(Fraction(1), self.number(number))

    def term(self, name: Word) -> Multiple:
        return Multiple(Fraction(1), name)

    def signed(self, *parts: int | Multiple) -> Multiple:
        return _signed(parts)

    def sum(self, *parts: int | Multiple) -> list[Multiple]:
        first, rest = parts[0], parts[1:]
        assert isinstance(first, Multiple)
        return [first, *(_signed(rest[i : i + 2]) for i in range(0, len(rest), 2))]

    def compare(self, left: list[Multiple], operator: Token, right: list[Multiple]) -> Formula:
        return self.names.compare(left, str(operator), right)

    def among(self, name: Word, *words: Word) -> Formula:
        return self.names.among(name, words)

    def not_among(self, name: Word, *words: Word) -> Formula:
        return Not(self.names.among(name, words))

    def not_(self, part: Formula) -> Formula:
        return negated(part)

    def and_(self, *parts: Formula) -> Formula:
        return And(parts)

    def or_(self, *parts: Formula) -> Formula:
        return Or(parts)

    def implies(self, condition: Formula, consequence: Formula) -> Formula:
        return Or((negated(condition), consequence))

    def iff(self, left: Formula, right: Formula) -> Formula:
        return Iff(left, right)


def _number(token: Token) -> Fraction:
    number = read_number(token)
    if number is None:
        raise RuleError(f"the number {short(str(token))} is too long or too large; write a shorter one")
    return number


def _signed(parts: Sequence[int | Multiple]) -> Multiple:
    term = parts[-1]
    assert isinstance(term, Multiple)
    return Multiple(-term.factor, term.word) if parts[0] == -1 else term


@cache
def _parser() -> tuple[Lark, _Builder]:
    grammar = resources.files("setmargin.space").joinpath("rules.lark").read_text(encoding="utf-8")
    builder = _Builder()
    return Lark(grammar, parser="lalr", lexer="basic", transformer=builder), builder


_ONE_AT_A_TIME = Lock()


def _read(text: str, names: Names) -> Formula:
    """Parse with the one parser there is: building its tables takes longer than reading a hundred rules."""
    with _ONE_AT_A_TIME:
        parser, builder = _parser()
        builder.names = names
        return cast(Formula, parser.parse(text))


# How people write the parts of the grammar, in the order in which a message lists them.
PLAIN = {
    "WORD": "a name",
    "QUOTED": "a name",
    "NUMBER": "a number",
    "OPERATOR": "= != < <= > >=",
    "IN": "in",
    "LBRACE": "{",
    "COMMA": ",",
    "RBRACE": "}",
    "LPAR": "(",
    "RPAR": ")",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "NOT": "not",
    "AND": "and",
    "OR": "or",
    "_IMPLIES": "=>",
    "_IFF": "<=>",
    "$END": "the end of the rule",
}
HABITS = {
    "&": "write and",
    "|": "write or",
    "!": "write not",
    "'": "write double quotes",
    "→": "write =>",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "AND": "write and in small letters",
    "OR": "write or in small letters",
    "NOT": "write not in small letters",
    "IN": "write in in small letters",
    "=": "write = only once",
    ")": "remove it, or open it with (",
}


def _explain(text: str, error: UnexpectedInput) -> str:
    """What stands at the wrong place, where that is, and what to write instead."""
    if not isinstance(error, UnexpectedToken):
        found, cure = text[error.pos_in_stream or 0], "put names and values with spaces or signs in double quotes"
    elif error.token.type == "$END":
        return f"the rule ends too early: {_around(text, len(text))}; expected {_expected(error)}"
    elif "AND" in error.expected and error.token.type in ("WORD", "QUOTED", "NUMBER"):
        found, cure = str(error.token), "put names with spaces in double quotes, and a sign or a word between two names"
    else:
        found, cure = str(error.token), f"expected {_expected(error)}"
    place = error.pos_in_stream or 0
    where = f"at column {place + 1} of the rule: {_around(text, place)}"
    return f"unexpected {short(found)} {where}; {_habit(text, place) or HABITS.get(found, cure)}"


def _habit(text: str, place: int) -> str:
    """The cure for what people are used to from elsewhere, where more than one word tells it."""
    before = text[max(0, place - LONGEST_NAME) : place]
    if re.match(r"\s*if\s+[\w\"(]", text, re.IGNORECASE):
        return "write A => B instead of if A then B"
    if re.search(r"[\w.]-[\w.-]+\s*\*?\s*$", before):
        return "put spaces around a minus"
    if re.search(r"\d$", before) and re.match(r",\d", text[place : place + 2]):
        return "write decimals with a point, such as 1.5"
    return ""


def _expected(error: UnexpectedToken) -> str:
    known = dict.fromkeys(plain for kind, plain in PLAIN.items() if kind in error.expected)
    return f"{'one of: ' if len(known) > 1 else ''}{', '.join(known)}"


def _around(text: str, place: int, length: int = 160) -> str:
    """The part of a rule around a place, on one line."""
    start = max(0, min(place - length // 2, len(text) - length))
    part = re.sub(r"\s+", " ", text[start : start + length])
    return f"{'…' if start else ''}{part}{'…' if start + length < len(text) else ''}"
