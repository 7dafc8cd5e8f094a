from __future__ import annotations

from pathlib import Path

import pytest

from setmargin import load
from tests.choices.files import simulated, written
from tests.cli.running import Shell

QUICK = ("--strategies", "perceptron", "--jobs", "1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, simulated(12, 6))


def test_everything_is_scored_side_by_side(shell: Shell, file: Path) -> None:
    found = shell(
        "choices", file, *QUICK, "--learn", 4, "--predict", 2, "--by", "2,4", "--better", "price=lower", "--json"
    )
    assert found.code == 0, found.err
    document = found.document
    assert (document["people"], document["people_too_short"], document["by"]) == (12, 0, [2, 4])
    assert document["catalogue"]["attributes"]["price"] == {"values": [10, 20, 30, 40], "better": "lower"}
    models = ["chance", "pooled logit", "ridge logit", "hierarchical logit", "perceptron"]
    assert [(score["model"], score["learnt"]) for score in document["scores"]] == [
        (m, n) for m in models for n in (2, 4)
    ]
    assert all(0 < score["log_loss"] < 3 for score in document["scores"])


def test_the_table_says_what_was_done(shell: Shell, file: Path, tmp_path: Path) -> None:
    picture, catalogue = tmp_path / "picture.svg", tmp_path / "catalogue.yaml"
    found = shell("choices", file, *QUICK, "--figure", picture, "--write-catalogue", catalogue)
    assert found.code == 0, found.err
    assert "12 people, first 4 choices learnt, next 2 predicted" in " ".join(found.out.split())
    assert "…" not in found.out  # all columns fit
    assert "perceptron" in picture.read_text("utf-8")
    assert load(str(catalogue)).name == "paint"
    again = shell("choices", file, *QUICK, "--figure", picture)
    assert (again.code, "picture.svg exists" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--better", "price"], "--better is 'price'; write COLUMN=WAY"),
        (["--by", "2,x"], "--by is '2,x'; give numbers of answers"),
        (["--strategies", "bayse"], "there is no strategy 'bayse'; did you mean bayes?"),
        (["--person", "who"], "--person is 'who', but there is no such column"),
        (["--figure", "picture.gif"], "cannot draw picture.gif; end its name with"),
        (["--strategies", "random", "--earlier"], "none of random learns from other people"),
        (["--learn", "20"], "nobody answered the 20 + 1 tasks"),
    ],
)
def test_mistakes_are_one_line(shell: Shell, file: Path, options: list[str], message: str) -> None:
    found = shell("choices", file, *options)
    assert found.code == 2
    assert message in found.err
    assert len(found.err.splitlines()) == 1
