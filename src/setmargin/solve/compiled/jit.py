"""Numba, which compiles what the other files of this folder hold; the only file that imports it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from setmargin.late_imports import import_extra

numba = import_extra("numba")

F = TypeVar("F", bound=Callable[..., object])

HERE = Path(__file__).parent


def folder_of_code() -> Path | None:
    """Where machine code is kept, by what all files here say, as functions are part of one another; None: nowhere."""
    sources = b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))
    name = f"compiled-{hashlib.sha256(sources).hexdigest()[:16]}"
    for parent in _places():
        folder = parent / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def _places() -> Iterator[Path]:
    """Beside the code, else with the user, who may have no home."""
    yield HERE / "__pycache__"
    with suppress(RuntimeError):
        yield Path.home() / ".cache" / "setmargin"


FOLDER = folder_of_code()


def is_kept() -> bool:
    """Whether something was compiled before, so that only what is new has to be."""
    return FOLDER is not None and any(FOLDER.rglob("*.nbc"))


def compiled(function: F) -> F:
    """The same function as machine code, made when it is first called and kept on disk where there is a place for it.

    Sums stay in the order in which they are written, so that results are the same on every processor.
    """
    usual = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = usual if FOLDER is None else str(FOLDER)
        made: F = numba.njit(cache=FOLDER is not None, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = usual
    return made
