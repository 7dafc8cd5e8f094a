"""Catalogue files: YAML in, space out, and back; every mistake with file, line and cure."""

from __future__ import annotations

import os
import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from setmargin.errors import CatalogueError, SpaceError
from setmargin.files import write_whole
from setmargin.plugins import is_plugin, load_plugin, plugin_names, refuse_plugin
from setmargin.space.attributes import MOST_ATTRIBUTES, Attribute
from setmargin.space.document import PRIOR, ShapeError, from_document
from setmargin.space.list_document import document_of_list
from setmargin.space.list_files import is_list_file
from setmargin.space.space import Space
from setmargin.space.text import short, suggest
from setmargin.space.yaml_reading import YamlFile, line_of, no_collecting, read
from setmargin.space.yaml_writing import write

LARGEST_FILE = 100_000_000
LARGEST_SYNTHETIC = 10_000


def load(source: str | os.PathLike[str]) -> Space:
    """The space of a catalogue.

    Parameters:
        source: the name of a catalogue that comes with this package, such as `pc` or `bicycle`, or with another one;
            `synthetic:4` or `synthetic:10x5` for so many attributes with so many values and no rules; or the path of a
            YAML file, or of a product list, a CSV or XLSX file.

    Raises:
        CatalogueError: if there is no such catalogue or it does not make sense, with file, line and cure.

    >>> from setmargin import load
    >>> load("pc")
    <Space pc (Find your PC): 6 attributes, 1 quantity, 16 rules>
    """
    if not isinstance(source, str | bytes | os.PathLike):
        hint = "it is loaded already" if isinstance(source, Space) else "give a name such as bicycle, or a path"
        raise CatalogueError(f"neither a name nor a path; {hint}", file=short(source))
    text = os.fsdecode(source)
    if _is_synthetic(text):
        return synthetic(text)
    if is_list_file(text):
        return load_list(text)
    if text in shipped():
        folder = resources.files("setmargin.catalogues")
        written = folder.joinpath(f"{text}.yaml").read_text(encoding="utf-8")
        return _space(read(written, file=f"{text}.yaml"), file=f"{text}.yaml", folder=folder)
    if is_plugin("catalogues", text):
        return _from_plugin(text)
    return _space(read(_read_file(text), file=text), file=text, in_file=True, folder=Path(text).parent)


def load_list(path: str) -> Space:
    """The space of a product list: a CSV or XLSX file, whose columns are guessed."""
    document, _, table = document_of_list(path)
    items = {**document["items"], "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
    items.pop("file")
    try:
        return from_document({**document, "items": items}, source=table)
    except SpaceError as error:
        raise CatalogueError(str(error), file=path) from None


class NamedPrior(NamedTuple):
    """The file of a prior that a catalogue file names, and the line on which it does so."""

    file: Path
    line: int


def prior_named_in(source: str | os.PathLike[str]) -> NamedPrior | None:
    """The prior that a catalogue names, for those who ask people: no part of its space.

    Parameters:
        source: as for `load`; only files name one, with the key `prior`.

    Raises:
        CatalogueError: if the catalogue cannot be read.
    """
    text = os.fsdecode(source)
    if _is_named(text):
        return None
    content = _read_file(text)
    if PRIOR not in content:
        return None  # and so most catalogues are read once only
    node = read(content, file=text)
    named = node.content.get(PRIOR) if isinstance(node.content, dict) else None
    return None if named is None else NamedPrior(Path(text).parent / str(named), line_of(node, (PRIOR,)))


def line_in(source: str | os.PathLike[str], place: tuple[str | int, ...]) -> int | None:
    """On which line of a catalogue file something stands; None where it comes from no file."""
    text = os.fsdecode(source)
    return None if _is_named(text) else line_of(read(_read_file(text), file=text), place)


def loads(text: str, *, file: str = "<text>") -> Space:
    """The space that the text of a catalogue describes.

    Parameters:
        text: YAML, as in a catalogue file.
        file: what errors call it.

    Raises:
        CatalogueError: up to five mistakes in the shape of the file, one a line; its own line is that of the first.

    >>> from setmargin import loads
    >>> loads('''
    ... catalogue: lamps
    ... attributes:
    ...   colour: [red, green]
    ...   watts: {values: [5, 10], unit: W}
    ... rules:
    ...   - colour = red => watts = 5
    ... ''')
    <Space lamps: 2 attributes, 0 quantities, 1 rule>
    """
    if not isinstance(text, str):
        raise CatalogueError(f"{short(text)} is no text; give the text of a catalogue, or use load", file=file)
    return _space(read(text, file=file), file=file)


def _space(node: YamlFile, *, file: str, in_file: bool = False, folder: Traversable | None = None) -> Space:
    try:
        with no_collecting():
            return from_document(node.content, in_file=in_file, folder=folder)
    except ShapeError as error:
        more = (f"line {line_of(node, other.at)}: {other}" for other in error.others)
        raise CatalogueError("\n".join([str(error), *more]), file=file, line=line_of(node, error.at)) from None
    except SpaceError as error:
        raise CatalogueError(str(error), file=file, line=line_of(node, error.at)) from None


def dumps(space: Space) -> str:
    """The space as the text of a catalogue file; `loads` gives an equal space back.

    >>> from setmargin import Space, dumps
    >>> print(dumps(Space({"colour": ["red", "green"]}, name="lamps")), end="")
    catalogue: lamps
    attributes:
      colour: [red, green]
    """
    if not isinstance(space, Space):
        raise SpaceError(f"{short(space)} is no space; give one, such as load('bicycle')")
    return write(space.document())


def save(space: Space, path: str | os.PathLike[str]) -> None:
    """Write the space as a catalogue file, whole or not at all; `load` reads it.

    Raises:
        CatalogueError: if the file cannot be written.

    >>> from setmargin import Space, save
    >>> save(Space({"colour": ["red", "green"]}, name="lamps"), "/nowhere/lamps.yaml")
    Traceback (most recent call last):
        ...
    setmargin.errors.CatalogueError: /nowhere/lamps.yaml: cannot be written: No such file or directory
    """
    text = dumps(space)
    if len(text.encode()) > LARGEST_FILE:
        raise CatalogueError(f"it would be larger than {LARGEST_FILE:,} bytes; shorten its tables", file=short(path))
    if not isinstance(path, str | os.PathLike):
        raise CatalogueError("give the path of a file, such as lamps.yaml", file=short(path))
    target = Path(path)
    try:
        write_whole(target, text)
    except OSError as error:
        raise CatalogueError(f"cannot be written: {error.strerror}", file=str(target)) from None


def shipped() -> tuple[str, ...]:
    """The names of the catalogues that come with the package."""
    files = resources.files("setmargin.catalogues").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))


