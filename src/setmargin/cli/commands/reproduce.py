"""`setmargin reproduce`: the paper's figures, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from setmargin.cli.options import Cluster, Jobs, ResultsAsJson


def reproduce(
    figure: Annotated[str, typer.Argument(metavar="FIGURE", help="comparison, set-size or pc.")],
    people: Annotated[
        int | None, typer.Option(metavar="N", help="How many people each curve is made of.", show_default="20")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Only these strategies.", show_default="those of the paper, and bayes"),
    ] = None,
    no_rules: Annotated[
        bool,
        typer.Option("--no-rules", help="pc only: everything can be combined, as nearly was the case in the paper."),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two people and a few questions, in under two minutes.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same people and answers.")] = 0,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The folder for records, figures and report.", show_default="the figure's name"
        ),
    ] = None,
    as_json: ResultsAsJson = False,
) -> None:
    """Run the experiment behind a figure of the SetMargin paper, and draw it beside what was published.

    A run that was stopped goes on where it was; more people are added to those that are there.
    """
    from setmargin.cli.run import run_grid
    from setmargin.experiments.paper import paper_experiment

    chosen = [method.strip() for method in (methods or "").split(",") if method.strip()]
    experiment = paper_experiment(figure, methods=chosen, people=people, seed=seed, rules=not no_rules, quick=quick)
    run_grid(experiment, out or Path(figure), jobs=jobs, cluster=cluster, figure=figure, as_json=as_json)
