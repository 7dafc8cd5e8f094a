from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from setmargin.cli.commands.check import describe, impossible_values, rules_without_effect, suggested_directions
from setmargin.solve.lowering import lower
from setmargin.solve.milp.engine import MilpEngine
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from tests.cli.running import Shell

BOX = """\
catalogue: box
attributes:
  size: [small, large]
  colour: [red, blue]
rules:
"""


@pytest.fixture(scope="module")
def pc() -> dict[str, Any]:
    return describe(load("pc"))


def written(folder: Path, *rules: str) -> Path:
    file = folder / "box.yaml"
    file.write_text(BOX + "".join(f"  - {rule}\n" for rule in rules))
    return file


def test_pc_is_what_it_is_known_to_be(shell: Shell) -> None:
    found = shell("check", "pc", "--json").document
    assert (found["catalogue"], found["title"]) == ("pc", "Find your PC")
    assert (found["configurations"], found["one_hot_features"]) == (64_476, 76)
    assert len(found["features"]) == 77
    assert found["features"][-1] == "price"
    assert len(found["rules"]) == 16
    assert found["oracle"].keys() == {"engine", "nodes", "arcs", "compile_seconds", "pending_rows"}


def test_attributes_come_with_values_and_units(pc: dict[str, Any]) -> None:
    memory = next(one for one in pc["attributes"] if one["name"] == "memory")
    assert memory["unit"] == "MB"
    assert memory["values"] == [64, 128, 160, 192, 256, 320, 384, 512, 1024, 2048]


def test_quantities_come_with_the_range_that_the_rules_leave(pc: dict[str, Any]) -> None:
    (price,) = pc["quantities"]
    assert (price["unit"], price["better"]) == ("€", "lower")
    assert (price["lowest"], price["highest"]) == (253.2, 2754.4)


def test_rules_are_numbered_and_in_their_own_words(shell: Shell) -> None:
    text = shell("check", "pc").out
    assert "    1  manufacturer = Compaq => type in {laptop, desktop}" in text
    assert "   16  type = laptop => monitor <= 15" in text


def test_people_read_separators_and_programs_do_not(shell: Shell) -> None:
    assert "823,543 configurations" in shell("check", "synthetic:7").out
    assert '"configurations": 823543,' in shell("check", "synthetic:7", "--json").out


def test_a_number_of_any_size_is_exact_in_json(shell: Shell) -> None:
    assert shell("check", "synthetic:300x10", "--json").document["configurations"] == 10**300
    assert "about 1.00 × 10^300 configurations" in shell("check", "synthetic:300x10").out


def test_what_cannot_be_counted_is_null_and_said_in_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_milp(space: Space) -> Oracle:
        return Oracle(space, engine=MilpEngine(lower(space)))

    monkeypatch.setattr("setmargin.solve.oracle.oracle_for", by_milp)
    found = shell("check", "pc", "--json").document
    assert (found["configurations"], found["rules_without_effect"], found["oracle"]["nodes"]) == (None, None, None)
    assert "too many configurations to count" in shell("check", "pc").out


