"""How many threads linear algebra has: one, in every process of ours.

The arrays are small, so that threads would spend more on waiting for each other than they save, above all where other
processes want the cores; and how many cores there are has no say in how sums are rounded.
"""

from __future__ import annotations

from typing import Final

ONE_THREAD: Final = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")
}
"""Variables for the environment of a process, or for this one before it imports NumPy."""
