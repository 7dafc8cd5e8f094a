"""From records to numbers worth looking at: a curve over questions, and a summary. Nothing is drawn here.

results = collect(records)
curve(results)       # loss after each question
summarise(results)   # questions needed, seconds, people without loss
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from setmargin.arrays import Floats, Ints
from setmargin.errors import OptionError
from setmargin.experiments.trial import FINISHED, Record
from setmargin.html import table

if TYPE_CHECKING:
    import polars as pl


# Shares of the best utility to reach: 10%, 1%, and the best itself.
LEVELS = (0.1, 0.01, 0.0)

PEOPLE = (
    *("catalogue", "weights", "no_order", "population", "response", "wrong", "reasons", "changes", "careless", "how"),
    *("quantities", "seed"),
)
"""What is the same for all strategies."""
WORDS = (*PEOPLE, "strategy", "options", "set_size", "earlier", "earlier_population")
"""What tells settings apart, in the order of a table's columns."""

ROW = np.dtype(
    [
        ("person", np.int64),
        ("question", np.int64),
        ("loss", np.float64),
        ("relative_loss", np.float64),
        ("seconds", np.float64),
        ("recommend_seconds", np.float64),
        ("effort", np.float64),
        ("finished", np.bool_),
    ]
)


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """One experiment without its words: people × questions, and what each question that was asked took."""

    loss: Floats
    relative_loss: Floats
    seconds: Floats  # ask, learn and tune: what a person waits for
    recommend_seconds: Floats
    effort: Floats  # what each question took the person, in seconds; NaN where old records do not say
    finished: int  # people whom the strategy had nothing left to ask

    def __repr__(self) -> str:
        people, questions = self.relative_loss.shape
        median = np.median(self.relative_loss[:, -1])
        return f"<Results of {people} people and {questions} questions: median loss {median:.1%}>"

    def _repr_html_(self) -> str:
        return Comparison({"": self})._repr_html_()


class Comparison(dict[str, Results]):
    """Results by strategy, which a notebook shows side by side."""

    def _repr_html_(self) -> str:
        """In a notebook: a line for each strategy."""
        levels = [f"≤ {level:.0%}" if level else "no loss" for level in LEVELS]
        rows = []
        for name, results in self.items():
            found = summarise(results)
            needed = [each.lasting or f"> {found.questions}" for each in found.milestones]
            end = f"{found.mean:.1%}" if found.people == 1 else f"{found.mean:.1%} ± {found.standard_error:.1%}"
            rows.append((name, *needed, end, f"{found.median_seconds:.3f}"))
        header = ("questions to a median of", *levels, "mean loss at the end", "s/question")
        return table(rows, header=header)


@dataclass(frozen=True)
class Point:
    """The people after one question; the standard error is NaN for a single person."""

    question: int
    median: float
    mean: float
    standard_error: float
    median_loss: float

    def document(self) -> dict[str, Any]:
        """What JSON can hold: None instead of NaN."""
        return _plain(asdict(self))


@dataclass(frozen=True)
class Milestone:
    """Questions until the median relative loss is at most `level`: for the first time, and for good; None: never."""

    level: float
    first: int | None
    lasting: int | None


@dataclass(frozen=True)
class SimulationSummary:
    """One experiment in a few numbers; the losses are relative ones, at the end."""

    people: int
    questions: int
    milestones: tuple[Milestone, ...]
    median: float
    mean: float
    standard_error: float
    without_loss: int
    finished: int
    mean_questions: float  # that were asked; fewer than `questions` where a strategy had nothing left to ask
    median_seconds: float
    p95_seconds: float
    median_recommend_seconds: float
    mean_effort: float  # the seconds that all questions took a person; NaN where old records do not say

    def document(self) -> dict[str, Any]:
        """What JSON can hold: None instead of NaN."""
        return _plain(asdict(self))


def collect(records: Iterable[Record], *, questions: int = 0) -> Results:
    """The records of one strategy and its people, in any order, as arrays; they are read once and not kept.

    Parameters:
        records: one for each person and question, such as `simulate` gives.
        questions: the budget. Where a strategy had nothing left to ask, its last loss is carried forward to there, or
            to the last question of all if that is larger.

    Raises:
        OptionError: if there are none, or if some person lacks a question or has one twice.
    """
    rows = np.sort(np.fromiter(map(_row, records), dtype=ROW), order=["person", "question"])
    if not len(rows):
        raise OptionError("there are no records to summarise; run at least one trial")
    _, starts, counts = np.unique(rows["person"], return_index=True, return_counts=True)
    last = max(questions, int(rows["question"].max()))
    _check_complete(rows, starts, counts, last)
    table = rows[starts[:, None] + np.minimum(np.arange(last), counts[:, None] - 1)]
    asked = rows[~rows["finished"]]
    return Results(
        loss=table["loss"],
        relative_loss=table["relative_loss"],
        seconds=asked["seconds"],
        recommend_seconds=asked["recommend_seconds"],
        effort=asked["effort"],
        finished=int(rows["finished"].sum()),
    )


