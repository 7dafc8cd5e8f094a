"""What the service does once, before it is asked, or after it has answered."""

from __future__ import annotations

from sqlalchemy import select

from setmargin.server.api.app import create_app
from setmargin.server.settings import Settings
from setmargin.server.store import Store
from setmargin.server.store.tables import checkpoints
from tests.server.api.calling import Talk, calling
from tests.server.api.inline import InlinePool


def kept(options: Settings, id: str) -> list[int]:
    """After how many events there are checkpoints."""
    with Store.open(options.database) as store, store.transaction("read") as connection:
        query = select(checkpoints.c.events).where(checkpoints.c.interview == id).order_by(checkpoints.c.events)
        return list(connection.scalars(query))


def test_the_first_person_finds_the_first_question_ready(options: Settings) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        for _ in range(1000):
            if not pool.opened:
                call("GET", "/health")
        assert len(pool.opened) == 1
        assert Talk(call, seed=None, policy=None).state["question"]
    assert len(pool.opened) == 1


def test_an_interview_begins_with_all_its_must_haves_in_one_step(options: Settings) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        rules = [f"price <= {limit}" for limit in range(30, 10, -1)]
        state = Talk(call, must_haves=rules).state
    assert (state["must_haves"], state["version"]) == (rules, 20)
    assert len(pool.opened) <= 2  # with the first question that is ready for everybody


def test_the_result_is_worked_out_once_for_each_version(options: Settings) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        talk = Talk(call)
        talk.tell(0)
        before = talk.get("/recommendation")
        assert talk.get("/answers")["answers"] == before["answers"]
        assert (talk.get("/recommendation"), pool.results) == (before, 1)
        talk.tell(1)
        assert len(talk.get("/recommendation")["answers"]) == 2
    assert pool.results == 2


def test_while_the_person_reads_the_next_question_is_prepared_and_checkpoints_are_kept_now_and_then(
    options: Settings,
) -> None:
    pool = InlinePool()
    with calling(create_app(options, make_pool=lambda _: pool)) as call:
        talk = Talk(call, strategy="random")
        for _ in range(5):
            talk.tell(0)
        talk.get()
    assert [version for _, version in pool.prepared][:6] == [0, 1, 2, 3, 4, 5]
    assert kept(options, talk.state["id"]) == [4]
