"""A catalogue's document as YAML text, tables row by row: they may have millions of cells, of few different values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

import yaml


def write(document: Mapping[str, Any]) -> str:
    """The text, each row of a table on a line of its own."""
    keys = list(document)
    if "rules" not in keys:
        return _dumped(document)
    before = {key: document[key] for key in keys[: keys.index("rules")]}
    after = {key: document[key] for key in keys[keys.index("rules") + 1 :]}
    parts = [_dumped(before), "rules:\n", *_rules(document["rules"]), _dumped(after) if after else ""]
    return "".join(parts)


def _rules(rules: Sequence[str | Mapping[str, Any]]) -> Iterator[str]:
    for is_text, group in groupby(rules, key=lambda rule: isinstance(rule, str)):
        if is_text:
            yield _dumped(list(group), flow=False)
        else:
            yield from chain.from_iterable(map(_table, group))  # type: ignore[arg-type]  # they are no texts


def _table(table: Mapping[str, Any]) -> Iterator[str]:
    yield _dumped([{key: part for key, part in table.items() if key != "rows"}])
    rows: Sequence[Sequence[Any]] = table["rows"]
    yield "  rows:\n" if rows else "  rows: []\n"
    written = _written(chain.from_iterable(rows))

    def cell(value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(cell, value))}]"
        return written[value if type(value) is str else (type(value), value)]

    for row in rows:
        yield f"  - [{', '.join(map(cell, row))}]\n"


def _written(cells: Iterable[Any]) -> dict[Any, str]:
    """How each different value is written; 1 and 1.0 are different ones."""
    keys: dict[Any, Any] = {}
    for cell in cells:
        for value in cell if isinstance(cell, list) else (cell,):
            keys[value if type(value) is str else (type(value), value)] = value
    lines = _dumped([[value] for value in keys.values()], width=1 << 30).splitlines() if keys else []
    return {key: line.removeprefix("- [").removesuffix("]") for key, line in zip(keys, lines, strict=True)}


def _dumped(data: Any, *, width: int = 110, flow: bool | None = None) -> str:
    """Lists and mappings without others in them are written in one line, unless `flow` says otherwise."""
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow)
    return text
