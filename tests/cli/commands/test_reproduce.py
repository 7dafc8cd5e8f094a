"""`setmargin reproduce`: the paper's figures from one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.experiments.records import read_records
from tests.cli.running import Shell

ONE = ("--methods", "random", "--quick", "--people", "1", "--jobs", "1")


def test_a_figure_is_run_drawn_and_reported_in_a_folder_of_its_name(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = shell("reproduce", "pc", *ONE, "--no-rules", "--json")
    assert (found.code, found.err) == (0, "")
    document = found.document
    assert (document["experiment"], document["figures"]) == ("pc", ["pc/pc.svg", "pc/pc.pdf"])
    assert "<svg" in Path("pc/pc.svg").read_text(encoding="utf-8")
    assert "<html" in Path(document["report"]).read_text(encoding="utf-8")
    frame = read_records("pc")
    assert set(frame["catalogue"]) == {"pc-without-rules"}
    assert set(frame["set_size"]) == {2, 3, 4}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sizes",), "the figure is 'sizes'; did you mean set-size?"),
        (("comparison", "--no-rules"), "--no-rules is for pc"),
        (("comparison", "--methods", "qo"), "there is no method 'qo'"),
        (("pc", "--people", "0"), "0 people"),
        (("pc", "--seed", "-1"), "the seed is -1"),
    ],
)
def test_mistakes_are_one_line_with_their_cure(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    found = shell("reproduce", *arguments)
    assert found.code == 2
    assert words in found.err
    assert found.err.count("\n") == 1
