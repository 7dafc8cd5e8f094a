"""What people took, insisted on and were refused, as the owner's view counts it."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from setmargin.server.store import Store, noted
from setmargin.server.store.migrations import MIGRATIONS
from setmargin.server.store.noted import drop_refusals, note_refusal
from setmargin.server.store.wanted import RefusedMustHave, wants
from tests.server.store.talk import Clock, answer, begin, progress

GREEN, BLACK = {"leaf": "green", "cup": 1}, {"leaf": "black", "cup": 1}


def test_what_was_taken_and_wanted_is_counted_by_catalogue(store: Store) -> None:
    for taken in (GREEN, BLACK, GREEN, None):
        id = begin(store).id
        insisted = ("cup <= 1", 'leaf != "é"') if taken else ("cup <= 1",)
        reached = progress(1, finished=taken is not None, taken=taken, must_haves=insisted)
        store.append(id, answer(0), after=0, progress=reached)
    store.append(begin(store, "coffee").id, answer(0), after=0, progress=progress(1, done=True))
    begin(store)  # nobody answered
    found = wants(store)
    assert set(found) == {"tea"}
    assert [(each.values, each.count) for each in found["tea"].configurations] == [(GREEN, 2), (BLACK, 1)]
    assert found["tea"].values == {"leaf": {"green": 2, "black": 1}, "cup": {"1": 3}}
    assert found["tea"].must_haves == {"cup <= 1": 4, 'leaf != "é"': 3}


def test_refusals_are_counted_by_rule_and_no_more_than_so_many_a_day(
    timed: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noted, "MOST_A_DAY", 5)
    digest = begin(timed).digest
    for _ in range(3):
        note_refusal(timed, "price  <= 1", ["price <= 1", "cup = 4"], digest=digest)
        clock.wait(days=1)
    for number in range(9):
        note_refusal(timed, f"price <= {number + 2}", [], digest=digest)
    assert wants(timed)["tea"].refused[0] == RefusedMustHave("price <= 1", ("price <= 1", "cup = 4"), 3)
    with timed.transaction("read") as connection:
        assert connection.scalar(text("SELECT sum(count) FROM refusals")) == 5 + 3
    drop_refusals(timed, clock.time)
    assert {each.count for each in wants(timed)["tea"].refused} == {1}
    clock.wait(days=1)
    assert wants(timed, since=clock.time) == {}


def test_what_interviews_came_to_before_there_were_such_columns_is_read_from_what_they_showed(store: Store) -> None:
    shown = {"finished": {"values": GREEN, "amounts": {}}, "done": True, "must_haves": ["cup <= 1"]}
    ids = [begin(store).id for _ in range(3)]
    for id, state in zip(ids, (json.dumps(shown).encode(), b"{}", None), strict=True):
        store.append(id, answer(0), after=0, progress=progress(1), state=state)
    with store.transaction("migrate") as connection:
        for statement in (
            "ALTER TABLE interviews DROP COLUMN result_seen",
            "ALTER TABLE progress DROP COLUMN done",
            "ALTER TABLE progress DROP COLUMN taken",
            "ALTER TABLE progress DROP COLUMN must_haves",
            "DROP TABLE refusals",
        ):
            connection.execute(text(statement))
        step = next(each for each in MIGRATIONS if each.__name__ == "_wants")
        step(connection)
    found = wants(store)["tea"]
    assert ([each.values for each in found.configurations], found.must_haves) == ([GREEN], {"cup <= 1": 1})
    assert store.summary()[0].finished == 1
