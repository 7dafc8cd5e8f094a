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
from setmargin.space.text import Path, short

MOST_VALUES = 500_000
DEEPEST = 50
# Never wider than what a YAML writer takes for a number, so that written words are read back as words.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]*([eE][-+][0-9]+)?")
QUOTED_START = re.compile(r'\s*-\s+("[^"]{1,200}"\s*[^\s"#:,\]}].{0,200}?)\s*')
# The parser in C gives the same events, twenty times faster.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, eq=False)
class YamlNode:
    """A piece of the file: its plain data is made only when the whole file is known to be harmless."""

    line: int
    content: str | int | float | list[YamlNode] | dict[str, YamlNode] | None
    key_lines: dict[str, int] = field(default_factory=dict)


@dataclass
class _Open:
    """A list or mapping whose end has not come yet; size and height count what aliases unfold to."""

    node: YamlNode
    anchor: str | None
    key: str | None = None
    size: int = 1
    height: int = 1

    def put(self, child: YamlNode, size: int, height: int) -> None:
        self.size += size
        self.height = max(self.height, height + 1)
        if isinstance(self.node.content, list):
            self.node.content.append(child)
            return
        assert isinstance(self.node.content, dict)
        if self.key is not None:
            self.node.content[self.key], self.key = child, None
            return
        if isinstance(child.content, list | dict) or child.content is None:
            raise _Problem("a name is expected before the colon; put it in quotes", child.line)
        self.key = str(child.content)
        if self.key in self.node.content:
            raise _Problem(f"{short(self.key)} stands here twice; keep one", child.line)
        self.node.key_lines[self.key] = child.line


class _Problem(Exception):
    """Internal: what is wrong and on which line, until the file's name is known."""


def read(text: str, *, file: str) -> YamlNode:
    """The file as nodes; a CatalogueError for anything that is not plain YAML."""
    try:
        return _compose(yaml.parse(text, Loader=LOADER))
    except _Problem as problem:
        message, line = problem.args
    except yaml.MarkedYAMLError as error:
        message, line = _explain(error), error.problem_mark.line + 1 if error.problem_mark else 1
        message, line = _quoted_rule(text.splitlines(), line) or (message, line)
    except yaml.reader.ReaderError as error:
        message = f"the character {short(chr(error.character))} is not allowed in YAML; remove it"
        line = text.count("\n", 0, error.position) + 1
    except UnicodeEncodeError as error:
        message, line = "half a character (a surrogate); remove it", text.count("\n", 0, error.start) + 1
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        message, line = f"not valid YAML: {error}", 1
    # The parser in C counts one line more than there is when the file ends too early.
    raise CatalogueError(message, file=file, line=min(line, max(1, len(text.splitlines()))))


def _quoted_rule(lines: list[str], line: int) -> tuple[str, int] | None:
    """A rule that begins with a quoted name: YAML takes the name for the whole of it. The error may stand below it."""
    for number in (line, line - 1):
        found = QUOTED_START.fullmatch(lines[number - 1]) if 0 < number <= len(lines) else None
        if found:
            rule = found[1].replace("'", "''")
            return f"this rule starts with a double quote; put the whole rule in single quotes: - '{rule}'", number
    return None


def _explain(error: yaml.MarkedYAMLError) -> str:
    """The parser's own words, and the cures for the mistakes that people make."""
    start = error.context_mark.line + 1 if error.context_mark else 0
    end = error.problem_mark.line + 1 if error.problem_mark else 0
    since = f" that starts on line {start}" if start and start != end else ""
    context = f" ({error.context}{since})" if error.context else ""
    problem = error.problem or "it cannot be read"
    if "cannot start any token" in problem:
        problem += "; indent with spaces, not tabs, and put words that start with a sign in quotes"
    elif "mapping values are not allowed" in problem:
        problem += "; check the indentation, and put words with a colon in quotes"
    return f"not valid YAML: {problem}{context}"


def _compose(events: Iterator[yaml.Event]) -> YamlNode:
    root = YamlNode(1, [])
    stack = [_Open(root, None)]
    anchored: dict[str, tuple[YamlNode, int, int]] = {}
    documents = 0
    for event in events:
        line = _line(event)
        match event:
            case yaml.ScalarEvent():
                leaf = (YamlNode(line, _scalar(event)), 1, 1)
                if event.anchor:
                    anchored[event.anchor] = leaf
                stack[-1].put(*leaf)
            case yaml.AliasEvent():
                if event.anchor not in anchored:
                    raise _Problem(f"*{event.anchor} refers to nothing before it; define &{event.anchor}", line)
                stack[-1].put(*anchored[event.anchor])
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                _refuse_tag(event)
                empty: list[YamlNode] | dict[str, YamlNode] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
                stack.append(_Open(YamlNode(line, empty), event.anchor))
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                closed = stack.pop()
                whole = (closed.node, closed.size, closed.height)
                if closed.anchor:
                    anchored[closed.anchor] = whole
                stack[-1].put(*whole)
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise _Problem("a second document starts here; one file holds one", line)
        if len(stack) + stack[-1].height > DEEPEST:
            raise _Problem(f"nested more than {DEEPEST} levels deep; flatten it", line)
        if stack[-1].size > MOST_VALUES:
            limit = f"the file unfolds to more than {MOST_VALUES:,} values"
            raise _Problem(f"{limit}; use fewer aliases or smaller tables", line)
    assert isinstance(root.content, list)
    return next((node for node in root.content if node.content is not None), YamlNode(1, None))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _refuse_tag(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
    if event.tag not in (None, "!"):
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        raise _Problem(f"the tag {tag} has no meaning here; remove it", _line(event))


def _scalar(event: yaml.ScalarEvent) -> str | int | float | None:
    _refuse_tag(event)
    text: str = event.value
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _Problem(f"{short(text)} has half a character (a surrogate); remove it", _line(event))
    if event.style or event.tag:
        return text
    if text in ("", "~", "null"):
        return None
    if INTEGER.fullmatch(text) and len(text) < 400:
        return int(text)
    if DECIMAL.fullmatch(text):
        return float(text)
    return text


def plain(node: YamlNode) -> Any:
    """The node as mappings, lists, words and numbers (at most `DEEPEST` deep, so recursion is safe)."""
    if isinstance(node.content, list):
        return [plain(child) for child in node.content]
    if isinstance(node.content, dict):
        return {key: plain(child) for key, child in node.content.items()}
    return node.content


def line_of(node: YamlNode, path: Path) -> int:
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
