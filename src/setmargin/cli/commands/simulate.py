"""`setmargin simulate`: interview simulated people and say how well it went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from setmargin.cli.options import (
    DEFAULT,
    EARLIER,
    EARLIER_POPULATION,
    NO_ORDER,
    POPULATION,
    STRATEGIES,
    WEIGHTS,
    Careless,
    Catalogue,
    Changes,
    Prior,
    Reasons,
    check_output,
    make_strategy_with,
    naming_source,
    prior_for,
)
from setmargin.errors import OptionError


def simulate(
    catalogue: Catalogue,
    strategy: Annotated[str, typer.Option(metavar="NAME", help=f"What asks, {STRATEGIES}.")] = DEFAULT,
    set_size: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="How many configurations a question shows.",
            show_default="2; with --reasons or --changes bayes shows up to 4",
        ),
    ] = None,
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
            help=f"The weights of drawn people: {WEIGHTS}",
            show_default="uniform",
        ),
    ] = None,
    no_order: Annotated[float, typer.Option(metavar="SHARE", help=NO_ORDER)] = 0.0,
    population: Annotated[str, typer.Option(metavar="WHO", help=POPULATION)] = "usual",
    earlier: Annotated[int, typer.Option(metavar="N", help=EARLIER)] = 0,
    earlier_population: Annotated[
        str | None, typer.Option(metavar="WHO", help=EARLIER_POPULATION, show_default="the same")
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
    reasons: Reasons = 0.0,
    changes: Changes = 0.0,
    careless: Careless = 0.0,
    how: Annotated[
        str | None,
        typer.Option(
            metavar="WAY",
            help="What people do with the options: compare all pairs, sort them pair by pair, "
            "make a choice of one, or give a ranking.",
            show_default="pairs; choice with --reasons or --changes",
        ),
    ] = None,
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
            help="bayes only: in how many attributes and quantities options differ at most.",
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
    prior: Prior = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the strategy's own, such as particles=5000; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same people and answers.")] = 0,
    jobs: Annotated[int, typer.Option(metavar="J", help="How many processes work at once; -1: one per core.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a record per person and question, as its ending says: .jsonl, .csv or .parquet.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file given with --out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary and the curve as JSON.")] = False,
) -> None:
    """Interview simulated people, whose tastes are known, and say how close the recommendations come.

    Everybody gets all the questions, unless the strategy itself has nothing left to ask.
    """
    from setmargin.answers import How
    from setmargin.arrays import Floats
    from setmargin.cli.run import run_simulation
    from setmargin.experiments.grid import Experiment, check_careless, usual_how
    from setmargin.experiments.people_file import read_people
    from setmargin.experiments.records import check_suffix
    from setmargin.experiments.responses import Response
    from setmargin.experiments.setting import Setting
    from setmargin.solve.oracle import oracle_for
    from setmargin.space.catalogue import load

    if out is not None:
        check_output(out, force=force)
        check_suffix(out)
    space = load(catalogue)
    answering = Response(model=response, wrong=wrong, reasons=reasons, changes=changes, careless=careless)
    check_careless([answering])
    if set_size is None and not answering.talks:
        set_size = 2
    own = {
        "set_size": set_size,
        "until": until,
        "differences": differences,
        "mode": mode,
        "seconds": seconds,
        "prior": prior or prior_for(strategy, catalogue, space),
    }
    asking = make_strategy_with(strategy, own, option or (), simulated=True, talking=answering.talks)
    given: tuple[Floats, ...] = ()
    if people.lstrip("-").isdecimal():
        count = int(people)
    else:
        for name, said in (("--weights", weights), ("--quantities", quantities)):
            if said:
                raise OptionError(f"{name} is for drawn people, but {people} says what its people value; leave it out")
        given = tuple(person.weights for person in read_people(people, space, seed=seed))
        count, weights = len(given), Path(people).name
    with naming_source(catalogue):
        oracle_for(space)
    setting = Setting(
        space=space,
        strategy=asking,
        weights=weights or "uniform",
        quantities=quantities,
        response=answering,
        how=cast(How, how or usual_how(answering)),
        questions=questions,
        seed=seed,
        no_order=no_order,
        population=population,
        earlier=earlier,
        earlier_population=earlier_population or "",
        given=given,
    )
    run_simulation(
        Experiment(name="simulation", settings=(setting,), people=count), out=out, jobs=jobs, as_json=as_json
    )
