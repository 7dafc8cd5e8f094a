"""Small pieces of HTML for notebooks: tables and bars that need no style sheet, and nothing that runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:top;font-variant-numeric:tabular-nums"
FAINT = "opacity:.65"


def heading(title: str, *, more: str = "") -> str:
    """A line in bold, and what else is worth saying beside it."""
    beside = f' <span style="{FAINT}">{escape(more)}</span>' if more else ""
    return f"<p style='margin:.2em 0'><b>{escape(title)}</b>{beside}</p>"


def table(rows: Iterable[Sequence[object]], *, header: Sequence[str] = (), bold: Iterable[int] = ()) -> str:
    """A table, with some of its rows, counted from 0, in bold."""
    strong = set(bold)
    head = "".join(f'<th style="{CELL}">{escape(title)}</th>' for title in header)
    body = "".join(
        f"<tr{_weight(number in strong)}>{''.join(_cell(value) for value in row)}</tr>"
        for number, row in enumerate(rows)
    )
    top = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f"<table>{top}<tbody>{body}</tbody></table>"


def _weight(strong: bool) -> str:
    return ' style="font-weight:bold"' if strong else ""


def _cell(value: object) -> str:
    text = value.text if isinstance(value, Markup) else escape(shown(value))
    return f'<td style="{CELL}">{text}</td>'


def shown(value: object) -> str:
    """A value as people read it: few digits, and nothing for None."""
    if value is None:
        return ""
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


class Markup:
    """HTML that goes into a table as it is."""

    def __init__(self, text: str) -> None:
        self.text = text


def bars(shares: Mapping[str, float], *, limits: Mapping[str, tuple[float, float]] | None = None) -> str:
    """Shares as bars, with a percentage and, where known, the limits between which each is."""
    largest = max(shares.values(), default=0.0) or 1.0
    rows = []
    for name, share in shares.items():
        between = f"{limits[name][0]:.0%} to {limits[name][1]:.0%}" if limits and name in limits else ""
        width = 12 * max(share, 0.0) / largest
        bar = f'<div style="width:{width:.2f}em;height:.8em;margin-top:.25em;background:#1d6b5a"></div>'
        rows.append((name, Markup(bar), f"{share:.0%}", between))
    return table(rows)
