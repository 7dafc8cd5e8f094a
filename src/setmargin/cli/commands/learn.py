"""`setmargin learn`: what earlier people were like, in one file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setmargin.cli.options import Catalogue, ResultsAsJson, check_output
from setmargin.errors import OptionError

if TYPE_CHECKING:
    from setmargin.learning.sources import SourceContents
    from setmargin.space.space import Space
    from setmargin.strategies.bayes.learnt.fit_favourites import Sales

SHOWN = 5
"""Sales and tasks that were left out, listed at most."""
FROM = (
    "A database of setmargin serve (file or URL), a saved interview or a folder of them, or a CSV file of choices or "
    "of sales; repeatable."
)


def learn(
    catalogue: Catalogue,
    source: Annotated[list[str] | None, typer.Option("--from", metavar="SOURCE", help=FROM)] = None,
    sales: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.csv", help="Configurations that people bought, a line each.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
    least: Annotated[int, typer.Option(metavar="N", help="Learn from so many people at least, 10 or more.")] = 10,
    segments: Annotated[
        int | None, typer.Option(metavar="K", help="How many segments there are.", show_default="found out")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same file.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    as_json: ResultsAsJson = False,
) -> None:
    """Learn what people are like from what earlier ones answered or bought; interviews then take fewer questions.

    The file is named with --prior by interview, simulate and compare, and by serve. It holds figures about all people
    together, and nothing of anybody alone.
    """
    from setmargin.learning.learn import learn_population
    from setmargin.learning.sources import read_source
    from setmargin.learning.summary import describe_prior, summary_lines
    from setmargin.space.catalogue import load
    from setmargin.strategies.bayes.learnt.document import save_prior

    if not source and not sales:
        raise OptionError("there is nobody to learn from; name a source with --from, or sales with --sales")
    if least < 10:
        raise OptionError(f"--least is {least}; give 10 or more, so that nobody is read out of the figures")
    if segments is not None and not 1 <= segments <= 20:
        raise OptionError(f"--segments is {segments}; give 1 to 20")
    if output:
        check_output(output, force=force)
    space = load(catalogue)
    found = [read_source(space, each) for each in source or ()] + [_sold(space, file) for file in sales or ()]
    with _progress(silent=as_json) as watch:
        prior = learn_population(
            space,
            histories=[history for each in found for history in each.histories],
            sales=_together([each for each in found if each.sales is not None]),
            sources=[each.name for each in found],
            segments=segments,
            least=least,
            seed=seed,
            watch=watch,
        )
    if output:
        save_prior(prior, output)
    if as_json:
        told = {
            "catalogue": prior.catalogue,
            "people": prior.people,
            "sources": list(prior.sources),
            "segments": [asdict(each) for each in describe_prior(prior, space)],
            "left_out": [note for each in found for note in each.notes],
            "prior": prior.document(),
        }
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return
    for each in found:
        _say_left_out(each)
    for line in summary_lines(prior, space):
        typer.echo(line)
    typer.echo(str(output) if output else "nothing was written; name a file with -o FILE")


def _sold(space: Space, file: Path) -> SourceContents:
    from setmargin.learning.sales import read_sales
    from setmargin.learning.sources import SourceContents

    read = read_sales(file, space)
    return SourceContents(f"{len(read):,} sales", (), read, read.left_out)


def _together(found: list[SourceContents]) -> Sales | None:
    """All sales as one; they must be about the same attributes."""
    import numpy as np

    from setmargin.strategies.bayes.learnt.fit_favourites import Sales

    parts = [each.sales for each in found if each.sales is not None]
    if not parts:
        return None
    common = [number for number in parts[0].attributes if all(number in part.attributes for part in parts)]
    if not common:
        raise OptionError("the files of sales have no attribute in common; learn from one of them")
    rows = np.concatenate([part.rows[:, [part.attributes.index(number) for number in common]] for part in parts])
    return Sales(parts[0].space, tuple(common), rows)


def _say_left_out(found: SourceContents) -> None:
    if found.notes:
        typer.echo(f"setmargin: {found.name}; {len(found.notes):,} lines or notes to read:", err=True)
        for note in found.notes[:SHOWN]:
            typer.echo(f"  {note}", err=True)
        if len(found.notes) > SHOWN:
            typer.echo(f"  and {len(found.notes) - SHOWN:,} more", err=True)


@contextmanager
def _progress(*, silent: bool) -> Iterator[Callable[[float], None] | None]:
    if silent or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from setmargin.cli.terminal.screen import make_console

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=make_console(stderr=True), transient=True) as shown:
        task = shown.add_task("learning", total=1.0)
        yield lambda share: shown.update(task, completed=share)
