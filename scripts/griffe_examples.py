"""For the reference: examples that stand in a docstring without a heading get one, so that they are shown as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

EXAMPLE = re.compile(r"^>>> .*", re.MULTILINE | re.DOTALL)


class Examples(Extension):
    """Puts the lines from the first `>>>` on under a heading, where nothing has done so yet."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None and "Examples\n---" not in obj.docstring.value:
            obj.docstring.value = EXAMPLE.sub(_under_heading, obj.docstring.value)


def _under_heading(found: re.Match[str]) -> str:
    return "Examples:\n" + "\n".join(f"    {line}" if line else "" for line in found[0].splitlines())
