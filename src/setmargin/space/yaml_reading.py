"""YAML text as plain data, and the line of any place in it.

Read from the parser's events, without recursion and with a limit on what aliases may unfold to. Words stay words:
`yes`, `12:30` and `007` are not turned into booleans, minutes or octal numbers.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import yaml

from setmargin.errors import CatalogueError
from setmargin.space.text import Path, short

FEW_UNFOLDED, MOST_UNFOLDED = 500_000, 5_000_000
"""Values that aliases may add to those that are written out: as many as the file has characters, between these two."""
DEEPEST = 50
# Never wider than what a YAML writer takes for a number, so that written words are read back as words.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]*([eE][-+][0-9]+)?")
QUOTED_START = re.compile(r'\s*-\s+("[^"]{1,200}"\s*[^\s"#:,\]}].{0,200}?)\s*')
# The parser in C gives the same events, twenty times faster.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class YamlFile:
    """What a file holds: mappings, lists, words and numbers. What an alias names is there once, in several places."""

    text: str
    content: Any


class _Open:
    """A list or mapping whose end has not come yet; `size` and `height` count what aliases unfold to."""

    __slots__ = ("anchor", "height", "is_list", "items", "key", "line", "more")

    def __init__(self, items: list[Any] | dict[str, Any], line: int, anchor: str | None) -> None:
        self.items: Any = items
        self.is_list = isinstance(items, list)
        self.line, self.anchor = line, anchor
        self.key: str | None = None
        self.more, self.height = 0, 2

    @property
    def size(self) -> int:
        return 1 + len(self.items) + self.more

    def put(self, child: Any, line: int) -> None:
        if self.is_list:
            self.items.append(child)
        elif self.key is not None:
            self.items[self.key], self.key = child, None
        else:
            self._name(child, line)

    def put_large(self, child: Any, line: int, size: int, height: int) -> None:
        self.more += size - 1
        self.height = max(self.height, height + 1)
        self.put(child, line)

    def _name(self, child: Any, line: int) -> None:
        if isinstance(child, list | dict) or child is None:
            raise _Problem("a name is expected before the colon; put it in quotes", line)
        self.key = str(child)
        if self.key in self.items:
            raise _Problem(f"{short(self.key)} stands here twice; keep one", line)


class _Problem(Exception):
    """Internal: what is wrong and on which line, until the file's name is known."""


def read(text: str, *, file: str) -> YamlFile:
    """The file as plain data; a CatalogueError for anything that is not plain YAML."""
    try:
        with no_collecting():
            most = min(max(FEW_UNFOLDED, len(text)), MOST_UNFOLDED)
            return YamlFile(text, _compose(yaml.parse(text, Loader=LOADER), most_unfolded=most))
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


@contextmanager
def no_collecting() -> Iterator[None]:
    """Nothing that reading makes is garbage in circles, and looking for some takes long among millions of cells."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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


def _compose(events: Iterator[yaml.Event], *, most_unfolded: int) -> Any:
    """The content of the only document. Tables have millions of cells, so a plain word costs as little as it can."""
    root: list[Any] = []
    top = _Open(root, 1, None)
    stack = [top]
    anchored: dict[str, tuple[Any, int, int]] = {}
    known: dict[str, Any] = {}
    documents = unfolded = 0
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            if event.style or event.tag or event.anchor:
                value = _scalar(event)
                if event.anchor:
                    anchored[event.anchor] = (value, 1, 1)
            elif (value := known.get(event.value, known)) is known:
                value = known[event.value] = _scalar(event)
            if top.is_list:
                top.items.append(value)
            else:
                top.put(value, _line(event))
        elif isinstance(event, yaml.CollectionStartEvent):
            _refuse_tag(event)
            top = _Open([] if isinstance(event, yaml.SequenceStartEvent) else {}, _line(event), event.anchor)
            stack.append(top)
            _check_depth(stack, event)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = stack.pop()
            top = stack[-1]
            if closed.anchor:
                anchored[closed.anchor] = (closed.items, closed.size, closed.height)
            top.put_large(closed.items, closed.line, closed.size, closed.height)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchored:
                raise _Problem(f"*{event.anchor} refers to nothing before it; define &{event.anchor}", _line(event))
            unfolded += anchored[event.anchor][1]
            if unfolded > most_unfolded:
                limit = f"aliases unfold to more than {most_unfolded:,} values"
                raise _Problem(f"{limit}; use fewer of them, or smaller tables", _line(event))
            value, size, height = anchored[event.anchor]
            top.put_large(value, _line(event), size, height)
            _check_depth(stack, event)
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _Problem("a second document starts here; one file holds one", _line(event))
    return root[0] if root else None


def _check_depth(stack: Sequence[_Open], event: yaml.Event) -> None:
    if len(stack) + stack[-1].height > DEEPEST:
        raise _Problem(f"nested more than {DEEPEST} levels deep; flatten it", _line(event))


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


def line_of(file: YamlFile, path: Path) -> int:
    """The line of the place that the path leads to, or of the last one on the way that exists.

    Lines are looked for in the text anew, so that reading a file without mistakes need not remember them.
    """
    return _line_below(file.text, path, anchor=None)


def _line_below(text: str, path: Path, *, anchor: str | None) -> int:
    """The same, from the root of the file or from where an anchor is."""
    events = yaml.parse(text, Loader=LOADER)
    starts = (event for event in events if isinstance(event, yaml.NodeEvent))
    node: yaml.Event | None = next((event for event in starts if anchor is None or event.anchor == anchor), None)
    line = 1 if node is None or getattr(node, "value", None) == "" else _line(node)
    for place, step in enumerate(path):
        key, node = _child(events, node, step)
        if node is None:
            break
        if isinstance(node, yaml.AliasEvent):
            below = _line_below(text, path[place + 1 :], anchor=node.anchor)
            return _line(key) if key and place + 1 == len(path) else below
        line = _line(key or node)
    return line


def _child(
    events: Iterator[yaml.Event], node: yaml.Event | None, step: str | int
) -> tuple[yaml.Event | None, yaml.Event | None]:
    """The key and the start of what stands at a step inside a node; nothing where there is no such place."""
    number = 0
    while isinstance(node, yaml.CollectionStartEvent):
        event = next(events)
        if isinstance(event, yaml.CollectionEndEvent):
            break
        if isinstance(node, yaml.SequenceStartEvent):
            if number == step:
                return None, event
        else:
            key, event = event, next(events)
            if isinstance(key, yaml.ScalarEvent) and str(_scalar(key)) == str(step):
                return key, event
        _skip(events, event)
        number += 1
    return None, None


def _skip(events: Iterator[yaml.Event], event: yaml.Event) -> None:
    """Pass over all that is inside."""
    depth = int(isinstance(event, yaml.CollectionStartEvent))
    while depth:
        event = next(events)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
