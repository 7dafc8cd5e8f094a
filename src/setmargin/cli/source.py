"""Where a catalogue came from, for the mistakes that show only when something is to be built of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from setmargin.errors import InfeasibleSpace


@contextmanager
def naming(catalogue: str) -> Iterator[None]:
    """Where its rules contradict each other, say in which file and on which lines."""
    try:
        yield
    except InfeasibleSpace as error:
        lines = _lines(catalogue, error.conflict)
        where = f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""
        raise InfeasibleSpace(f"{catalogue}{where}: {error}", conflict=error.conflict) from None


def _lines(catalogue: str, rules: tuple[str, ...]) -> list[int]:
    """The first line that holds each rule; nothing unless all of them are found as they were written."""
    text: list[str] = []
    with suppress(OSError, ValueError):
        text = Path(catalogue).read_text(encoding="utf-8").splitlines()
    found = [next((number for number, line in enumerate(text, 1) if rule in line), 0) for rule in rules]
    return sorted(set(found)) if all(found) else []
