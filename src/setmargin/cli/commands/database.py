"""`setmargin database`: what the owner of a server's database can do with it while no server is asked."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from setmargin.cli.options import check_web

if TYPE_CHECKING:
    from setmargin.server.store import Damage, Verified

MOST_SHOWN = 50

database = typer.Typer(no_args_is_help=True, help="Look after the database of a server.")


@database.command()
def verify(
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="sqlite:///FILE or postgresql://USER@HOST/NAME.",
            envvar="SETMARGIN_DATABASE",
            show_default="a file in your data directory",
            show_envvar=True,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Find events that are missing, changed, there twice or moved; servers may run meanwhile.

    Ends with 1 where something is wrong. The ids that it prints are the keys to interviews.
    """
    check_web()
    from setmargin.server.settings import data_directory
    from setmargin.server.store import Store

    with Store.existing(database or f"sqlite:///{data_directory() / 'setmargin.db'}") as store:
        found = store.verify()
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    else:
        typer.echo(_in_words(found))
    if found.damages:
        raise typer.Exit(1)


def _in_words(found: Verified) -> str:
    counted = f"{found.interviews:,} interviews, {found.events:,} events, {found.questions:,} questions"
    if not found.damages:
        return f"{counted}: all as they were written"
    shown = [_line(each) for each in found.damages[:MOST_SHOWN]]
    more = len(found.damages) - len(shown)
    return "\n".join(
        [
            f"{counted}: {len(found.damages):,} wrong",
            *shown,
            *([f"  and {more:,} more (--json has all)"] if more else []),
        ]
    )


def _line(damage: Damage) -> str:
    return f"  interview {damage.interview}, place {damage.place}: {damage.kind}: {damage.detail}"
