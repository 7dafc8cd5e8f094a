"""Writers who come at once share a commit: what fails is one's own, and what is not committed nobody hears of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

from setmargin.server.errors import StoreError
from setmargin.server.store.engine import connect
from setmargin.server.store.turns import MOST_TOGETHER, Turns

SECONDS = 5.0


class Commits:
    """Counts commits; they may be held up, or fail."""

    def __init__(self, engine: Engine) -> None:
        self.count = 0
        self.go, self.fails = Event(), False
        self.go.set()
        event.listen(engine, "commit", self._commit)

    def _commit(self, _: Connection) -> None:
        assert self.go.wait(SECONDS)
        self.count += 1
        if self.fails:
            raise sqlite3.OperationalError("disk I/O error")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = connect(f"sqlite:///{tmp_path / 'turns.db'}").execution_options(purpose="write")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE written (number INTEGER UNIQUE)")
    yield engine
    engine.dispose()


@pytest.fixture
def turns() -> Turns:
    return Turns(lambda: None)


def write(turns: Turns, engine: Engine, *numbers: int) -> None:
    with turns.together(engine, SECONDS) as connection:
        for number in numbers:
            connection.exec_driver_sql("INSERT INTO written VALUES (?)", (number,))


def written(engine: Engine) -> list[int]:
    with engine.begin() as connection:
        return list(connection.exec_driver_sql("SELECT number FROM written ORDER BY number").scalars())


def all_at_once(turns: Turns, engine: Engine, count: int, *, held: Event, begin: Event) -> list[BaseException | None]:
    """Writers of one number each, who queue while the first one is still writing; what each of them gets to hear."""
    ready = Barrier(count + 1)

    def one(number: int) -> BaseException | None:
        ready.wait(SECONDS)
        try:
            write(turns, engine, number)
        except Exception as error:
            return error
        return None

    with ThreadPoolExecutor(count) as threads:
        heard = [threads.submit(one, number) for number in range(count)]
        assert held.wait(SECONDS)
        ready.wait(SECONDS)
        while turns._queue < count:
            pass
        begin.set()
        return [each.exception() or each.result() for each in heard]


@pytest.fixture
def first(turns: Turns, engine: Engine) -> Iterator[tuple[Event, Event]]:
    """A writer who has the turn until told to go on."""
    held, begin = Event(), Event()

    def holding() -> None:
        with suppress(sqlite3.OperationalError), turns.together(engine, SECONDS) as connection:
            connection.exec_driver_sql("INSERT INTO written VALUES (100)")
            held.set()
            assert begin.wait(SECONDS)

    thread = Thread(target=holding)
    thread.start()
    yield held, begin
    begin.set()
    thread.join()


def test_who_is_alone_commits_at_once(turns: Turns, engine: Engine) -> None:
    commits = Commits(engine)
    for number in range(3):
        write(turns, engine, number)
    assert (written(engine), commits.count) == ([0, 1, 2], 4)  # one is the reader's


def test_many_at_once_share_commits(turns: Turns, engine: Engine, first: tuple[Event, Event]) -> None:
    commits = Commits(engine)
    held, begin = first
    count = 2 * MOST_TOGETHER - 1
    assert all_at_once(turns, engine, count, held=held, begin=begin) == [None] * count
    assert written(engine) == [*range(count), 100]
    assert commits.count - 1 == 2  # of as many as may be together each


def test_what_fails_takes_back_only_itself(turns: Turns, engine: Engine, first: tuple[Event, Event]) -> None:
    held, begin = first
    assert held.wait(SECONDS)

    with ThreadPoolExecutor(2) as threads:
        failing, other = threads.submit(write, turns, engine, 7, 7), threads.submit(write, turns, engine, 1)
        begin.set()
        assert "UNIQUE" in str(failing.exception())
        other.result()
    assert written(engine) == [1, 100]


def test_a_failed_commit_is_everybodys(turns: Turns, engine: Engine, first: tuple[Event, Event]) -> None:
    commits = Commits(engine)
    commits.fails = True
    held, begin = first
    heard = all_at_once(turns, engine, 3, held=held, begin=begin)
    assert all("disk I/O" in str(error) for error in heard)
    commits.fails = False
    write(turns, engine, 5)
    assert 5 in written(engine)


def test_what_sqlite_takes_back_nobody_hears_of_as_written(turns: Turns, engine: Engine) -> None:
    """As on a full disk, when the whole transaction is gone, and a commit would do nothing and say nothing."""
    held, begin = Event(), Event()

    def earlier() -> str:
        try:
            with turns.together(engine, SECONDS) as connection:
                connection.exec_driver_sql("INSERT INTO written VALUES (1)")
                held.set()
                assert begin.wait(SECONDS)
        except StoreError as error:
            return str(error)
        return "written"

    def breaking() -> None:
        with turns.together(engine, SECONDS) as connection:
            connection.exec_driver_sql("ROLLBACK")
            raise sqlite3.OperationalError("database or disk is full")

    with ThreadPoolExecutor(2) as threads:
        heard = threads.submit(earlier)
        assert held.wait(SECONDS)
        broken = threads.submit(breaking)
        while not turns._queue:
            pass
        begin.set()
        assert "took back" in heard.result()
        assert "full" in str(broken.exception())
    assert written(engine) == []
    write(turns, engine, 2)
    assert written(engine) == [2]


def test_a_connection_that_cannot_write_any_more_is_let_go_and_its_turn_ends(turns: Turns, engine: Engine) -> None:
    def failing() -> None:
        with turns.together(engine, SECONDS) as connection:
            connection.exec_driver_sql("INSERT INTO written VALUES (1)")
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("INSERT INTO written VALUES (2)")

    with pytest.raises(OperationalError, match="readonly"):
        failing()
    with turns.alone(SECONDS):
        pass
    write(turns, engine, 3)
    assert written(engine) == [3]


def test_who_waits_in_vain_leaves_nobody_behind(turns: Turns, engine: Engine, first: tuple[Event, Event]) -> None:
    held, begin = first
    assert held.wait(SECONDS)
    with pytest.raises(StoreError, match="locked"), turns.together(engine, 0.01):
        pass
    with pytest.raises(StoreError, match="locked"), turns.alone(0.01):
        pass
    begin.set()
    with turns.alone(SECONDS) as seconds:
        assert 0 < seconds <= SECONDS
    assert written(engine) == [100]


def test_nothing_is_said_to_be_written_into_a_file_that_is_gone(engine: Engine) -> None:
    is_gone = False

    def check() -> None:
        if is_gone:
            raise StoreError("replaced")

    turns = Turns(check)
    with pytest.raises(StoreError, match="replaced"), turns.together(engine, SECONDS):
        is_gone = True
    with pytest.raises(StoreError, match="replaced"), turns.together(engine, SECONDS):
        raise AssertionError("nothing may be written")
    is_gone = False
    write(turns, engine, 3)