def _row(record: Record) -> tuple[object, ...]:
    return (
        record["person"],
        record["question"],
        record["loss"],
        record["relative_loss"],
        record["ask_seconds"] + record["learn_seconds"] + record["tune_seconds"],
        record["recommend_seconds"],
        nan if (effort := record.get("effort")) is None else effort,
        record["status"] == FINISHED,
    )


def _check_complete(rows: NDArray[np.void], starts: Ints, counts: Ints, last: int) -> None:
    """Every person has each question once, up to the last or to where nothing was left to ask."""
    expected = np.arange(len(rows)) - np.repeat(starts, counts) + 1
    ends = starts + counts - 1
    short = ends[(rows["question"][ends] < last) & ~rows["finished"][ends]]
    wrong = np.concatenate([np.flatnonzero(rows["question"] != expected), short])
    if len(wrong):
        raise OptionError(
            f"person {rows['person'][wrong[0]]} has not one record for each of the {last} questions; "
            f"summarise one experiment at a time, and leave out people whose trial was cut short"
        )


def curve(results: Results | Iterable[Record]) -> tuple[Point, ...]:
    """How much is lost after each question: relative to the best, and the median of the plain loss.

    Parameters:
        results: the records of one strategy and its people, or what `collect` or `compare` made of them.

    >>> from setmargin import load
    >>> from setmargin.experiments import curve, draw_people, simulate
    >>> points = curve(simulate(draw_people(load("synthetic:3"), 3), "random", questions=2))
    >>> [(point.question, point.median <= 1) for point in points]
    [(1, True), (2, True)]
    """
    results = results if isinstance(results, Results) else collect(results)
    columns = zip(results.relative_loss.T, results.loss.T, strict=True)
    return tuple(_point(number, relative, loss) for number, (relative, loss) in enumerate(columns, 1))


def _point(question: int, relative: Floats, loss: Floats) -> Point:
    return Point(
        question=question,
        median=float(np.median(relative)),
        mean=float(relative.mean()),
        standard_error=_standard_error(relative),
        median_loss=float(np.median(loss)),
    )


def _standard_error(sample: Floats) -> float:
    return float(sample.std(ddof=1) / np.sqrt(len(sample))) if len(sample) > 1 else nan


def summarise(results: Results | Iterable[Record]) -> SimulationSummary:
    """Questions needed, seconds taken, people without loss.

    Parameters:
        results: the records of one strategy and its people, or what `collect` or `compare` made of them.

    >>> from setmargin import load
    >>> from setmargin.experiments import draw_people, simulate, summarise
    >>> found = summarise(simulate(draw_people(load("synthetic:3"), 3), "random", questions=2))
    >>> (found.people, found.questions, [milestone.level for milestone in found.milestones])
    (3, 2, [0.1, 0.01, 0.0])
    """
    results = results if isinstance(results, Results) else collect(results)
    people, questions = results.relative_loss.shape
    medians = np.median(results.relative_loss, axis=0)
    end = curve(results)[-1]
    return SimulationSummary(
        people=people,
        questions=questions,
        milestones=tuple(_milestone(medians, level) for level in LEVELS),
        median=end.median,
        mean=end.mean,
        standard_error=end.standard_error,
        without_loss=int((results.loss[:, -1] == 0).sum()),
        finished=results.finished,
        mean_questions=len(results.seconds) / people,
        median_seconds=_quantile(results.seconds, 0.5),
        p95_seconds=_quantile(results.seconds, 0.95),
        median_recommend_seconds=_quantile(results.recommend_seconds, 0.5),
        mean_effort=float(results.effort.sum()) / people,
    )


def _milestone(medians: Floats, level: float) -> Milestone:
    good = medians <= level
    first = int(good.argmax()) + 1 if good.any() else None
    bad = np.flatnonzero(~good)
    after = int(bad[-1]) + 2 if len(bad) else 1
    return Milestone(level, first, after if after <= len(medians) else None)


def _quantile(sample: Floats, share: float) -> float:
    return float(np.quantile(sample, share)) if len(sample) else 0.0


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """NaN, for which JSON has no word, becomes None."""
    return {key: None if value != value else value for key, value in fields.items()}


# Many settings


@dataclass(frozen=True)
class SettingSummary:
    """One setting: what it is, and what came out."""

    words: dict[str, Any]
    summary: SimulationSummary

    def document(self) -> dict[str, Any]:
        """What JSON can hold: None instead of NaN."""
        return {**self.words, "summary": self.summary.document()}


def summarise_settings(frame: pl.DataFrame) -> Iterator[SettingSummary]:
    """The settings of a frame of records, in its order."""
    for part in frame.partition_by("setting", maintain_order=True):
        first = part.row(0, named=True)
        records = (cast(Record, row) for row in part.iter_rows(named=True))
        yield SettingSummary(
            {word: first[word] for word in WORDS}, summarise(collect(records, questions=first["questions"]))
        )
