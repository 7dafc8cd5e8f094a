"""Experiments run from the command line: `simulate`, which is one of a single setting, and grids of many settings."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from setmargin.cli.terminal.formatting import count
from setmargin.cli.terminal.progress import TrialCounts, shown_progress
from setmargin.cli.terminal.screen import make_console, print_table
from setmargin.errors import SetmarginError
from setmargin.experiments.grid import Experiment
from setmargin.experiments.records import (
    experiment_number,
    part_of,
    read_records,
    record_file,
    seconds_of,
    with_origin,
)
from setmargin.experiments.responses import TALK_RATES
from setmargin.experiments.running import ExperimentStep, know_earlier, local_pool, run_experiment, run_trials
from setmargin.experiments.setting import OTHERS, Setting
from setmargin.experiments.summary import (
    PEOPLE,
    Milestone,
    Results,
    SettingSummary,
    SimulationSummary,
    collect,
    curve,
    summarise,
    summarise_settings,
)
from setmargin.experiments.trial import KeptRecord, Record
from setmargin.late_imports import import_extra

if TYPE_CHECKING:
    import polars as pl

INTERRUPTED = 130
NOTHING_TO_ASK = "There was nothing to ask: there are no two configurations to choose between."


# One setting


def run_simulation(experiment: Experiment, *, out: Path | None, jobs: int, as_json: bool) -> None:
    """Run an experiment of one setting, write its records, and say what came out."""
    (setting,) = experiment.settings
    _tell_of_earlier(experiment, silent=as_json)
    write: Callable[[KeptRecord], None] | None = None
    try:
        with ExitStack() as stack:
            write = stack.enter_context(record_file(out)) if out else None
            silent = as_json or not sys.stderr.isatty()
            add = stack.enter_context(shown_progress(TrialCounts(experiment), silent=silent))
            results = collect(_records(experiment, jobs, write, add), questions=setting.questions)
    except BaseException as error:
        kept = f"what there is stays in {part_of(out)}" if out and write and part_of(out).exists() else ""
        if isinstance(error, KeyboardInterrupt):
            typer.echo(f"setmargin: interrupted; {kept or 'nothing was written'}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        if kept:
            typer.echo(f"setmargin: stopped early; {kept}", err=True)
        raise
    _show_simulation(setting, results, as_json=as_json)


def _tell_of_earlier(experiment: Experiment, *, silent: bool) -> None:
    """Why nothing is finished for a while."""
    earlier = max(setting.earlier for setting in experiment.settings)
    if earlier and not silent:
        typer.echo(f"setmargin: {count(earlier, 'earlier person', 'earlier people')} are interviewed first", err=True)


def _records(
    experiment: Experiment, jobs: int, write: Callable[[KeptRecord], None] | None, add: Callable[[ExperimentStep], None]
) -> Iterator[Record]:
    """The records person by person, each written and counted as it passes."""
    (setting,) = experiment.settings
    knowing = know_earlier(experiment.settings, lambda: local_pool(jobs))
    for trial, records in run_trials(experiment, experiment.trials(), local_pool(jobs, in_order=True), knowing):
        for record in records:
            if write:
                write(with_origin(setting, record))
            yield record
        add(ExperimentStep(trial.setting, 1, seconds_of(records), fresh=True))


def _show_simulation(setting: Setting, results: Results, *, as_json: bool) -> None:
    summary = summarise(results)
    if as_json:
        about = setting.document()
        document = {
            "catalogue": about["catalogue"],
            "strategy": about["strategy"],
            "people": summary.people,
            **{word: about[word] for word in ("weights", "response", "wrong", *TALK_RATES, "how", "questions", "seed")},
            **{word: about[word] for word in OTHERS},
            "summary": summary.document(),
            "curve": [point.document() for point in curve(results)],
        }
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = make_console()
    people = f"{count(summary.people, 'person', 'people')} ({', '.join([setting.weights, *setting.unlike])})"
    console.print(f"{setting.space.name}: {setting.label} asks {people}")
    told = setting.response.talks
    if len(results.seconds):
        print_table(console, _summary_table(summary, effort=told))
    else:
        console.print(NOTHING_TO_ASK)


def _summary_table(summary: SimulationSummary, *, effort: bool) -> Table:
    """With the effort of the people where questions differ in it by more than the number of options."""
    table = Table.grid(padding=(0, 3))
    error = "" if summary.standard_error != summary.standard_error else f" ± {summary.standard_error:.1%}"
    table.add_row(f"loss after {count(summary.questions, 'question')}", f"{summary.median:.1%} median")
    table.add_row("", f"{summary.mean:.1%}{error} mean")
    table.add_row("people without loss", f"{summary.without_loss} of {summary.people}")
    for milestone in summary.milestones:
        level = f"{milestone.level:.0%} or less" if milestone.level else "0"
        table.add_row(f"questions to a median of {level}", _reached_in_words(milestone, summary.questions))
    if summary.finished:
        table.add_row("people with nothing left to ask", f"{summary.finished} of {summary.people}")
        table.add_row("questions asked", f"{summary.mean_questions:.1f} mean")
    if effort:
        table.add_row("seconds that these take a person", f"{summary.mean_effort:.0f} mean")
    table.add_row("seconds to the next question", f"{summary.median_seconds:.3f} median")
    table.add_row("", f"{summary.p95_seconds:.3f} at the 95th percentile")
    table.add_row("seconds for a recommendation", f"{summary.median_recommend_seconds:.3f} median")
    return table


def _reached_in_words(milestone: Milestone, questions: int) -> str:
    if milestone.first is None:
        return f"more than {questions}"
    if milestone.lasting == milestone.first:
        return str(milestone.first)
    lasting = f"for good from {milestone.lasting}" if milestone.lasting else "not for good"
    return f"{milestone.first} ({lasting})"


# Many settings


@dataclass(frozen=True)
class Written:
    folder: Path
    pictures: tuple[Path, ...]
    report: Path


def run_grid(
    experiment: Experiment,
    out: Path,
    *,
    jobs: int,
    cluster: str | None,
    figure: str = "",
    as_json: bool,
) -> None:
    """Run it, draw it, report it; Ctrl-C says what is kept."""
    import_extra("polars")
    import_extra("matplotlib")
    counts = TrialCounts(experiment)
    _tell_of_earlier(experiment, silent=as_json)
    try:
        with shown_progress(counts, silent=as_json) as add:
            for step in run_experiment(experiment, out, jobs=jobs, cluster=cluster):
                add(step)
        frame = read_records(out, experiment)
        written = _write(frame, out, experiment, figure)
    except KeyboardInterrupt:
        typer.echo(f"setmargin: interrupted; {_kept(counts, out)}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except SetmarginError:
        if counts.fresh:
            typer.echo(f"setmargin: stopped early; {_kept(counts, out)}", err=True)
        raise
    _show_grid(experiment, list(summarise_settings(frame)), written, as_json=as_json)


def _kept(counts: TrialCounts, out: Path) -> str:
    if not counts.done:
        return "no trial was finished"
    return f"{counts.done:,} of {count(counts.total, 'trial')} are kept in {out}; the same command goes on from there"


def _write(frame: pl.DataFrame, out: Path, experiment: Experiment, figure: str) -> Written:
    """Figures and report under names of their own, if there are others in the folder."""
    from setmargin.experiments.figures import draw
    from setmargin.experiments.report import write_report

    number = experiment_number(out, experiment)
    more = f"-{number}" if number > 1 else ""
    name = figure or experiment.name
    pictures = tuple(draw(frame, out / f"{name}{more}{suffix}", name=figure) for suffix in (".svg", ".pdf"))
    return Written(out, pictures, write_report(frame, out / f"report{more}.html", name=figure, command=_command()))


def _command() -> str:
    """What was typed, for those who want to run it again; nothing where it came from elsewhere than a shell."""
    program, *arguments = sys.argv
    return shlex.join(["setmargin", *arguments]) if Path(program).name in ("setmargin", "__main__.py") else ""


def _show_grid(experiment: Experiment, found: Sequence[SettingSummary], written: Written, *, as_json: bool) -> None:
    if as_json:
        document = {
            "experiment": experiment.name,
            "people": experiment.people,
            "settings": [line.document() for line in found],
            "records": str(written.folder),
            "figures": [str(picture) for picture in written.pictures],
            "report": str(written.report),
        }
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = make_console()
    people = count(experiment.people, "person", "people")
    console.print(f"{experiment.name}: {people} in each of {count(len(found), 'setting')}")
    print_table(console, _grid_table(found))
    for file in (*written.pictures, written.report):
        console.print(str(file), soft_wrap=True)


def _grid_table(found: Sequence[SettingSummary]) -> Table:
    """A line for each setting, under those words that it shares with others."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column("questions to a median loss of", overflow="fold")  # on a narrow screen; numbers never give way
    talking = any(line.words["reasons"] or line.words["changes"] for line in found)
    for title in ("10%", "1%", "0", "at the end", *(["effort, s"] if talking else []), "s/question"):
        made.add_column(title, justify="right", no_wrap=True)
    panels = [word for word in PEOPLE if len({str(line.words[word]) for line in found}) > 1 or word == "catalogue"]
    before = ""
    for line in found:
        panel = ", ".join(
            str(line.words[word]) if isinstance(line.words[word], str) else f"{word} {line.words[word]}"
            for word in panels
        )
        if panel != before:
            made.add_row(panel)
        made.add_row(*_cells(line, effort=talking))
        before = panel
    return made


def _cells(line: SettingSummary, *, effort: bool) -> list[str]:
    words, summary = line.words, line.summary
    more = f", {words['options']}" if words["options"] else ""
    reached = [_reached(milestone, summary.questions) for milestone in summary.milestones]
    return [
        f"  {words['strategy']} (k = {words['set_size']}{more})",
        *reached,
        f"{summary.median:.1%}",
        *([f"{summary.mean_effort:.0f}"] if effort else []),
        f"{summary.median_seconds:.3f}",
    ]


def _reached(milestone: Milestone, questions: int) -> str:
    """When the median loss stays at or below the level; in brackets when it was there first, if that was earlier."""
    if milestone.first is None:
        return f"> {questions}"
    lasting = str(milestone.lasting) if milestone.lasting else f"> {questions}"
    return lasting if milestone.lasting == milestone.first else f"{lasting} ({milestone.first})"
