"""Files of records: whole, or beside their name."""

from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.errors import OptionError
from setmargin.experiments.records import writing
from tests.experiments.stubs import read_lines, record, trial


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with writing(tmp_path / "a.jsonl") as write:
        for each in trial(1, 3, 2):
            write(each)
    assert read_lines(tmp_path / "a.jsonl") == trial(1, 3, 2)
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_nothing_appears_under_the_name_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    target.write_text("old")
    with writing(target) as write:
        write(record(1, 1, 0))
        assert target.read_text() == "old"
        assert read_lines(tmp_path / "a.jsonl.part") == [record(1, 1, 0)]
    assert read_lines(target) == [record(1, 1, 0)]


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, OptionError])
def test_what_was_written_before_trouble_is_kept_as_a_part(tmp_path: Path, trouble: type[BaseException]) -> None:
    def run_into_trouble() -> None:
        with writing(tmp_path / "a.jsonl") as write:
            write(record(1, 1, 0))
            raise trouble

    with pytest.raises(trouble):
        run_into_trouble()
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl.part"]
    assert read_lines(tmp_path / "a.jsonl.part") == [record(1, 1, 0)]


def test_an_empty_part_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "a.jsonl"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    for place, words in (
        (tmp_path, "is a folder"),
        (".", "is a folder"),
        (tmp_path / "no" / "a.jsonl", "choose another place"),
    ):
        with pytest.raises(OptionError, match=words), writing(place):
            pytest.fail("the block must not run")
