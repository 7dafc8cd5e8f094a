"""`setmargin import` and `setmargin export`: catalogues from elsewhere, and to elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from setmargin.cli.options import Catalogue, check_output
from setmargin.errors import CatalogueError, OptionError, SpaceError

OUTPUT = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - prints it.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]


def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table (.csv, .tsv, .xlsx) or feature model (.uvl).")],
    output: OUTPUT = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON document.")] = False,
) -> None:
    """Make a catalogue file of a table or a feature model, with comments on what was guessed.

    It stands beside the file, with the suffix .yaml, unless --output says otherwise. A catalogue of a table names it:
    keep both in one folder.
    """
    target = output or file.with_suffix(".yaml")
    prints = str(target) == "-"
    if not prints:
        check_output(target, force=force)
    text, found = _imported(file, Path() if prints else target.parent)
    if not prints:
        from setmargin.files import write_whole

        try:
            write_whole(target, text)
        except OSError as error:
            raise CatalogueError(f"cannot be written: {error.strerror}", file=str(target)) from None
    if as_json:
        typer.echo(json.dumps({"file": None if prints else str(target), **found}, indent=2, ensure_ascii=False))
    elif prints:
        typer.echo(text, nl=False)
    else:
        numbers = f"{found['attributes']} attributes, {found['quantities']} quantities, {found['rules']} rules"
        typer.echo(f"{target}: {numbers}; see what was guessed in it, then: setmargin check {target}")


def _imported(file: Path, folder: Path) -> tuple[str, dict[str, Any]]:
    """The text of the catalogue, which is known to load, and what there is in it."""
    from setmargin.exchange.importing import import_catalogue

    imported = import_catalogue(file, folder=folder)
    space = imported.space
    found = {
        "catalogue": space.name,
        "attributes": len(space.attributes),
        "quantities": len(space.quantities),
        "rules": len(space.rules),
        "items": None if space.items is None else len(space.items),
        "comments": imported.comments,
    }
    return imported.text, found


def export(
    catalogue: Catalogue,
    output: OUTPUT = None,
    most: Annotated[int, typer.Option(metavar="N", min=1, help="CSV: so many configurations at most.")] = 100_000,
    force: Force = False,
) -> None:
    """Write a catalogue as a feature model (.uvl) or as a table of all there is (.csv)."""
    from setmargin.exchange.tables import export_table
    from setmargin.exchange.uvl_exporting import export_model
    from setmargin.files import write_whole
    from setmargin.space.catalogue import load

    if output is None:
        raise OptionError("say where to with --output, such as lamps.uvl or lamps.csv")
    suffix = output.suffix.lower()
    if suffix not in (".uvl", ".csv"):
        raise OptionError(f"{output} is neither .uvl nor .csv; name one of these")
    check_output(output, force=force)
    space = load(catalogue)
    try:
        text = export_model(space) if suffix == ".uvl" else export_table(space, most=most)
        write_whole(output, text)
    except OSError as error:
        raise CatalogueError(f"cannot be written: {error.strerror}", file=str(output)) from None
    except SpaceError as error:
        raise OptionError(str(error)) from None
    typer.echo(f"{output}: {text.count(chr(10)):,} lines")
