"""Records in files: one JSON object a line, and nothing half-written under the name that was asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from setmargin.errors import OptionError
from setmargin.experiments.trial import Record

Write = Callable[[Record], None]


def part_of(path: str | os.PathLike[str]) -> Path:
    """Where records are kept until all of them are there."""
    target = Path(path)
    return target.parent / f"{target.name}.part"


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Write]:
    """Gives a function that writes a record. The file appears when the block ends.

    If the block fails or is interrupted, what was written stays beside it as NAME.part.
    """
    target, part = Path(path), part_of(path)
    file = _open(target, part)
    try:
        yield lambda record: _write(file, record, part)
    except BaseException:
        _close(file, part)
        if not part.stat().st_size:
            part.unlink()
        raise
    _close(file, part)
    try:
        part.replace(target)
    except OSError as error:
        raise OptionError(f"cannot write {target}: {error.strerror}; the records are in {part}") from None


def _open(target: Path, part: Path) -> TextIO:
    if target.is_dir():
        raise OptionError(f"cannot write {target}: it is a folder; name a file in it")
    try:
        return part.open("w", encoding="utf-8")
    except OSError as error:
        raise OptionError(f"cannot write {part}: {error.strerror}; choose another place") from None


def _write(file: TextIO, record: Record, part: Path) -> None:
    """Each record is written through, so that a run can be watched and a crash loses nothing."""
    try:
        file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        file.flush()
    except OSError as error:
        raise OptionError(f"cannot write {part}: {error.strerror}; make room or choose another place") from None


def _close(file: TextIO, part: Path) -> None:
    try:
        file.close()
    except OSError as error:
        raise OptionError(f"cannot write {part}: {error.strerror}; make room or choose another place") from None


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a file, one by one."""
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield _record(line, f"{os.fsdecode(path)}:{number}")
    except OSError as error:
        raise OptionError(f"cannot read {os.fsdecode(path)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{os.fsdecode(path)} is no file of records: it is not UTF-8 text") from None


def _record(line: str, where: str) -> Record:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise OptionError(f"{where}: no JSON: {error}; remove the line if it was cut short") from None
    if not isinstance(found, dict) or (missing := Record.__required_keys__ - found.keys()):
        lacking = f"it lacks {', '.join(sorted(missing))}" if isinstance(found, dict) else "it is no object"
        raise OptionError(f"{where}: no record of a trial: {lacking}")
    return cast(Record, found)
