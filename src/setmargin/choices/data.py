"""Choices of real people: who they are, what they were shown, and what they took."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from setmargin.answers import Choice, Question
from setmargin.choices.deriving import LEVELS, derive, varying_columns
from setmargin.choices.table import ChoiceTable, OptionLine, TaskLines, read_table
from setmargin.errors import ChoicesError, ConfigurationError
from setmargin.space.space import Configuration, Space
from setmargin.space.text import Value, in_words, short, suggest
from setmargin.strategies.base import History


@dataclass(frozen=True)
class ChoiceTask:
    """What somebody was shown, some of which may be alike, and which of them they took, counted from 0."""

    options: tuple[Configuration, ...]
    taken: int

    @cached_property
    def question(self) -> Question:
        """As a strategy learns from it: alike options are one, and no difference could not be said."""
        return Question(tuple(dict.fromkeys(self.options)), forced=True)

    @cached_property
    def answer(self) -> Choice:
        """What was taken, as the answer to that question."""
        return Choice(self.question.options.index(self.options[self.taken]))


@dataclass(frozen=True)
class Respondent:
    """A person with the tasks that they answered, in order."""

    name: str
    tasks: tuple[ChoiceTask, ...]

    def history(self, count: int) -> History:
        """The first so many as questions with answers."""
        return tuple((task.question, task.answer) for task in self.tasks[:count])


@dataclass(frozen=True)
class Choices:
    """Choices of people between configurations of a space.

    Parameters
    ----------
    space : Space
    people : tuple of Respondent
    notes : tuple of str
        What was decided while they were read, a sentence each.
    left_out : tuple of str
        The tasks that were left out, each with its place and the reason.
    """

    space: Space
    people: tuple[Respondent, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        tasks = sum(len(person.tasks) for person in self.people)
        return f"<Choices on {self.space.name}: {len(self.people):,} people, {tasks:,} tasks>"


def read_choices(
    path: str | os.PathLike[str],
    space: Space | None = None,
    *,
    person: str | None = None,
    task: str | None = None,
    option: str | None = None,
    chosen: str | None = None,
    drop: Sequence[str] = (),
    better: Mapping[str, str] | None = None,
    ordered: Mapping[str, Sequence[str]] | None = None,
    levels: int = LEVELS,
) -> Choices:
    """Read real choices from a CSV file in long form: a line for each option that somebody was shown.

    Parameters
    ----------
    path : path
    space : Space, optional
        What can be chosen; derived from the columns where it is not given.
    person, task, option, chosen : str, optional
        The columns of these, where they are not called so or the like.
    drop : sequence of str
        Columns to leave out.
    better, ordered, levels
        How a catalogue is derived: see `derive`.

    Returns
    -------
    Choices
        Tasks with options that break the space's rules, or that are all alike, are left out, and listed.

    Raises
    ------
    ChoicesError
        If the file cannot be read or does not make sense, with its line and the cure.

    Examples
    --------
    >>> import os, tempfile
    >>> from setmargin.choices import read_choices
    >>> lines = ["person,task,option,price,colour,chosen", "1,1,1,20,red,0", "1,1,2,25,blue,1", "1,2,1,20,blue,1",
    ...          "1,2,2,30,red,0"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "paint.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("\\n".join(lines))
    ...     choices = read_choices(path, better={"price": "lower"})
    >>> choices
    <Choices on paint: 1 people, 2 tasks>
    >>> choices.space.attributes[0]
    Attribute('price', [20, 25, 30], better='lower')
    """
    table = read_table(path, person=person, task=task, option=option, chosen=chosen, drop=drop)
    if space is not None:
        if better or ordered:
            raise ChoicesError(
                "a catalogue is given, and says what is better; say it there, or leave the catalogue out"
            )
        return _in_space(table, space, _ignored(table, space), {})
    derived = derive(table, better=better, ordered=ordered, levels=levels)
    return _in_space(table, derived.space, derived.notes, derived.levels)


def _ignored(table: ChoiceTable, space: Space) -> tuple[str, ...]:
    """What is said of columns that the catalogue lacks; an error where they tell options apart."""
    known = [attribute.name for attribute in space.attributes]
    if missing := [name for name in known if name not in table.columns]:
        hint = suggest(missing[0], table.columns, what="the columns are")
        raise ChoicesError(f"{table.file}: there is no column for the attribute {missing[0]} of {space.name}; {hint}")
    varying, others = varying_columns(table), [each for each in table.columns if each not in known]
    if unknown := [each for each in others if each in varying]:
        hint = suggest(unknown[0], known, what="its attributes are")
        raise ChoicesError(
            f"{table.file}: {space.name} has no attribute {short(unknown[0])}; {hint}. Leave the column out with --drop"
        )
    return tuple(f"{each} is the same for all options of every task, and is left out" for each in others)


def _in_space(
    table: ChoiceTable, space: Space, notes: tuple[str, ...], levels: Mapping[str, tuple[float, ...]]
) -> Choices:
    people, left_out = [], []
    known: dict[tuple[str, ...], Configuration] = {}  # most options are shown many times

    def configuration(line: OptionLine) -> Configuration:
        cells = tuple(line.cells.values())
        if cells not in known:
            known[cells] = _configuration(table.file, space, line, levels)
        return known[cells]

    for name, tasks in table.people.items():
        kept = []
        for task in tasks:
            options = tuple(map(configuration, task.lines))
            if reason := _reason_to_leave_out(space, options):
                left_out.append(f"{table.file}:{task.lines[0].number}: {_called(task)}: {reason}")
            else:
                kept.append(ChoiceTask(options, task.taken))
        people.append(Respondent(name, tuple(kept)))
    return Choices(space, tuple(people), notes, tuple(left_out))


def _called(task: TaskLines) -> str:
    return f"task {task.task} of person {task.person}"


def _configuration(file: str, space: Space, line: OptionLine, levels: Mapping[str, tuple[float, ...]]) -> Configuration:
    cells: dict[str, Value] = {attribute.name: line.cells[attribute.name] for attribute in space.attributes}
    for name, numbers in levels.items():
        number = float(cells[name])
        cells[name] = min(numbers, key=lambda level: abs(level - number))
    try:
        return space.configuration(space.indices(cells))
    except ConfigurationError as error:
        raise ChoicesError(f"{file}:{line.number}: {error}") from None


def _reason_to_leave_out(space: Space, options: Sequence[Configuration]) -> str:
    if len(set(options)) == 1:
        return "all its options are alike"
    for option in options if space.rules else ():
        if broken := space.broken_rules(option):
            return f"{in_words(option)} breaks {broken[0].text}"
    return ""
