from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setmargin.choices.table import read_table
from setmargin.errors import ChoicesError
from tests.choices.files import HEADER, simulated, written

TASK = ["1,1,1,10,red,0", "1,1,2,20,blue,1"]


def test_tasks_are_read_in_order_with_what_was_taken(tmp_path: Path) -> None:
    table = read_table(
        written(tmp_path, [HEADER, "1,10,1,10,red,0", "1,10,2,20,blue,1", "1,9,1,30,red,1", "1,9,2,5,x,0"])
    )
    tasks = table.people["1"]
    assert [task.task for task in tasks] == ["9", "10"]  # by number, not by letters
    assert [task.taken for task in tasks] == [0, 1]
    assert table.columns == ("price", "colour")
    assert tasks[1].lines[1].cells == {"price": "20", "colour": "blue"}


def test_tasks_without_numbers_stay_as_they_come(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, [HEADER, "1,b,1,1,x,1", "1,b,2,2,y,0", "1,a,1,1,x,1", "1,a,2,2,y,0"]))
    assert [task.task for task in table.people["1"]] == ["b", "a"]


@pytest.mark.parametrize(
    "header",
    [
        "Respondent ID,Choice Set,Alt,price,colour,Choice",
        "resp;QUES;concept;price;colour;selected",
        "id\tset\talt\tprice\tcolour\ty",
    ],
)
def test_usual_names_and_separators_are_understood(tmp_path: Path, header: str) -> None:
    mark = next(mark for mark in ";\t," if mark in header)
    table = read_table(written(tmp_path, [header, *(line.replace(",", mark) for line in TASK)]))
    assert table.columns == ("price", "colour")
    assert table.people["1"][0].taken == 1


def test_columns_can_be_named_and_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, ["a,b,c,d,e,f", *TASK])
    table = read_table(path, person="a", task="b", option="c", chosen="f", drop=["e"])
    assert table.columns == ("d",)


def test_options_without_a_column_are_counted(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, ["person,task,price,chosen", "1,1,10,no", "1,1,20,YES", "1,1,30,no"]))
    assert len(table.people["1"][0].lines) == 3


def test_line_numbers_without_a_name_are_left_out(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, ['"",person,task,price,chosen', '"1",1,1,10,0', '"2",1,1,20,1']))
    assert table.columns == ("price",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "empty; write the columns"),
        ([HEADER], "no line below the columns"),
        ([HEADER, "1,1,1,10,red"], ":2: 5 cells under 6 columns; give one for each"),
        ([HEADER, "1,1,1,10,red,0,9"], ":2: 7 cells under 6 columns"),
        (
            [HEADER, TASK[1], "1,1,1,5,red,1"],
            ":3: task '1' of person '1' has 2 chosen options, on lines 2 and 3; mark one",
        ),
        ([HEADER, TASK[0], "1,1,2,20,blue,0"], ":2: no option of task '1' of person '1' is chosen"),
        ([HEADER, TASK[1]], ":2: task '1' of person '1' has a single option"),
        ([HEADER, *TASK, TASK[0]], ":4: option '1' of task '1' of person '1' stands on line 2 already"),
        ([HEADER, "1,1,1,10,red,maybe"], ":2: chosen is 'maybe'; write 1"),
        ([HEADER, "1,1,1,10,,1"], ":2: colour is empty; write its value"),
        (["person,task,option,price,price,chosen", *TASK], ":1: two columns are called 'price'"),
        (
            ["who,task,option,price,colour,chosen", *TASK],
            "no column is called person or the like; say which it is with --person",
        ),
        (["person,task,option,chosen", "1,1,1,0"], "no column is left that describes an option"),
        ([HEADER, '1,1,1,10,"red,0'], "no CSV: unexpected end of data"),
    ],
)
def test_mistakes_are_told_with_line_and_cure(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(ChoicesError) as error:
        read_table(written(tmp_path, lines) if lines else _bytes(tmp_path, b""))
    assert message in str(error.value)


def _bytes(folder: Path, content: bytes) -> Path:
    path = folder / "bytes.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PK\x03\x04\x00\x00rest", ":1: no text, but binary data"), (b"person\n\xff\xfe", ":2: not UTF-8 text")],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ChoicesError, match=message):
        read_table(_bytes(tmp_path, content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChoicesError, match="cannot be read: No such file"):
        read_table(tmp_path / "none.csv")


def test_columns_that_are_not_there_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [HEADER, *TASK])
    with pytest.raises(ChoicesError, match=r"--person is 'persn', but there is no such column; did you mean person\?"):
        read_table(path, person="persn")
    with pytest.raises(ChoicesError, match="--drop is 'size', but there is no such column"):
        read_table(path, drop=["size"])
    with pytest.raises(ChoicesError, match="named for two purposes"):
        read_table(path, person="task", task="task")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_is_told_or_does_no_harm(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    lines = simulated(3, 3)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 1))
        kind = data.draw(st.sampled_from(["cut", "twice", "gone", "cell", "noise"]))
        cells = lines[number].split(",")
        if kind == "cut":
            lines[number] = lines[number][: data.draw(st.integers(0, len(lines[number])))]
        elif kind == "twice":
            lines.insert(number, lines[number])
        elif kind == "gone" and len(lines) > 1:
            del lines[number]
        elif kind == "cell":
            cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(
                st.sampled_from(["", "0", "1", "x", '"', "9,9"])
            )
            lines[number] = ",".join(cells)
        else:
            lines[number] += data.draw(st.text(max_size=4))
    path = tmp_path_factory.mktemp("damaged") / "file.csv"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    message, tasks = "", []
    try:
        tasks = [task for tasks in read_table(path).people.values() for task in tasks]
    except ChoicesError as error:
        message = str(error)
    assert str(path) in message if message else tasks
    assert all(len(task.lines) >= 2 and sum(line.taken for line in task.lines) == 1 for task in tasks)
