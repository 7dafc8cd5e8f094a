"""What commands share: options of strategies, places to write, and where a catalogue came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setmargin.errors import InfeasibleSpace, OptionError
from setmargin.late_imports import import_extra

if TYPE_CHECKING:
    from setmargin.space.space import Space
    from setmargin.strategies.base import Strategy
    from setmargin.strategies.bayes.learnt.prior import LearntPrior

Catalogue = Annotated[str, typer.Argument(help="A shipped name (pc), synthetic:R, synthetic:AxV, or a file.")]
Jobs = Annotated[int, typer.Option(metavar="J", help="How many processes work at once; -1: one per core.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Let the workers of this Dask scheduler do it, such as tcp://host:8786."),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME.",
        envvar="SETMARGIN_DATABASE",
        show_default="a file in your data directory",
        show_envvar=True,
    ),
]
ResultsAsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON, and no progress.")]

REASONS = "How often a choice comes with a reason: the attribute or quantity that decided."
CHANGES = "How often people who are asked what they would change say it."
CARELESS = "The share of reasons and changes that is drawn at random."
WEIGHTS = "uniform, normal, sparse-uniform or sparse-normal; ordered or ordered-sparse follow what is better."
NO_ORDER = "The share of ordered people who do not follow what the catalogue calls better."
POPULATION = "usual: nobody is like others; segments:5: all are of one of five segments; segments:5/2: another five."
EARLIER = "How many people were interviewed before; strategies that learn from others know their answers."
EARLIER_POPULATION = "The population of those, such as segments:5/2."
PRIOR = "bayes: what earlier people were like, as setmargin learn wrote it; or none."
Prior = Annotated[str | None, typer.Option(metavar="FILE", help=PRIOR, show_default="the catalogue's own")]
Reasons = Annotated[float, typer.Option(metavar="RATE", help=REASONS)]
Changes = Annotated[float, typer.Option(metavar="RATE", help=CHANGES)]
Careless = Annotated[float, typer.Option(metavar="RATE", help=CARELESS)]

STRATEGIES = "such as bayes, setmargin, or random as the floor to beat"
DEFAULT = "bayes"
"""The registry's default, which cannot be imported just to show a help text."""


def check_web() -> None:
    """Say what is missing for a server, its database included."""
    for package in ("fastapi", "prometheus_client", "sqlalchemy", "uvicorn"):
        import_extra(package)


# Options of strategies


def make_strategy_with(
    name: str | None,
    given: Mapping[str, Any],
    texts: Sequence[str] = (),
    *,
    simulated: bool = False,
    talking: bool = False,
) -> Strategy[Any]:
    """The strategy with the options that were given, as simulations want it if `simulated`, of people who talk or not.

    `given` are options with a name of their own on the command line, None where one was not given; `texts` are
    NAME=VALUE. What the strategy does not know, or does not take, is refused with the cure.
    """
    from setmargin.strategies.registry import make_for_simulation, make_strategy

    name = name or DEFAULT
    own = {option: _checked(name, option, value) for option, value in given.items() if value is not None}
    own |= read_options(texts, [name])[name]
    return make_for_simulation(name, talking=talking, **own) if simulated else make_strategy(name, **own)


def prior_for(strategy: str | None, catalogue: str, space: Space) -> LearntPrior | None:
    """The prior that the catalogue names, where the strategy can start from one."""
    from setmargin.strategies.bayes.learnt.named import prior_of_catalogue
    from setmargin.strategies.registry import takes_learnt_prior

    return prior_of_catalogue(catalogue, space) if takes_learnt_prior(strategy or DEFAULT) else None


def _checked(strategy: str, name: str, value: Any) -> Any:
    """The value as plain data, if the strategy knows the option and takes it; a text is read as its option wants it."""
    from setmargin.strategies.options import options_of
    from setmargin.strategies.registry import strategies_with, strategy_class

    flag, known = f"--{name.replace('_', '-')}", options_of(strategy_class(strategy))
    if name not in known:
        owners = strategies_with(name)
        raise OptionError(
            f"{flag} is for strategy {' or '.join(owners)} only; add --strategy {owners[0]}, or leave it out"
        )
    read = known[name].from_text(value, what=flag) if isinstance(value, str) else value
    try:
        known[name].checked(read)
    except OptionError as error:
        said = repr(value) if isinstance(read, str) else value
        raise OptionError(f"{flag} is {said}; {str(error).partition('; ')[2]}") from None
    return read


def read_options(texts: Sequence[str], strategies: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What `--option` says, for each strategy: NAME=VALUE for all that know the name, STRATEGY.NAME=VALUE for one."""
    from setmargin.strategies.options import options_of
    from setmargin.strategies.registry import strategy_class

    classes = {name: strategy_class(name) for name in strategies}
    found: dict[str, dict[str, Any]] = {name: {} for name in classes}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option is {text!r}; write NAME=VALUE, such as particles=5000")
        for owner, option in _owners(name.strip(), classes):
            read = options_of(classes[owner])[option].from_text(value.strip(), what=f"--option {option}")
            found[owner][option] = read
    return found


def _owners(name: str, classes: Mapping[str, type[Strategy[Any]]]) -> list[tuple[str, str]]:
    """The strategies that are meant, each with the option's name as it is now."""
    from setmargin.space.text import suggest
    from setmargin.strategies.options import options_of

    owner, dot, option = name.rpartition(".")
    if dot and owner not in classes:
        hint = suggest(owner, [*classes], what="there is")
        raise OptionError(f"--option {name}: {owner} does not ask here; {hint}")
    meant = [owner] if dot else [*classes]
    known = {each: [name for name in options_of(classes[each]) if name != "set_size"] for each in meant}
    named = [(each, classes[each].renamed_options.get(option, option)) for each in meant]
    owners = [(each, now) for each, now in named if now in known[each]]
    if not owners:
        names = list(dict.fromkeys(each for strategy in meant for each in known[strategy]))
        hint = "give --set-size" if option == "set_size" else suggest(option, names, what="there is")
        raise OptionError(f"{' and '.join(meant)} knows no option {option!r}; {hint}")
    return owners


# Files


def check_output(file: Path, *, force: bool, instead: str = "") -> None:
    """Refuse a place that cannot hold a file, and a file that is there unless `force`; `instead` is another cure."""
    if file.is_dir():
        raise OptionError(f"cannot write {file}: it is a folder; name a file in it")
    if not file.parent.is_dir():
        raise OptionError(f"cannot write {file}: there is no folder {file.parent}; make it, or choose another place")
    if file.exists() and not force:
        raise OptionError(f"{file} exists; {instead}overwrite it with --force, or choose another name")


@contextmanager
def naming_source(catalogue: str) -> Iterator[None]:
    """Where its rules contradict each other, say in which file and on which lines."""
    try:
        yield
    except InfeasibleSpace as error:
        lines = _lines(catalogue, error.conflict)
        where = f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""
        raise InfeasibleSpace(f"{catalogue}{where}: {error}", conflict=error.conflict) from None


def _lines(catalogue: str, rules: tuple[str, ...]) -> list[int]:
    """The first line that holds each rule; nothing unless all of them are found as they were written."""
    text: list[str] = []
    with suppress(OSError, ValueError):
        text = Path(catalogue).read_text(encoding="utf-8").splitlines()
    found = [next((number for number, line in enumerate(text, 1) if rule in line), 0) for rule in rules]
    return sorted(set(found)) if all(found) else []
