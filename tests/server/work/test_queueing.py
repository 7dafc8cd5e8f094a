"""Whose turn it is: the most urgent, then who used least, then who was served longest ago."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.server.work.clients import HALF_LIFE, Accounts
from setmargin.server.work.lanes import LONG_RULES, Slow, UnderWay, is_long
from setmargin.server.work.process import Call
from setmargin.server.work.queueing import NOW, PREFETCH, Queue, Task
from tests.server.work.talks import BAYES, RANDOM, SETMARGIN, new_job

NUMBERS = count()
quick = settings(deadline=None)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def task(client: str, interview: str = "", urgency: tuple[int, int] = (NOW, 0)) -> Task:
    return Task(urgency, next(NUMBERS), Call(print, ()), client=client, interview=interview)


def order(queue: Queue, *, cost: float = 0.0, accounts: Accounts | None = None) -> list[tuple[str, str]]:
    """Everything that waits, as it is taken; each costs its client so many seconds."""
    found = []
    while (taken := queue.take()) is not None:
        found.append((taken.client, taken.interview))
        if accounts is not None:
            accounts.add(taken.client, cost)
    return found


def queue_of(*tasks: Task, clients: Accounts | None = None, interviews: Accounts | None = None) -> Queue:
    queue = Queue(clients or Accounts(), interviews or Accounts())
    for each in tasks:
        queue.add(each)
    return queue


def test_clients_take_turns_however_many_calls_one_of_them_has() -> None:
    queue = queue_of(*(task("many", str(n)) for n in range(4)), task("one"), task("two"))
    assert order(queue) == [("many", "0"), ("one", ""), ("two", ""), ("many", "1"), ("many", "2"), ("many", "3")]


def test_who_used_much_lately_waits_until_that_is_forgotten() -> None:
    clock = Clock()
    accounts = Accounts(clock=clock)
    accounts.add("greedy", 8.0)
    queue = queue_of(task("greedy"), task("modest"), clients=accounts)
    assert [client for client, _ in order(queue)] == ["modest", "greedy"]
    clock.now = 5 * HALF_LIFE
    assert accounts.used("greedy") == pytest.approx(0.25)
    queue = queue_of(task("greedy"), task("modest"), clients=accounts)
    assert [client for client, _ in order(queue)] == ["greedy", "modest"]


def test_within_a_client_the_interview_that_used_least_goes_first() -> None:
    interviews = Accounts()
    interviews.add("long", 8.0)
    queue = queue_of(task("home", "long"), task("home", "short"), interviews=interviews)
    assert [interview for _, interview in order(queue)] == ["short", "long"]


def test_what_somebody_waits_for_goes_before_all_that_is_ahead_of_time() -> None:
    accounts = Accounts()
    accounts.add("greedy", 100.0)
    queue = queue_of(task("modest", urgency=(PREFETCH, 0)), task("greedy"), clients=accounts)
    assert [client for client, _ in order(queue)] == ["greedy", "modest"]


def test_of_what_is_ahead_of_time_the_greediest_client_loses_the_least_likely_first() -> None:
    queue = queue_of(*(task("many", str(n), (PREFETCH, n)) for n in range(3)), task("one", urgency=(PREFETCH, 9)))
    assert (queue.greediest().client, queue.greediest().interview) == ("many", "2")


@quick
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=20), st.floats(0.0, 5.0))
def test_everything_that_waits_is_taken_once(waiting: list[tuple[str, str]], cost: float) -> None:
    accounts = Accounts()
    queue = queue_of(*(task(*each) for each in waiting), clients=accounts)
    assert sorted(order(queue, cost=cost, accounts=accounts)) == sorted(waiting)


@quick
@given(many=st.integers(2, 30))
def test_nobody_waits_behind_more_than_one_call_of_each_other_client(many: int) -> None:
    accounts = Accounts(clock=Clock())
    queue = queue_of(*(task("many") for _ in range(many)), task("late"), clients=accounts)
    assert [client for client, _ in order(queue, cost=2.0, accounts=accounts)].index("late") <= 1


@pytest.mark.parametrize("own", [1, 3])
def test_whoever_waits_is_not_overtaken_by_ever_more_newcomers(own: int) -> None:
    """On a machine that is always busy, others come before everybody is served, and much is prepared for all."""
    queue = queue_of(*(task("first", urgency=(PREFETCH, 0)) for _ in range(3)))
    assert queue.take() is not None
    for _ in range(own):
        queue.add(task("first"))
    queue.add(task("second"))
    taken = []
    for newcomer in map(str, range(20)):
        queue.add(task(newcomer))
        found = queue.take()
        assert found is not None
        taken.append(found.client)
    assert taken.index("second") == 1
    assert [turn for turn, client in enumerate(taken) if client == "first"] == [0, 3, 7][:own]


# Which lane


def test_strategies_that_use_all_their_time_and_long_must_haves_are_long() -> None:
    rule = {"require": "x" * (LONG_RULES // 2 + 1)}
    assert is_long((new_job(strategy=SETMARGIN),))
    assert not is_long((new_job(strategy=BAYES),))
    assert not is_long((new_job(strategy=RANDOM), rule))
    job = new_job(strategy=BAYES)
    assert is_long((job.__class__(**{**vars(job), "events": (rule, rule)}),))
    assert is_long((job.__class__(**{**vars(job), "events": (rule,)}), rule))
    assert not is_long(("a digest", {"attributes": {}}))


def test_what_was_slow_is_so_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    slow.note("one")
    assert "one" in slow
    assert "two" not in slow
    monkeypatch.setattr("setmargin.server.work.lanes.SLOW_SECONDS", 0.0)
    assert "one" not in slow


@quick
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=30))
def test_whoever_leaves_makes_room(calls: list[tuple[str, str]]) -> None:
    under_way = UnderWay(most=30, most_of_one=30)
    for each in calls:
        under_way.enter(*each)
    for each in calls:
        under_way.leave(*each)
    assert not under_way._clients
    assert not under_way._interviews
