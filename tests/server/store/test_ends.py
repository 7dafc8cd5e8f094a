"""A database that is overwritten in place while a server uses it: nothing is acknowledged into it."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from setmargin.server.errors import ReplacedDatabase, UnknownInterview
from setmargin.server.store import Appended, Store
from tests.server.store.talk import answer, begin


def backup(source: str, target: str) -> None:
    """Copy a database into another, as SQLite's own command `.restore` does: the file stays the same one."""
    with sqlite3.connect(source) as one, sqlite3.connect(target) as other:
        one.backup(other)
    one.close()
    other.close()


def test_what_was_acknowledged_has_to_be_there_still(sqlite_url: str, tmp_path: Path) -> None:
    place, copy = sqlite_url.removeprefix("sqlite:///"), str(tmp_path / "copy.db")
    with Store.open(sqlite_url) as store:
        id, other = begin(store).id, begin(store).id
        store.append(id, answer(0), after=0, key="one")
        backup(place, copy)
        store.append(id, answer(1), after=1, key="two")
        backup(copy, place)
        for after in (1, 2):
            with pytest.raises(ReplacedDatabase, match="2 events when this server last wrote to it, and now has 1"):
                store.append(id, answer(0), after=after)
        assert store.version_of(id) == 1
        assert store.append(other, answer(0), after=0).version == 1  # which is as it was
    with Store.open(sqlite_url) as store:
        assert store.append(id, answer(0), after=1).version == 2  # a server that starts goes on with what is there


def test_another_history_of_the_same_length_is_noticed(sqlite_url: str, tmp_path: Path) -> None:
    place, copy = sqlite_url.removeprefix("sqlite:///"), str(tmp_path / "copy.db")
    with Store.open(sqlite_url) as store:
        id = begin(store).id
        backup(place, copy)
        store.append(id, answer(0), after=0)
        with Store.open(f"sqlite:///{copy}") as elsewhere:
            for number in range(2):
                elsewhere.append(id, answer(1), after=number)
        backup(copy, place)
        with pytest.raises(ReplacedDatabase):
            store.append(id, answer(0), after=2)


def test_other_servers_may_write_forget_and_begin_anew(database: str) -> None:
    with Store.open(database) as one, Store.open(database) as other:
        id = begin(one).id
        for number, store in enumerate([one, other, other, one, one, other, one]):
            assert store.append(id, answer(0), after=number) == Appended(number + 1, repeated=False)
        other.forget_unseen(timedelta(0))
        with pytest.raises(UnknownInterview):
            one.append(id, answer(0), after=7)
        one.start(one.put_catalogue("tea", {"catalogue": "tea", "attributes": {"a": [1, 2]}}).digest, {}, 1, id=id)
        assert one.append(id, answer(0), after=0).version == 1
