"""The command `setmargin`: its parts put together, and its errors turned into one line each."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from setmargin.cli.commands.certain import certain
from setmargin.cli.commands.check import catalogues, check, schema
from setmargin.cli.commands.choices import choices
from setmargin.cli.commands.compare import compare
from setmargin.cli.commands.database import database
from setmargin.cli.commands.database_export import export_table
from setmargin.cli.commands.exchange import export, import_file
from setmargin.cli.commands.interview import interview
from setmargin.cli.commands.learn import learn
from setmargin.cli.commands.reproduce import reproduce
from setmargin.cli.commands.serve import serve
from setmargin.cli.commands.simulate import simulate
from setmargin.errors import CatalogueError, OptionError, SetmarginError
from setmargin.threads import ONE_THREAD

# What all mistakes in the use of options have in common; typer does not export it by name.
UsageError: type[Any] = typer.BadParameter.__mro__[1]
PLAIN = {
    r"Invalid value for '?([^':]*)'?: ": r"\1: ",
    r"is not a valid int(eger)?( range)?\b": "is not a whole number",
    r"is not a valid float( range)?\b": "is not a number",
    r"should be a valid integer\b.*": "is not a whole number",
    r"should be a valid number\b.*": "is not a number",
    r"Value error, ": "",
}
"""The words of the libraries, which are others in newer ones, and what people say."""


class Commands(TyperGroup):
    """The commands; a mistake in their use is one of ours, said in one line."""

    def invoke(self, ctx: Any) -> Any:
        given = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        try:
            return super().invoke(ctx)
        except UsageError as error:
            raise OptionError(_plain(error.format_message(), _given_for(error, given))) from None


def _given_for(error: Any, given: Sequence[str]) -> str:
    """What was written after the option that the error is about, which newer libraries do not repeat."""
    for name in getattr(getattr(error, "param", None), "opts", ()):
        for place, each in enumerate(given):
            if each == name and place + 1 < len(given):
                return repr(given[place + 1])
            if each.startswith(f"{name}="):
                return repr(each.partition("=")[2])
    return "it"


def _plain(message: str, value: str) -> str:
    message = message.replace("Input should", f"{value} should")
    for theirs, ours in PLAIN.items():
        message = re.sub(theirs, ours, message)
    return f"{message[0].lower()}{message[1:]}".rstrip(".")


app = typer.Typer(
    name="setmargin",
    cls=Commands,
    help="Ask a few well-chosen questions, learn what a person cares about, and construct what suits them best.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (interview, certain, serve, simulate, compare, choices, learn, reproduce, catalogues, check, schema):
    app.command()(command)
app.command("import")(import_file)
app.command()(export)
database.command("export")(export_table)
app.add_typer(database, name="database")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"setmargin {version('setmargin')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What stands before the commands; the help text is that of the app."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line: a mistake is one line on stderr and exit code 2, never a traceback."""
    for name, number in ONE_THREAD.items():
        os.environ.setdefault(name, number)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            # A character that cannot be read or shown becomes a question mark instead of an error.
            reconfigure(errors="replace")
    try:
        app(args=arguments, prog_name="setmargin")
    except SetmarginError as error:
        # The mistakes of a catalogue come one a line.
        lines = str(error).split("\n") if isinstance(error, CatalogueError) else [str(error)]
        typer.echo("\n  ".join(["setmargin: " + " ".join(lines[0].split()), *lines[1:]]), err=True)
        sys.exit(2)
    sys.exit(0)
