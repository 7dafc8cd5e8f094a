from __future__ import annotations

from pathlib import Path

from setmargin.choices import make_study, read_choices
from setmargin.choices.hints import direction_hints
from tests.choices.files import simulated, written


def test_a_direction_is_suggested_where_nearly_everybody_has_it(tmp_path: Path) -> None:
    path = written(tmp_path, simulated(40, 12))
    (hint,) = direction_hints(make_study(read_choices(path)))
    assert (hint.attribute, hint.better) == ("price", "lower")
    assert hint.leaning > 0.8
    assert "--better price=lower" in str(hint)
    assert direction_hints(make_study(read_choices(path, better={"price": "lower"}))) == []


def test_none_is_suggested_where_people_differ(tmp_path: Path) -> None:
    lines = ["person,task,option,colour,chosen"]
    for person in range(40):
        for task in range(12):
            taken = (task + person) % 2  # every other person likes red, which is 1
            lines += [f"{person},{task},{n},{(n + task) % 2},{int(n == taken)}" for n in range(2)]
    assert direction_hints(make_study(read_choices(written(tmp_path, lines)))) == []
