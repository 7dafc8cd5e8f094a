"""Records on disk: Parquet, one row per person and question, one small file per trial.

    DIR/experiment.json            what was run, experiment by experiment, and all their settings
    DIR/trials/KEY/PERSON.parquet  a finished trial; the key is that of its setting

A file appears when its trial is finished, whole or not at all, so whatever stops a run costs the running trials and no
others. Finished trials stay valid when people, settings or other experiments are added, and are read with them.

`simulate` writes its records as one file instead: see `record_file`.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setmargin.errors import ExperimentError, OptionError
from setmargin.experiments.grid import Experiment, Trial
from setmargin.experiments.setting import OTHERS, Setting
from setmargin.experiments.trial import FINISHED, KeptRecord, Record
from setmargin.files import write_whole
from setmargin.late_imports import import_extra

if TYPE_CHECKING:
    import polars as pl


COLUMNS = {
    "setting": "String",  # the key
    "version": "String",  # of setmargin
    "code": "String",  # a digest of the strategy's code and of all that it rests on
    "catalogue": "String",
    "strategy": "String",
    "options": "String",  # those that are not as usual
    "set_size": "Int64",
    "weights": "String",
    "quantities": "Boolean",
    "response": "String",
    "wrong": "Float64",
    "reasons": "Float64",
    "changes": "Float64",
    "careless": "Float64",
    "how": "String",
    "seed": "Int64",
    "questions": "Int64",  # the budget
    "person": "Int64",
    "question": "Int64",
    "screen": "String",
    "effort": "Float64",
    "pairs": "Int64",
    "loss": "Float64",
    "relative_loss": "Float64",
    "ask_seconds": "Float64",
    "learn_seconds": "Float64",
    "tune_seconds": "Float64",
    "recommend_seconds": "Float64",
    "status": "String",
    "gap": "Float64",
    "no_order": "Float64",
    "population": "String",
    "earlier": "Int64",
    "earlier_population": "String",
}
ADDED: dict[str, float | str | None] = {
    **{"version": None, "code": None},
    **{"reasons": 0.0, "changes": 0.0, "careless": 0.0, "screen": None, "effort": None},
    **OTHERS,
}
"""Columns that records of older versions lack, with what is true of those; what is not known is null."""
NEVER_NULL = tuple(name for name in COLUMNS if name not in ("version", "code", "screen", "effort", "gap"))
SECONDS = ("ask_seconds", "learn_seconds", "tune_seconds", "recommend_seconds")
DESCRIPTION = "experiment.json"


@dataclass(frozen=True)
class FoundTrials:
    """What is there of one setting already; damaged files were removed."""

    people: int
    seconds: float
    damaged: tuple[Path, ...] = ()


# Writing


def prepare_folder(folder: Path, experiment: Experiment) -> int:
    """Make the folder, and say in it what is run, beside what was run there before; gives the experiment's number."""
    with _telling(folder):
        (folder / "trials").mkdir(parents=True, exist_ok=True)
        known = _description_if_whole(folder)
        own = experiment.document()
        number = _number(known, own)
        merged = _merged(known, own, number)
        write_whole(folder / DESCRIPTION, json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    return number


def experiment_number(folder: Path, experiment: Experiment) -> int:
    """Which experiment of its folder this one is, counted from 1."""
    return _number(_description_if_whole(folder), experiment.document())


def _number(known: Mapping[str, Any], own: Mapping[str, Any]) -> int:
    """Which experiment of its folder it is, counted from 1: one with the same settings goes on, others are added."""
    keys = [setting["key"] for setting in own["settings"]]
    for number, each in enumerate(known["experiments"], 1):
        if (each["experiment"], each["settings"]) == (own["experiment"], keys):
            return number
    return len(known["experiments"]) + 1


def _merged(known: Mapping[str, Any], own: Mapping[str, Any], number: int) -> dict[str, Any]:
    keys = [setting["key"] for setting in own["settings"]]
    entry = {"experiment": own["experiment"], "people": own["people"], "settings": keys}
    experiments = [*known["experiments"]]
    experiments[number - 1 : number] = [entry]
    others = [setting for setting in known["settings"] if setting["key"] not in keys]
    return {"experiments": experiments, "settings": [*others, *own["settings"]]}


def write_trial(folder: Path, trial: Trial, records: Sequence[Record]) -> None:
    """Put a finished trial in its place."""
    target = file_of(folder, trial)
    draft = target.parent / f".{target.name}.{os.getpid()}.part"
    with _telling(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _frame(trial.setting, records).write_parquet(draft)
            draft.replace(target)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def file_of(folder: Path, trial: Trial) -> Path:
    return folder / "trials" / trial.setting.key / f"{trial.person:06}.parquet"


def _frame(setting: Setting, records: Sequence[Record]) -> pl.DataFrame:
    polars = import_extra("polars")
    same = {
        "setting": setting.key,
        "version": version("setmargin"),
        "code": setting.code,
        "options": setting.unusual_options,
        "quantities": setting.quantities,
        "questions": setting.questions,
        **{word: getattr(setting, word) for word in OTHERS},
    }
    rows = [{**same, **record} for record in records]
    frame: pl.DataFrame = polars.DataFrame(rows, schema=_schema(), orient="row")
    return frame


def _schema() -> dict[str, Any]:
    polars = import_extra("polars")
    return {name: getattr(polars, kind) for name, kind in COLUMNS.items()}


@contextmanager
def _telling(folder: Path) -> Iterator[None]:
    """Turns what the system says about a folder into an error with a cure."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExperimentError(f"cannot write in {folder}: {reason}; choose another folder") from None


# What is finished


def finished(folder: Path, setting: Setting, *, people: int) -> FoundTrials:
    """How many of the first people are there, after looking into each file; a damaged one is removed."""
    files = _files(folder, setting.key, people)
    damaged = _damaged(files, setting)
    for file in damaged:
        file.unlink(missing_ok=True)
    good = [file for file in files if file not in damaged]
    return FoundTrials(len(good), _seconds(good), damaged)


def _files(folder: Path, key: str, people: int | None = None) -> list[Path]:
    """Those of the first people, or of all, in their order."""
    found = sorted((folder / "trials" / key).glob("*.parquet"))
    return [file for file in found if file.stem.isdecimal() and 1 <= int(file.stem) <= (people or int(file.stem))]


def _damaged(files: Sequence[Path], setting: Setting) -> tuple[Path, ...]:
    """All files at once, which is fast; one by one where that fails."""
    if not files or _whole(files, setting):
        return ()
    return tuple(file for file in files if not _whole([file], setting))


def _whole(files: Sequence[Path], setting: Setting) -> bool:
    """Whether each file has the columns, its own person, and every question up to the last."""
    polars = import_extra("polars")
    try:
        frame = _scanned(files).collect()
    except (polars.exceptions.PolarsError, OSError, ValueError):
        return False
    if set(frame["setting"]) != {setting.key} or any(frame[name].has_nulls() for name in NEVER_NULL):
        return False
    ends = frame.group_by("person", maintain_order=True).agg(
        polars.len(),
        polars.col("question").max(),
        polars.col("question").n_unique().alias("asked"),
        polars.col("status").last(),
    )
    return [int(file.stem) for file in files] == ends["person"].to_list() and all(
        rows == last == asked and (last == setting.questions or status == FINISHED)
        for _, rows, last, asked, status in ends.iter_rows()
    )


def _seconds(files: Sequence[Path]) -> float:
    polars = import_extra("polars")
    if not files:
        return 0.0
    spent = _scanned(files).select(polars.sum_horizontal(SECONDS).sum())
    return float(spent.collect().item())


def seconds_of(records: Iterable[Record]) -> float:
    return sum(
        each["ask_seconds"] + each["learn_seconds"] + each["tune_seconds"] + each["recommend_seconds"]
        for each in records
    )


# Reading


def read_records(folder: str | os.PathLike[str], experiment: Experiment | None = None) -> pl.DataFrame:
    """All the records in a folder that there are so far: setting by setting, person by person.

    Parameters:
        folder: where one experiment or several were run.
        experiment: only its settings and people.

    Returns:
        One row for each person and question. Settings that differ in nothing but the code of their strategy have
        different values of `setting` and `code`, and the version of setmargin that they were run with in `version`.

    Raises:
        ExperimentError: if there is no experiment in the folder, or a record is damaged.
    """
    polars = import_extra("polars")
    try:
        frame: pl.DataFrame = scan_records(folder, experiment).collect()
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ExperimentError(
            f"the records in {os.fsdecode(folder)} cannot be read: {reason}; "
            f"run the experiment again, which replaces what is damaged and nothing else"
        ) from None
    return frame


def scan_records(folder: str | os.PathLike[str], experiment: Experiment | None = None) -> pl.LazyFrame:
    """The same without reading anything yet, for more records than fit into memory."""
    polars = import_extra("polars")
    files = list(_recorded(Path(folder), experiment))
    if not files:
        return polars.LazyFrame(schema=_schema())  # type: ignore[no-any-return]
    return _scanned(files)


def _scanned(files: Sequence[Path]) -> pl.LazyFrame:
    """The records of all files, of older versions too."""
    polars = import_extra("polars")
    known = {name: value for name, value in ADDED.items() if value is not None}
    frame = polars.scan_parquet(list(files), schema=_schema(), missing_columns="insert", glob=False)
    return frame.with_columns(polars.col(name).fill_null(value) for name, value in known.items())  # type: ignore[no-any-return]


def _recorded(folder: Path, experiment: Experiment | None) -> Iterator[Path]:
    document = read_description(folder)
    if experiment is not None:
        for own in experiment.settings:
            yield from _files(folder, own.key, experiment.people)
        return
    for setting in document["settings"]:
        yield from _files(folder, setting["key"])


def read_description(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What was run in a folder: its experiments, each with the keys of its settings, and all settings."""
    file = Path(folder) / DESCRIPTION
    try:
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        keys = [setting["key"] for setting in document["settings"]]
        if "experiments" not in document:  # of a version that knew one experiment a folder
            entry = {"experiment": document["experiment"], "people": document["people"], "settings": keys}
            document = {"experiments": [entry], "settings": document["settings"]}
        _ = [(each["experiment"], each["people"], each["settings"]) for each in document["experiments"]]
    except FileNotFoundError:
        raise ExperimentError(f"there is no experiment in {folder}; name the folder given with --out") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExperimentError(f"{file} cannot be read: {error}; run the experiment again to replace it") from None
    return document


def _description_if_whole(folder: Path) -> dict[str, Any]:
    """The same; nothing where there is none yet, or one that cannot be read and so is replaced."""
    try:
        return read_description(folder)
    except ExperimentError:
        return {"experiments": [], "settings": []}


# One file


def with_origin(setting: Setting, record: Record) -> KeptRecord:
    """The record with what it was made by."""
    return {**record, "version": version("setmargin"), "code": setting.code}


def part_of(path: Path) -> Path:
    """Where records are kept until all of them are there."""
    return path.parent / f"{path.name}.part"


def check_suffix(target: Path) -> None:
    """Refuse the name of a file of records whose ending does not say what to write, or needs what is not installed."""
    if target.suffix not in (*WRITTEN_BY_LINE, PARQUET):
        raise OptionError(f"cannot write {target.name}; end its name with {', '.join((*WRITTEN_BY_LINE, PARQUET))}")
    if target.suffix == PARQUET:
        import_extra("polars")


@contextmanager
def record_file(target: Path) -> Iterator[Callable[[KeptRecord], None]]:
    """Gives a function that writes a record. The file appears when the block ends.

    Its ending says what it is: `.jsonl` JSON lines, `.csv` CSV, `.parquet` Parquet. If the block fails or is
    interrupted, what was written stays beside it as NAME.part, of which that for Parquet has JSON lines.
    """
    part = part_of(target)
    line_of = WRITTEN_BY_LINE.get(target.suffix, _json_line)
    written = 0

    @contextmanager
    def telling(cure: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OptionError(f"cannot write {part}: {error.strerror}; {cure}") from None

    def write(record: KeptRecord) -> None:
        # Each record is written through, so that a run can be watched and a crash loses nothing.
        nonlocal written
        with telling("make room or choose another place"):
            file.write(line_of(record, not written))
            file.flush()
        written += 1

    if target.is_dir():
        raise OptionError(f"cannot write {target}: it is a folder; name a file in it")
    with telling("choose another place"):
        file = part.open("w", encoding="utf-8", newline="")
    try:
        yield write
    except BaseException:
        with telling("make room or choose another place"):
            file.close()
        if not part.stat().st_size:
            part.unlink()
        raise
    with telling(f"the records are in {part}"):
        file.close()
        if target.suffix == PARQUET:
            _as_parquet(part)
        part.replace(target)


def _json_line(record: KeptRecord, _: bool) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _csv_line(record: KeptRecord, first: bool) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, record.keys())
    if first:
        writer.writeheader()
    writer.writerow(record)
    return text.getvalue()


def _as_parquet(part: Path) -> None:
    """JSON lines made into Parquet in their place."""
    polars = import_extra("polars")
    schema = {name: kind for name, kind in _schema().items() if name in KeptRecord.__annotations__}
    frame = polars.read_ndjson(part, schema=schema) if part.stat().st_size else polars.DataFrame(schema=schema)
    frame.write_parquet(part)


PARQUET = ".parquet"
WRITTEN_BY_LINE: dict[str, Callable[[KeptRecord, bool], str]] = {".jsonl": _json_line, ".csv": _csv_line}
"""What can be written record by record; the second argument says whether it is the first."""
