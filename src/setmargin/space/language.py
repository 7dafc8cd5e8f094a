"""The rule language: text in, formula out. Nothing is ever evaluated as Python.

A rule is read in two steps: the grammar (rules.lark) gives a tree of words, and `Names` binds the words to the
attributes and quantities of a space. The parser builds bottom-up without recursion, so nesting has no limit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from math import lcm
from threading import Lock
from typing import NamedTuple, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.exceptions import VisitError

from setmargin.errors import RuleError, SpaceError
from setmargin.space.attributes import Attribute, Quantity, Value, suggest
from setmargin.space.formula import And, AtMost, Formula, Iff, Is, Not, Or

# Sums of integer coefficients stay exactly representable, also as floating-point numbers inside a solver.
LARGEST_SUM = 2**52
LONGEST_RULE = 1_000_000
OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


class Word(NamedTuple):
    """A name or a value as it stands in the rule."""

    text: str
    number: Fraction | None = None


class Term(NamedTuple):
    """A multiple of something named, or a plain number when nothing is named."""

    factor: Fraction
    word: Word | None


@dataclass(frozen=True)
class Names:
    """The attributes and quantities that rules may speak of."""

    attributes: tuple[Attribute, ...]
    quantities: tuple[Quantity, ...]

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {attribute.name: position for position, attribute in enumerate(self.attributes)}

    @cached_property
    def _tables(self) -> Mapping[str, Mapping[int, tuple[float, ...]]]:
        return {
            quantity.name: {
                position: quantity.table(attribute)
                for position, attribute in enumerate(self.attributes)
                if attribute.name in quantity.terms
            }
            for quantity in self.quantities
        }

    def parse(self, text: str) -> Formula:
        """The formula that the text means in this space."""
        if len(text) > LONGEST_RULE:
            raise RuleError(f"a rule of {len(text):,} characters is too long; split it, or use a table")
        try:
            return _read(text, self)
        except UnexpectedInput as error:
            raise RuleError(_explain(text, error)) from None
        except VisitError as error:
            if isinstance(error.orig_exc, SpaceError):
                raise RuleError(f"{error.orig_exc}, in the rule: {_shorten(text)}") from None
            raise
        except SpaceError as error:
            raise RuleError(f"{error}, in the rule: {_shorten(text)}") from None

    def position(self, name: str) -> int:
        """Where the attribute of that name stands."""
        if name not in self._positions:
            raise RuleError(
                f"there is no attribute {name!r}; {suggest(name, list(self._positions), what='there is')}"
            )
        return self._positions[name]

    def value(self, position: int, word: Word) -> int:
        """The index of the value that a word or number stands for."""
        attribute = self.attributes[position]
        for index, own in enumerate(attribute.values):
            same = own == word.text if isinstance(own, str) else _fraction(own) == word.number
            if same or (isinstance(own, str) and word.number is not None and own == word.text):
                return index
        raise RuleError(f"{attribute.name} has no value {word.text!r}; {attribute.suggest(word.text)}")

    def among(self, name: Word, words: Sequence[Word]) -> Is:
        """`name in {words}`."""
        position = self.position(name.text)
        return Is(position, frozenset(self.value(position, word) for word in words))

    def compare(self, left: Sequence[Term], operator: str, right: Sequence[Term]) -> Formula:
        """`left operator right`, between an attribute and a value or between linear sums."""
        for one, other, sign in ((left, right, operator), (right, left, OPPOSITE[operator])):
            if (found := self._attribute_against_value(one, sign, other)) is not None:
                return found
        return self._linear(left, operator, right)

    def _attribute_against_value(
        self, left: Sequence[Term], operator: str, right: Sequence[Term]
    ) -> Formula | None:
        name, word = _only_name(left), _only_word(right)
        if name is None or word is None or name.text not in self._positions:
            return None
        if word.number is None and word.text in {**self._positions, **self._tables}:
            attribute = self.attributes[self._positions[name.text]]
            if word.text not in attribute.labels:
                return None
        position = self._positions[name.text]
        if operator in ("=", "!="):
            chosen = Is(position, frozenset((self.value(position, word),)))
            return chosen if operator == "=" else Not(chosen)
        if word.number is None:
            raise RuleError(f"{name.text} {operator} {word.text!r} compares with a word; write a number")
        self._must_be_numeric(position, operator)
        return self._linear(left, operator, right)

    def _must_be_numeric(self, position: int, operator: str) -> None:
        attribute = self.attributes[position]
        if not attribute.is_numeric:
            words = [str(value) for value in attribute.values if isinstance(value, str)]
            raise RuleError(
                f"{attribute.name} cannot be ordered with {operator}, because {words[0]!r} is a word; "
                f"write {attribute.name} in {{…}} instead"
            )

    def _linear(self, left: Sequence[Term], operator: str, right: Sequence[Term]) -> Formula:
        terms = [*left, *(Term(-factor, word) for factor, word in right)]
        coefficients, constant = self._collect(terms)
        at_most, bound = _integers(coefficients, -constant)
        below = _at_most(at_most, bound.numerator // bound.denominator)
        strictly_below = _at_most(at_most, -(-bound.numerator // bound.denominator) - 1)
        match operator:
            case "<=":
                return below
            case "<":
                return strictly_below
            case ">":
                return _not(below)
            case ">=":
                return _not(strictly_below)
            case "=":
                return And((below, _not(strictly_below)))
        return Or((strictly_below, _not(below)))

    def _collect(self, terms: Sequence[Term]) -> tuple[dict[int, list[Fraction]], Fraction]:
        coefficients: dict[int, list[Fraction]] = {}
        constant = Fraction(0)
        for factor, word in terms:
            if word is None:
                constant += factor
                continue
            tables, base = self._amounts(word.text)
            constant += factor * base
            for position, numbers in tables.items():
                sums = coefficients.setdefault(position, [Fraction(0)] * len(numbers))
                coefficients[position] = [s + factor * n for s, n in zip(sums, numbers, strict=True)]
        return coefficients, constant

    def _amounts(self, name: str) -> tuple[dict[int, list[Fraction]], Fraction]:
        for quantity in self.quantities:
            if quantity.name == name:
                tables = {p: [_fraction(n) for n in numbers] for p, numbers in self._tables[name].items()}
                return tables, _fraction(quantity.base)
        if name in self._positions:
            position = self._positions[name]
            self._must_be_numeric(position, "arithmetic")
            return {position: [_fraction(float(v)) for v in self.attributes[position].values]}, Fraction(0)
        known = [*self._positions, *self._tables]
        raise RuleError(
            f"there is no attribute or quantity {name!r}; {suggest(name, known, what='there is')}"
        )


def _fraction(number: float) -> Fraction:
    """The decimal number that was written, not its binary neighbour: 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _integers(
    coefficients: Mapping[int, Sequence[Fraction]], bound: Fraction
) -> tuple[dict[int, tuple[int, ...]], Fraction]:
    """Coefficients as integers over a common denominator; rounded (far below any price) only if they would overflow."""
    numbers = [number for column in coefficients.values() for number in column]
    scale = Fraction(lcm(*(number.denominator for number in numbers)) if numbers else 1)
    size = sum((max(abs(n) for n in column) for column in coefficients.values()), Fraction(0)) + abs(bound)
    if size * scale > LARGEST_SUM:
        scale = Fraction(LARGEST_SUM) / size
    return {p: tuple(round(n * scale) for n in column) for p, column in coefficients.items()}, bound * scale


