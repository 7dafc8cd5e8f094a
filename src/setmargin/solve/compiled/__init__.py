"""What is compiled where Numba is installed: linear problems that are solved again and again, and a tree over them.

Importing a file of this folder needs Numba; whoever can do without asks `is_installed` first.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def is_installed() -> bool:
    """Whether there is a Numba: `pip install 'setmargin[fast]'`."""
    return find_spec("numba") is not None
