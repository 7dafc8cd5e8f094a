"""Many trials on many cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pytest

from setmargin.errors import OptionError
from setmargin.experiments import Record, simulate
from setmargin.experiments.people import Person, draw_people
from setmargin.space.catalogue import load
from setmargin.strategies.registry import make_strategy
from tests.experiments.stubs import Scripted

SPACE = load("synthetic:3")


def without_seconds(records: Iterable[Record]) -> list[dict[str, object]]:
    return [{key: value for key, value in record.items() if not key.endswith("_seconds")} for record in records]


def test_the_records_are_the_same_for_any_number_of_jobs() -> None:
    strategy = make_strategy("setmargin", mode="fast")
    alone, together = (
        without_seconds(simulate(draw_people(SPACE, 4), strategy, questions=3, jobs=jobs)) for jobs in (1, 2)
    )
    assert alone == together
    assert [(record["person"], record["question"]) for record in alone[:4]] == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_a_worker_uses_one_thread_for_linear_algebra() -> None:
    records = simulate(draw_people(SPACE, 2), Scripted(), questions=1, jobs=2)
    assert [record["status"] for record in records] == ["threads 1", "threads 1"]


def test_people_are_drawn_as_they_are_needed_and_records_come_at_once() -> None:
    drawn: list[int] = []

    def watched(people: Iterable[Person]) -> Iterator[Person]:
        for person in people:
            drawn.append(person.number)
            yield person

    records = simulate(watched(draw_people(SPACE, 50)), make_strategy("random"), questions=2)
    assert [record["person"] for record in islice(records, 3)] == [1, 1, 2]
    assert len(drawn) < 10


def test_a_person_does_not_depend_on_the_others() -> None:
    few, many = (
        without_seconds(simulate(draw_people(SPACE, count), make_strategy("random"), questions=4)) for count in (2, 5)
    )
    assert many[: len(few)] == few


@pytest.mark.parametrize(("options", "words"), [({"jobs": 0}, "0 jobs"), ({"jobs": -2}, "-2 jobs")])
def test_impossible_numbers_are_refused_at_once(options: dict[str, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        simulate(draw_people(SPACE, 1), make_strategy("random"), **options)  # type: ignore[arg-type]