def synthetic(name: str) -> Space:
    """`synthetic:R` has R attributes of R values and no rules, `synthetic:AxV` A attributes of V values."""
    found = re.fullmatch(r"synthetic:(\d{1,6})(?:x(\d{1,6}))?", name)
    if not found:
        raise CatalogueError("write synthetic:R or synthetic:AxV with whole numbers, such as synthetic:4", file=name)
    attributes, values = int(found[1]), int(found[2] or found[1])
    if not (attributes and values and attributes <= MOST_ATTRIBUTES and attributes * values <= LARGEST_SYNTHETIC):
        most = f"at most {MOST_ATTRIBUTES:,} attributes and {LARGEST_SYNTHETIC:,} values in all"
        limit = f"at least one attribute and value, and {most}"
        raise CatalogueError(f"choose {limit}", file=name)
    domain = range(1, values + 1)
    return Space(
        [Attribute(f"x{number + 1}", domain) for number in range(attributes)],
        name=name,
        title=f"{attributes} attributes of {values} values",
    )


def catalogue_names() -> tuple[str, ...]:
    """The names that `load` takes: of the catalogues that come with this package, and with others."""
    return tuple(dict.fromkeys((*shipped(), *plugin_names("catalogues"))))


def _from_plugin(name: str) -> Space:
    """A catalogue of another package: NAME.yaml in the package that its entry point names, or what a function gives."""
    found = load_plugin("catalogues", name)
    if isinstance(found, ModuleType):
        folder = resources.files(found) if hasattr(found, "__path__") else None
        file = folder.joinpath(f"{name}.yaml") if folder else None
        if file is None or not file.is_file():
            raise refuse_plugin("catalogues", name, f"is no package that holds {name}.yaml; put it there")
        return _space(read(file.read_text(encoding="utf-8"), file=f"{name}.yaml"), file=f"{name}.yaml", folder=folder)
    made = found()
    if not isinstance(made, Space):
        raise refuse_plugin("catalogues", name, f"gives {short(made)}; let it return a Space, or name a package")
    return made


def _is_named(source: str) -> bool:
    """Whether it comes from no catalogue file of its own."""
    return _is_synthetic(source) or is_list_file(source) or source in shipped() or is_plugin("catalogues", source)


def _is_synthetic(source: str) -> bool:
    return source == "synthetic" or source.startswith("synthetic:")


def _read_file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, ValueError):
        hint = suggest(path, catalogue_names(), what="the shipped catalogues are")
        raise CatalogueError(f"there is no such file or shipped catalogue; {hint}", file=path) from None
    except OSError as error:
        raise CatalogueError(f"cannot be read: {error.strerror}", file=path) from None
    if len(content) > LARGEST_FILE:
        raise CatalogueError(f"larger than {LARGEST_FILE:,} bytes; shorten its tables", file=path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogueError("not UTF-8 text; save it as UTF-8", file=path, line=line) from None
