"""The beginning of a catalogue file, and what a file is refused with."""

from __future__ import annotations

import pytest

from setmargin.errors import CatalogueError
from setmargin.space.catalogue import loads

HEAD = "catalogue: a\nattributes:\n  x: [a, b]\n  n: [1, 2]\n"


def refusal(text: str) -> CatalogueError:
    """The error for a text that is no catalogue."""
    with pytest.raises(CatalogueError) as caught:
        loads(text, file="shop.yaml")
    return caught.value
