"""Strategies whose every move is known, and records written by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Self

import numpy as np

from setmargin.answers import Answer, Question
from setmargin.experiments import Record
from setmargin.space.attributes import Attribute, Quantity
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, History, Recommendation, Strategy
from setmargin.strategies.options import no_option

SHIRTS = Space(
    [Attribute("size", ["S", "M", "L"]), Attribute("colour", ["red", "blue"])],
    quantities=[Quantity("price", {"size": {"S": 10, "M": 20, "L": 30}}, better="lower")],
    rules=["not (size = L and colour = red)"],
)


LAMP = Space(
    [
        Attribute("watts", [40, 5, 10, 20], better="higher"),
        Attribute("noise", [3, 1, 2], better="lower"),
        Attribute("finish", ["raw", "fair", "good"], better="higher", ordered=True),
        Attribute("height", [30, 10, 20, 50, 40], better="peak"),
        Attribute("colour", ["red", "blue"]),
    ],
    quantities=[Quantity("price", {"watts": 2}, better="lower")],
)


@dataclass(frozen=True)
class Noted(Belief):
    """Remembers how often it was tuned."""

    tuned: int = 0


@dataclass(frozen=True, kw_only=True)
class Scripted(Strategy[Noted]):
    """Asks about the configurations in order, `questions` times, and recommends the one of that number.

    `calls` lists what was done; a question's status says how many threads its process allows for linear algebra.
    """

    name = "scripted"

    questions: int = 1000
    gap: float = 0.0
    calls: list[str] = no_option(factory=list)

    def _start(self, space: Space, seed: int) -> Noted:
        self.calls.append("start")
        return Noted(space, seed)

    def _ask(self, belief: Noted) -> Question | None:
        self.calls.append("ask")
        number = len(belief.history)
        sets = combinations(belief.oracle.ranked_for_values(np.zeros(int(belief.space.offsets[-1]))), self.set_size)
        rows = next(islice(sets, number, None), None)
        if rows is None or number >= self.questions:
            return None
        options = tuple(belief.space.configuration(row) for row in rows)
        return Question(options, status=f"threads {os.environ.get('OPENBLAS_NUM_THREADS')}", gap=self.gap)

    def _learn(self, belief: Noted, question: Question, answer: Answer) -> Noted:
        self.calls.append("learn")
        return super()._learn(belief, question, answer)

    def _tune(self, belief: Noted) -> Noted:
        self.calls.append("tune")
        return replace(belief, tuned=belief.tuned + 1)

    def _recommend(self, belief: Noted) -> Recommendation:
        self.calls.append("recommend")
        assert belief.tuned == len(belief.history)
        ranked = belief.oracle.ranked_for_values(np.zeros(int(belief.space.offsets[-1])))
        chosen = next(islice(ranked, len(belief.history), None))
        return Recommendation(belief.space.configuration(chosen), np.zeros(len(belief.space.feature_names)))


@dataclass(frozen=True, kw_only=True)
class Learner(Scripted):
    """The same, but its gap is the number of answers of earlier people that it knows."""

    name = "learner"
    learns_from_others = True

    def knowing(self, space: Space, earlier: Sequence[History]) -> Self:
        assert all(
            space.feasible(space.indices(option)[None])[0] for h in earlier for q, _ in h for option in q.options
        )
        return replace(self, gap=float(sum(map(len, earlier))))


def record(person: int, question: int, loss: float, *, status: str = "optimal", seconds: float = 1.0) -> Record:
    """Somebody whose best utility is 10, asked at even pace."""
    return {
        "catalogue": "hand",
        "strategy": "hand",
        "set_size": 2,
        "weights": "uniform",
        "response": "tree",
        "wrong": 0.0,
        "reasons": 0.0,
        "changes": 0.0,
        "careless": 0.0,
        "how": "pairs",
        "seed": 0,
        "person": person,
        "question": question,
        "screen": "pair",
        "effort": 5.0,
        "pairs": question,
        "loss": loss,
        "relative_loss": loss / 10,
        "ask_seconds": seconds,
        "learn_seconds": seconds / 10,
        "tune_seconds": seconds / 100,
        "recommend_seconds": 2 * seconds,
        "status": status,
        "gap": None,
    }


def trial(person: int, *losses: float, finished: bool = False) -> list[Record]:
    """The records of one person; the last one says that there was nothing left to ask if `finished`."""
    records = [record(person, number, loss) for number, loss in enumerate(losses, 1)]
    return [*records[:-1], record(person, len(losses), losses[-1], status="finished")] if finished else records


def read_lines(file: Path) -> list[Record]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
