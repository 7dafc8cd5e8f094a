"""`setmargin compare`: any grid of strategies, spaces and people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from setmargin.cli.options import (
    CARELESS,
    CHANGES,
    EARLIER,
    EARLIER_POPULATION,
    NO_ORDER,
    POPULATION,
    REASONS,
    STRATEGIES,
    WEIGHTS,
    Cluster,
    Jobs,
    Prior,
    ResultsAsJson,
    read_options,
)
from setmargin.errors import OptionError

NAME = "compared"


def compare(
    grid: Annotated[
        Path | None, typer.Argument(metavar="[GRID.yaml]", help="A file that says what to run; options win over it.")
    ] = None,
    catalogue: Annotated[
        list[str] | None, typer.Option(metavar="CATALOGUE", help="A shipped name, synthetic:R, or a file.")
    ] = None,
    strategy: Annotated[list[str] | None, typer.Option(metavar="NAME", help=f"What asks, {STRATEGIES}.")] = None,
    set_size: Annotated[
        list[int] | None,
        typer.Option(
            metavar="K",
            help="How many configurations a question shows.",
            show_default="2; with --reasons or --changes bayes shows up to 4",
        ),
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help=f"The weights of people: {WEIGHTS}", show_default="uniform"),
    ] = None,
    no_order: Annotated[list[float] | None, typer.Option(metavar="SHARE", help=NO_ORDER, show_default="0")] = None,
    population: Annotated[list[str] | None, typer.Option(metavar="WHO", help=POPULATION, show_default="usual")] = None,
    earlier: Annotated[list[int] | None, typer.Option(metavar="N", help=EARLIER, show_default="0")] = None,
    earlier_population: Annotated[
        str | None, typer.Option(metavar="WHO", help=EARLIER_POPULATION, show_default="the same")
    ] = None,
    quantities: Annotated[
        bool | None,
        typer.Option("--quantities", help="People care about quantities, such as the price, too.", show_default=False),
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL", help="How people answer: proportional, tree or noiseless.", show_default="proportional"
        ),
    ] = None,
    wrong: Annotated[
        list[float] | None,
        typer.Option(metavar="RATE", help="The share of answers that are plainly wrong.", show_default="0"),
    ] = None,
    reasons: Annotated[list[float] | None, typer.Option(metavar="RATE", help=REASONS, show_default="0")] = None,
    changes: Annotated[list[float] | None, typer.Option(metavar="RATE", help=CHANGES, show_default="0")] = None,
    careless: Annotated[list[float] | None, typer.Option(metavar="RATE", help=CARELESS, show_default="0")] = None,
    how: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WAY",
            help="pairs, sort, choice or ranking.",
            show_default="pairs; choice with --reasons or --changes",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATEGY.]NAME=VALUE",
            help="An option of one strategy, or of all that know it, such as particles=5000.",
        ),
    ] = None,
    prior: Prior = None,
    questions: Annotated[
        int | None, typer.Option(metavar="Q", help="How many questions each person gets.", show_default="30")
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE.csv",
            help="How many people each setting gets, or a file: feature names, then a line of weights per person.",
            show_default="20",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="S", help="The same seed gives the same people and answers.", show_default="0"),
    ] = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for records, figures and report.", show_default="the grid's name"),
    ] = None,
    as_json: ResultsAsJson = False,
) -> None:
    """Let strategies interview the same simulated people, everything with everything, and lay them side by side.

    Repeat an option to give it several values: catalogues, strategies, set sizes, weights, populations, numbers of
    earlier people, responses, rates of wrong answers, reasons, changes and careless ones, ways of answering. A run that
    was stopped goes on where it was.
    """
    from setmargin.cli.run import run_grid
    from setmargin.experiments.grid import make_grid
    from setmargin.experiments.grid_file import read_grid

    given = {
        "catalogue": catalogue,
        "strategy": strategy,
        "set_size": set_size,
        "weights": weights,
        "no_order": no_order,
        "population": population,
        "earlier": earlier,
        "earlier_population": earlier_population,
        "quantities": quantities,
        "response": response,
        "wrong": wrong,
        "reasons": reasons,
        "changes": changes,
        "careless": careless,
        "how": how,
        "questions": questions,
        "people": int(people) if people and people.lstrip("-").isdecimal() else people,
        "seed": seed,
    }
    said: dict[str, Any] = {"name": grid.stem, **read_grid(grid)} if grid else {"name": NAME}
    said |= {word: value for word, value in given.items() if value not in (None, [])}
    for word, example in (("catalogue", "synthetic:4"), ("strategy", "bayes")):
        if not said.get(word):
            raise OptionError(f"there is no {word}; give --{word} {example}, or a file such as grid.yaml")
    said["strategy"] = _with_options(said["strategy"], option or [], prior)
    run_grid(make_grid(**said), out or Path(said["name"]), jobs=jobs, cluster=cluster, as_json=as_json)


def _with_options(
    strategies: list[str | Mapping[str, Any]], texts: list[str], prior: str | None
) -> list[dict[str, Any]]:
    """The strategies with the options given for them on the command line, which win over those of a file."""
    from setmargin.strategies.registry import takes_learnt_prior

    named = [{"name": each} if isinstance(each, str) else each for each in strategies]
    names = list(dict.fromkeys(each["name"] for each in named))
    if prior is not None:
        learnt = [f"{name}.prior={prior}" for name in names if takes_learnt_prior(name)]
        if not learnt:
            raise OptionError(f"--prior is for bayes, and not for {' or '.join(names)}; add --strategy bayes")
        texts = [*texts, *learnt]
    own = read_options(texts, names)
    return [{**each, **own[each["name"]]} for each in named]
