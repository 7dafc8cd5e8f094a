"""The command line. Heavy modules are imported by the commands that need them, so that `--help` is quick."""

from setmargin.cli.app import main

__all__ = ["main"]