def _at_most(coefficients: Mapping[int, tuple[int, ...]], bound: int) -> Formula:
    """Σ ≤ bound, with attributes that add a constant folded into the bound; one attribute alone is a set of values."""
    varying = {p: column for p, column in coefficients.items() if len(set(column)) > 1}
    bound -= sum(column[0] for p, column in coefficients.items() if p not in varying)
    if not varying:
        return And(()) if bound >= 0 else Or(())
    if len(varying) == 1:
        ((position, column),) = varying.items()
        return Is(position, frozenset(index for index, number in enumerate(column) if number <= bound))
    return AtMost(tuple(sorted(varying.items())), bound)


def _not(formula: Formula) -> Formula:
    return formula.negated() if isinstance(formula, AtMost) else Not(formula)


def _only_name(terms: Sequence[Term]) -> Word | None:
    return terms[0].word if len(terms) == 1 and terms[0].factor == 1 else None


def _only_word(terms: Sequence[Term]) -> Word | None:
    if len(terms) != 1:
        return None
    factor, word = terms[0]
    if word is None:
        return Word(str(factor) if factor.denominator == 1 else str(float(factor)), factor)
    return word if factor == 1 else None


@v_args(inline=True)
class _Builder(Transformer[Token, Formula]):
    """Called by the parser at each reduction, so that no tree is walked afterwards."""

    names: Names

    def word(self, token: Token) -> Word:
        return Word(str(token))

    def quoted(self, token: Token) -> Word:
        return Word(re.sub(r"\\(.)", r"\1", token[1:-1]))

    def number(self, token: Token) -> Word:
        return Word(str(token), Fraction(token))

    def negative(self, token: Token) -> Word:
        return Word(f"-{token}", -Fraction(token))

    def sign(self, token: Token) -> int:
        return 1 if token == "+" else -1

    def times(self, number: Token, name: Word) -> Term:
        return Term(Fraction(number), name)

    def times_after(self, name: Word, number: Token) -> Term:
        return Term(Fraction(number), name)

    def constant(self, number: Token) -> Term:
        return Term(Fraction(number), None)

    def term(self, name: Word) -> Term:
        return Term(Fraction(1), name)

    def signed(self, *parts: int | Term) -> Term:
        return _signed(parts)

    def sum(self, *parts: int | Term) -> list[Term]:
        first, rest = parts[0], parts[1:]
        assert isinstance(first, Term)
        return [first, *(_signed(rest[i : i + 2]) for i in range(0, len(rest), 2))]

    def compare(self, left: list[Term], operator: Token, right: list[Term]) -> Formula:
        return self.names.compare(left, str(operator), right)

    def among(self, name: Word, *words: Word) -> Formula:
        return self.names.among(name, words)

    def not_among(self, name: Word, *words: Word) -> Formula:
        return Not(self.names.among(name, words))

    def not_(self, part: Formula) -> Formula:
        return part.part if isinstance(part, Not) else _not(part)

    def and_(self, *parts: Formula) -> Formula:
        return And(parts)

    def or_(self, *parts: Formula) -> Formula:
        return Or(parts)

    def implies(self, condition: Formula, consequence: Formula) -> Formula:
        return Or((self.not_(condition), consequence))

    def iff(self, left: Formula, right: Formula) -> Formula:
        return Iff(left, right)


