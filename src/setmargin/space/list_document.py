"""A catalogue with a product list, made whole: the file of items read, columns guessed, values found in the list."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from setmargin.errors import CatalogueError, SpaceError
from setmargin.space.guessing import Guess, guess, values_in
from setmargin.space.list_files import ListFile, is_list_file, read_list
from setmargin.space.text import Value, short

NUMBERED: Final = "item"
"""The column that is added where none names each item."""


@dataclass(frozen=True)
class WholeList:
    """A document whose list stands in it, and where its rows come from, so that errors can say so."""

    document: dict[str, Any]
    source: ListFile | None

    def located(self, error: SpaceError) -> SpaceError | CatalogueError:
        """The same error with the file and line of the item that it is about."""
        if self.source is None or error.at[:2] not in (("items", "rows"), ("items", "columns")):
            return error
        place = error.at[2] if len(error.at) > 2 and error.at[1] == "rows" else None
        line = self.source.lines[place] if isinstance(place, int) and place < len(self.source.lines) else 1
        return CatalogueError(str(error), file=self.source.file, line=line)


def whole_list(
    document: Mapping[str, Any], folder: Traversable | None, *, in_file: bool, source: ListFile | None = None
) -> WholeList:
    """The document with its list, and with values for every attribute.

    Raises:
        SpaceError, CatalogueError: for a list that cannot be read, or columns that are not there.
    """
    body = document["items"]
    if not isinstance(body, Mapping):
        raise SpaceError(f"items is {short(body)}; write file: and the name of a CSV or XLSX file", at=("items",))
    source = _read_named_file(body, folder, in_file=in_file) if "file" in body else source
    if source is None and not (isinstance(body.get("columns"), list) and isinstance(body.get("rows"), list)):
        raise SpaceError(
            "items has no list; write file: and the name of a CSV or XLSX file, or columns: and rows:", at=("items",)
        )
    columns = list(source.columns if source else body["columns"])
    rows = [list(row) for row in source.rows] if source else body["rows"]
    items = {key: column for key, column in body.items() if key != "file"} | {"columns": columns, "rows": rows}
    document = dict(document)
    if not {"attributes", "quantities"} & document.keys():
        _guess(document, items, source)
    if "id" not in items:
        _number(items)
    whole = WholeList({**document, "items": items}, source)
    try:
        _fill(whole.document, items, source.units if source else {})
    except SpaceError as error:
        raise whole.located(error) from None
    return whole


def _read_named_file(body: Mapping[str, Any], folder: Traversable | None, *, in_file: bool) -> ListFile:
    written, at = body["file"], ("items", "file")
    if not in_file or folder is None:
        raise SpaceError(
            "only a catalogue that is loaded from its own file may name a file of items; write columns: and rows: "
            "instead",
            at=at,
        )
    if not isinstance(written, str) or not is_list_file(written):
        raise SpaceError(f"the file {short(written)} is no list of items; name a CSV or XLSX file", at=at)
    parts = written.replace("\\", "/").split("/")
    if written.startswith(("/", "\\")) or ".." in parts:
        raise SpaceError(
            f"the file {short(written)} is not beside the catalogue; put it into the same folder or one below it", at=at
        )
    return read_list(Path(str(folder)).joinpath(*parts))


def _guess(document: dict[str, Any], items: dict[str, Any], source: ListFile | None) -> None:
    """What nobody has said about the columns."""
    columns = items["columns"]
    cells = {name: _cells(items, name) for name in columns}
    found = guess(columns, cells, source.units if source else {})
    taken = {items.get(key) for key in found.items}
    items.update({key: name for key, name in found.items.items() if key not in items and name not in taken})
    named = {items.get(key) for key in ("id", "title", "link", "image")}
    for kind, bodies in (("attributes", found.attributes), ("quantities", found.quantities)):
        document[kind] = {name: body for name, body in bodies.items() if name not in named}


def _number(items: dict[str, Any]) -> None:
    """Items without ids are numbered as they stand in the list."""
    if NUMBERED in items["columns"]:
        raise SpaceError(f"items has no id; write id: and the name of a column, such as {NUMBERED}", at=("items",))
    items["id"] = NUMBERED
    items["columns"] = [NUMBERED, *items["columns"]]
    items["rows"] = [
        [str(number), *row] if isinstance(row, Sequence) and not isinstance(row, str) else row
        for number, row in enumerate(items["rows"], 1)
    ]


def _fill(document: dict[str, Any], items: Mapping[str, Any], units: Mapping[str, str]) -> None:
    """Values for attributes that name none, and units that stand in the cells."""
    for kind in ("attributes", "quantities"):
        bodies = document.get(kind, {})
        if not isinstance(bodies, Mapping):
            return  # which the schema refuses
        filled = {name: _filled(name, body, kind, items, units) for name, body in bodies.items()}
        if filled:
            document[kind] = filled


def _filled(name: str, body: Any, kind: str, items: Mapping[str, Any], units: Mapping[str, str]) -> Any:
    if isinstance(body, list) or not isinstance(body, Mapping | None):
        return body
    body = dict(body or {})
    if units.get(name) and not {"unit", "currency"} & body.keys():
        body["unit"] = units[name]
    if kind == "quantities" or "values" in body:
        return body
    cells = _cells(items, name)
    bins = body.get("bins", ())
    values = values_in(cells, bins if isinstance(bins, list) else ())
    if bins and "ordered" not in body and len(values) == len(bins) + 1:
        body["ordered"] = True
    return {"values": values, **body}


def _cells(items: Mapping[str, Any], name: str) -> list[Value]:
    if name not in items["columns"]:
        raise SpaceError(
            f"{name} has no values, and the list no column of that name; the columns are "
            f"{', '.join(map(str, items['columns'][:12]))}",
            at=("attributes", name),
        )
    place = items["columns"].index(name)
    short_rows = [number for number, row in enumerate(items["rows"]) if not isinstance(row, list) or len(row) <= place]
    if short_rows:
        raise SpaceError(
            f"an item has too few cells; write one for each of the {len(items['columns'])} columns, empty ones too",
            at=("items", "rows", short_rows[0]),
        )
    return [row[place] for row in items["rows"]]


def document_of_list(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Guess, ListFile]:
    """The catalogue that a table alone stands for: its document, which names the file, why, and the table.

    Raises:
        CatalogueError: where it cannot be read, or nothing in it can be compared.
    """
    table = read_list(path)
    try:
        found = guess(table.columns, {name: table.column(name) for name in table.columns}, table.units)
    except SpaceError as error:
        raise CatalogueError(str(error), file=table.file) from None
    file = Path(path)
    named = {key: found.items[key] for key in ("id", "title", "link", "image") if key in found.items}
    document: dict[str, Any] = {
        "catalogue": catalogue_name(file.stem),
        "title": " ".join(re.split(r"[\s_-]+", file.stem.strip())).capitalize() or "Items",
        "items": {"file": file.name, **named},
        "attributes": found.attributes,
    }
    if found.quantities:
        document["quantities"] = found.quantities
    return document, found, table


def catalogue_name(text: str) -> str:
    """The text as the name of a catalogue."""
    plain = re.sub(r"[^A-Za-z0-9_.:-]+", "-", text).strip("-_.:")[:64]
    return plain or "items"
