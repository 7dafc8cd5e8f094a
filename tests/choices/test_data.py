from __future__ import annotations

from pathlib import Path

import pytest

from setmargin import Attribute, Choice, Space, load, save
from setmargin.choices import read_choices
from setmargin.errors import ChoicesError
from tests.choices.files import HEADER, simulated, written


def test_a_catalogue_is_derived(tmp_path: Path) -> None:
    choices = read_choices(written(tmp_path, simulated(4, 5)), better={"price": "lower"})
    assert choices.space.name == "paint"
    price, colour = choices.space.attributes
    assert price == Attribute("price", [10, 20, 30, 40], better="lower")
    assert colour == Attribute("colour", ["blue", "green", "red"])
    assert [len(person.tasks) for person in choices.people] == [5] * 4
    save(choices.space, tmp_path / "paint.yaml")
    again = read_choices(tmp_path / "paint.csv", load(str(tmp_path / "paint.yaml")))
    assert again.people == choices.people


def test_numbers_without_a_direction_have_a_peak_unless_told_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, simulated(4, 5))
    assert read_choices(path).space.attributes[0].better == "peak"
    assert read_choices(path, better={"price": "none"}).space.attributes[0].better is None
    two = written(tmp_path, [HEADER, "1,1,1,10,red,1", "1,1,2,20,blue,0"], "two.csv")
    assert read_choices(two).space.attributes[0].better is None


def test_words_may_have_an_order(tmp_path: Path) -> None:
    path = written(tmp_path, ["person,task,size,years,chosen", "1,1,small,10 years,1", "1,1,large,5 years,0"])
    choices = read_choices(path, better={"size": "higher"}, ordered={"size": ["small", "large"], "years": ()})
    size, years = choices.space.attributes
    assert (size.values, size.ordered, size.better) == (("small", "large"), True, "higher")
    assert years.values == ("5 years", "10 years")


def test_many_numbers_are_rounded_to_the_nearest_level(tmp_path: Path) -> None:
    lines = ["person,task,price,chosen"]
    for task in range(50):
        lines += [f"1,{task},{task * 1.5},1", f"1,{task},{200 + task},0"]
    choices = read_choices(written(tmp_path, lines), levels=8)
    (price,) = choices.space.attributes
    assert len(price.values) == 8
    assert choices.notes == ("price has 100 different numbers, which are rounded to 8",)
    for task, each in enumerate(choices.people[0].tasks):
        assert each.options[0]["price"] == min(price.values, key=lambda level: abs(float(level) - task * 1.5))


def test_columns_about_people_are_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path, ["person,age,task,price,chosen", "1,30,1,10,1", "1,30,1,20,0", "2,40,1,10,1", "2,40,1,20,0"]
    )
    choices = read_choices(path)
    assert [each.name for each in choices.space.attributes] == ["price"]
    assert choices.notes == ("age is the same for all options of every task, and is left out",)


def test_options_that_look_alike_are_one_question_option(tmp_path: Path) -> None:
    path = written(tmp_path, ["person,task,price,chosen", "1,1,10,0", "1,1,10,0", "1,1,20,1", "1,2,10,1", "1,2,10,0"])
    choices = read_choices(path)
    (task,) = choices.people[0].tasks
    assert (len(task.options), len(task.question.options)) == (3, 2)
    assert task.answer == Choice(1)
    assert task.question.forced
    assert choices.left_out == (f"{path}:5: task 2 of person 1: all its options are alike",)


SPACE = Space(
    {"price": [10, 20, 30, 40], "colour": ["red", "green", "blue"]}, rules=["not (price = 10 and colour = red)"]
)


def test_tasks_that_break_rules_are_left_out_and_listed(tmp_path: Path) -> None:
    lines = [HEADER, "1,1,1,10,red,0", "1,1,2,20,blue,1", "1,2,1,10,blue,0", "1,2,2,20,blue,1"]
    path = written(tmp_path, lines)
    choices = read_choices(path, SPACE)
    assert len(choices.people[0].tasks) == 1
    (left_out,) = choices.left_out
    assert left_out.startswith(f"{path}:2: task 1 of person 1: price = 10, colour = red breaks not (price")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEADER, "1,1,1,10,blue,0", "1,1,2,25,blue,1"], ":3: price has no value 25; its values are 10, 20, 30, 40"),
        (
            ["person,task,price,chosen", "1,1,10,0", "1,1,20,1"],
            "there is no column for the attribute colour of unnamed",
        ),
        (
            ["person,task,price,colour,size,chosen", "1,1,10,blue,1,0", "1,1,20,blue,2,1"],
            "unnamed has no attribute 'size'; its attributes are price, colour. Leave the column out with --drop",
        ),
    ],
)
def test_what_a_given_catalogue_lacks_is_told(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(ChoicesError) as error:
        read_choices(written(tmp_path, lines), SPACE)
    assert message in str(error.value)


def test_what_does_not_fit_a_column_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, simulated(2, 2))
    with pytest.raises(ChoicesError, match="there is no column 'prise' to be ordered; did you mean price"):
        read_choices(path, better={"prise": "lower"})
    with pytest.raises(ChoicesError, match="better is 'less' for price; give higher, lower, peak or none"):
        read_choices(path, better={"price": "less"})
    with pytest.raises(ChoicesError, match="for colour, whose words have no order; list them"):
        read_choices(path, better={"colour": "higher"})
    with pytest.raises(ChoicesError, match="the order of colour is red, pink, but its words are"):
        read_choices(path, ordered={"colour": ["red", "pink"]})
    with pytest.raises(ChoicesError, match="the words of colour have no number"):
        read_choices(path, ordered={"colour": ()})
    with pytest.raises(ChoicesError, match="a catalogue is given, and says what is better"):
        read_choices(path, SPACE, better={"price": "lower"})


def test_names_of_everything_are_no_attribute(tmp_path: Path) -> None:
    lines = ["person,task,sku,chosen"]
    for task in range(40):
        lines += [f"1,{task},item {task},1", f"1,{task},thing {task},0"]
    with pytest.raises(ChoicesError, match="sku has 80 different words; leave it out with --drop"):
        read_choices(written(tmp_path, lines))
