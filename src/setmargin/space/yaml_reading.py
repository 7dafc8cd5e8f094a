"""YAML text as plain data that remembers the line of everything.

Read from the parser's events, without recursion and with a limit on what aliases may unfold to. Words stay words:
`yes`, `12:30` and `007` are not turned into booleans, minutes or octal numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from setmargin.errors import CatalogueError

Path = tuple[str | int, ...]

MOST_VALUES = 500_000
DEEPEST = 50
# Never wider than what a YAML writer takes for a number, so that written words are read back as words.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]*([eE][-+][0-9]+)?")


@dataclass(frozen=True, eq=False)
class Node:
    """A piece of the file: its plain data is made only when the whole file is known to be harmless."""

    line: int
    content: str | int | float | None | list[Node] | dict[str, Node]
    key_lines: dict[str, int] = field(default_factory=dict)


@dataclass
class _Open:
    """A list or mapping whose end has not come yet."""

    node: Node
    anchor: str | None
    key: str | None = None
    size: int = 1

    def put(self, child: Node, size: int, file: str) -> None:
        self.size += size
        if isinstance(self.node.content, list):
            self.node.content.append(child)
            return
        assert isinstance(self.node.content, dict)
        if self.key is not None:
            self.node.content[self.key], self.key = child, None
            return
        if isinstance(child.content, list | dict) or child.content is None:
            raise CatalogueError("a name is expected before the colon", file=file, line=child.line)
        self.key = str(child.content)
        if self.key in self.node.content:
            raise CatalogueError(f"{self.key!r} stands here twice; keep one", file=file, line=child.line)
        self.node.key_lines[self.key] = child.line


def read(text: str, *, file: str) -> Node:
    """The file as nodes; a CatalogueError for anything that is not plain YAML."""
    try:
        return _compose(yaml.parse(text, Loader=yaml.SafeLoader), file)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = f"{error.problem or 'not YAML'}{f' ({error.context})' if error.context else ''}"
        raise CatalogueError(f"not valid YAML: {problem}", file=file, line=line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise CatalogueError(f"not valid YAML: {error}", file=file) from None


def _compose(events: Iterator[yaml.Event], file: str) -> Node:
    root = Node(1, [])
    stack = [_Open(root, None)]
    anchored: dict[str, tuple[Node, int]] = {}
    documents = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 1
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise CatalogueError(
                        "a second document starts here; one file holds one", file=file, line=line
                    )
            case yaml.ScalarEvent():
                scalar = Node(line, _scalar(event))
                if event.anchor:
                    anchored[event.anchor] = (scalar, 1)
                stack[-1].put(scalar, 1, file)
            case yaml.AliasEvent():
                if event.anchor not in anchored:
                    raise CatalogueError(f"*{event.anchor} refers to nothing before it", file=file, line=line)
                stack[-1].put(*anchored[event.anchor], file)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                empty: list[Node] | dict[str, Node] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
                stack.append(_Open(Node(line, empty), event.anchor))
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                closed = stack.pop()
                if closed.anchor:
                    anchored[closed.anchor] = (closed.node, closed.size)
                stack[-1].put(closed.node, closed.size, file)
        if len(stack) > DEEPEST:
            raise CatalogueError(f"nested more than {DEEPEST} levels deep; flatten it", file=file, line=line)
        if stack[-1].size > MOST_VALUES:
            raise CatalogueError(
                f"the file unfolds to more than {MOST_VALUES:,} values; use fewer aliases or a smaller table",
                file=file,
                line=line,
            )
    assert isinstance(root.content, list)
    return root.content[0] if root.content else Node(1, None)


def _scalar(event: yaml.ScalarEvent) -> str | int | float | None:
    text: str = event.value
    plain = event.implicit[0] and event.style is None
    if not plain:
        return text
    if text in ("", "~", "null"):
        return None
    if INTEGER.fullmatch(text) and len(text) < 400:
        return int(text)
    if DECIMAL.fullmatch(text):
        return float(text)
    return text


def plain(node: Node) -> Any:
    """The node as mappings, lists, words and numbers (at most `DEEPEST` deep, so recursion is safe)."""
    if isinstance(node.content, list):
        return [plain(child) for child in node.content]
    if isinstance(node.content, dict):
        return {key: plain(child) for key, child in node.content.items()}
    return node.content


def line_of(node: Node, path: Path) -> int:
    """The line of the place that the path leads to, or of the last one on the way that exists."""
    line = node.line
    for step in path:
        if isinstance(node.content, dict) and str(step) in node.content:
            line = node.key_lines[str(step)]
            node = node.content[str(step)]
        elif isinstance(node.content, list) and isinstance(step, int) and step < len(node.content):
            node = node.content[step]
            line = node.line
        else:
            break
    return line