def test_a_file_is_checked_like_a_shipped_catalogue(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = small => colour = red")
    assert shell("check", file, "--json").document["configurations"] == 3


def test_a_broken_file_is_one_line_with_file_and_line(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = small => colour = red", "size = tiny => colour = red")
    result = shell("check", file)
    assert result.code
    assert result.err.startswith(f"setmargin: {file}:7: ")
    assert result.err.count("\n") == 1


def test_an_empty_space_names_its_smallest_conflict(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = small", "colour = red", "size = large")
    result = shell("check", file)
    assert result.code
    assert "size = small together with size = large" in result.err
    assert "colour" not in result.err


def test_values_that_can_never_be_chosen_are_warned_about(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = small => colour = red", "size = large => colour = red")
    assert shell("check", file, "--json").document["impossible_values"] == ["colour=blue"]
    assert "Warning: the rules never allow colour=blue" in shell("check", file).out


def test_impossible_values_are_those_in_no_configuration() -> None:
    space = Space({"a": [1, 2, 3], "b": [1.5, 2.5]}, rules=["a >= 2", "a = 3 => b = 2.5", "a != 2"])
    assert impossible_values(oracle_for(space)) == ["a=1", "a=2", "b=1.5"]


def test_a_rule_that_excludes_nothing_more_is_hinted_at(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = small", "colour in {red, blue}")
    assert shell("check", file, "--json").document["rules_without_effect"] == [2]
    assert "Hint: rule 2 excludes nothing that the other rules leave" in shell("check", file).out


def test_rules_without_effect_are_not_looked_for_where_it_takes_long() -> None:
    assert rules_without_effect(oracle_for(load("bicycle")), patience=0.0) is None


def test_words_of_the_catalogue_are_no_markup(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text('catalogue: odd\ntitle: "[bold]odd[/bold] :smile:"\nattributes: {"[red]": ["[/]", ":x:"]}\n')
    text = shell("check", file).out
    assert "[bold]odd[/bold] :smile:" in text
    assert "[red]  [/], :x:" in text


def test_plain_text_has_no_escape_codes(shell: Shell) -> None:
    assert "\x1b" not in shell("check", "pc").out


def test_titles_stand_beside_names(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "titled.yaml"
    file.write_text("catalogue: t\nattributes:\n  cpu: {values: [a, b], title: Processor}\n")
    assert "cpu (Processor)" in shell("check", file).out


def test_rules_that_contradict_are_told_with_their_file_and_lines(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "none.yaml"
    file.write_text("catalogue: none\nattributes:\n  a: [1, 2]\nrules:\n  - a = 1\n  - a >= 1\n  - a = 2\n")
    for command in ("check", "interview", "simulate"):
        result = shell(command, file)
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            f"setmargin: {file} (lines 5, 7): nothing satisfies a = 1 together with a = 2; drop one of the two\n"
        )


def test_rules_that_contradict_are_told_without_lines_where_they_are_written_otherwise(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "none.yaml"
    file.write_text("catalogue: none\nattributes:\n  a: [1, 2]\nrules:\n  - {allow: [a], rows: []}\n")
    assert shell("check", file).err.startswith(f"setmargin: {file}: nothing satisfies")


def test_several_mistakes_of_a_catalogue_come_one_a_line(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("catalogue: a\nattributes:\n  a: 1\n  b: 2\n")
    first, second = shell("check", file).err.splitlines()
    assert first.startswith(f"setmargin: {file}:3: attributes / a: 1 is not a list")
    assert second.startswith("  line 4: attributes / b: 2 is not a list")


def test_a_direction_is_suggested_where_numbers_have_none(pc: dict[str, Any], shell: Shell) -> None:
    assert pc["suggested_directions"] == {"monitor": "higher", "memory": "higher", "storage": "higher"}
    text = " ".join(shell("check", "pc").out.split())
    assert "Hint: nothing says which numbers are better: monitor (higher?), memory (higher?), storage (higher?)" in text


def test_suggestions_follow_what_costs_more() -> None:
    def price(**terms: Mapping[str | int | float, float]) -> Quantity:
        return Quantity("price", terms, better="lower")

    space = Space(
        {"walk": [5, 40, 15], "screen": [13, 15, 18], "colour": ["red", "green"], "number": [1, 2], "one": [1]},
        quantities=[
            price(walk={5: 100, 15: 50, 40: 0}, screen={13: 120, 15: 80, 18: 260}),
            Quantity("fun", {"number": 1}),
        ],
    )
    assert suggested_directions(space) == {"walk": "lower", "screen": "peak", "number": None}


def test_nothing_is_suggested_where_a_quantity_tells_what_it_is_good_for() -> None:
    space = Space(
        {"battery": [40, 60], "memory": [8, 16]},
        quantities=[
            Quantity("price", {"battery": 1, "memory": 7}, better="lower"),
            Quantity("hours", {"battery": 0.15, "memory": -0.1}, better="higher"),
        ],
    )
    assert suggested_directions(space) == {"memory": "higher"}


def test_nothing_is_suggested_where_it_is_said(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "lamps.yaml"
    file.write_text("catalogue: lamps\nattributes:\n  watts: {values: [5, 10, 20], better: lower}\n")
    found = shell("check", str(file), "--json").document
    assert found["suggested_directions"] == {}
    assert found["attributes"][0]["better"] == "lower"
    assert found["features"][3:] == ["watts (less)", "watts<=10", "watts<=5"]
    text = " ".join(shell("check", str(file)).out.split())
    assert "5, 10, 20, lower is better" in text
    assert "3 trends: watts (less), watts<=10, watts<=5" in text
    assert "Hint" not in text


# What people see

OPENING = """\
opening:
  size:
    title: How large?
    answers:
      large: {title: Large, require: size = large}
      small:
        title: Small
        require: [size = small, colour = red]
  look:
    title: Which colour?
    answers:
      red: {title: Red, require: colour = red}
      blue: {title: Blue, require: colour = blue}
"""


def test_an_opening_answer_with_which_nothing_can_be_built_is_named_with_its_line(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "not (size = small and colour = red)")
    file.write_text(file.read_text() + OPENING)
    result = shell("check", str(file))
    assert result.code
    assert f"{file}:14: with the answer small to size, nothing satisfies" in result.err.replace("\n", " ")


def test_answers_that_exclude_each_other_and_missing_translations_are_told(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = large or colour = red")
    file.write_text(file.read_text() + OPENING + "languages: [en, de]\n")
    found = shell("check", str(file), "--json").document["presentation"]
    assert found["impossible_openings"] == [{"size": "small", "look": "blue"}]
    assert found["missing_translations"]["de"][0] == "opening size: title"
    assert "size = small, large" in found["the_same_in_all"]
    assert "nothing can be built for whoever answers small (size) with blue (look)" in " ".join(
        shell("check", str(file)).out.split()
    )


def test_a_missing_image_is_named_with_its_line_and_cure(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, "size = large")
    file.write_text(file.read_text().replace("[small, large]", "[small, {value: large, image: large.png}]"))
    assert f"{file}:3: the image 'large.png' is not there; put the file into the folder" in shell(
        "check", str(file)
    ).err.replace("\n", " ")
