"""Something to store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from setmargin.server.store import Progress, Store, StoredInterview

DOCUMENT = {"catalogue": "tea", "attributes": {"leaf": ["green", "black"], "cup": [1, 2]}, "rules": ["leaf != cup"]}
STRATEGY = {"name": "bayes", "set_size": 2}


def begin(store: Store, name: str = "tea") -> StoredInterview:
    """A new interview on a small catalogue."""
    return store.start(store.put_catalogue(name, DOCUMENT).digest, STRATEGY, 7)


def answer(choice: int) -> dict[str, object]:
    """The event of one answer."""
    return {"question": [{"leaf": "green", "cup": 1}, {"leaf": "black", "cup": 2}], "answer": {"choice": choice}}


def progress(
    answers: int,
    *,
    finished: bool = False,
    done: bool = False,
    taken: dict[str, object] | None = None,
    must_haves: tuple[str, ...] = (),
    importance: dict[str, float] | None = None,
) -> Progress:
    """What the owner's view would count."""
    return {
        "answers": answers,
        "expected_loss": 0.25,
        "importance": importance or {},
        "finished": finished,
        "done": finished or done,
        "taken": taken,
        "must_haves": list(must_haves),
    }


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def wait(self, **amount: float) -> None:
        self.time += timedelta(**amount)
