"""`setmargin database`: what the owner of a server's database can do with it while no server is asked."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setmargin.cli.options import Database, check_web
from setmargin.errors import OptionError

if TYPE_CHECKING:
    from setmargin.server.store import Damage, Store, Verified

MOST_SHOWN = 50

database = typer.Typer(no_args_is_help=True, help="Look after the database of a server.")


@database.command()
def verify(
    database: Database = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Find events that are missing, changed, there twice or moved; servers may run meanwhile.

    Ends with 1 where something is wrong. The ids that it prints are the keys to interviews.
    """
    with existing(database) as store:
        found = store.verify()
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    else:
        typer.echo(_in_words(found))
    if found.damages:
        raise typer.Exit(1)


@database.command()
def forget(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Interviews, by their ids.")] = None,
    days: Annotated[
        float | None,
        typer.Option(metavar="DAYS", help="All interviews that nobody has looked at for so long.", show_default=False),
    ] = None,
    database: Database = None,
) -> None:
    """Delete interviews with all that was shown and said; servers may run meanwhile."""
    if not ids and days is None:
        raise OptionError("nothing is named to forget; give the ids of interviews, or --days")
    if days is not None and not days > 0:
        raise OptionError(f"--days is {days:g}; give more than 0")
    with existing(database) as store:
        for id in ids or ():
            store.forget(id)
        forgotten = len(ids or ()) + (0 if days is None else store.forget_unseen(timedelta(days=days)))
    typer.echo(f"{forgotten} interview{' is' if forgotten == 1 else 's are'} forgotten")


Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Catalogues, by their names.")]


@database.command()
def catalogues(
    database: Database = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the catalogues of a database: from files or put by the owner, and which are withdrawn."""
    from setmargin.server.store import offering

    with existing(database) as store:
        found = offering.offers(store)
    if as_json:
        rows = [
            {
                "name": each.name,
                "digest": each.digest,
                "uploaded": each.is_put,
                "withdrawn": each.withdrawn and each.withdrawn.isoformat(timespec="seconds"),
            }
            for each in found
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    for each in found:
        origin = "put by the owner" if each.is_put else "from a file"
        since = "" if each.withdrawn is None else f", withdrawn since {each.withdrawn:%Y-%m-%d %H:%M} UTC"
        typer.echo(f"{each.name}  {each.digest[:12]}  {origin}{since}")


@database.command()
def withdraw(names: Names, database: Database = None) -> None:
    """Let no more interviews begin on catalogues; those that were begun go on, and servers may run meanwhile.

    It holds after restarts too, until `offer` brings them back.
    """
    from setmargin.server.store import offering

    with existing(database) as store:
        for name in names:
            offering.withdraw(store, name)
            typer.echo(f"{name} is withdrawn; interviews that were begun go on")


@database.command()
def offer(names: Names, database: Database = None) -> None:
    """Bring catalogues back that were withdrawn; servers may run meanwhile.

    One that was not withdrawn is offered by every server on the database from then on, whatever files it is given.
    """
    from setmargin.server.store import offering

    with existing(database) as store:
        for name in names:
            is_for_all = offering.bring_back(store, name).given is None
            typer.echo(f"{name} is offered again{' by every server on this database' if is_for_all else ''}")


@database.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not be there yet.")],
    database: Database = None,
) -> None:
    """Copy a database into one file, as it is at one moment; servers may run meanwhile.

    The file is a SQLite database, whichever kind it is made of; it appears once all of it is there and verified.
    """
    check_web()
    from setmargin.server.store.backup import back_up

    found = back_up(_url(database), file)
    typer.echo(f"{_in_words(found)}; the backup is {file} ({file.stat().st_size / 1e6:,.1f} MB)")


@database.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` wrote, with this version or before.")],
    database: Database = None,
    damaged: Annotated[bool, typer.Option("--damaged", help="Also where some of it is not as written.")] = False,
) -> None:
    """Make a database of a backup: a new file, or an empty PostgreSQL database; nothing is overwritten.

    The chains of events are verified first. Then start the servers on it.
    """
    check_web()
    from setmargin.server.store.backup import restore as restored

    typer.echo(f"{_in_words(restored(file, _url(database), damaged=damaged))}; restored from {file}")


def existing(database: str | None) -> Store:
    """The store of a database that is there."""
    check_web()
    from setmargin.server.store import Store

    return Store.existing(_url(database))


def _url(database: str | None) -> str:
    from setmargin.server.settings import data_directory

    return database or f"sqlite:///{data_directory() / 'setmargin.db'}"


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
