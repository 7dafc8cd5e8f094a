"""`setmargin database export`: interviews, answers and results as CSV or Parquet, streamed."""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from time import monotonic, sleep
from typing import IO, Annotated, Any, Final

import typer

from setmargin.cli.commands.database import existing
from setmargin.cli.options import Database
from setmargin.errors import OptionError
from setmargin.files import drafted
from setmargin.late_imports import import_extra

GENTLE: Final = 19
"""How much lower than usual the priority is: everybody else goes first."""

LONGEST_PAUSE: Final = 0.5
ROWS_TOGETHER: Final = 5_000

Batches = Iterable[list[tuple[Any, ...]]]


class Exportable(StrEnum):
    INTERVIEWS = "interviews"
    ANSWERS = "answers"
    RESULTS = "results"


class ExportForm(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


def export_table(
    table: Annotated[Exportable, typer.Argument(help="What to export.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - is the standard output.")],
    form: Annotated[
        ExportForm | None,
        typer.Option("--format", metavar="FORM", help="csv or parquet.", show_default="as the file is called"),
    ] = None,
    catalogue: Annotated[
        str | None, typer.Option(metavar="NAME", help="Interviews on this catalogue alone.", show_default="all")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(metavar="DAY", help="Interviews begun since then, such as 2026-01-31.")
    ] = None,
    gently: Annotated[
        bool, typer.Option("--gently", help="Half of the time, with the lowest priority, as the server does it.")
    ] = False,
    database: Database = None,
) -> None:
    """Write interviews, answers or results as a table; servers may run meanwhile.

    It is streamed: memory does not grow with the number of rows. `interview` is a digest of an id, the same in all
    tables, and no key to anything. Parquet needs polars: setmargin[experiments].
    """
    form = form or _form_of(file)
    if gently and sys.platform != "win32":
        with suppress(OSError):
            os.nice(GENTLE)
    with existing(database) as store:
        from setmargin.server.store.export import TABLES, exported

        columns = TABLES[table.value].columns
        moment = None if since is None else since.replace(tzinfo=since.tzinfo or UTC)
        rows = Counted(exported(store, table.value, catalogue=catalogue, since=moment), gently=gently)
        write = WRITERS[form]
        try:
            if str(file) == "-":
                write(columns, rows, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with drafted(file) as draft, draft.open("wb") as target:
                    write(columns, rows, target)
        except BrokenPipeError:
            os._exit(1)  # nobody reads any more, and nobody would read an error
        except OSError as error:
            raise OptionError(f"cannot write {file}: {error.strerror}; choose another place") from None
    if str(file) != "-":
        typer.echo(f"{rows.count:,} {'row' if rows.count == 1 else 'rows'} in {file}")


class Counted:
    """Batches of rows, counted as they pass; gently: with a pause after each as long as it took."""

    def __init__(self, batches: Batches, *, gently: bool = False) -> None:
        self._batches, self._gently, self.count = batches, gently, 0

    def __iter__(self) -> Iterator[list[tuple[Any, ...]]]:
        began = monotonic()
        for batch in self._batches:
            self.count += len(batch)
            yield batch
            if self._gently:
                sleep(min(LONGEST_PAUSE, monotonic() - began))
            began = monotonic()


def _form_of(file: Path) -> ExportForm:
    ending = file.suffix.lower().removeprefix(".")
    if ending not in set(ExportForm):
        raise OptionError(f"{file} does not say its form; call it .csv or .parquet, or give --format csv")
    return ExportForm(ending)


def write_csv(columns: Mapping[str, type], batches: Batches, target: IO[bytes]) -> None:
    """As RFC 4180 has it: UTF-8, times in ISO 8601, true and false, and nothing where nothing is known."""
    text = TextIOWrapper(target, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(columns)
    for batch in batches:
        writer.writerows([_plain(cell) for cell in row] for row in batch)
    text.flush()
    text.detach()


def _plain(cell: object) -> object:
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="milliseconds")
    return ("false", "true")[cell] if isinstance(cell, bool) else cell


def write_parquet(columns: Mapping[str, type], batches: Batches, target: IO[bytes]) -> None:
    """With polars, which writes row groups as they come; a file first, for that is what it can stream to."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    polars = import_extra("polars")
    register = import_extra("polars.io.plugins").register_io_source
    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
    kinds[datetime] = polars.Datetime("us", "UTC")
    schema = {name: kinds[kind] for name, kind in columns.items()}

    def frames(*_: object) -> Iterator[Any]:
        for rows in _together(batches):
            yield polars.DataFrame(rows, schema=schema, orient="row")

    with ExitStack() as stack:
        draft = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="setmargin-export-"))) / "rows.parquet"
        register(frames, schema=schema).sink_parquet(draft, row_group_size=ROWS_TOGETHER)
        copyfileobj(stack.enter_context(draft.open("rb")), target)


def _together(batches: Batches) -> Iterator[list[tuple[Any, ...]]]:
    """As many rows at a time as a row group has."""
    rows: list[tuple[Any, ...]] = []
    for batch in batches:
        rows += batch
        if len(rows) >= ROWS_TOGETHER:
            yield rows
            rows = []
    yield rows


WRITERS: Final[Mapping[ExportForm, Callable[[Mapping[str, type], Batches, IO[bytes]], None]]] = {
    ExportForm.CSV: write_csv,
    ExportForm.PARQUET: write_parquet,
}
