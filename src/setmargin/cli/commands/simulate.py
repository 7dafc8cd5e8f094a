"""`setmargin simulate`: interview simulated people and say how well it went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setmargin.cli.options import DEFAULT, STRATEGIES, Catalogue, check_output, naming_source, read_loss, read_options


def simulate(
    catalogue: Catalogue,
    strategy: Annotated[str, typer.Option(metavar="NAME", help=f"What asks, {STRATEGIES}.")] = DEFAULT,
    set_size: Annotated[int, typer.Option(metavar="K", help="How many configurations a question shows.")] = 2,
    people: Annotated[
        str,
        typer.Option(
            metavar="N|FILE.csv",
            help="How many people to draw, or a file: feature names, then a line of weights per person.",
        ),
    ] = "20",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The weights of drawn people: uniform, normal, sparse-uniform or sparse-normal.",
            show_default="uniform",
        ),
    ] = None,
    quantities: Annotated[
        bool, typer.Option("--quantities", help="Drawn people care about quantities, such as the price, too.")
    ] = False,
    response: Annotated[
        str, typer.Option(metavar="MODEL", help="How people answer: proportional, tree or noiseless.")
    ] = "proportional",
    wrong: Annotated[
        float, typer.Option(metavar="RATE", help="The share of answers that are plainly wrong, on top of that.")
    ] = 0.0,
    how: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="What people do with the options: compare all pairs, sort them pair by pair, "
            "make a choice of one, or give a ranking.",
        ),
    ] = "pairs",
    questions: Annotated[int, typer.Option(metavar="Q", help="How many questions each person gets.")] = 30,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="LOSS",
            help="bayes only: stop when the expected loss is below this; 0: ask all the questions.",
            show_default="0",
        ),
    ] = None,
    differences: Annotated[
        int | None,
        typer.Option(
            metavar="D",
            help="bayes only: in how many attributes the options of a question may differ.",
            show_default="all",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help="setmargin only: exact proves that its questions are best, fast only searches.",
            show_default="fast",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="LIMIT", help="setmargin only: how long one question may take.", show_default="10"),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the strategy's own, such as particles=5000; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same people and answers.")] = 0,
    jobs: Annotated[int, typer.Option(metavar="J", help="How many processes work at once; -1: one per core.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write a record per person and question, as JSON lines."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file given with --out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary and the curve as JSON.")] = False,
) -> None:
    """Interview simulated people, whose tastes are known, and say how close the recommendations come.

    Everybody gets all the questions, unless the strategy itself has nothing left to ask.
    """
    from setmargin.cli.simulation import make_experiment, make_people, make_tireless, report, run
    from setmargin.space.catalogue import load

    if out is not None:
        check_output(out, force=force)
    space = load(catalogue)
    asker = make_tireless(
        strategy,
        read_options(option or (), [strategy])[strategy],
        set_size=set_size,
        until=read_loss(until),
        differences=differences,
        mode=mode,
        seconds=seconds,
    )
    with naming_source(catalogue):
        crowd = make_people(
            people, space, weights=weights, quantities=quantities, response=response, wrong=wrong, seed=seed
        )
        experiment = make_experiment(space, asker, crowd, questions=questions, how=how, jobs=jobs)
        results = run(experiment, out=out, silent=as_json)
    report(experiment, results, as_json=as_json)
