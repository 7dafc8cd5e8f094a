"""Tables and feature models as catalogue files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from setmargin.errors import CatalogueError, SpaceError
from setmargin.exchange.catalogue_text import catalogue_text
from setmargin.exchange.uvl_importing import import_model
from setmargin.exchange.uvl_reading import read_model
from setmargin.space.document import from_document
from setmargin.space.list_document import document_of_list
from setmargin.space.list_files import SUFFIXES, is_list_file
from setmargin.space.space import Space

UVL = ".uvl"


@dataclass(frozen=True)
class ImportedCatalogue:
    """The text of a catalogue file, the space that it describes, and what was guessed, by name."""

    text: str
    space: Space
    comments: dict[str, str]


def import_catalogue(file: str | os.PathLike[str], *, folder: str | os.PathLike[str] = "") -> ImportedCatalogue:
    """A catalogue of a CSV or XLSX table, or of a UVL feature model.

    Parameters:
        file: what to import.
        folder: where the catalogue will stand; it names a table that is there or below, and holds any other.

    Raises:
        CatalogueError: where the file cannot be read or has what a catalogue has not, with file, line and cure.

    >>> from pathlib import Path
    >>> from setmargin.exchange.importing import import_catalogue
    >>> import_catalogue("nowhere.uvl")
    Traceback (most recent call last):
        ...
    setmargin.errors.CatalogueError: nowhere.uvl: cannot be read: No such file or directory; give a UVL file
    """
    path = Path(file)
    if is_list_file(path):
        return _import_list(path, Path(folder))
    if path.suffix.lower() == UVL:
        return _import_model(path)
    raise CatalogueError(f"neither a table ({', '.join(SUFFIXES)}) nor a feature model ({UVL})", file=str(path))


def _import_list(path: Path, folder: Path) -> ImportedCatalogue:
    document, guess, table = document_of_list(path)
    items = {key: name for key, name in document["items"].items() if key != "file"}
    whole = {**document, "items": {**items, "columns": list(table.columns), "rows": [list(r) for r in table.rows]}}
    try:
        space = from_document(whole, source=table)
    except SpaceError as error:
        raise CatalogueError(str(error), file=str(path)) from None
    near = path.resolve().is_relative_to(folder.resolve())
    if near:
        named = path.resolve().relative_to(folder.resolve()).as_posix()
        document = {**document, "items": {"file": named, **items}}
    else:
        document = whole
    kinds = ("attribute", "quantity")
    left = {name: reason for name, reason in guess.reasons.items() if reason.startswith("left out")}
    comments = {
        name: reason.split(": ", 1)[-1] if reason.startswith(kinds) else reason
        for name, reason in guess.reasons.items()
    }
    head = [
        f"Made by setmargin import of {path.name}: {len(table.rows):,} items.",
        "Beside each line stands why it is so; change what was guessed wrong, and run setmargin check.",
    ]
    text = catalogue_text(document, comments, head=head, remarks=[f"{name}: {each}" for name, each in left.items()])
    return ImportedCatalogue(text, space, guess.reasons)


def _import_model(path: Path) -> ImportedCatalogue:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CatalogueError(f"cannot be read: {error.strerror}; give a UVL file", file=str(path)) from None
    except UnicodeDecodeError:
        raise CatalogueError("not UTF-8 text; save it as UTF-8", file=str(path)) from None
    imported = import_model(read_model(text, file=str(path)), file=str(path))
    try:
        space = from_document(imported.document)
    except SpaceError as error:
        raise CatalogueError(f"{error}; rename or remove it", file=str(path)) from None
    head = [
        f"Made by setmargin import of {path.name}, a feature model.",
        "Features that must be there are no attributes. Say what is better, and what people call it; then run",
        "setmargin check.",
    ]
    written = catalogue_text(imported.document, imported.comments, head=head, remarks=imported.remarks)
    return ImportedCatalogue(written, space, imported.comments)
