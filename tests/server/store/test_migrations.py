"""The schema's history: each step once, whole or not at all, and by one server only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, inspect, select, text

from setmargin.server.errors import NewerSchema, StoreError
from setmargin.server.store import Store
from setmargin.server.store.engine import connect
from setmargin.server.store.migrations import MIGRATIONS, migrate, schema_version
from setmargin.server.store.tables import events, ledger, metadata
from tests.server.store.talk import answer, begin


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """An empty database, ready to be written."""
    engine = connect(database)
    yield engine.execution_options(purpose="write")
    engine.dispose()


def add_a_note(connection: Connection) -> None:
    """A step as it might come next: a new column, and something in it for the rows that are there."""
    connection.execute(text("ALTER TABLE interviews ADD COLUMN note TEXT"))
    connection.execute(text("UPDATE interviews SET note = 'from before'"))


def fail(connection: Connection) -> None:
    """A step that gets half way."""
    connection.execute(text("ALTER TABLE interviews ADD COLUMN half TEXT"))
    connection.execute(text("DELETE FROM events"))
    connection.execute(text("INSERT INTO nowhere VALUES (1)"))


def version(engine: Engine) -> int:
    with engine.begin() as connection:
        return schema_version(connection)


def shape(engine: Engine) -> dict[str, object]:
    """Tables, columns, keys and references, as the database itself tells them."""
    look = inspect(engine)
    return {
        table: (
            {(c["name"], str(c["type"]), c["nullable"]) for c in look.get_columns(table)},
            look.get_pk_constraint(table)["constrained_columns"],
            {(*key["constrained_columns"], key["referred_table"]) for key in look.get_foreign_keys(table)},
            {tuple(each["column_names"]) for each in look.get_unique_constraints(table)},
        )
        for table in look.get_table_names()
    }


def test_an_empty_database_becomes_current(engine: Engine) -> None:
    assert migrate(engine) == len(MIGRATIONS)
    assert version(engine) == len(MIGRATIONS)


def test_the_steps_lead_to_the_tables_that_the_code_speaks_of(engine: Engine) -> None:
    migrate(engine)
    migrated = shape(engine)
    with engine.begin() as connection:
        metadata.drop_all(connection)
    assert shape(engine) == {}
    with engine.begin() as connection:
        metadata.create_all(connection)
    assert shape(engine) == migrated


def test_a_step_runs_once_and_keeps_what_is_there(engine: Engine, database: str) -> None:
    with Store.open(database) as store:
        id = begin(store).id
        store.append(id, answer(1), after=0)
        before = store.interview(id)
        assert [migrate(engine, (*MIGRATIONS, add_a_note)) for _ in range(3)] == [1, 0, 0]
        assert store.interview(id) == before
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT note FROM interviews")) == "from before"
        assert list(connection.scalars(select(ledger.c.number).order_by(ledger.c.number))) == [
            *range(1, len(MIGRATIONS) + 2)
        ]


def test_a_step_that_fails_is_rolled_back_whole_with_all_that_came_before_it(engine: Engine, database: str) -> None:
    with Store.open(database) as store:
        store.append(begin(store).id, answer(1), after=0)
    before = shape(engine)
    with pytest.raises(Exception, match="nowhere"):
        migrate(engine, (*MIGRATIONS, add_a_note, fail))
    assert shape(engine) == before
    assert version(engine) == len(MIGRATIONS)
    with engine.begin() as connection:
        assert len(connection.execute(select(events)).all()) == 1
    assert migrate(engine, (*MIGRATIONS, add_a_note)) == 1


def test_an_empty_database_stays_empty_when_the_first_step_fails(engine: Engine) -> None:
    with pytest.raises(Exception, match="interviews"):
        migrate(engine, (fail,))
    assert shape(engine) == {}


def test_a_newer_database_is_refused_and_left_as_it_is(engine: Engine, database: str) -> None:
    migrate(engine, (*MIGRATIONS, add_a_note))
    before = shape(engine)
    known = len(MIGRATIONS)
    with pytest.raises(NewerSchema, match=f"has schema {known + 1}, and this setmargin knows {known}; install"):
        Store.open(database)
    assert shape(engine) == before
    assert version(engine) == len(MIGRATIONS) + 1


def test_the_tables_of_something_else_are_left_alone(engine: Engine, database: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE interviews (applicant TEXT)"))
    with pytest.raises(StoreError, match="a database of its own"):
        Store.open(database)
    assert list(shape(engine)) == ["interviews"]


OPENER = """
import sys
from setmargin.server.store import Store
print("ready", flush=True)
sys.stdin.readline()
with Store.open(sys.argv[1]) as store:
    store.put_catalogue("tea", {"from": sys.argv[2]})
"""


def test_of_servers_that_start_at_once_one_migrates_and_the_others_wait(database: str) -> None:
    servers = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, database, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    for server in servers:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
    for server in servers:
        assert server.stdin is not None
        server.stdin.write("go\n")
        server.stdin.flush()
    assert [(server.communicate()[1], server.returncode) for server in servers] == [("", 0)] * 2
    with Store.open(database) as store:
        assert len(store.catalogues()) == 1
