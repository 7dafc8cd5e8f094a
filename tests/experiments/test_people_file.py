"""People from files: read as they are meant, refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.errors import PeopleError
from setmargin.experiments.people import Person
from setmargin.experiments.people_file import read_people
from tests.experiments.stubs import SHIRTS as SPACE


def people_in(folder: Path, content: str | bytes) -> tuple[Person, ...]:
    file = folder / "people.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_people(file, SPACE, seed=5)


def test_columns_may_come_in_any_order_and_what_is_missing_is_0(tmp_path: Path) -> None:
    one, two = people_in(tmp_path, "price,size=M\n1.5,2\n0,1e1\n")
    assert one.weights.tolist() == [0, 2, 0, 0, 0, 1.5]
    assert two.weights.tolist() == [0, 10, 0, 0, 0, 0]
    assert [(p.number, p.seed, p.kind) for p in (one, two)] == [(1, 5, "people.csv"), (2, 5, "people.csv")]


@pytest.mark.parametrize(
    "content",
    ["\ufeffsize=M\n2\n", "size=M\r\n2\r\n", '"size=M"\n"2"\n', "\nsize=M\n\n2\n\n", " size=M \n 2 \n", "size=M\n2"],
)
def test_files_may_be_written_in_many_ways(tmp_path: Path, content: str) -> None:
    (person,) = people_in(tmp_path, content)
    assert person.weights.tolist() == [0, 2, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "people.csv: empty; .*size=S,size=M"),
        ("\n \n", "people.csv: empty"),
        ("\ufeff", "people.csv: empty"),
        ("size=M\n", "nobody below the header"),
        ("size=XL\n1\n", "people.csv:1: there is no feature 'size=XL'; did you mean size="),
        ("size=M,price,size=M\n1,2,3\n", "people.csv:1: the feature 'size=M' has two columns"),
        ("size=M\n1\nmuch\n", "people.csv:3: 'much' is no number"),
        ("size=M,price\n1,\n", "people.csv:2: '' is no number"),
        ("size=M\nnan\n", "people.csv:2: 'nan' is no number"),
        ("size=M\n1_0\n", "people.csv:2: '1_0' is no number"),
        ("size=M\n\n-1\n", "people.csv:3: the weight '-1' is not between 0"),
        ("size=M\n1e13\n", "people.csv:2: the weight '1e13'"),
        ("size=M,price\n1,2\n1,2,3\n", "people.csv:3: 3 values under 2 feature names"),
        ("size=M,price\n1\n", "people.csv:2: 1 values under 2"),
        ('size=M\n"1\n', "people.csv:2: no CSV"),
        (b"size=M\n\xff\n", "people.csv:2: not UTF-8"),
    ],
)
def test_mistakes_are_named_with_file_line_and_cure(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(PeopleError, match=words):
        people_in(tmp_path, content)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PeopleError, match=r"nobody\.csv: cannot be read: .*; give a number of people or a CSV file"):
        read_people(tmp_path / "nobody.csv", SPACE)
    with pytest.raises(PeopleError, match="cannot be read"):
        read_people(tmp_path, SPACE)
