"""Choice data in the usual long form: a CSV file with a line for each option that somebody was shown.

    person,task,option,price,colour,chosen
    1,1,1,20,red,0
    1,1,2,25,blue,1

Here cells are still texts; `deriving` finds out what they mean, and `data` makes configurations of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from setmargin.csv_reading import csv_lines
from setmargin.errors import ChoicesError
from setmargin.space.text import read_number, short, suggest

ROLES: Mapping[str, tuple[str, ...]] = {
    "person": (
        *("person", "respondent", "participant", "subject", "individual", "customer", "user", "household", "resp"),
        *("respid", "personid", "respondentid", "participantid", "subjectid", "hhid", "case", "id"),
    ),
    "task": (
        *("task", "question", "screen", "choiceset", "choicesituation", "situation", "scenario", "occasion", "set"),
        *("taskid", "ques", "qes", "obs", "chid"),
    ),
    "option": ("option", "alternative", "alt", "concept", "profile", "optionid", "altid", "alternativeid"),
    "chosen": ("chosen", "choice", "selected", "taken", "picked", "response", "answer", "y"),
}
"""What columns are usually called, letters and digits alone, the likeliest first."""
TAKEN = frozenset({"1", "1.0", "true", "yes", "y", "t", "x"})
NOT_TAKEN = frozenset({"0", "0.0", "false", "no", "n", "f", ""})


@dataclass(frozen=True)
class OptionLine:
    """One option as it stands in the file: the number of its line, and its cells by column."""

    number: int
    cells: Mapping[str, str]
    taken: bool


@dataclass(frozen=True)
class TaskLines:
    """One task of one person: the lines of its options, one of which was taken."""

    person: str
    task: str
    lines: tuple[OptionLine, ...]

    @property
    def taken(self) -> int:
        """Which option was taken, counted from 0."""
        return next(number for number, line in enumerate(self.lines) if line.taken)


@dataclass(frozen=True)
class ChoiceTable:
    """A file of choices: its attribute columns, and the tasks of each person in order."""

    file: str
    columns: tuple[str, ...]
    people: Mapping[str, tuple[TaskLines, ...]]

    @property
    def lines(self) -> Iterator[OptionLine]:
        """All options of everybody."""
        return (line for tasks in self.people.values() for task in tasks for line in task.lines)


def read_table(
    path: str | os.PathLike[str],
    *,
    person: str | None = None,
    task: str | None = None,
    option: str | None = None,
    chosen: str | None = None,
    drop: Sequence[str] = (),
) -> ChoiceTable:
    """Read a CSV file in long form, with commas, semicolons or tabs.

    Parameters
    ----------
    path : path
    person, task, option, chosen : str, optional
        The columns that say whose choice it is, which one, which option, and whether it was taken; found by their
        usual names where they are not given. Without a column for options they are counted as they come.
    drop : sequence of str
        Columns to leave out.

    Raises
    ------
    ChoicesError
        If the file cannot be read or does not make sense, with its line and the cure.
    """
    name = os.fsdecode(path)
    lines = csv_lines(name, ChoicesError, give="a CSV file of choices")
    number, header = next(lines, (0, []))
    if not header:
        raise ChoicesError(f"{name}: empty; write the columns in the first line: person,task,option,…,chosen")
    columns = _columns(header, f"{name}:{number}")
    given = {"person": person, "task": task, "option": option, "chosen": chosen}
    roles = _roles(columns, given, drop, f"{name}:{number}")
    kept = tuple(each for each in columns if each and each not in roles.values() and each not in drop)
    if not kept:
        raise ChoicesError(f"{name}:{number}: no column is left that describes an option; add one, or drop fewer")
    people: dict[str, dict[str, list[tuple[str, OptionLine]]]] = {}
    for number, cells in lines:
        if len(cells) != len(columns):
            what = f"{len(cells)} cell{'s' * (len(cells) != 1)} under {len(columns)} columns"
            raise ChoicesError(f"{name}:{number}: {what}; give one for each, and put texts with commas in quotes")
        row = {column: cell.strip() for column, cell in zip(columns, cells, strict=True)}
        line = OptionLine(
            number, {each: row[each] for each in kept}, _was_taken(row[roles["chosen"]], f"{name}:{number}")
        )
        _check_cells(row, [*(roles[role] for role in roles if role != "chosen"), *kept], f"{name}:{number}")
        own = people.setdefault(row[roles["person"]], {}).setdefault(row[roles["task"]], [])
        own.append((row[roles["option"]] if "option" in roles else str(len(own) + 1), line))
    if not people:
        raise ChoicesError(f"{name}: no line below the columns; add one for each option that somebody was shown")
    return ChoiceTable(
        file=name,
        columns=kept,
        people={
            who: tuple(_task(name, who, which, own[which]) for which in _in_order(own)) for who, own in people.items()
        },
    )


# Columns


def _columns(header: Sequence[str], where: str) -> tuple[str, ...]:
    """Their names; a column without one numbers the lines, as R writes it, and is left out."""
    columns = tuple(cell.strip() for cell in header)
    for place, column in enumerate(columns):
        if column and column in columns[:place]:
            raise ChoicesError(f"{where}: two columns are called {short(column)}; rename or remove one")
    return columns


def _roles(columns: Sequence[str], given: Mapping[str, str | None], drop: Sequence[str], where: str) -> dict[str, str]:
    """The column of each role; the option's may be missing."""
    named = {role: column for role, column in given.items() if column is not None}
    for option, column in [*named.items(), *(("drop", each) for each in drop)]:
        if column not in columns:
            hint = suggest(column, columns, what="the columns are")
            raise ChoicesError(f"{where}: --{option} is {short(column)}, but there is no such column; {hint}")
    if len(set(named.values())) < len(named) or set(named.values()) & set(drop):
        raise ChoicesError(f"{where}: a column is named for two purposes; give each of them its own")
    free = [column for column in columns if column and column not in named.values() and column not in drop]
    for role in ROLES:
        if role not in named and (found := _usual(role, free)) is not None:
            named[role] = found
            free.remove(found)
    for role in ("person", "task", "chosen"):
        if role not in named:
            raise ChoicesError(
                f"{where}: no column is called {role} or the like; say which it is with --{role} "
                f"({role}= in Python). The columns are {', '.join(columns)}"
            )
    return {role: named[role] for role in ROLES if role in named}


