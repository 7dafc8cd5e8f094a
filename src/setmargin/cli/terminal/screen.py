"""The screen and the keyboard: all that an interview in a terminal needs of the outside world."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

import typer
from rich.console import Console, RenderableType
from rich.table import Table

WIDEST = 2_000
"""Characters of a line that goes to no terminal."""


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints catalogues' words as they are: nothing in them is markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def print_table(console: Console, table: Table) -> None:
    """Print a table; into a file or a pipe as wide as it is, since what would be cut off there is lost."""
    if not console.is_terminal:
        console.width = max(
            console.width, console.measure(table, options=console.options.update(max_width=WIDEST)).maximum
        )
    console.print(table)


class Keys(Protocol):
    """Where keys come from. `live` says that a person presses them, one at a time. Both raise EOFError at the end."""

    live: bool

    def key(self) -> str:
        """One key; or one line without its end, where keys come in lines."""
        ...

    def line(self) -> str: ...


class TerminalKeys:
    """Keys pressed at a terminal: one answers without Enter."""

    live = True

    def key(self) -> str:
        """One key; several where they came at once, as when pasted."""
        return typer.getchar()

    def line(self) -> str:
        """One line, which can be edited where Python has readline."""
        return input()


class LineKeys:
    """Keys from a file or a pipe, one on each line."""

    live = False

    def __init__(self, source: TextIO) -> None:
        self._source = source

    def key(self) -> str:
        return self.line()

    def line(self) -> str:
        line = self._source.readline()
        if not line:
            raise EOFError
        return line.strip()


def make_keys() -> Keys:
    """Single keys at a terminal, lines otherwise."""
    if sys.stdin.isatty():
        return TerminalKeys()
    return LineKeys(sys.stdin)


class Screen:
    """Pages, hints and keys. At a terminal each page replaces the one before; elsewhere they follow each other."""

    def __init__(self, console: Console, keys: Keys) -> None:
        self.console, self.keys = console, keys
        self._untouched = True

    @property
    def width(self) -> int:
        return self.console.width

    @property
    def height(self) -> int | None:
        """How many lines a page may have; None where pages follow each other."""
        return self.console.height if self.keys.live and self.console.is_terminal else None

    def page(self, *things: RenderableType) -> None:
        """Show these and nothing else."""
        if self.keys.live and self.console.is_terminal:
            if self._untouched:
                # What stood there before can still be scrolled back to.
                self.console.line(self.console.height)
                self._untouched = False
            self.console.clear()
        self.say(*things)

    def say(self, *things: RenderableType) -> None:
        """Show these below what is there."""
        for thing in things:
            self.console.print(thing)

    def key(self, prompt: str = "> ") -> str:
        """Ask for one key and show which it was."""
        key = self._ask(prompt, self.keys.key)
        self.console.print(key if key.isprintable() else "")
        return key

    def line(self, prompt: str = "> ") -> str:
        """Ask for one line, which a terminal shows by itself."""
        line = self._ask(prompt, self.keys.line)
        if not self.keys.live:
            self.console.print(line)
        return line.strip()

    def _ask(self, prompt: str, read: Callable[[], str]) -> str:
        self.console.print(prompt, end="")
        try:
            return read()
        except EOFError:
            self.console.line()
            raise

    def pause(self) -> None:
        """Let a person read before the next page comes."""
        if self.keys.live:
            self.console.print("any key goes back ", style="dim", end="")
            self.keys.key()

    @contextmanager
    def busy(self, text: str) -> Iterator[None]:
        """Say what is going on while something takes its time, if anybody is watching."""
        if not self.console.is_terminal:
            yield
            return
        with self.console.status(text, spinner="dots"):
            yield
