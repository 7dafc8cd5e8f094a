"""A grid as a small YAML file; every mistake with its line and its cure.

    name: noise
    catalogue: [synthetic:4, my-bikes.yaml]
    strategy:
      - bayes
      - {name: setmargin, mode: exact, seconds: 2}
    set_size: [2, 3]
    wrong: [0, 0.1]
    reasons: 1
    changes: 1
    people: 40

Each word is that of the command line. A list stands for each of its values; everything is combined with everything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from setmargin.answers import How
from setmargin.errors import CatalogueError, OptionError, SetmarginError
from setmargin.experiments.families import family_names
from setmargin.experiments.people import check_family
from setmargin.experiments.responses import TALK_RATES, Response, check_known, check_one_of, response_names
from setmargin.experiments.segments import read_population
from setmargin.experiments.streams import check_seed
from setmargin.experiments.trial import check_trial
from setmargin.space.catalogue import load
from setmargin.space.text import short, suggest
from setmargin.space.yaml_reading import YamlFile, line_of, read
from setmargin.strategies.registry import make_for_simulation

LARGEST_FILE = 1_000_000
NAME = re.compile(r"\w[\w.-]{0,63}")
YES_NO = {"true": True, "yes": True, "false": False, "no": False}


def read_grid(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `make_grid` takes, from a file."""
    file = Path(path)
    node = _node(file)
    if not isinstance(node.content, dict):
        raise _wrong(file, line_of(node, ()), "there is nothing to run; write at least catalogue: and strategy:")
    for word in node.content:
        if word not in READERS:
            hint = suggest(word, list(READERS), what="known are")
            raise _wrong(file, line_of(node, (word,)), f"{short(word)} means nothing here; {hint}")
    for word in ("catalogue", "strategy"):
        if word not in node.content:
            raise _wrong(file, line_of(node, ()), f"{word} is missing; add it, such as {word}: {EXAMPLES[word]}")
    return {word: _read(file, node, word) for word in node.content}


def _node(file: Path) -> YamlFile:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise OptionError(f"{file}: larger than {LARGEST_FILE:,} bytes; this is no grid")
        return read(content.decode("utf-8"), file=str(file))
    except OSError as error:
        raise OptionError(f"{file}: cannot be read: {error.strerror}; name a YAML file") from None
    except UnicodeDecodeError:
        raise OptionError(f"{file}: not UTF-8 text; save it as UTF-8") from None
    except CatalogueError as error:
        raise OptionError(str(error)) from None


def _read(file: Path, node: YamlFile, word: str) -> Any:
    value = node.content[word]
    if word in SINGLE:
        return _checked(file, node, (word,), value)
    if not isinstance(value, list):
        return [_checked(file, node, (word,), value)]
    if not value:
        raise _wrong(file, line_of(node, (word,)), f"{word} is an empty list; give one value or more")
    return [_checked(file, node, (word, number), each) for number, each in enumerate(value)]


def _checked(file: Path, node: YamlFile, place: tuple[str | int, ...], value: Any) -> Any:
    try:
        return READERS[str(place[0])](value, file.parent)
    except SetmarginError as error:
        raise _wrong(file, line_of(node, place), str(error)) from None


def _wrong(file: Path, line: int, message: str) -> OptionError:
    return OptionError(f"{file}:{line}: {message}")


# What each word takes


def _name(value: Any, _: Path) -> str:
    """It names files and folders."""
    name = _text("name", value)
    if not NAME.fullmatch(name):
        raise OptionError(f"name is {short(name)}; use letters, digits, - _ and .")
    return name


def _catalogue(value: Any, folder: Path) -> str:
    """A file is looked for beside the grid first."""
    source = _text("catalogue", value)
    beside = folder / source
    found = str(beside) if beside.is_file() else source
    load(found)
    return found