def _signed(parts: Sequence[int | Term]) -> Term:
    term = parts[-1]
    assert isinstance(term, Term)
    return Term(-term.factor, term.word) if parts[0] == -1 else term


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


def _explain(text: str, error: UnexpectedInput) -> str:
    shown, column = _shorten(text), error.column
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return f"the rule ends too early: {shown}; expected one of: {_expected(error)}"
    if isinstance(error, UnexpectedCharacters):
        what = f"unexpected character {text[error.pos_in_stream]!r}"
        return f"{what} at column {column} of the rule: {shown}; put names and values with spaces or signs in quotes"
    assert isinstance(error, UnexpectedToken)
    hint = "; put names with spaces in double quotes" if error.token.type in ("WORD", "NUMBER") else ""
    return f"unexpected {str(error.token)!r} at column {column} of the rule: {shown}; expected one of: {_expected(error)}{hint}"


PLAIN = {
    "WORD": "a name",
    "QUOTED": "a quoted name",
    "NUMBER": "a number",
    "OPERATOR": "= != < <= > >=",
    "$END": "the end of the rule",
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "COMMA": ",",
    "STAR": "*",
    "PLUS": "+",
    "MINUS": "-",
    "AND": "and",
    "OR": "or",
    "NOT": "not",
    "IN": "in",
}


def _expected(error: UnexpectedToken) -> str:
    wanted = sorted(PLAIN.get(kind, "=>" if kind.startswith("__ANON") else kind) for kind in error.expected)
    return ", ".join(dict.fromkeys(wanted))


def _shorten(text: str, length: int = 160) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def values_of(names: Names, attribute: int, row: Sequence[Value], column: int) -> int:
    """The index of the value in a table's cell."""
    value = row[column]
    word = Word(str(value), None if isinstance(value, str) else _fraction(value))
    return names.value(attribute, word)
