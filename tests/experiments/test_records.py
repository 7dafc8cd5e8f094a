"""Records in Parquet: what was written is read, and nothing else. And JSON lines: whole, or beside their name."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

from setmargin.errors import ExperimentError, OptionError
from setmargin.experiments.grid import Experiment, Trial, make_grid
from setmargin.experiments.records import (
    ADDED,
    COLUMNS,
    check_suffix,
    file_of,
    finished,
    prepare_folder,
    read_description,
    read_records,
    record_file,
    scan_records,
    seconds_of,
    with_origin,
    write_trial,
)
from setmargin.experiments.setting import OTHERS, Setting
from setmargin.experiments.summary import summarise_settings
from setmargin.experiments.trial import KeptRecord, Record
from tests.experiments.stubs import read_lines, record, trial


def experiment(people: int = 3) -> Experiment:
    return make_grid(catalogue=["synthetic:3"], strategy=["random", "perceptron"], people=people, questions=4)


def fill(folder: Path, grid: Experiment) -> dict[tuple[str, int], list[Record]]:
    """Every trial of the grid, written; and what was written."""
    prepare_folder(folder, grid)
    found: dict[tuple[str, int], list[Record]] = {}
    for each in grid.trials():
        records = each.setting.run(each.person)
        write_trial(folder, each, records)
        found[each.setting.key, each.person] = records
    return found


def test_what_is_written_is_read_setting_by_setting_and_person_by_person(tmp_path: Path) -> None:
    grid = experiment()
    written = fill(tmp_path, grid)
    frame = read_records(tmp_path)
    assert frame.columns == list(COLUMNS)
    keys = [setting.key for setting in grid.settings]
    expected = [record for key in keys for person in (1, 2, 3) for record in written[key, person]]
    words = [
        name
        for name in COLUMNS
        if name not in ("setting", "version", "code", "options", "quantities", "questions", *OTHERS)
    ]
    assert frame.select(words).to_dicts() == [{word: dict(record)[word] for word in words} for record in expected]
    assert frame["setting"].unique(maintain_order=True).to_list() == keys
    assert frame.equals(scan_records(tmp_path).collect())


OLDER = [name for name in COLUMNS if name not in ADDED]


def test_records_of_older_versions_are_read_beside_new_ones(tmp_path: Path) -> None:
    grid = experiment()
    fill(tmp_path, grid)
    before = read_records(tmp_path)
    setting = grid.settings[0]
    old = file_of(tmp_path, Trial(setting, 2))
    pl.read_parquet(old).select(OLDER).write_parquet(old)
    found = finished(tmp_path, setting, people=3)
    assert (found.people, found.damaged) == (3, ())
    frame = read_records(tmp_path)
    assert frame.select(OLDER).equals(before.select(OLDER))
    assert set(frame["reasons"]) == set(frame["changes"]) == set(frame["careless"]) == {0.0}
    first = (pl.col("person") == 2) & (pl.col("setting") == setting.key)
    assert frame.filter(first)["screen"].is_null().all()
    assert set(frame.filter(~first)["screen"]) == {"pair"}
    assert frame.filter(first)["effort"].is_null().all()
    summaries = list(summarise_settings(frame))
    assert summaries[0].document()["summary"]["mean_effort"] is None
    assert summaries[1].summary.mean_effort > 0


def test_the_seconds_found_are_those_that_were_written(tmp_path: Path) -> None:
    grid = experiment()
    written = fill(tmp_path, grid)
    setting = grid.settings[1]
    found = finished(tmp_path, setting, people=2)
    assert found.people == 2
    spent = sum(seconds_of(written[setting.key, person]) for person in (1, 2))
    assert found.seconds == pytest.approx(spent)


def test_all_settings_of_a_folder_are_read_or_those_of_one_experiment(tmp_path: Path) -> None:
    first = experiment(people=3)
    fill(tmp_path, first)
    small = make_grid(catalogue=["synthetic:3"], strategy=["perceptron"], people=2, questions=4)
    other = make_grid(catalogue=["synthetic:2"], strategy=["random"], people=1, questions=2)
    fill(tmp_path, other)
    assert [prepare_folder(tmp_path, each) for each in (first, other, small, experiment(people=1))] == [1, 2, 3, 1]
    everything = read_records(tmp_path)
    assert everything.group_by("catalogue", "strategy", maintain_order=True).len().rows() == [
        ("synthetic:2", "random", 2),
        ("synthetic:3", "random", 12),
        ("synthetic:3", "perceptron", 12),
    ]
    frame = read_records(tmp_path, small)
    assert set(frame["strategy"]) == {"perceptron"}
    assert set(frame["person"]) == {1, 2}


def test_records_say_by_which_code_they_were_made(tmp_path: Path) -> None:
    grid = experiment(people=1)
    fill(tmp_path, grid)
    frame = read_records(tmp_path)
    assert set(frame["version"]) == {version("setmargin")}
    assert frame["code"].unique(maintain_order=True).to_list() == [setting.code for setting in grid.settings]


def test_a_folder_of_an_older_version_is_read_and_goes_on(tmp_path: Path) -> None:
    grid = experiment()
    fill(tmp_path, grid)
    (tmp_path / "experiment.json").write_text(json.dumps(grid.document()), encoding="utf-8")
    assert read_records(tmp_path).height == 24
    assert prepare_folder(tmp_path, grid) == 1


def test_an_experiment_without_a_finished_trial_has_an_empty_frame(tmp_path: Path) -> None:
    prepare_folder(tmp_path, experiment())
    frame = read_records(tmp_path)
    assert (frame.height, frame.columns) == (0, list(COLUMNS))


def damage(file: Path, how: str, setting: Setting) -> None:
    """Break a file in one of several ways."""
    if how == "cut":
        file.write_bytes(file.read_bytes()[:-50])
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "short":
        pl.read_parquet(file).head(2).write_parquet(file)
    elif how == "twice":
        frame = pl.read_parquet(file)
        pl.concat([frame.head(1), frame.head(1), frame.tail(2)]).write_parquet(file)
    elif how == "columns":
        pl.read_parquet(file).drop("loss").write_parquet(file)
    elif how == "somebody else":
        pl.read_parquet(file).with_columns(person=9).write_parquet(file)
    else:
        pl.read_parquet(file).with_columns(setting=pl.lit(setting.key[::-1])).write_parquet(file)


@pytest.mark.parametrize("how", ["cut", "empty", "short", "twice", "columns", "somebody else", "another setting"])
def test_a_damaged_file_is_found_and_removed_and_the_others_stay(tmp_path: Path, how: str) -> None:
    grid = experiment()
    fill(tmp_path, grid)
    setting = grid.settings[0]
    file = file_of(tmp_path, Trial(setting, 2))
    damage(file, how, setting)
    found = finished(tmp_path, setting, people=3)
    assert (found.people, found.damaged) == (2, (file,))
    assert not file.exists()
    assert finished(tmp_path, setting, people=3).damaged == ()


def test_reading_damaged_records_says_what_to_do(tmp_path: Path) -> None:
    grid = experiment()
    fill(tmp_path, grid)
    damage(file_of(tmp_path, Trial(grid.settings[0], 2)), "cut", grid.settings[0])
    with pytest.raises(ExperimentError, match=r"cannot be read: .*run the experiment again"):
        read_records(tmp_path)


def test_drafts_and_strangers_are_not_taken_for_trials(tmp_path: Path) -> None:
    grid = experiment()
    fill(tmp_path, grid)
    folder = file_of(tmp_path, Trial(grid.settings[0], 1)).parent
    (folder / ".000009.parquet.1.part").write_bytes(b"half")
    (folder / "notes.parquet").write_bytes(b"mine")
    assert finished(tmp_path, grid.settings[0], people=10).damaged == ()
    assert read_records(tmp_path).height == 24


def test_the_description_says_what_is_run(tmp_path: Path) -> None:
    grid = experiment()
    prepare_folder(tmp_path, grid)
    document = read_description(tmp_path)
    assert document["settings"] == json.loads(json.dumps(grid.document()["settings"]))
    keys = [setting.key for setting in grid.settings]
    assert document["experiments"] == [{"experiment": "comparison", "people": 3, "settings": keys}]
    assert [each["strategy"]["name"] for each in document["settings"]] == ["random", "perceptron"]


def test_folders_that_hold_no_experiment_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="there is no experiment in"):
        read_records(tmp_path)
    (tmp_path / "experiment.json").write_text('{"people": 3}')
    with pytest.raises(ExperimentError, match="run the experiment again to replace it"):
        read_records(tmp_path)
    with pytest.raises(ExperimentError, match="choose another folder"):
        prepare_folder(tmp_path / "experiment.json", experiment())


def kept(each: Record) -> KeptRecord:
    return {**each, "version": "1", "code": "2"}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with record_file(tmp_path / "a.jsonl") as write:
        for each in trial(1, 3, 2):
            write(kept(each))
    assert read_lines(tmp_path / "a.jsonl") == list(map(kept, trial(1, 3, 2)))
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_ending_says_what_is_written(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a{suffix}"
    setting = experiment().settings[0]
    records = [with_origin(setting, {**each, "status": 'a "quoted", word'}) for each in trial(1, 3, 2)]
    with record_file(file) as write:
        for each in records:
            write(each)
    frame = pl.read_csv(file, schema_overrides={"gap": pl.Float64}) if suffix == ".csv" else pl.read_parquet(file)
    assert frame.select(*records[0]).to_dicts() == records
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_other_endings_are_refused() -> None:
    with pytest.raises(OptionError, match=r"cannot write a.txt; end its name with .jsonl, .csv, .parquet"):
        check_suffix(Path("a.txt"))


def test_nothing_appears_under_the_name_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    target.write_text("old")
    with record_file(target) as write:
        write(kept(record(1, 1, 0)))
        assert target.read_text() == "old"
        assert read_lines(tmp_path / "a.jsonl.part") == [kept(record(1, 1, 0))]
    assert read_lines(target) == [kept(record(1, 1, 0))]


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, OptionError])
def test_what_was_written_before_trouble_is_kept_as_a_part(tmp_path: Path, trouble: type[BaseException]) -> None:
    def run_into_trouble() -> None:
        with record_file(tmp_path / "a.jsonl") as write:
            write(kept(record(1, 1, 0)))
            raise trouble

    with pytest.raises(trouble):
        run_into_trouble()
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl.part"]
    assert read_lines(tmp_path / "a.jsonl.part") == [kept(record(1, 1, 0))]


def test_an_empty_part_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), record_file(tmp_path / "a.jsonl"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    for place, words in (
        (tmp_path, "is a folder"),
        (Path("."), "is a folder"),
        (tmp_path / "no" / "a.jsonl", "choose another place"),
    ):
        with pytest.raises(OptionError, match=words), record_file(place):
            pytest.fail("the block must not run")
