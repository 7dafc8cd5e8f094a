"""What can go wrong with the processes themselves; mistakes in what they are asked are the errors of the library."""

from __future__ import annotations

from setmargin.errors import SetmarginError


class WorkError(SetmarginError):
    """A process failed twice with the same call, or is no longer there."""


class WorkBusy(WorkError):
    """A call waited too long for its turn; try again later."""


class WorkTimeout(WorkError):
    """A call took longer than its limit, and would again."""
