"""Calls that wait for one process, and whose turn is next.

The most urgent kind goes first. Among calls alike in that, it is the turn of the client who has used least lately; such
clients take turns, one call a round, and who comes anew is in the round after the one under way: so whoever waits is
overtaken by nobody who came later, however many come. Within a client it is the turn of the interview that has used
least. So whoever asks for much waits behind those who ask for little, and never the other way round. What is worked out
ahead has accounts and rounds of its own: nobody waits for an answer because much was prepared for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from setmargin.server.work.clients import NOBODY, Accounts
from setmargin.server.work.process import Call

NOW: Final = 0
LATER: Final = 1
PREFETCH: Final = 2
"""How urgent a call is: somebody waits for it, nobody does, nobody may ever need it."""


@dataclass(eq=False)
class Task:
    """A call that waits: for whom, and about which interview."""

    urgency: tuple[int, int]
    number: int
    call: Call
    wanted: Callable[[], bool] = lambda: True
    client: str = NOBODY
    interview: str = ""
    future: Future[Any] = field(default_factory=Future)
    since: float = field(default_factory=monotonic)

    @property
    def is_prefetch(self) -> bool:
        """Whether nobody may ever need it."""
        return self.urgency[0] == PREFETCH

    def account(self, name: str) -> str:
        """What a client or an interview is called in the accounts that this counts in."""
        return f"{name} ahead" if self.is_prefetch else name

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for it."""
        return self.urgency[0] == NOW and not self.future.cancelled()


class Queue:
    """Tasks in the order in which it is their turn; not safe without a lock."""

    def __init__(self, clients: Accounts, interviews: Accounts) -> None:
        self._clients, self._interviews = clients, interviews
        self._tasks: list[Task] = []
        self.prefetch = 0
        """How many of the tasks are ahead of time."""
        self._rounds: dict[str, int] = {}
        """In which round it is the turn of each account that has something waiting."""
        self._round = {True: 0, False: 0}
        """The round under way, of what is worked out ahead and of all else."""

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(list(self._tasks))

    def add(self, task: Task) -> None:
        self._tasks.append(task)
        self.prefetch += task.is_prefetch
        self._rounds.setdefault(task.account(task.client), self._round[task.is_prefetch] + 1)

    def remove(self, tasks: Iterable[Task]) -> None:
        gone = set(tasks)
        self._tasks = [task for task in self._tasks if task not in gone]
        self.prefetch -= sum(task.is_prefetch for task in gone)

    def take(self) -> Task | None:
        """The task whose turn it is; None where nothing waits."""
        first: dict[str, tuple[tuple[int, int], int, int, Task]] = {}
        for task in self._tasks:
            used = self._interviews.level(task.account(task.interview)) if task.interview else 0
            own = (task.urgency, used, task.number, task)
            if task.client not in first or own[:3] < first[task.client][:3]:
                first[task.client] = own
        if not first:
            return None
        *_, task = min(first.values(), key=lambda own: (own[0], *self._turn(own[3]), own[1], own[2]))
        self._tasks.remove(task)
        self.prefetch -= task.is_prefetch
        account = task.account(task.client)
        self._round[task.is_prefetch] = max(self._round[task.is_prefetch], self._rounds[account])
        waiting = {each.account(each.client) for each in self._tasks}
        self._rounds = {name: turn for name, turn in self._rounds.items() if name in waiting}
        if account in waiting:
            self._rounds[account] += 1
        return task

    def _turn(self, task: Task) -> tuple[int, int]:
        account = task.account(task.client)
        return self._clients.level(account), self._rounds[account]

    def greediest(self) -> Task:
        """Of what may never be needed, the last that was asked for by the client with the most of it."""
        ahead = [task for task in self._tasks if task.is_prefetch]
        many: dict[str, int] = {}
        for task in ahead:
            many[task.client] = many.get(task.client, 0) + 1
        return max(ahead, key=lambda task: (many[task.client], task.urgency, task.number))
