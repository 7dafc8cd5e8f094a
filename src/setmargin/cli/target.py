"""Where a command writes: checked before anything runs, and never overwritten silently."""

from __future__ import annotations

from pathlib import Path

from setmargin.errors import OptionError


def check_target(file: Path, *, force: bool, instead: str = "") -> None:
    """Refuse a place that cannot hold a file, and a file that is there unless `force`; `instead` is another cure."""
    if file.is_dir():
        raise OptionError(f"cannot write {file}: it is a folder; name a file in it")
    if not file.parent.is_dir():
        raise OptionError(f"cannot write {file}: there is no folder {file.parent}; make it, or choose another place")
    if file.exists() and not force:
        raise OptionError(f"{file} exists; {instead}overwrite it with --force, or choose another name")
