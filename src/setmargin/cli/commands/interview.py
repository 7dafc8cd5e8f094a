"""`setmargin interview`: options in, a dialogue, a recommendation out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from setmargin.cli.options import DEFAULT, STRATEGIES, Prior, check_output, make_strategy_with, naming_source, prior_for
from setmargin.errors import OptionError

if TYPE_CHECKING:
    from setmargin.cli.terminal.screen import Screen
    from setmargin.interview.interview import Interview

QUESTIONS = 30


def interview(
    catalogue: Annotated[
        str | None, typer.Argument(help="A shipped name (bicycle), synthetic:R, or a file; not needed with --resume.")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(metavar="S", help=f"What chooses the questions, {STRATEGIES}.", show_default=DEFAULT),
    ] = None,
    set_size: Annotated[
        int | None,
        typer.Option(
            metavar="K", help="How many configurations a screen shows at most.", show_default="bayes: 4, others: 2"
        ),
    ] = None,
    answers: Annotated[
        Literal["choice", "pairs", "ranking", "sort"],
        typer.Option(
            metavar="WAY", help="choice of the best, ranking of all, or two at a time: all pairs, or only a sort."
        ),
    ] = "choice",
    until: Annotated[
        str | None,
        typer.Option(metavar="LOSS", help="bayes: stop when the expected loss is below this.", show_default="3%"),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="bayes: comparisons only, or a conversation, which also asks what decided and what to change.",
            show_default="conversation",
        ),
    ] = None,
    differences: Annotated[
        int | None,
        typer.Option(
            metavar="D", help="bayes: show options that differ in D things at most, quantities too.", show_default="all"
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE", help="setmargin: fast searches; exact also proves optimality.", show_default="fast"
        ),
    ] = None,
    prior: Prior = None,
    questions: Annotated[int, typer.Option(metavar="N", help="Stop after so many screens.")] = QUESTIONS,
    require: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="A must-have, such as 'price <= 900'; repeatable.")
    ] = None,
    opening: Annotated[
        list[str] | None,
        typer.Option(
            metavar="Q=ANSWER",
            help="An answer to an opening question of the catalogue, such as use=city; repeatable.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="The language of the catalogue's texts, such as de.", show_default="$LANG"),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="S", help="Same seed, same questions.", show_default="0")] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the interview here, after every step.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Continue a saved interview, in the same file unless --save.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file given with --save.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the recommendation as JSON; all else goes to stderr.")
    ] = False,
) -> None:
    """Find the configuration that suits you best."""
    from setmargin.cli.terminal.dialogue import Dialogue
    from setmargin.cli.terminal.formatting import languages_of_terminal, speaking
    from setmargin.cli.terminal.opening import read_opening
    from setmargin.cli.terminal.result import finish, result, until_interrupted
    from setmargin.cli.terminal.screen import Screen, make_console, make_keys

    own = {"set_size": set_size, "policy": policy, "differences": differences, "mode": mode, "prior": prior}
    if questions < 1:
        raise OptionError(f"--questions is {questions}; give 1 or more")
    _check_save(save, resume, force=force)
    screen = Screen(make_console(stderr=as_json), make_keys())
    wanted = [language] if language else languages_of_terminal()
    if resume:
        given = {"strategy": strategy, **own, "seed": seed, "opening": opening}
        session = _resumed(resume, catalogue, given, until=until)
    else:
        answered = read_opening(opening or ())
        session = _begun(catalogue, strategy, {**own, "until": until}, screen, answered, wanted, seed=seed or 0)
    for rule in require or ():
        session.require(rule)
    dialogue = Dialogue(session, screen, how=answers, budget=questions, save_to=save or resume, overwrite=force)
    seen = session.space.presentation
    with speaking(seen, seen.language_for(wanted)), until_interrupted(dialogue):
        why = finish(dialogue, ending := dialogue.run())
        while dialogue.goes_back(ending):
            why = finish(dialogue, ending := dialogue.run())
    if as_json:
        typer.echo(json.dumps(result(dialogue, ending, why), indent=2, ensure_ascii=False))


def _check_save(save: Path | None, resume: Path | None, *, force: bool) -> None:
    """Only the file that is continued may be there already."""
    if save is not None and (resume is None or save.resolve() != resume.resolve()):
        check_output(save, force=force, instead=f"continue it with --resume {save}, ")


def _begun(
    catalogue: str | None,
    strategy: str | None,
    own: dict[str, Any],
    screen: Screen,
    answered: dict[str, str],
    languages: list[str],
    *,
    seed: int,
) -> Interview:
    from setmargin.cli.terminal.formatting import speaking
    from setmargin.cli.terminal.opening import ask_opening
    from setmargin.interview.interview import Interview
    from setmargin.space.catalogue import load, shipped
    from setmargin.strategies.registry import takes_hints

    if catalogue is None:
        raise OptionError(f"which catalogue? Shipped are {', '.join(shipped())}; or continue one with --resume FILE")
    space = load(catalogue)
    seen, language = space.presentation, space.presentation.language_for(languages)
    seen.wishes(answered)  # refuses what there is not, before anything is asked
    with speaking(seen, language):
        wishes = seen.wishes(ask_opening(space, screen, answered, language))
    hints = dict(wishes.hints) if wishes.hints and takes_hints(strategy or DEFAULT) else None
    prior = own["prior"] or prior_for(strategy, catalogue, space)
    asking = make_strategy_with(strategy, {**own, "prior": prior, "hints": hints})
    with naming_source(catalogue):
        session = Interview(space, asking, seed=seed)
    for rule in wishes.must_haves:
        session.require(rule)
    for note in asking.notes(space):
        typer.echo(f"setmargin: {note}", err=True)
    return session


def _resumed(file: Path, catalogue: str | None, own: dict[str, Any], *, until: str | None) -> Interview:
    """A saved interview keeps its catalogue, strategy and seed; only when to stop can be said anew."""
    from setmargin.interview.interview import Interview
    from setmargin.space.catalogue import load

    if given := [f"--{name.replace('_', '-')}" for name, value in own.items() if value is not None]:
        raise OptionError(f"a saved interview keeps its own {', '.join(given)}; leave it out with --resume")
    session = Interview.load(file)
    if catalogue is not None and load(catalogue) != session.space:
        raise OptionError(f"{file} is about another catalogue than {catalogue}; leave the catalogue out")
    if until is None:
        return session
    # The same interview by a strategy that is the same but for when it stops, which decides whether it still asks.
    strategy = make_strategy_with(session.strategy.name, {**session.strategy.options(), "until": until})
    session = Interview.load(file, strategy=strategy)
    session.reconsider()
    return session
