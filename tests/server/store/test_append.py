"""The log of an interview: numbered without gaps, each request in it once, whoever writes and however often."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setmargin.server.errors import Conflict, KeyReused
from setmargin.server.store import Appended, Store
from tests.server.store.talk import answer, begin

TABS = 3
T = TypeVar("T")


def test_a_repeated_request_after_a_lost_reply_changes_nothing(store: Store) -> None:
    id = begin(store).id
    assert store.append(id, answer(0), after=0, key="click") == Appended(1, repeated=False)
    before = store.interview(id)
    assert store.append(id, answer(0), after=0, key="click") == Appended(1, repeated=True)
    assert store.interview(id) == before


def test_a_repeated_request_is_known_however_much_happened_since(store: Store) -> None:
    id = begin(store).id
    store.append(id, answer(0), after=0, key="click")
    store.append(id, answer(1), after=1, key="another")
    assert store.append(id, answer(0), after=0, key="click") == Appended(1, repeated=True)
    assert store.append(id, answer(0), after=2, key="click") == Appended(1, repeated=True)
    assert store.version_of(id) == 2


def test_a_key_is_known_before_any_work_is_done(store: Store) -> None:
    id, request = begin(store).id, {"version": 0, "answer": {"choice": 1}}
    assert store.repeated(id, key="click", request=request) is None
    store.append(id, answer(1), after=0, key="click", request=request)
    assert store.repeated(id, key="click", request=dict(reversed(request.items()))) == 1
    with pytest.raises(KeyReused):
        store.repeated(id, key="click", request=request | {"version": 1})


def test_a_key_with_another_request_is_refused_and_changes_nothing(store: Store) -> None:
    id = begin(store).id
    store.append(id, answer(0), after=0, key="click")
    before = store.interview(id)
    for after in (0, 1):
        with pytest.raises(KeyReused, match="use a new key"):
            store.append(id, answer(1), after=after, key="click")
    assert store.interview(id) == before


def test_one_key_may_serve_two_interviews(store: Store) -> None:
    for id in (begin(store).id, begin(store).id):
        assert not store.append(id, answer(0), after=0, key="1").repeated


def test_any_text_can_be_a_key(store: Store) -> None:
    id = begin(store).id
    for after, key in enumerate(["", "\0", "ключ", "\ud800", "x" * 10_000]):
        assert store.append(id, answer(0), after=after, key=key) == Appended(after + 1, repeated=False)
        assert store.append(id, answer(0), after=after, key=key).repeated


def test_without_a_key_the_same_event_is_a_new_one(store: Store) -> None:
    id = begin(store).id
    assert [store.append(id, answer(0), after=after).version for after in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("after", [-1, 0, 1, 3, 100])
def test_a_conflict_names_the_current_version_and_changes_nothing(store: Store, after: int) -> None:
    id = begin(store).id
    for version in range(2):
        store.append(id, answer(0), after=version)
    with pytest.raises(Conflict, match="is at version 2") as caught:
        store.append(id, answer(1), after=after, key="late")
    assert (caught.value.current, caught.value.after) == (2, after)
    assert store.interview(id).events == (answer(0), answer(0))
    assert not store.append(id, answer(1), after=2, key="late").repeated  # a refused request does not use up its key


# Any interleaving


@dataclass
class Tab:
    """One window on the interview: what it believes the version to be, and its last request."""

    number: int
    version: int = 0
    made: int = 0
    last: tuple[str, dict[str, object], int] | None = None

    def request(self) -> tuple[str, dict[str, object], int]:
        """A new click."""
        self.made += 1
        self.last = (f"{self.number}/{self.made}", answer(self.made), self.version)
        return self.last


@dataclass
class Model:
    """What the store should do, on a list."""

    log: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def append(self, key: str, event: dict[str, object], after: int) -> Appended | int:
        """What comes back, or the current version where there is a conflict."""
        known = [each for each, _ in self.log]
        if key in known:
            return Appended(known.index(key) + 1, repeated=True)
        if after != len(self.log):
            return len(self.log)
        self.log.append((key, event))
        return Appended(len(self.log), repeated=False)


def send(store: Store, id: str, key: str, event: dict[str, object], after: int) -> Appended | int:
    try:
        return store.append(id, event, after=after, key=key)
    except Conflict as conflict:
        return conflict.current


@settings(derandomize=True, deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["click", "retry", "reload"]), st.integers(0, TABS - 1)), max_size=25))
def test_any_interleaving_of_tabs_gives_the_log_that_a_list_would(store: Store, steps: list[tuple[str, int]]) -> None:
    id, model, tabs = begin(store).id, Model(), [Tab(number) for number in range(TABS)]
    for action, number in steps:
        tab = tabs[number]
        request = tab.request() if action == "click" else tab.last
        if action == "reload" or request is None:
            tab.version = store.version_of(id)
            continue
        got = send(store, id, *request)
        assert got == model.append(*request)
        tab.version = got if isinstance(got, int) else got.version
    stored = store.interview(id)
    assert stored.version == len(model.log)
    assert list(stored.events) == [event for _, event in model.log]


# Truly at once


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """The results of `work(0)`, `work(1)`, ... begun together on threads of their own."""
    barrier = Barrier(count)

    def one(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.parametrize("servers", [1, 2])
def test_of_several_answers_to_one_question_exactly_one_wins(database: str, servers: int) -> None:
    stores = [Store.open(database) for _ in range(servers)]
    id = begin(stores[0]).id

    def race(after: int) -> list[Appended | int]:
        return at_once(6, lambda tab: send(stores[tab % servers], id, f"{after}/{tab}", answer(tab), after))

    for version in range(3):
        got, won = race(version), Appended(version + 1, repeated=False)
        assert sorted(got, key=repr) == [*[version + 1] * 5, won]
        assert stores[0].interview(id).events[version] == answer(got.index(won))
    for each in stores:
        each.close()


def test_of_one_request_sent_several_times_at_once_one_is_written(store: Store) -> None:
    id = begin(store).id
    got = at_once(6, lambda _: send(store, id, "click", answer(0), 0))
    assert sorted(got, key=repr) == [Appended(1, repeated=False), *[Appended(1, repeated=True)] * 5]
    assert store.version_of(id) == 1


@pytest.mark.parametrize("servers", [1, 2])
def test_tabs_that_write_at_once_and_retry_give_a_gapless_log_with_each_key_once(database: str, servers: int) -> None:
    stores = [Store.open(database) for _ in range(servers)]
    id, tabs, clicks = begin(stores[0]).id, 4, 5

    def tab(number: int) -> dict[str, int]:
        store = stores[number % servers]
        places: dict[str, int] = {}
        for click in range(clicks):
            key, version = f"{number}/{click}", store.version_of(id)
            while not isinstance(got := send(store, id, key, {"key": key}, version), Appended):
                version = got
            assert send(store, id, key, {"key": key}, version) == Appended(got.version, repeated=True)
            places[key] = got.version
        return places

    written = {key: place for places in at_once(tabs, tab) for key, place in places.items()}
    stored = stores[1 % servers].interview(id)
    assert [written[event["key"]] for event in stored.events] == list(range(1, tabs * clicks + 1))
    assert stored.version == tabs * clicks
    for each in stores:
        each.close()


def test_other_interviews_go_on_while_one_is_written(store: Store) -> None:
    ids = [begin(store).id for _ in range(4)]

    def write(number: int) -> int:
        return [store.append(ids[number], answer(0), after=after).version for after in range(5)][-1]

    assert at_once(4, write) == [5] * 4


# Killed


WRITER = """
import sys
from itertools import count
from setmargin.server.store import Store
store = Store.open(sys.argv[1])
for after in count():
    print(store.append(sys.argv[2], {"number": after + 1}, after=after, key=str(after)).version, flush=True)
"""


def test_an_acknowledged_answer_survives_a_crash(database: str) -> None:
    with Store.open(database) as store:
        id = begin(store).id
    with subprocess.Popen([sys.executable, "-c", WRITER, database, id], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(10)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    with Store.open(database) as store:
        stored = store.interview(id)
        assert [event["number"] for event in stored.events] == list(range(1, stored.version + 1))
        assert stored.version - acknowledged[-1] in (0, 1)  # one may be written and not yet acknowledged
        assert store.append(id, {"number": 1}, after=0, key="0").repeated
