"""`setmargin certain`: what is proven, what is possible, and what must-haves took away since."""

from __future__ import annotations

from pathlib import Path

from setmargin import Interview, Space
from tests.cli.running import Shell


def test_what_answers_leave_open_is_told_and_what_they_prove(shell: Shell, tmp_path: Path) -> None:
    interview = Interview(Space({"colour": ["red", "green", "blue"]}, name="shirts"), "random")
    file = tmp_path / "me.json"
    interview.tell(0)
    interview.save(file)
    found = shell("certain", file, "--json").document
    assert (found["answers"], found["proven"]) == (1, False)
    assert found["better_for_somebody"] != found["recommendation"]
    assert [each["possibly_best"] for each in found["shown"]] == [True, False], "what lost cannot be best"
    assert "Not proven" in shell("certain", file).out
    while interview.ask() is not None:
        chosen = dict(interview.recommend().configuration)
        interview.tell(max(range(2), key=lambda number: dict(interview.ask().options[number]) == chosen))  # type: ignore[union-attr]
    interview.save(file)
    assert "Proven: nobody" in shell("certain", file).out
    interview.require(f"colour != {found['shown'][1]['configuration']['colour']}")
    interview.save(file)
    assert shell("certain", file, "--json").document["shown_but_excluded"] == 1
