"""Files are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(target: Path, text: str, *, private: bool = False) -> None:
    """Write beside the target, then put it in place; whatever goes wrong, the old file stays and no draft is left.

    One that is `private` can be read by its owner alone.
    """
    draft = target.parent / f".{target.name}.{os.getpid()}.part"
    try:
        if private:
            os.close(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600))
        draft.write_text(text, encoding="utf-8")
        draft.replace(target)
    finally:
        with suppress(OSError, ValueError):
            draft.unlink(missing_ok=True)
