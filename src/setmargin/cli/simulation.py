"""What `setmargin simulate` does: the people, the run, and what is shown of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from setmargin.answers import How
from setmargin.cli.options import make_strategy_from
from setmargin.cli.terminal.formatting import count
from setmargin.cli.terminal.screen import make_console
from setmargin.errors import OptionError
from setmargin.experiments import Milestone, Record, Results, Summary, collect, curve, is_last, simulate, summarise
from setmargin.experiments.people import Model, Person, Response, Weights, draw_people, read_people
from setmargin.experiments.records import Write, part_of, writing
from setmargin.experiments.trial import check_trial
from setmargin.space.space import Space
from setmargin.strategies.base import Strategy
from setmargin.strategies.registry import strategy_class

INTERRUPTED = 130
NOTHING_TO_ASK = "There was nothing to ask: there are no two configurations to choose between."


@dataclass(frozen=True)
class People:
    """Who is asked, as a stream, and in the words of the report."""

    stream: Iterable[Person]
    count: int
    kind: str
    response: Response
    seed: int


def make_people(
    who: str,
    space: Space,
    *,
    weights: str | None,
    quantities: bool,
    response: str,
    wrong: float,
    seed: int,
) -> People:
    """People drawn, where `who` is a number, or read from the file that it names."""
    answering = Response(model=cast(Model, response), wrong=wrong)
    if who.lstrip("-").isdecimal():
        kind = cast(Weights, weights or "uniform")
        drawn = draw_people(space, int(who), weights=kind, quantities=quantities, response=answering, seed=seed)
        return People(drawn, int(who), kind, answering, seed)
    for option, given in (("--weights", weights), ("--quantities", quantities)):
        if given:
            raise OptionError(f"{option} is for drawn people, but {who} says what its people value; leave it out")
    read = read_people(who, space, response=answering, seed=seed)
    return People(read, len(read), Path(who).name, answering, seed)


def make_tireless(name: str, own: Mapping[str, Any] | None = None, /, **options: Any) -> Strategy[Any]:
    """The strategy as simulations want it, where the options do not say otherwise."""
    given = {option: value for option, value in options.items() if value is not None}
    return make_strategy_from(name, own, **{**strategy_class(name).when_simulated, **given})


@dataclass(frozen=True)
class Experiment:
    """All that is run, checked before it starts."""

    space: Space
    strategy: Strategy[Any]
    people: People
    questions: int
    how: How
    records: Iterator[Record]

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "catalogue": self.space.name,
            "strategy": {"name": self.strategy.name, **self.strategy.options()},
            "people": self.people.count,
            "weights": self.people.kind,
            "response": self.people.response.model,
            "wrong": self.people.response.wrong,
            "how": self.how,
            "questions": self.questions,
            "seed": self.people.seed,
        }

    @property
    def title(self) -> str:
        """In one line."""
        who = f"{count(self.people.count, 'person', 'people')} ({self.people.kind})"
        return f"{self.space.name}: {self.strategy.name} ({', '.join(_manner(self.strategy))}) asks {who}"


def _manner(strategy: Strategy[Any]) -> Iterator[str]:
    """What of its options tells it from others of its name."""
    options = strategy.options()
    yield f"k = {strategy.set_size}"
    if "mode" in options:
        yield options["mode"]
    if options.get("until"):
        yield f"until {100 * options['until']:g}%"
    if options.get("differences"):
        yield f"differences {options['differences']}"


def make_experiment(
    space: Space, strategy: Strategy[Any], people: People, *, questions: int, how: str, jobs: int
) -> Experiment:
    """The experiment; nothing is run until its records are read."""
    check_trial(questions=questions, how=how)
    way = cast(How, how)
    records = simulate(people.stream, strategy, questions=questions, how=way, jobs=jobs)
    return Experiment(space, strategy, people, questions, way, records)


# The run


def run(experiment: Experiment, *, out: Path | None, silent: bool) -> Results:
    """Run it all, writing records and showing progress on the way."""
    write: Write | None = None
    try:
        with ExitStack() as stack:
            write = stack.enter_context(writing(out)) if out else None
            bar = stack.enter_context(_progress(experiment.people.count, silent=silent))
            return collect(_watched(experiment, write, bar), questions=experiment.questions)
    except BaseException as error:
        kept = out is not None and write is not None and part_of(out).exists()
        if isinstance(error, KeyboardInterrupt):
            where = f"what there is stays in {part_of(cast(Path, out))}" if kept else "nothing was written"
            typer.echo(f"setmargin: interrupted; {where}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        if kept:
            typer.echo(f"setmargin: stopped early; what there is stays in {part_of(cast(Path, out))}", err=True)
        raise


def _watched(experiment: Experiment, write: Write | None, bar: Progress) -> Iterator[Record]:
    """The records, each written and counted as it passes."""
    for record in experiment.records:
        if write:
            write(record)
        if is_last(record, questions=experiment.questions):
            bar.advance(bar.task_ids[0])
        yield record


def _progress(people: int, *, silent: bool) -> Progress:
    """A bar on stderr, for those who watch."""
    bar = Progress(
        TextColumn("people"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=make_console(stderr=True),
        transient=True,
        disable=silent or not sys.stderr.isatty(),
    )
    bar.add_task("people", total=people)
    return bar


# The report


def report(experiment: Experiment, results: Results, *, as_json: bool) -> None:
    """Print what came out."""
    summary = summarise(results)
    if as_json:
        points = [point.document() for point in curve(results)]
        document = {**experiment.document(), "summary": summary.document(), "curve": points}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = make_console()
    console.print(experiment.title)
    console.print(_table(summary) if len(results.seconds) else NOTHING_TO_ASK)


def _table(summary: Summary) -> Table:
    table = Table.grid(padding=(0, 3))
    everybody = summary.people
    error = "" if summary.standard_error != summary.standard_error else f" ± {_percent(summary.standard_error)}"
    table.add_row(f"loss after {count(summary.questions, 'question')}", f"{_percent(summary.median)} median")
    table.add_row("", f"{_percent(summary.mean)}{error} mean")
    table.add_row("people without loss", f"{summary.without_loss} of {everybody}")
    for milestone in summary.milestones:
        table.add_row(f"questions to a median of {_level(milestone.level)}", _reached(milestone, summary.questions))
    if summary.finished:
        table.add_row("people with nothing left to ask", f"{summary.finished} of {everybody}")
        table.add_row("questions asked", f"{summary.mean_questions:.1f} mean")
    table.add_row("seconds to the next question", f"{summary.median_seconds:.3f} median")
    table.add_row("", f"{summary.p95_seconds:.3f} at the 95th percentile")
    table.add_row("seconds for a recommendation", f"{summary.median_recommend_seconds:.3f} median")
    return table


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _level(level: float) -> str:
    return f"{level:.0%} or less" if level else "0"


def _reached(milestone: Milestone, questions: int) -> str:
    if milestone.first is None:
        return f"more than {questions}"
    if milestone.lasting == milestone.first:
        return str(milestone.first)
    lasting = f"for good from {milestone.lasting}" if milestone.lasting else "not for good"
    return f"{milestone.first} ({lasting})"
