"""A catalogue file for people to go on with: a part a line, and beside it what was guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

WIDE: Final = 1 << 30
ASIDE: Final = 40
"""Comments stand in this column, where there is room."""


def catalogue_text(
    document: Mapping[str, Any], comments: Mapping[str, str], *, head: Sequence[str], remarks: Sequence[str] = ()
) -> str:
    """The document as YAML with comments: `head` above everything, remarks below it."""
    lines = [f"# {line}" for line in head]
    for key, body in document.items():
        if isinstance(body, Mapping):
            lines.append(f"{key}:")
            lines += [
                _commented(f"  {line}", comments.get(name, comments.get(str(part), "") if key == "items" else ""))
                for name, part in body.items()
                for line in _entry(name, part)
            ]
        elif isinstance(body, list):
            lines.append(f"{key}:")
            lines += [f"  - {_flow(part)}" for part in body]
        else:
            lines.append(f"{key}: {_flow(body)}")
    return "\n".join([*lines, *(f"# {remark}" for remark in remarks)]) + "\n"


def _entry(name: str, part: Any) -> Iterator[str]:
    yield f"{_flow(name)}: {_flow(part)}"


def _commented(line: str, comment: str) -> str:
    return f"{line.ljust(ASIDE)}  # {comment}" if comment else line


def _flow(part: Any) -> str:
    """One line of YAML."""
    text: str = yaml.safe_dump([part], default_flow_style=True, allow_unicode=True, width=WIDE, sort_keys=False)
    return text.strip()[1:-1]
