"""Where earlier people are found: a server's database, saved interviews, a CSV file of choices or of sales."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setmargin.errors import InterviewError, LearningError, SetmarginError
from setmargin.space.space import Space
from setmargin.strategies.base import History
from setmargin.strategies.bayes.learnt.fit_favourites import Sales

MOST_INTERVIEWS = 100_000
SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, eq=False)
class SourceContents:
    """What a source holds: what people answered, or what they bought."""

    name: str
    """What it is, without any path: `12 saved interviews`."""
    histories: tuple[History, ...] = ()
    sales: Sales | None = None
    notes: tuple[str, ...] = ()
    """What was left out, a sentence each."""


def read_source(space: Space, source: str | os.PathLike[str]) -> SourceContents:
    """What people of this space are found at a source.

    Parameters
    ----------
    space : Space
    source : str or path
        A database of `setmargin serve` (a file, or a URL such as `postgresql://user@host/name`), a saved interview or a
        folder of them, a CSV file of choices (with columns for person, task and whether it was chosen) or of sales.

    Raises
    ------
    LearningError
        Where it is none of these, or nobody in it was asked about this space.
    """
    text = os.fsdecode(source)
    if "://" in text:
        return _database(space, text)
    path = Path(text)
    if path.is_dir():
        return _folder(space, path)
    if path.suffix.lower() == ".json":
        return _saved(space, [path], str(path))
    try:
        with path.open("rb") as file:
            start = file.read(len(SQLITE))
    except OSError as error:
        raise LearningError(f"{text}: cannot be read: {error.strerror}; give a database, folder or CSV file") from None
    if start == SQLITE:
        return _database(space, f"sqlite:///{path}")
    return _choices(space, path) if is_choices(path) else _sales(space, path)


def is_choices(path: Path) -> bool:
    """Whether a CSV file has a column that says what was chosen, and one that says by whom."""
    from setmargin.choices.table import ROLES

    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    header = next(csv.reader([line], delimiter=max(",;\t", key=line.count)), [])
    plain = {"".join(letter for letter in name.lower() if letter.isalnum()) for name in header}
    return all(plain.intersection(ROLES[role]) for role in ("person", "chosen"))


def _choices(space: Space, path: Path) -> SourceContents:
    from setmargin.choices.data import read_choices

    choices = read_choices(path, space)
    people = [person for person in choices.people if person.tasks]
    tasks = sum(len(person.tasks) for person in people)
    histories = tuple(person.history(len(person.tasks)) for person in people)
    return SourceContents(
        f"{tasks:,} choices of {len(people):,} people", histories, None, (*choices.notes, *choices.left_out)
    )


def _sales(space: Space, path: Path) -> SourceContents:
    from setmargin.learning.sales import read_sales

    sales = read_sales(path, space)
    return SourceContents(f"{len(sales):,} sales", (), sales, sales.left_out)


def _database(space: Space, url: str) -> SourceContents:
    from setmargin.server.store import Store
    from setmargin.server.work.learning import histories

    with Store.open(url) as store:
        found = histories(space, store.finished_logs(space.name, most=MOST_INTERVIEWS))
    if not found:
        raise LearningError(f"{url.rpartition('/')[2]}: nobody has finished an interview about {space.name}; wait")
    return SourceContents(f"{len(found):,} finished interviews", tuple(found))


def _folder(space: Space, path: Path) -> SourceContents:
    files = sorted(each for each in path.iterdir() if each.suffix.lower() == ".json")
    if not files or any((path / name).exists() for name in ("experiment.json", "description.json")):
        if any(each.suffix in (".parquet", ".csv", ".ndjson", ".jsonl") for each in path.rglob("*")):
            raise LearningError(
                f"{path}: records of experiments hold how well people were served, not what they answered; "
                f"give saved interviews, or compare strategies with --earlier"
            )
        raise LearningError(f"{path}: no saved interview (*.json) in this folder; give a folder that has some")
    return _saved(space, files, str(path))


def _saved(space: Space, files: Sequence[Path], name: str) -> SourceContents:
    """Saved interviews of this catalogue; those of others, and files that are none, are counted and left out."""
    histories: list[History] = []
    notes: list[str] = []
    for file in files:
        try:
            histories.append(_history(space, file))
        except SetmarginError as error:
            notes.append(f"{file}: {error}")
    kept = tuple(history for history in histories if history)
    if not kept:
        why = f"; {notes[0]}" if notes else ""
        raise LearningError(f"{name}: no saved interview about {space.name} with an answer{why}")
    return SourceContents(f"{len(kept):,} saved interview{'s' * (len(kept) != 1)}", kept, None, tuple(notes))


def _history(space: Space, file: Path) -> History:
    """What was answered, without asking any strategy anew."""
    from setmargin.interview.log import Answered, all_in_space, read_event

    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InterviewError(f"cannot be read: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        raise InterviewError("no saved interview; those have events")
    catalogue = document.get("catalogue")
    name = catalogue.get("catalogue") if isinstance(catalogue, dict) else None
    if name != space.name:
        raise InterviewError(f"about another catalogue, {name}")
    events = all_in_space([read_event(event) for event in document["events"]], space)
    return tuple((event.question, event.answer) for event in events if isinstance(event, Answered))
