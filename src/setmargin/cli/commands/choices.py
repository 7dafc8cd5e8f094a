"""`setmargin choices`: real people's choices, learnt and predicted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setmargin.cli.options import DEFAULT, Jobs, ResultsAsJson, check_output
from setmargin.errors import OptionError

if TYPE_CHECKING:
    from setmargin.choices.data import Choices
    from setmargin.choices.models import ChoiceModel
    from setmargin.choices.scoring import ModelScore, Progress
    from setmargin.choices.study import Study

INTERRUPTED = 130
ALL = "all"
SECONDS_BETWEEN_LINES = 30.0
COLUMN = "The column of it, where it is not called so or the like."


def choices(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="A line for each option that somebody was shown.")],
    catalogue: Annotated[
        str | None,
        typer.Option(metavar="CATALOGUE", help="What can be chosen; derived from the columns where it is not given."),
    ] = None,
    person: Annotated[str | None, typer.Option(metavar="COLUMN", help=f"Whose choice it is. {COLUMN}")] = None,
    task: Annotated[str | None, typer.Option(metavar="COLUMN", help=f"Which choice of theirs. {COLUMN}")] = None,
    option: Annotated[str | None, typer.Option(metavar="COLUMN", help=f"Which option. {COLUMN}")] = None,
    chosen: Annotated[str | None, typer.Option(metavar="COLUMN", help=f"1 if it was taken, else 0. {COLUMN}")] = None,
    drop: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out.")] = None,
    better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=WAY", help="What everybody likes: higher, lower, peak (one best place), or none of these."
        ),
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=A,B,…", help="Words from least to most; the column alone if they hold numbers."),
    ] = None,
    write_catalogue: Annotated[
        Path | None, typer.Option(metavar="FILE.yaml", help="Write the derived catalogue to this file.")
    ] = None,
    strategies: Annotated[
        str, typer.Option(metavar="NAMES", help=f"Strategies to score, with commas between them, or {ALL}.")
    ] = f"{DEFAULT},setmargin",
    earlier: Annotated[
        bool, typer.Option("--earlier", help="Also score strategies that know the first answers of other people.")
    ] = False,
    learn: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many first answers of each person to learn.", show_default="two thirds"),
    ] = None,
    predict: Annotated[
        int | None, typer.Option(metavar="N", help="How many answers after them to predict.", show_default="the rest")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="Also predict the same answers after learning only so many.")
    ] = None,
    people: Annotated[int | None, typer.Option(metavar="N", help="Only the first so many people.")] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same predictions.")] = 0,
    jobs: Jobs = -1,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw log-loss and calibration (.svg, .pdf or .png).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
    as_json: ResultsAsJson = False,
) -> None:
    """Learn the first choices of real people and predict the next ones, with strategies and the usual logit models.

    The file has a line for each option that somebody was shown: person, task, option, a column for each attribute, and
    whether it was chosen.
    """
    from setmargin.choices.data import read_choices
    from setmargin.choices.scoring import score_models
    from setmargin.choices.study import make_study
    from setmargin.space.catalogue import load, save

    for target in (write_catalogue, figure):
        if target:
            check_output(target, force=force)
    if figure:
        from setmargin.late_imports import import_extra

        import_extra("matplotlib")
        from setmargin.choices.figures import check_picture

        check_picture(figure)
    found = read_choices(
        file,
        load(catalogue) if catalogue else None,
        person=person,
        task=task,
        option=option,
        chosen=chosen,
        drop=drop or (),
        better=dict(_named("better", text) for text in better or ()),
        ordered={name: words.split(",") if words else () for name, words in (_pair(text) for text in ordered or ())},
    )
    if write_catalogue:
        save(found.space, write_catalogue)
    study = make_study(found, learn=learn, predict=predict, by=_numbers(by), people=people)
    models = _models(strategies, earlier=earlier, seed=seed, jobs=jobs)
    try:
        with _progress(len(models), silent=as_json) as watch:
            scores = score_models(study, models, watch=watch)
    except KeyboardInterrupt:
        typer.echo("setmargin: interrupted; nothing was scored", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if figure:
        from setmargin.choices.figures import draw_scores

        draw_scores(scores, figure)
    _show(file, found, study, scores, as_json=as_json)
    if figure and not as_json:
        typer.echo(str(figure))


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip()


def _named(option: str, text: str) -> tuple[str, str]:
    name, value = _pair(text)
    if not name or not value:
        raise OptionError(f"--{option} is {text!r}; write COLUMN=WAY, such as price=lower")
    return name, value


def _numbers(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise OptionError(f"--by is {text!r}; give numbers of answers such as 2,4,8") from None


def _models(names: str, *, earlier: bool, seed: int, jobs: int) -> list[ChoiceModel]:
    from setmargin.choices.models import usual_models
    from setmargin.choices.strategies import StrategyModel
    from setmargin.strategies.registry import make_for_study, strategy_names

    chosen = strategy_names() if names.strip() == ALL else [name.strip() for name in names.split(",") if name.strip()]
    made = [make_for_study(name) for name in dict.fromkeys(chosen)]
    models: list[ChoiceModel] = [StrategyModel(each, seed=seed, jobs=jobs) for each in made]
    if earlier:
        learning = [each for each in made if each.learns_from_others]
        if not learning:
            raise OptionError(f"--earlier is given, but none of {names} learns from other people; add one that does")
        models += [StrategyModel(each, earlier=True, seed=seed, jobs=jobs) for each in learning]
    return [*usual_models(seed=seed), *models]


# What is shown


@contextmanager
def _progress(count: int, *, silent: bool) -> Iterator[Progress]:
    """A bar for the model at work at a terminal, else a line now and then."""
    if silent:
        yield lambda _model, _part: None
    elif sys.stderr.isatty():
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from setmargin.cli.terminal.screen import make_console

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=make_console(stderr=True), transient=True) as shown:
            tasks: dict[str, Any] = {}

            def bar(model: str, part: float) -> None:
                if model not in tasks:
                    tasks[model] = shown.add_task(f"{model} ({len(tasks) + 1} of {count})", total=1.0)
                shown.update(tasks[model], completed=part, visible=part < 1.0)

            yield bar
    else:
        following = monotonic() + SECONDS_BETWEEN_LINES

        def line(model: str, part: float) -> None:
            nonlocal following
            if monotonic() >= following:
                following = monotonic() + SECONDS_BETWEEN_LINES
                typer.echo(f"setmargin: {model}: {part:.0%} done", err=True)

        yield line


def _show(file: Path, found: Choices, study: Study, scores: Sequence[ModelScore], *, as_json: bool) -> None:
    from setmargin.choices.hints import direction_hints

    hints = direction_hints(study)
    if as_json:
        document = {
            "file": str(file),
            "catalogue": found.space.document(),
            "notes": list(found.notes),
            "hints": [asdict(hint) for hint in hints],
            "tasks_left_out": list(found.left_out),
            "people": len(study.people),
            "people_too_short": study.too_short,
            "learn": study.learn,
            "predict": study.predict,
            "by": list(study.by),
            "scores": [score.document() for score in scores],
        }
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    from setmargin.cli.terminal.choices_page import choices_page
    from setmargin.cli.terminal.screen import make_console

    console = make_console()
    for part in choices_page(str(file), found, study, scores, hints):
        console.print(part)
