"""What can be built, seen from the command line: `catalogues`, `check` and `schema`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from setmargin.cli.source import naming

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Catalogue = Annotated[str, typer.Argument(help="A shipped name (pc), synthetic:R, synthetic:AxV, or a file.")]


def catalogues(as_json: AsJson = False) -> None:
    """List the shipped catalogues."""
    from setmargin.cli.report import overview

    shipped = overview()
    if as_json:
        typer.echo(json.dumps(shipped, indent=2, ensure_ascii=False))
        return
    from setmargin.cli.screen import make_console
    from setmargin.cli.show_space import catalogue_list

    make_console().print(catalogue_list(shipped))


def check(catalogue: Catalogue, as_json: AsJson = False) -> None:
    """Say what a catalogue describes, and what looks wrong."""
    from setmargin.cli.report import report
    from setmargin.space.catalogue import load

    with naming(catalogue):
        found = report(load(catalogue))
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from setmargin.cli.screen import make_console
    from setmargin.cli.show_space import space_report

    make_console().print(space_report(found))


def schema() -> None:
    """Print the JSON Schema of catalogue files."""
    from setmargin.space.schema import schema as published

    typer.echo(json.dumps(published(), indent=2, ensure_ascii=False))
