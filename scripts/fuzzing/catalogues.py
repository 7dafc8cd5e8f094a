"""Hostile catalogue files, each from a seed: shipped ones with mistakes, grown ones, bombs, and tangled rules."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import Any

import yaml
from scripts.fuzzing.rules import Vocabulary, any_rule, rule
from scripts.fuzzing.values import TEXTS, hostile_text, spoilt, spoilt_bytes, spoilt_text

DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
TEA = """catalogue: tea
title: Find your tea
attributes:
  kind: [green, black, herbal]
  cups: {values: [1, 2, 4, 8], better: higher}
  tin: [none, small, "large, red"]
  steep time: {values: [1, 2.5, 5], unit: min}
quantities:
  price:
    unit: €
    better: lower
    base: 2
    sum:
      kind: {green: 3, black: 2, herbal: 1.5}
      cups: {1: 0, 2: 1, 4: 2.5, 8: 4}
      tin: {none: 0, small: 1, "large, red": 3}
rules:
  - kind = herbal => "steep time" >= 2.5
  - cups = 8 => tin != small
  - allow: [kind, tin]
    rows:
      - [green, none]
      - [green, small]
      - [green, "large, red"]
      - [black, small]
      - [black, none]
      - [herbal, none]
"""


def catalogue(seed: int, number: int) -> bytes:
    """The catalogue file of that number."""
    draw = random.Random(f"catalogue {seed} {number}")
    make = draw.choices([mutated_text, mutated_document, grown, tangled, bomb, long_lines, noise], WEIGHTS)[0]
    return make(draw)


WEIGHTS = (30, 30, 22, 4, 5, 5, 4)


@cache
def _sources() -> tuple[str, ...]:
    folder = resources.files("setmargin.catalogues")
    shipped = [file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".yaml")]
    return (*sorted(shipped), *(TEA for _ in range(3 * len(shipped))))


@cache
def _document(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def mutated_text(draw: random.Random) -> bytes:
    """A file with its lines moved, repeated, left out, indented, or spoilt."""
    lines = draw.choice(_sources()).splitlines()
    for _ in range(draw.choice([1, 1, 2, 4, 12])):
        place = draw.randrange(len(lines))
        kind = draw.randrange(6)
        if kind == 0:
            lines[place] = spoilt_text(draw, lines[place])
        elif kind == 1:
            del lines[place]
        elif kind == 2:
            lines.insert(draw.randint(0, len(lines)), lines[place])
        elif kind == 3:
            lines[place] = (
                draw.choice(["  ", " ", "\t", "- ", "? ", "&a ", "*a", "!!python/object ", "| "]) + lines[place]
            )
        elif kind == 4:
            lines[place] = lines[place].lstrip()
        else:
            lines.insert(
                place, draw.choice(["---", "...", "%YAML 9.9", "<<: *a", "a: *a", "rules: []", "prior: /etc/passwd"])
            )
        if not lines:
            break
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    return spoilt_bytes(draw, content) if draw.random() < 0.1 else content


def mutated_document(draw: random.Random) -> bytes:
    """A file whose data was changed somewhere, and written again as YAML."""
    document = _document(draw.choice(_sources()))
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        document = spoilt(draw, document)
    return _written(document)


def _written(document: Any) -> bytes:
    for dumper in (DUMPER, yaml.SafeDumper):  # the one in C is quicker, but knows no half characters
        with suppress(UnicodeEncodeError):
            text: str = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True)
            return text.encode("utf-8", "surrogatepass")
    return b""


def grown(draw: random.Random) -> bytes:
    """A catalogue by the grammar: any names, numbers, sums, tables and rules; most of them make sense."""
    is_odd = draw.random() < 0.2
    attributes: dict[str, Any] = {}
    for _ in range(draw.choice([1, 2, 4, 8, 16])):
        values = _values(draw)
        body: Any = values if draw.random() < 0.5 else {"values": values}
        if isinstance(body, dict) and draw.random() < 0.5:
            body |= {
                "better": draw.choice(["higher", "lower", "peak"] if draw.random() < 0.9 else ["none", 1]),
                "unit": draw.choice(TEXTS[9:20])[:10],
            }
        attributes[_name(draw, is_odd)] = body
    plain = {key: body if isinstance(body, list) else body["values"] for key, body in attributes.items()}
    quantities = {
        _name(draw, is_odd): {
            "base": draw.choice([0, 1, -5, 1e9, 0.1]),
            "better": draw.choice(["higher", "lower"]),
            "sum": {
                key: {value: draw.choice([0, 1, 2.5, -3, 1e6, 1e-6]) for value in values}
                for key, values in plain.items()
                if draw.random() < 0.7
            },
        }
        for _ in range(draw.choice([0, 1, 1, 3]))
    }
    words = Vocabulary(plain, list(quantities))
    rules: list[Any] = [
        rule(draw, words, draw.choice([0, 1, 2])) if draw.random() < 0.9 else any_rule(draw, words)
        for _ in range(draw.choice([0, 1, 3, 10]))
    ]
    if draw.random() < 0.4:
        rules.append(_table(draw, plain))
    document = {"catalogue": _name(draw, is_odd) or "a", "attributes": attributes, "rules": rules}
    return _written(document | ({"quantities": quantities} if quantities else {}))


def _name(draw: random.Random, is_odd: bool) -> str:
    return hostile_text(draw)[:30] if is_odd else f"{draw.choice('abcdefgh')}{draw.randint(1, 99)}"


def _values(draw: random.Random) -> list[Any]:
    size = draw.choice([1, 2, 3, 5, 12])
    if draw.random() < 0.5:
        return draw.sample(range(-20, 5_000), size)
    return [f"v{number}" for number in range(size)]


def _table(draw: random.Random, plain: dict[str, list[Any]]) -> dict[str, Any]:
    names = draw.sample(list(plain), min(len(plain), draw.choice([1, 2, 3])))
    rows = [[draw.choice(plain[name]) for name in names] for _ in range(draw.choice([1, 5, 50]))]
    return {draw.choice(["allow", "forbid"]): names, "rows": rows}


def tangled(draw: random.Random) -> bytes:
    """Many attributes with rules at random, of which nobody can tell whether anything satisfies them."""
    count, size, length = draw.choice([(25, 8, 2), (40, 2, 3), (200, 2, 3), (12, 6, 2), (300, 3, 2)])
    names = [f"a{number}" for number in range(count)]
    rules = [
        " or ".join(f"{name} {draw.choice(['=', '!='])} {draw.randrange(size)}" for name in draw.sample(names, length))
        for _ in range(int(count * draw.choice([1, 3, 4.3, 6])))
    ]
    if draw.random() < 0.5:
        rules.append(" + ".join(names) + f" {draw.choice(['<=', '=', '>='])} {count * size // 3}")
    return _written({"catalogue": "tangled", "attributes": {name: list(range(size)) for name in names}, "rules": rules})


def bomb(draw: random.Random) -> bytes:
    """Aliases that unfold to far more than they are, in one of several places, or nesting without end."""
    kind = draw.randrange(4)
    if kind == 0:
        depth = draw.choice([5, 9, 30])
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, depth)]
        return "\n".join([*lines, f"catalogue: bomb\nattributes: {{a: *a{depth - 1}}}"]).encode()
    if kind == 1:
        depth = draw.choice([45, 60, 5_000])
        opening, closing = draw.choice([("[", "]"), ("{a: ", "}")])
        return f"catalogue: deep\nattributes: {opening * depth}{closing * depth}".encode()
    if kind == 2:
        count = draw.choice([100, 2_000, 30_000])
        return (
            "catalogue: wide\nattributes:\n" + "".join(f"  a{number}: [1, 2]\n" for number in range(count))
        ).encode()
    size = draw.choice([50, 3_000, 25_000])
    values = ", ".join(map(str, range(size)))
    rules = ["a = b", "a + b <= 7", "a != b", f"a in {{{values}}} => b = 1"]
    text = f"catalogue: values\nattributes: {{a: [{values}], b: [{values}]}}\nrules: [{draw.choice(rules[:3])!r}]\n"
    return text.encode()


def long_lines(draw: random.Random) -> bytes:
    """Long names, values, numbers and rules."""
    length = draw.choice([100, 600, 10_000, 300_000])
    kind = draw.randrange(5)
    text = draw.choice(["x", "ä", "1", '"', "\\", " "]) * length
    words = Vocabulary({"a": [1, 2, 3], "b": [1, 2]})
    long_rule = any_rule(draw, words, longest=min(length, 20_000)) if kind == 4 else text
    lines = {
        0: f"catalogue: {text}\nattributes: {{a: [1, 2]}}",
        1: f"catalogue: long\nattributes: {{a: [1, {text!r}]}}",
        2: f"catalogue: long\nattributes: {{{text!r}: [1, 2]}}",
        3: f"catalogue: long\nattributes: {{a: [1, 2]}}\nrules:\n  - a = {'1' * length}",
        4: f"catalogue: long\nattributes: {{a: [1, 2, 3], b: [1, 2]}}\nrules:\n  - {long_rule}",
    }
    return lines[kind].encode("utf-8", "surrogatepass")


def noise(draw: random.Random) -> bytes:
    """Bytes that are hardly YAML."""
    signs = "-:?[]{},#&*!|>'\"%@` \n\t\0é\u2028ab01"
    text = "".join(draw.choices(signs, k=draw.choice([0, 1, 5, 50, 500])))
    return draw.randbytes(len(text)) if draw.random() < 0.3 else text.encode()