def _strategy(value: Any, _: Path) -> dict[str, Any]:
    body = dict(value) if isinstance(value, Mapping) else {"name": value}
    name = _text("strategy", body.pop("name", None))
    if "set_size" in body:
        raise OptionError("set_size stands beside strategy, not inside it; write set_size: [2, 3]")
    make_for_simulation(name, **body)
    return {"name": name, **body}


def _word(kind: object, what: str) -> Callable[[Any, Path], str]:
    def checked(value: Any, _: Path) -> str:
        check_one_of(value, kind, what)
        return str(value)

    return checked


def _known(words: Callable[[], Sequence[str]], what: str) -> Callable[[Any, Path], str]:
    """One of the words that there are once other packages are asked, too."""

    def checked(value: Any, _: Path) -> str:
        check_known(value, words(), what)
        return str(value)

    return checked


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise OptionError(f"{what} is {short(value)}; write a word, such as {EXAMPLES[what]}")
    return value


def _whole(what: str) -> Callable[[Any, Path], int]:
    def checked(value: Any, _: Path) -> int:
        if not isinstance(value, int):
            raise OptionError(f"{what} is {short(value)}; give a whole number")
        return value

    return checked


def _set_size(value: Any, folder: Path) -> int:
    size = _whole("set_size")(value, folder)
    make_for_simulation("random", set_size=size)
    return size


def _questions(value: Any, folder: Path) -> int:
    questions = _whole("questions")(value, folder)
    check_trial(questions=questions, how="pairs")
    return questions


def _people(value: Any, folder: Path) -> int | str:
    """A number, or a file, which is looked for beside the grid first."""
    if isinstance(value, str):
        beside = folder / value
        return str(beside) if beside.is_file() else value
    people = _whole("people")(value, folder)
    if people < 1:
        raise OptionError(f"{people} people cannot be asked; give 1 or more")
    return people


def _seed(value: Any, folder: Path) -> int:
    seed = _whole("seed")(value, folder)
    check_seed(seed)
    return seed


def _share(value: Any, _: Path) -> float:
    if not isinstance(value, int | float):
        raise OptionError(f"no_order is {short(value)}; give a share of people, such as 0.2")
    check_family("ordered", no_order=float(value))
    return float(value)


def _population(value: Any, _: Path) -> str:
    read_population(value)
    return str(value)


def _earlier(value: Any, folder: Path) -> int:
    earlier = _whole("earlier")(value, folder)
    if earlier < 0:
        raise OptionError(f"{earlier} earlier people cannot be asked; give 0 or more")
    return earlier


def _rate(what: str) -> Callable[[Any, Path], float]:
    def checked(value: Any, _: Path) -> float:
        if not isinstance(value, int | float):
            raise OptionError(f"{what} is {short(value)}; give a share of answers, such as 0.1")
        Response(**{what: float(value)})  # type: ignore[arg-type]  # each of these words is a rate
        return float(value)

    return checked


def _yes_or_no(what: str) -> Callable[[Any, Path], bool]:
    def checked(value: Any, _: Path) -> bool:
        if str(value).lower() not in YES_NO:
            raise OptionError(f"{what} is {short(value)}; write yes or no")
        return YES_NO[str(value).lower()]

    return checked


EXAMPLES = {"catalogue": "synthetic:4", "strategy": "bayes", "name": "noise"}
SINGLE = ("name", "quantities", "rules", "questions", "people", "seed", "earlier_population")
READERS: Mapping[str, Callable[[Any, Path], Any]] = {
    "name": _name,
    "catalogue": _catalogue,
    "strategy": _strategy,
    "set_size": _set_size,
    "weights": _known(family_names, "the distribution of weights"),
    "quantities": _yes_or_no("quantities"),
    "rules": _yes_or_no("rules"),
    "response": _known(response_names, "the response"),
    **{what: _rate(what) for what in ("wrong", *TALK_RATES)},
    "how": _word(How, "the way of answering"),
    "questions": _questions,
    "people": _people,
    "seed": _seed,
    "no_order": _share,
    "population": _population,
    "earlier": _earlier,
    "earlier_population": _population,
}
