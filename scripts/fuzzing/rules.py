"""Rules by the grammar of the rule language, about things that there are, and the same with mistakes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.fuzzing.values import spoilt_text

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.")
FIGURES = ("0", "1", "3", "900", "1e3", "1e6", "1e300", "1e999", "0.1", "007", "99999999999999999999", "1." + "3" * 60)


@dataclass
class Vocabulary:
    """What rules may speak of."""

    attributes: Mapping[str, Sequence[Any]] = field(default_factory=lambda: {"size": [1, 2, 3]})
    quantities: Sequence[str] = ()

    @staticmethod
    def of(catalogue: Mapping[str, Any]) -> Vocabulary:
        """Of a catalogue as the API shows it."""
        return Vocabulary(
            {each["name"]: list(each["values"]) for each in catalogue["attributes"]},
            [each["name"] for each in catalogue["quantities"]],
        )


def rule(draw: random.Random, words: Vocabulary, depth: int = 2) -> str:
    """A rule that can be read."""
    kind = draw.randrange(9) if depth else 0
    if kind <= 3:
        return _atom(draw, words)
    if kind == 4:
        return f"not ({rule(draw, words, depth - 1)})"
    if kind == 5:
        return f"({rule(draw, words, depth - 1)}) {draw.choice(['=>', '<=>'])} ({rule(draw, words, depth - 1)})"
    parts = [f"({rule(draw, words, depth - 1)})" for _ in range(draw.choice([2, 2, 3, 5]))]
    return draw.choice([" and ", " or "]).join(parts)


def _atom(draw: random.Random, words: Vocabulary) -> str:
    name, values = draw.choice(list(words.attributes.items()))
    kind = draw.randrange(4)
    if kind == 0:
        return f"{quoted(name)} {draw.choice(OPERATORS[:2])} {quoted(draw.choice(values))}"
    if kind == 1:
        among = draw.sample(list(values), draw.randint(1, len(values)))
        return f"{quoted(name)} {draw.choice(['in', 'not in'])} {{{', '.join(map(quoted, among))}}}"
    return f"{_sum(draw, words)} {draw.choice(OPERATORS)} {_sum(draw, words)}"


def _sum(draw: random.Random, words: Vocabulary) -> str:
    numeric = [name for name, values in words.attributes.items() if not any(isinstance(each, str) for each in values)]
    named = [*numeric, *words.quantities] or list(words.attributes)
    terms = []
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        kind, name = draw.random(), quoted(draw.choice(named))
        figure = draw.choice(FIGURES) if draw.random() < 0.5 else str(draw.randint(0, 5_000))
        terms.append(figure if kind < 0.4 else name if kind < 0.8 else f"{figure} * {name}")
    return "".join(f"{draw.choice([' + ', ' - ']) if place else ''}{term}" for place, term in enumerate(terms))


def quoted(word: Any) -> str:
    """A name or a value as rules write it."""
    text = str(word)
    if text and LETTERS.issuperset(text) and text not in ("and", "or", "not", "in"):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def any_rule(draw: random.Random, words: Vocabulary, *, longest: int = 500) -> str:
    """A rule that can be read, or one with mistakes, or one that is nested or repeated as far as there is room."""
    kind = draw.random()
    text = rule(draw, words, draw.choice([0, 1, 2, 3]))
    if kind < 0.55:
        return text
    if kind < 0.85:
        return spoilt_text(draw, text)
    if kind < 0.9:
        room = max(1, (longest - len(text)) // 2)
        return "(" * room + text + ")" * room
    while len(text) < longest:
        longer = f"{text}{draw.choice([' and ', ' or ', ' => '])}({rule(draw, words, 1)})"
        if len(longer) > longest:
            break
        text = longer
    return text
