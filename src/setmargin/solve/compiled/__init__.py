"""What is compiled where Numba is installed: linear problems that are solved again and again, and a tree over them.

Importing a file of this folder needs Numba; whoever can do without asks `is_usable` first.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from math import inf

from setmargin.time_limit import seconds_left


@cache
def is_installed() -> bool:
    """Whether there is a Numba: `pip install 'setmargin[fast]'`."""
    return find_spec("numba") is not None


def is_usable() -> bool:
    """Whether to use it here: not in a call that may be ended, as Numba compiles for long when it is first used, and
    cannot be imported again where that was interrupted."""
    return seconds_left() == inf and is_installed()