def _usual(role: str, columns: Sequence[str]) -> str | None:
    plain = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in reversed(columns)}
    return next((plain[word] for word in ROLES[role] if word in plain), None)


# Cells


def _was_taken(cell: str, where: str) -> bool:
    word = cell.lower()
    if word not in TAKEN and word not in NOT_TAKEN:
        raise ChoicesError(f"{where}: chosen is {short(cell)}; write 1 for the option that was taken, 0 for the others")
    return word in TAKEN


def _check_cells(row: Mapping[str, str], columns: Sequence[str], where: str) -> None:
    for column in columns:
        if not row[column]:
            raise ChoicesError(
                f"{where}: {column} is empty; write its value (a word such as none will do), or leave the column out "
                f"with --drop"
            )


# Tasks


def _in_order(tasks: Mapping[str, object]) -> list[str]:
    """By number where all tasks have one, else as they come."""
    numbers = {task: read_number(task) for task in tasks}
    if any(number is None for number in numbers.values()):
        return list(tasks)
    return sorted(tasks, key=lambda task: numbers[task] or 0)


def _task(file: str, person: str, task: str, options: Sequence[tuple[str, OptionLine]]) -> TaskLines:
    where, what = f"{file}:{options[0][1].number}", f"task {short(task)} of person {short(person)}"
    seen: dict[str, int] = {}
    for option, line in options:
        if option in seen:
            raise ChoicesError(
                f"{file}:{line.number}: option {short(option)} of {what} stands on line {seen[option]} already; "
                f"remove one of the two, or number the tasks"
            )
        seen[option] = line.number
    if len(options) < 2:
        raise ChoicesError(f"{where}: {what} has a single option; add the others that were shown, or remove the task")
    taken = [line.number for _, line in options if line.taken]
    if not taken:
        raise ChoicesError(f"{where}: no option of {what} is chosen; mark the one that was taken, or remove the task")
    if len(taken) > 1:
        lines = " and ".join(map(str, taken))
        raise ChoicesError(f"{file}:{taken[1]}: {what} has {len(taken)} chosen options, on lines {lines}; mark one")
    return TaskLines(person, task, tuple(line for _, line in options))
