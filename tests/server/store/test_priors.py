"""Every version of a prior stays as it was written, and people count once, when they are done."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from setmargin.server.errors import UnknownCatalogue, UnknownPrior
from setmargin.server.store import Store
from setmargin.server.store.engine import connect
from setmargin.server.store.migrations import MIGRATIONS, migrate
from tests.server.store.talk import DOCUMENT, Clock, answer, begin, progress

FINISH = {"finish": {"leaf": "green", "cup": 1}}


def put(store: Store, version: int, text: str = "", *, source: str = "learnt", name: str = "tea") -> bool:
    digest = store.put_catalogue(name, DOCUMENT).digest
    document = {"earlier people": text or f"{name} {version}"}
    return store.put_prior(name, version, document, digest=digest, source=source, people=40, finished=50)  # type: ignore[arg-type]


def answered(store: Store, *, finished: bool = True, name: str = "tea") -> str:
    """An interview with one answer, and perhaps a finish."""
    id = begin(store, name).id
    store.append(id, answer(1), after=0, progress=progress(1))
    if finished:
        store.append(id, FINISH, after=1, progress=progress(1, finished=True))
    return id


def test_a_prior_comes_back_as_it_was_with_all_its_earlier_versions(store: Store) -> None:
    assert store.newest_prior("tea") is None
    assert [put(store, 1), put(store, 2, source="given"), put(store, 1, name="coffee")] == [True] * 3
    newest = store.prior("tea", 2)
    assert store.newest_prior("tea") == newest
    assert store.newest_prior("tea", source="learnt") == store.prior("tea", 1)
    assert (newest.document, newest.source, newest.people, newest.finished) == (
        {"earlier people": "tea 2"},
        "given",
        40,
        50,
    )
    assert [(each.catalogue, each.version) for each in store.priors()] == [("coffee", 1), ("tea", 2), ("tea", 1)]


def test_of_two_servers_that_write_the_same_version_the_first_wins(database: str) -> None:
    with Store.open(database) as one, Store.open(database) as other:
        assert put(one, 1, "first")
        assert not put(other, 1, "second")
        assert other.prior("tea", 1).document == {"earlier people": "first"}


def test_what_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(UnknownPrior, match="no version 3 of a prior of 'tea'"):
        store.prior("tea", 3)
    with pytest.raises(UnknownCatalogue):
        store.put_prior("tea", 1, {}, digest="0" * 64, source="learnt", people=40)


def test_only_finished_interviews_with_an_answer_count_and_each_once(store: Store) -> None:
    answered(store)
    answered(store, finished=False)
    twice = answered(store)
    store.append(twice, {"undo": True}, after=2, progress=progress(1))
    store.append(twice, FINISH, after=3, progress=progress(1, finished=True))
    reopened = answered(store)
    store.append(reopened, {"undo": True}, after=2, progress=progress(1))
    at_once = begin(store)
    store.append(at_once.id, FINISH, after=0, progress=progress(0, finished=True))
    answered(store, name="coffee")
    assert {name: sum(counts.values()) for name, counts in store.count_finished().items()} == {"coffee": 1, "tea": 2}
    logs = store.finished_logs("tea", most=100)
    assert sorted(map(len, logs)) == [2, 4]
    assert all(log[0] == answer(1) and log[-1] == FINISH for log in logs)


def test_interviews_on_earlier_versions_of_a_catalogue_count_too(store: Store) -> None:
    digests = [store.put_catalogue("tea", DOCUMENT | {"title": title}).digest for title in ("old", "new")]
    for digest in digests:
        id = store.start(digest, {"name": "random"}, 1).id
        store.append(id, answer(1), after=0, progress=progress(1, finished=True))
    assert store.count_finished() == {"tea": dict.fromkeys(digests, 1)}
    assert len(store.finished_logs("tea", most=10)) == 2


def test_an_event_that_is_no_json_is_none_and_the_others_are_read(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        damaged, _ = answered(store), answered(store)
        with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as file, file:
            file.execute("UPDATE events SET body = '{' WHERE interview = ? AND body LIKE '%answer%'", [damaged])
        logs = store.finished_logs("tea", most=10)
    assert sorted(log[0] is None for log in logs) == [False, True]


def test_the_latest_are_read_where_there_are_more(sqlite_url: str) -> None:
    clock = Clock()
    with Store.open(sqlite_url, clock=clock) as store:
        for choice in (0, 1, 2):
            clock.wait(days=1)
            id = begin(store).id
            store.append(id, answer(choice), after=0, progress=progress(1, finished=True))
        assert sorted(log[0]["answer"]["choice"] for log in store.finished_logs("tea", most=2)) == [1, 2]


def test_a_database_from_before_there_were_priors_gets_their_table(database: str) -> None:
    engine = connect(database)
    migrate(engine.execution_options(purpose="write"), MIGRATIONS[:1])
    engine.dispose()
    with Store.open(database) as store:
        assert store.priors() == ()
        assert put(store, 1)
