"""What `reproduce` and `compare` share: the run, and what is written and shown of it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from setmargin.cli.terminal.formatting import count
from setmargin.cli.terminal.progress import Tally, watched
from setmargin.cli.terminal.screen import make_console
from setmargin.errors import SetmarginError
from setmargin.experiments.grid import Experiment
from setmargin.experiments.records import import_extra, read_records
from setmargin.experiments.running import run_experiment
from setmargin.experiments.summary import WORDS, Line, Milestone, lines

if TYPE_CHECKING:
    import polars as pl

INTERRUPTED = 130
PANEL = WORDS[: WORDS.index("strategy")]


@dataclass(frozen=True)
class Written:
    """What a run left behind."""

    folder: Path
    pictures: tuple[Path, ...]
    report: Path


def run_all(
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
    tally = Tally(experiment)
    try:
        for _ in watched(run_experiment(experiment, out, jobs=jobs, cluster=cluster), tally, silent=as_json):
            pass
        frame = read_records(out)
        written = _write(frame, out, figure or experiment.name, figure)
    except KeyboardInterrupt:
        typer.echo(f"setmargin: interrupted; {_kept(tally, out)}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except SetmarginError:
        if tally.fresh:
            typer.echo(f"setmargin: stopped early; {_kept(tally, out)}", err=True)
        raise
    _report(experiment, list(lines(frame)), written, as_json=as_json)


def _kept(tally: Tally, out: Path) -> str:
    if not tally.done:
        return "no trial was finished"
    return f"{tally.done:,} of {count(tally.total, 'trial')} are kept in {out}; the same command goes on from there"


def _write(frame: pl.DataFrame, out: Path, name: str, figure: str) -> Written:
    from setmargin.experiments.figures import draw
    from setmargin.experiments.report import write_report

    pictures = tuple(draw(frame, out / f"{name}{suffix}", name=figure) for suffix in (".svg", ".pdf"))
    return Written(out, pictures, write_report(frame, out / "report.html", name=figure, command=_command()))


def _command() -> str:
    """What was typed, for those who want to run it again; nothing where it came from elsewhere than a shell."""
    program, *arguments = sys.argv
    return shlex.join(["setmargin", *arguments]) if Path(program).name in ("setmargin", "__main__.py") else ""


# What is shown


def _report(experiment: Experiment, found: Sequence[Line], written: Written, *, as_json: bool) -> None:
    if as_json:
        document = _document(experiment, found, written)
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = make_console()
    people = count(experiment.people, "person", "people")
    console.print(f"{experiment.name}: {people} in each of {count(len(found), 'setting')}")
    console.print(table(found))
    for file in (*written.pictures, written.report):
        console.print(str(file), soft_wrap=True)


def _document(experiment: Experiment, found: Sequence[Line], written: Written) -> dict[str, Any]:
    return {
        "experiment": experiment.name,
        "people": experiment.people,
        "settings": [line.document() for line in found],
        "records": str(written.folder),
        "figures": [str(picture) for picture in written.pictures],
        "report": str(written.report),
    }


def table(found: Sequence[Line]) -> Table:
    """A line for each setting, under those words that it shares with others."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column("questions to a median loss of", no_wrap=True)
    for title in ("10%", "1%", "0", "at the end", "s/question"):
        made.add_column(title, justify="right", no_wrap=True)
    panels = [word for word in PANEL if len({str(line.words[word]) for line in found}) > 1 or word == "catalogue"]
    before = ""
    for line in found:
        panel = ", ".join(_said(word, line.words[word]) for word in panels)
        if panel != before:
            made.add_row(panel)
        made.add_row(f"  {_who(line.words)}", *_numbers(line))
        before = panel
    return made


def _said(word: str, value: object) -> str:
    return f"{word} {value}" if word in ("wrong", "seed", "quantities") else str(value)


def _who(words: Mapping[str, Any]) -> str:
    more = f", {words['options']}" if words["options"] else ""
    return f"{words['strategy']} (k = {words['set_size']}{more})"


def _numbers(line: Line) -> list[str]:
    summary = line.summary
    reached = [_reached(milestone, summary.questions) for milestone in summary.milestones]
    return [*reached, f"{summary.median:.1%}", f"{summary.median_seconds:.3f}"]


def _reached(milestone: Milestone, questions: int) -> str:
    """When the median loss stays at or below the level; in brackets when it was there first, if that was earlier."""
    if milestone.first is None:
        return f"> {questions}"
    lasting = str(milestone.lasting) if milestone.lasting else f"> {questions}"
    return lasting if milestone.lasting == milestone.first else f"{lasting} ({milestone.first})"
