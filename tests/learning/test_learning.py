from __future__ import annotations

from pathlib import Path

import pytest

from setmargin import Bayes, Interview, Space, learn_population
from setmargin.errors import LearningError
from setmargin.learning import describe_prior, load_prior, read_sales, read_source, save_prior
from setmargin.learning.summary import summary_lines
from setmargin.server.store import Store
from setmargin.space.document import from_document
from tests.learning.files import written
from tests.server.store.talk import DOCUMENT, answer, begin, progress
from tests.strategies.bayes.learnt.choosers import MEAN, ROOT, choosing, normal

SPACE = Space({"a": ["x", "y", "z"], "b": ["on", "off"], "c": ["p", "q"]}, rules=["a = z => b = off"], name="little")
FINISH = {"finish": {"leaf": "green", "cup": 1}}
FREE = Space({"a": ["x", "y", "z"], "b": ["on", "off"], "c": ["p", "q"]}, name="little")


def test_sales_that_break_the_rules_or_have_unknown_values_are_left_out_with_their_lines(tmp_path: Path) -> None:
    file = written(tmp_path / "sales.csv", ["a,b", *["x,on"] * 12, "z,on", "w,on", "z,off"])
    sales = read_sales(file, SPACE)
    assert len(sales) == 13
    assert sorted(sales.left_out) == sorted(
        [f"{file}:14: breaks the rules", f"{file}:15: a has no value 'w'; its values are x, y, z"]
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["a,d", "x,1"], ":1: little has no attribute 'd'; its attributes are a, b, c"),
        (["a,b", "x"], ":2: 1 cell under 2 columns"),
        (["a,a", "x,x"], ":1: two columns are called 'a'"),
        ([""], ": empty"),
    ],
)
def test_files_of_sales_that_make_no_sense_are_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    file = written(tmp_path / "sales.csv", lines)
    with pytest.raises(LearningError) as error:
        read_sales(file, SPACE)
    assert f"{file}{said}" in str(error.value)


def test_saved_interviews_are_a_source_and_those_of_other_catalogues_are_left_out(tmp_path: Path) -> None:
    for number in range(3):
        interview = Interview(FREE, Bayes(samples=20), seed=number)
        interview.tell(0)
        interview.save(tmp_path / f"{number}.json")
    other = Interview("synthetic:2", "random")
    other.tell(0)
    other.save(tmp_path / "other.json")
    (tmp_path / "nothing.json").write_text("{}")
    found = read_source(FREE, tmp_path)
    assert found.name == "3 saved interviews"
    assert [len(history) for history in found.histories] == [1, 1, 1]
    assert len(found.notes) == 2
    assert len(read_source(FREE, tmp_path / "0.json").histories) == 1
    with pytest.raises(LearningError, match="no saved interview about little"):
        read_source(FREE, tmp_path / "other.json")


def test_records_of_experiments_are_no_source_and_it_is_said_why(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "part.parquet").write_bytes(b"")
    with pytest.raises(LearningError, match="not what they answered"):
        read_source(FREE, tmp_path)


def test_finished_interviews_of_a_database_are_a_source(tmp_path: Path) -> None:
    space = from_document({**DOCUMENT, "rules": []})
    with Store.open(f"sqlite:///{tmp_path / 'people.db'}") as store:
        id = begin(store).id
        store.append(id, {**answer(1), "status": "expected"}, after=0, progress=progress(1))
        with pytest.raises(LearningError, match="nobody has finished an interview about tea"):
            read_source(space, tmp_path / "people.db")
        store.append(id, FINISH, after=1, progress=progress(1, finished=True))
    found = read_source(space, tmp_path / "people.db")
    assert (found.name, len(found.histories)) == ("1 finished interviews", 1)


def test_a_csv_of_choices_is_told_from_one_of_sales(tmp_path: Path) -> None:
    choices = written(
        tmp_path / "choices.csv", ["person,task,option,a,b,c,chosen", "1,1,1,x,on,p,1", "1,1,2,y,off,p,0"]
    )
    assert read_source(FREE, choices).name == "1 choices of 1 people"
    assert read_source(FREE, written(tmp_path / "sales.csv", ["a,b", "x,on"])).name == "1 sales"
    with pytest.raises(LearningError, match="cannot be read"):
        read_source(FREE, tmp_path / "nowhere.csv")


def test_what_is_learnt_is_said_in_words(tmp_path: Path) -> None:
    people = choosing(FREE, normal(30, 2 * MEAN, ROOT), tasks=6)
    prior = learn_population(FREE, histories=people, sources=["30 people"], sales=[{"a": "x", "c": "q"}] * 12)
    (segment,) = describe_prior(prior, FREE)
    assert segment.things[0].name == "a"
    assert segment.things[0].best == "x"
    assert sum(thing.share for thing in segment.things) == pytest.approx(1)
    assert next(iter(summary_lines(prior, FREE))) == "42 people of little: 30 people"
    save_prior(prior, tmp_path / "prior.yaml")
    assert load_prior(tmp_path / "prior.yaml") == prior
