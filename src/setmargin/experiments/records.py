"""Records on disk: Parquet, one row per person and question, one small file per trial.

    DIR/experiment.json            what is run
    DIR/trials/KEY/PERSON.parquet  a finished trial; the key is that of its setting

A file appears when its trial is finished, whole or not at all, so whatever stops a run costs the running trials and no
others. Finished trials stay valid when people, settings or other experiments are added.

`simulate` writes its records as one file of JSON lines instead.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setmargin.errors import ExperimentError, OptionError
from setmargin.experiments.grid import Experiment, Trial
from setmargin.experiments.setting import OTHERS, Setting
from setmargin.experiments.trial import FINISHED, Record
from setmargin.files import write_whole

if TYPE_CHECKING:
    import polars as pl


EXTRAS = {"polars": "experiments", "matplotlib": "experiments", "distributed": "cluster"}


def import_extra(package: str) -> Any:
    """The package, or an error that says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise ExperimentError(f"{package} is not installed; pip install 'setmargin[{EXTRAS[package]}]'") from None


COLUMNS = {
    "setting": "String",  # the key
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
    **{"reasons": 0.0, "changes": 0.0, "careless": 0.0, "screen": None, "effort": None},
    **OTHERS,
}
"""Columns that records of older versions lack, with what is true of those; what is not known is null."""
NEVER_NULL = tuple(name for name in COLUMNS if name not in ("screen", "effort", "gap"))
SECONDS = ("ask_seconds", "learn_seconds", "tune_seconds", "recommend_seconds")
DESCRIPTION = "experiment.json"


@dataclass(frozen=True)
class FoundTrials:
    """What is there of one setting already; damaged files were removed."""

    people: int
    seconds: float
    damaged: tuple[Path, ...] = ()


# Writing


def prepare_folder(folder: Path, experiment: Experiment) -> None:
    """Make the folder, and say in it what is run."""
    text = json.dumps(experiment.document(), indent=1, ensure_ascii=False)
    with _telling(folder):
        (folder / "trials").mkdir(parents=True, exist_ok=True)
        write_whole(folder / DESCRIPTION, text + "\n")


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


def _files(folder: Path, key: str, people: int) -> list[Path]:
    """Those of the first people, in their order."""
    found = sorted((folder / "trials" / key).glob("*.parquet"))
    return [file for file in found if file.stem.isdecimal() and 1 <= int(file.stem) <= people]


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


def read_records(folder: str | os.PathLike[str]) -> pl.DataFrame:
    """All the records of the experiment in a folder that there are so far: setting by setting, person by person."""
    polars = import_extra("polars")
    try:
        frame: pl.DataFrame = scan_records(folder).collect()
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ExperimentError(
            f"the records in {os.fsdecode(folder)} cannot be read: {reason}; "
            f"run the experiment again, which replaces what is damaged and nothing else"
        ) from None
    return frame


def scan_records(folder: str | os.PathLike[str]) -> pl.LazyFrame:
    """The same without reading anything yet, for more records than fit into memory."""
    polars = import_extra("polars")
    files = list(_recorded(Path(folder)))
    if not files:
        return polars.LazyFrame(schema=_schema())  # type: ignore[no-any-return]
    return _scanned(files)


def _scanned(files: Sequence[Path]) -> pl.LazyFrame:
    """The records of all files, of older versions too."""
    polars = import_extra("polars")
    known = {name: value for name, value in ADDED.items() if value is not None}
    frame = polars.scan_parquet(list(files), schema=_schema(), missing_columns="insert", glob=False)
    return frame.with_columns(polars.col(name).fill_null(value) for name, value in known.items())  # type: ignore[no-any-return]


def _recorded(folder: Path) -> Iterator[Path]:
    document = read_description(folder)
    for setting in document["settings"]:
        yield from _files(folder, setting["key"], document["people"])


def read_description(folder: str | os.PathLike[str]) -> dict[str, Any]:
    file = Path(folder) / DESCRIPTION
    try:
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        _ = document["people"], [setting["key"] for setting in document["settings"]]
    except FileNotFoundError:
        raise ExperimentError(f"there is no experiment in {folder}; name the folder given with --out") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExperimentError(f"{file} cannot be read: {error}; run the experiment again to replace it") from None
    return document


# JSON lines


def part_of(path: Path) -> Path:
    """Where records are kept until all of them are there."""
    return path.parent / f"{path.name}.part"


@contextmanager
def json_lines(target: Path) -> Iterator[Callable[[Record], None]]:
    """Gives a function that writes a record. The file appears when the block ends.

    If the block fails or is interrupted, what was written stays beside it as NAME.part.
    """
    part = part_of(target)

    @contextmanager
    def telling(cure: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OptionError(f"cannot write {part}: {error.strerror}; {cure}") from None

    def write(record: Record) -> None:
        # Each record is written through, so that a run can be watched and a crash loses nothing.
        with telling("make room or choose another place"):
            file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
            file.flush()

    if target.is_dir():
        raise OptionError(f"cannot write {target}: it is a folder; name a file in it")
    with telling("choose another place"):
        file = part.open("w", encoding="utf-8")
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
        part.replace(target)
