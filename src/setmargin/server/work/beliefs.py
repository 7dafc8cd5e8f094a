"""Beliefs as bytes for the store: small, and read with care.

What was kept is only ever a saving of time. So whatever is not exactly what this version of the package wrote for this
interview counts as nothing: other versions, other catalogues, damage, and pickles that ask for anything but arrays,
plain containers and the values that strategies are made of. Space and answers are no part of it: the log has them.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import sys
import zlib
from dataclasses import is_dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from setmargin.space.space import Space
from setmargin.strategies.base import Belief, History, Strategy

LARGEST: Final = 64_000_000
"""Bytes that a belief may have once it is unpacked."""
DIGEST: Final = 32
SPACE: Final = "space"
BUILTINS: Final = frozenset({"set", "frozenset", "complex", "bytearray"})
ARRAYS: Final = frozenset({"_reconstruct", "_frombuffer", "scalar"})


def dump(belief: Belief, *, stamp: object) -> bytes:
    """The belief without its space and answers; `stamp` is plain data that says which interview it belongs to."""
    packed = io.BytesIO()
    _Pickler(packed, protocol=5).dump(replace(belief, history=()))
    body = zlib.compress(packed.getvalue(), level=1)
    return _seal(body, stamp) + body


def load(data: bytes, *, stamp: object, space: Space, history: History) -> Belief | None:
    """The belief of these answers in this space; None where the bytes are not exactly what `dump` gives here."""
    seal, body = data[:DIGEST], data[DIGEST:]
    if seal != _seal(body, stamp):
        return None
    try:
        belief = _Unpickler(io.BytesIO(_unpacked(body)), space).load()
        return replace(belief, history=history) if isinstance(belief, Belief) and belief.space is space else None
    except Exception:
        return None  # whatever a stranger wrote there, the answers themselves are still in the log


def _seal(body: bytes, stamp: object) -> bytes:
    """Changes with every byte, with the interview and with the versions of what wrote it; it is no signature."""
    text = json.dumps([_versions(), stamp], sort_keys=True)
    return hashlib.sha256(text.encode() + b"\0" + body).digest()


@cache
def _versions() -> list[str]:
    return [version("setmargin"), np.__version__, f"{sys.version_info.major}.{sys.version_info.minor}"]


def _unpacked(body: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    whole = unpacker.decompress(body, LARGEST)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("too large, cut off, or longer than it says")
    return whole


class _Pickler(pickle.Pickler):
    def persistent_id(self, thing: Any) -> str | None:
        return SPACE if isinstance(thing, Space) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, space: Space) -> None:
        super().__init__(file)
        self._space = space

    def persistent_load(self, name: Any) -> Space:
        if name != SPACE:
            raise pickle.UnpicklingError(f"nothing is called {name!r} here")
        return self._space

    def find_class(self, module: str, name: str) -> Any:
        if _is_harmless(module, name):
            found = super().find_class(module, name)
            if not module.startswith("setmargin.") or _is_value(found, module, name):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a belief")


def _is_harmless(module: str, name: str) -> bool:
    if "." in name:
        return False  # a way into a class or a module
    if module == "builtins":
        return name in BUILTINS
    if module in ("numpy._core.multiarray", "numpy.core.multiarray", "numpy._core.numeric", "numpy.core.numeric"):
        return name in ARRAYS
    return (module, name) in {("numpy", "ndarray"), ("numpy", "dtype")} or module.startswith("setmargin.strategies.")


def _is_value(found: object, module: str, name: str) -> bool:
    """A dataclass or a named tuple that is defined just there, but no strategy."""
    if not isinstance(found, type) or (found.__module__, found.__qualname__) != (module, name):
        return False
    if issubclass(found, Strategy):
        return False
    return is_dataclass(found) or issubclass(found, tuple)
