"""What commands share: options of strategies, places to write, and where a catalogue came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setmargin.errors import InfeasibleSpace, OptionError

if TYPE_CHECKING:
    from setmargin.strategies.base import Strategy


Catalogue = Annotated[str, typer.Argument(help="A shipped name (pc), synthetic:R, synthetic:AxV, or a file.")]
Jobs = Annotated[int, typer.Option(metavar="J", help="How many processes work at once; -1: one per core.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Let the workers of this Dask scheduler do it, such as tcp://host:8786."),
]
ResultsAsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON, and no progress.")]

STRATEGIES = "such as bayes, setmargin, or random as the floor to beat"
DEFAULT = "bayes"
"""The registry's default, which cannot be imported just to show a help text."""
SPECIAL = {
    "mode": "setmargin",
    "seconds": "setmargin",
    "threads": "setmargin",
    "until": "bayes",
    "differences": "bayes",
}
"""Options that not every strategy has, and whom they are meant for."""


KINDS: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (int, (int,), "a whole number"),
    (float, (int, float), "a number"),
    (list, (list,), "a list"),
    (dict, (dict, type(None)), "a mapping in JSON, or none"),
)
"""What an option may be, given what it usually is."""


def make_strategy_from(name: str | None, own: Mapping[str, Any] | None = None, /, **options: Any) -> Strategy[Any]:
    """The strategy with the options that were given; those of another one are refused, with the cure.

    None means not given, but for the strategy's `own` options, where it may be a value.
    """
    from setmargin.strategies.registry import DEFAULT, make_strategy

    name = name or DEFAULT
    given = {option: value for option, value in options.items() if value is not None}
    known = _known(name)
    for option in given:
        if (owner := SPECIAL.get(option, name)) != name and option not in known:
            raise OptionError(f"--{option} is for strategy {owner} only; add --strategy {owner}, or leave it out")
    return make_strategy(name, **{**given, **(own or {})})


# Options of any strategy, as NAME=VALUE


def read_options(texts: Sequence[str], strategies: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What `--option` says, for each strategy: NAME=VALUE for all that know the name, STRATEGY.NAME=VALUE for one."""
    known = {name: _known(name) for name in dict.fromkeys(strategies)}
    found: dict[str, dict[str, Any]] = {name: {} for name in known}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--option is {text!r}; write NAME=VALUE, such as particles=5000")
        for owner, option in _owners(name.strip(), known):
            found[owner][option] = _read_value(f"--option {option}", value.strip(), known[owner][option])
    return found


def _known(strategy: str) -> dict[str, Any]:
    """Its options with their usual values."""
    from setmargin.strategies.registry import make_strategy

    options = make_strategy(strategy).options()
    return {name: value for name, value in options.items() if name != "set_size"}


def _owners(name: str, known: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The strategies that are meant, each with the option's name."""
    from setmargin.space.text import suggest

    owner, dot, option = name.rpartition(".")
    if dot and owner not in known:
        raise OptionError(f"--option {name}: {owner} does not ask here; {suggest(owner, [*known], what='there is')}")
    meant = [owner] if dot else [*known]
    owners = [(each, option) for each in meant if option in known[each]]
    if not owners:
        names = [each for strategy in meant for each in known[strategy]]
        hint = suggest(option, list(dict.fromkeys(names)), what="there is")
        hint = "give --set-size" if option == "set_size" else hint
        raise OptionError(f"{' and '.join(meant)} knows no option {option!r}; {hint}")
    return owners


def _read_value(what: str, text: str, usual: Any) -> Any:
    """The value as plain data, of the kind that it usually has."""
    if isinstance(usual, str):
        return text
    try:
        value = None if text == "none" else json.loads(text)
    except ValueError:
        value = text
    for kind, taken, words in KINDS:
        if isinstance(usual, kind) and (not isinstance(value, taken) or isinstance(value, bool)):
            raise OptionError(f"{what} is {text!r}; give {words}, such as {json.dumps(usual)}")
    return value


def read_loss(text: str | None) -> float | None:
    """An expected loss to stop at: `0.03` and `3%` are the same."""
    if text is None:
        return None
    percent = text.strip().endswith("%")
    try:
        loss = float(text.strip().removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        raise OptionError(f"--until is {text!r}; give the expected loss to stop at, such as 3% or 0.03") from None
    if not 0 <= loss < 1:
        raise OptionError(f"--until is {text}; give an expected loss from 0 to below 100%, such as 3% or 0.03")
    return loss


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
