"""A mapping that keeps what was used last, and no more than so much."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Lru(Generic[K, V]):
    """At most `most` things; reading or writing one makes it the newest, and the oldest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: K) -> V:
        self._items.move_to_end(key)
        return self._items[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._items[key] = value
        self._items.move_to_end(key)
        self.shrink(self._most)

    def discard(self, key: K) -> None:
        """Let go of it, where it is there."""
        self._items.pop(key, None)

    def discard_where(self, is_gone: Callable[[K, V], bool]) -> None:
        """Let go of all that this says of."""
        for key in [key for key, value in self._items.items() if is_gone(key, value)]:
            del self._items[key]

    def shrink(self, most: int) -> None:
        """Let go of the oldest until there are no more than that."""
        while len(self._items) > most:
            self._items.popitem(last=False)

    def get(self, key: K) -> V | None:
        """What is kept there, or None."""
        if key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key]
