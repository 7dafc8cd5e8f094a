from __future__ import annotations

from setmargin.lru import Lru


def test_what_was_used_last_is_kept() -> None:
    kept: Lru[str, int] = Lru(2)
    kept["a"], kept["b"] = 1, 2
    assert kept["a"] == 1
    kept["c"] = 3
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    assert (len(kept), "b" in kept) == (2, False)
