"""`setmargin simulate`, from its options to its files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from setmargin.cli.commands.simulate import simulate
from setmargin.errors import SetmarginError
from setmargin.experiments import Record
from setmargin.experiments.grid import Experiment, Trial
from setmargin.strategies.registry import DEFAULT
from tests.experiments.stubs import read_lines, trial

app = typer.Typer()
app.command()(simulate)


def call(*arguments: str) -> Result:
    found = CliRunner().invoke(app, ["synthetic:3", *arguments])
    if isinstance(found.exception, SetmarginError):
        raise found.exception
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found


QUICK = ("--strategy", "random", "--people", "3", "--questions", "4")


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*QUICK, "--json", *arguments).stdout)
    return found


def test_a_summary_is_printed_and_nothing_else() -> None:
    found = call(*QUICK)
    assert found.exit_code == 0
    assert "synthetic:3: random (k = 2) asks 3 people (uniform)" in found.stdout
    assert "loss after 4 questions" in found.stdout
    assert "of 3" in found.stdout
    assert found.stderr == ""


def test_the_summary_fits_into_80_columns() -> None:
    assert max(map(len, call("--people", "2", "--questions", "2", "--until", "40%").stdout.splitlines())) <= 80


def test_json_holds_what_was_run_the_summary_and_the_curve() -> None:
    found = document("--wrong", "0.1", "--response", "tree", "--how", "choice", "--seed", "7", "--set-size", "3")
    assert found["strategy"] == {"name": "random", "set_size": 3}
    assert (found["response"], found["wrong"], found["how"], found["seed"]) == ("tree", 0.1, "choice", 7)
    assert found["summary"]["people"] == 3
    assert [point["question"] for point in found["curve"]] == [1, 2, 3, 4]
    assert [milestone["level"] for milestone in found["summary"]["milestones"]] == [0.1, 0.01, 0.0]


def test_the_strategy_that_asks_unless_another_is_named_is_the_usual_one() -> None:
    found = json.loads(call("--people", "1", "--questions", "1", "--json").stdout)
    assert found["strategy"]["name"] == DEFAULT
    assert (found["strategy"]["until"], found["strategy"]["differences"]) == (0, None)


def test_mode_and_seconds_reach_the_strategy() -> None:
    quick = ("--strategy", "setmargin", "--people", "1", "--questions", "1", "--json")
    found = json.loads(call(*quick, "--mode", "fast", "--seconds", "3").stdout)["strategy"]
    assert (found["mode"], found["seconds"], found["threads"]) == ("fast", 3, 1)


def test_the_strategys_own_options_reach_it_by_name() -> None:
    arguments = (
        "--strategy",
        "perceptron",
        "--option",
        "passes=3",
        "--option",
        "tradeoff=0.5",
        "--people",
        "1",
        "--json",
    )
    found = json.loads(call(*arguments, "--questions", "1").stdout)["strategy"]
    assert (found["passes"], found["tradeoff"]) == (3, 0.5)


def test_everybody_gets_all_the_questions_unless_a_loss_to_stop_at_is_given() -> None:
    few = ("--people", "2", "--questions", "6", "--json")
    whole, short = (json.loads(call(*few, *more).stdout) for more in ((), ("--until", "30%", "--differences", "2")))
    assert (whole["summary"]["finished"], whole["summary"]["mean_questions"]) == (0, 6)
    assert (short["strategy"]["until"], short["strategy"]["differences"]) == (0.3, 2)
    assert short["summary"]["finished"] == 2
    assert short["summary"]["mean_questions"] < 6
    assert len(short["curve"]) == 6
    assert {point["mean"] for point in short["curve"][5:]} == {short["summary"]["mean"]}


TALK = ("--people", "2", "--questions", "3", "--reasons", "1", "--changes", "0.9", "--careless", "0.1")


def test_people_who_talk_are_asked_in_a_conversation_unless_something_else_is_said(tmp_path: Path) -> None:
    found = json.loads(call(*TALK, "--json", "--out", str(tmp_path / "a.jsonl")).stdout)
    assert (found["strategy"]["policy"], found["strategy"]["set_size"], found["how"]) == ("conversation", 4, "choice")
    assert (found["reasons"], found["changes"], found["careless"]) == (1.0, 0.9, 0.1)
    records = read_lines(tmp_path / "a.jsonl")
    assert found["summary"]["mean_effort"] == pytest.approx(sum(each["effort"] for each in records) / 2)
    given = ("--set-size", "3", "--option", "policy=comparisons", "--how", "ranking")
    found = json.loads(call(*TALK, *given, "--json").stdout)
    assert (found["strategy"]["policy"], found["strategy"]["set_size"], found["how"]) == ("comparisons", 3, "ranking")


def test_the_effort_of_people_who_talk_is_shown() -> None:
    assert re.search(r"seconds that these take a person +\d+ mean", call(*TALK).stdout)
    assert "take a person" not in call(*QUICK).stdout


def test_the_report_says_when_questions_stopped() -> None:
    text = call("--people", "2", "--questions", "6", "--until", "30%", "--differences", "2").stdout
    assert "synthetic:3: bayes (k = 2, until=0.3, differences=2) asks 2 people" in text
    assert re.search(r"people with nothing left to ask +2 of 2 *\nquestions asked +\d\.\d mean", text)


def test_records_are_written_person_by_person(tmp_path: Path) -> None:
    call(*QUICK, "--out", str(tmp_path / "a.jsonl"))
    records = read_lines(tmp_path / "a.jsonl")
    assert [(record["person"], record["question"]) for record in records] == [
        (p, q) for p in (1, 2, 3) for q in range(1, 5)
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_the_seed_decides(tmp_path: Path) -> None:
    def losses(seed: str) -> list[float]:
        call(*QUICK, "--seed", seed, "--out", str(tmp_path / "a.jsonl"), "--force")
        return [record["loss"] for record in read_lines(tmp_path / "a.jsonl")]

    assert losses("1") == losses("1") != losses("2")


def test_people_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("x1=1,x2=3\n1,2\n0,0\n")
    found = json.loads(call("--strategy", "random", "--people", str(file), "--questions", "3", "--json").stdout)
    assert (found["people"], found["weights"]) == (2, "people.csv")


def test_people_may_care_about_quantities(tmp_path: Path) -> None:
    def losses(*extra: str) -> list[float]:
        arguments = ["bicycle", *QUICK, "--out", str(tmp_path / "a.jsonl"), "--force", *extra]
        assert CliRunner().invoke(app, arguments).exit_code == 0
        return [record["loss"] for record in read_lines(tmp_path / "a.jsonl")]

    assert losses() != losses("--quantities")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--strategy", "setmargni"), "did you mean setmargin"),
        (
            ("--strategy", "random", "--mode", "fast"),
            "--mode is for strategy setmargin or musm only; add --strategy setmargin, or leave it out",
        ),
        (("--strategy", "random", "--seconds", "3"), "--seconds is for strategy setmargin or regret or musm only"),
        (("--strategy", "setmargin", "--mode", "quick"), "'quick'"),
        (("--strategy", "setmargin", "--seconds", "0"), "--seconds is 0"),
        (("--strategy", "setmargin", "--until", "3%"), "--until is for strategy bayes or regret only"),
        (("--strategy", "random", "--differences", "3"), "--differences is for strategy bayes only"),
        (("--until", "100%"), "--until is 100%"),
        (("--differences", "0"), "--differences is 0"),
        (("--set-size", "1"), "--set-size is 1; give 2 to 6"),
        (("--people", "0"), "0 people"),
        (("--people", "-3"), "-3 people"),
        (("--people", "nobody.csv"), "nobody.csv: cannot be read"),
        (("--weights", "unform"), "did you mean uniform"),
        (("--response", "forest"), "the response is 'forest'"),
        (("--wrong", "1"), "less than 1"),
        (("--how", "guess"), "'guess'"),
        (("--reasons", "1.5"), "the rate of reasons is 1.5; give a number from 0 to 1"),
        (("--changes", "-1"), "the rate of changes is -1.0"),
        (("--careless", "0.2"), "careless is 0.2, but nobody gives reasons or changes"),
        (("--questions", "0"), "0 questions"),
        (("--jobs", "0"), "0 jobs"),
        (("--seed", "-1"), "the seed is -1"),
        (("--out", "/nowhere/at/all.jsonl"), "choose another place"),
    ],
)
def test_bad_values_are_refused_with_their_cure(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(SetmarginError, match=words):
        call(*arguments)


@pytest.mark.parametrize(
    ("place", "said"), [(".", "it is a folder"), ("", "it is a folder"), ("no/a.jsonl", "there is no folder")]
)
def test_places_that_cannot_be_written_are_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("setmargin.space.catalogue.load", lambda _: pytest.fail("nothing may run"))
    with pytest.raises(SetmarginError, match=said):
        call(*QUICK, "--out", place)
    assert not list(tmp_path.iterdir())


def test_files_are_not_overwritten_unless_forced(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("mine")
    with pytest.raises(SetmarginError, match="exists; overwrite it with --force"):
        call(*QUICK, "--out", str(file))
    assert file.read_text() == "mine"
    call(*QUICK, "--out", str(file), "--force")
    assert len(read_lines(file)) == 12


@pytest.mark.parametrize("option", [("--weights", "normal"), ("--quantities",)])
def test_options_for_drawn_people_do_not_fit_people_from_a_file(tmp_path: Path, option: tuple[str, ...]) -> None:
    file = tmp_path / "people.csv"
    file.write_text("x1=1\n1\n")
    with pytest.raises(SetmarginError, match=f"{option[0]} is for drawn people"):
        call("--people", str(file), *option)


def test_a_space_with_one_configuration_leaves_nothing_to_ask() -> None:
    found = CliRunner().invoke(app, ["synthetic:3x1", *QUICK])
    assert "There was nothing to ask" in found.stdout
    assert "loss after" not in found.stdout


class Broken(SetmarginError):
    """Something went wrong half-way."""


def fail_after_one_person(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def cut_short(experiment: Experiment, *_: object) -> Iterator[tuple[Trial, list[Record]]]:
        yield Trial(experiment.settings[0], 1), trial(1, 4, 2, 1, 0)
        raise error

    monkeypatch.setattr("setmargin.cli.run.run_trials", cut_short)


def test_ctrl_c_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after_one_person(monkeypatch, KeyboardInterrupt())
    found = call(*QUICK, "--out", str(tmp_path / "a.jsonl"))
    assert found.exit_code == 130
    assert found.stdout == ""
    assert found.stderr == f"setmargin: interrupted; what there is stays in {tmp_path / 'a.jsonl.part'}\n"
    kept = read_lines(tmp_path / "a.jsonl.part")
    assert all(dict(each).keys() >= {"version", "code"} for each in kept)
    assert [{name: value for name, value in each.items() if name not in ("version", "code")} for each in kept] == trial(
        1, 4, 2, 1, 0
    )
    assert not (tmp_path / "a.jsonl").exists()


def test_ctrl_c_without_a_file_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after_one_person(monkeypatch, KeyboardInterrupt())
    found = call(*QUICK)
    assert (found.exit_code, found.stderr) == (130, "setmargin: interrupted; nothing was written\n")


def test_an_error_half_way_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after_one_person(monkeypatch, Broken("no more"))
    with pytest.raises(Broken):
        call(*QUICK, "--out", str(tmp_path / "a.jsonl"))
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl.part"]


# Who is asked


def test_people_of_segments_are_asked_and_it_is_said() -> None:
    words = call(*QUICK, "--weights", "sparse-normal", "--population", "segments:2").stdout
    assert "asks 3 people (sparse-normal, segments:2)" in words
    found = document("--population", "segments:2/3")
    assert (found["population"], found["no_order"], found["earlier"]) == ("segments:2/3", 0.0, 0)


def test_earlier_people_are_interviewed_first_and_it_is_said() -> None:
    asked = ("--people", "1", "--questions", "2", "--strategy", "musm", "--earlier", "2")
    found = call(*asked)
    assert found.stderr == "setmargin: 2 earlier people are interviewed first\n"
    assert "musm (k = 2, earlier=2) asks 1 person" in found.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--weights", "ordered"), "no attribute of synthetic:3 says what is better"),
        (("--no-order", "0.2"), "follow no order anyway; leave no-order out"),
        (("--population", "segments"), "the population is 'segments'; write usual"),
        (("--earlier", "9"), "random does not learn from 9 earlier people; leave earlier out"),
        (("--earlier-population", "usual"), "nobody of usual was asked before"),
    ],
)
def test_people_that_make_no_sense_are_refused(options: tuple[str, ...], words: str) -> None:
    with pytest.raises(SetmarginError, match=words):
        call(*QUICK, *options)
