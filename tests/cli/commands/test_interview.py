from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from setmargin.answers import Answer, Question, differing
from setmargin.cli.options import DEFAULT
from setmargin.cli.terminal.answering import Answering
from setmargin.interview.interview import Interview
from setmargin.space.catalogue import save
from setmargin.strategies import registry
from setmargin.strategies.bayes.strategy import Bayes
from tests.cli.running import Result, Shell
from tests.cli.talking import LAMP


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    file = tmp_path / "lamp.yaml"
    save(LAMP, file)
    return file


def keys(*typed: str) -> str:
    return "".join(f"{key}\n" for key in typed)


def refused(result: Result) -> str:
    """The one line of an error."""
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    return result.err


def test_an_interview_can_be_scripted(shell: Shell) -> None:
    result = shell("interview", "bicycle", typed=keys("1", "2", "=", "s", "u", "q"))
    assert (result.code, result.err) == (0, "")
    assert "screen 5 of at most 30" in result.out
    assert result.out.endswith("Not saved; --save FILE keeps an interview.\n")


def test_the_end_of_the_input_is_no_error(shell: Shell, catalogue: Path) -> None:
    result = shell("interview", catalogue, typed="")
    assert result.code == 0
    assert "suits you best" in result.out
    assert "No question was answered: this is where everybody starts." in result.out


def test_json_is_one_document_and_all_else_goes_to_stderr(shell: Shell, catalogue: Path) -> None:
    result = shell("interview", catalogue, "--json", "--questions", 2, typed=keys("1", "s"))
    found = result.document
    assert (found["catalogue"], found["ended"], found["saved"]) == ("lamp", "all questions asked", None)
    assert (found["questions"], found["answered"]) == (2, 1)
    assert found["recommendation"]["configuration"] == found["explanation"]["configuration"]
    LAMP.check(found["recommendation"]["configuration"])
    assert found["recommendation"]["amounts"] == LAMP.amounts(found["recommendation"]["configuration"])
    assert "screen 2 of at most 2" in result.err


def test_reasons_and_changes_are_typed_on_the_line_of_a_choice_and_kept(
    shell: Shell, catalogue: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    options = (catalogue, "--policy", "comparisons", "--set-size", 2, "--json", "--save", file)
    question = Interview(LAMP, Bayes(policy="comparisons", set_size=2)).ask()
    assert question
    decided = differing(LAMP, question.options)[0]
    result = shell("interview", *options, typed=keys(f"1 {decided}", "w", "price", "t"))
    said = [{"choice": 0, "because": [decided]}, {"change": {"name": "price"}}]
    assert [event["answer"] for event in result.document["history"]] == said
    assert [event["answer"] for event in json.loads(file.read_text())["events"]] == said
    assert Interview.load(file).belief.wishes == (("price", None),)


def test_a_conversation_can_be_had_and_is_kept_in_the_file(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    options = ("--policy", "conversation", "--set-size", 4, "--questions", 6, "--json", "--save", file)
    found = shell("interview", catalogue, *options, typed=keys(*"1" * 20)).document
    assert found["questions"] >= 4
    assert Interview.load(file).strategy.options()["policy"] == "conversation"
    assert "--policy is 'talk'; " in refused(shell("interview", catalogue, "--policy", "talk"))
    assert "--policy is for strategy bayes only" in refused(
        shell("interview", catalogue, "--strategy", "random", "--policy", "comparisons")
    )


def test_json_says_what_was_taken(shell: Shell, catalogue: Path) -> None:
    best, first, second, none = (
        shell("interview", catalogue, "--json", typed=keys("1", *typed)).document
        for typed in (["t"], ["t", "1"], ["t", "2"], [])
    )
    assert (best["taken"], none["taken"]) == ("recommendation", None)
    assert best["result"] == best["recommendation"] == none["result"]
    assert {first["taken"], second["taken"]} >= {"option"}
    assert first["result"] != second["result"]
    for found in (first, second):
        assert found["recommendation"] == best["recommendation"]
        assert (found["result"] == best["result"]) == (found["taken"] == "recommendation")
        assert found["result"]["amounts"] == LAMP.amounts(found["result"]["configuration"])


def test_who_quits_gets_a_document_too(shell: Shell, catalogue: Path) -> None:
    assert shell("interview", catalogue, "--json", typed=keys("q")).document["ended"] == "quit"


def test_must_haves_can_be_given_at_the_start(shell: Shell, catalogue: Path) -> None:
    rules = ("--require", "kind = floor", "--require", "price <= 1500")
    found = shell("interview", catalogue, *rules, "--json", typed=keys("1")).document
    assert found["must_haves"] == ["kind = floor", "price <= 1500"]
    assert found["recommendation"]["configuration"]["kind"] == "floor"


def test_an_impossible_must_have_at_the_start_is_refused_with_its_conflict(shell: Shell, catalogue: Path) -> None:
    result = shell("interview", catalogue, "--require", "kind = floor", "--require", "price <= 1000")
    assert "kind = floor together with price <= 1000" in refused(result)


def test_the_same_seed_asks_the_same_questions(shell: Shell, catalogue: Path) -> None:
    one, same, other = (
        shell("interview", catalogue, "--strategy", "random", "--seed", seed, typed=keys("1", "1")).out
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_the_mode_is_fast_unless_exact_is_asked_for(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    for number, options in enumerate([(), ("--mode", "exact", "--set-size", 3)]):
        file = tmp_path / f"{number}.json"
        assert shell("interview", catalogue, "--strategy", "setmargin", *options, "--save", file).code == 0
        strategy = Interview.load(file).strategy
        assert (strategy.options()["mode"], strategy.set_size) == (("exact", 3) if options else ("fast", 2))


def test_the_default_is_what_the_help_says(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    assert shell("interview", catalogue, "--save", tmp_path / "a.json").code == 0
    options = Interview.load(tmp_path / "a.json").strategy.options()
    assert (DEFAULT, options["until"], options["differences"]) == (registry.DEFAULT, 0.03, None)


@pytest.mark.parametrize("loss", ["5%", "0.05", " 5 %"])
def test_when_to_stop_and_how_alike_options_are_is_kept_in_the_file(
    shell: Shell, catalogue: Path, tmp_path: Path, loss: str
) -> None:
    file = tmp_path / "mine.json"
    shell("interview", catalogue, "--until", loss, "--differences", 2, "--save", file, typed=keys("1", "2", "1"))
    interview = Interview.load(file)
    assert (interview.strategy.options()["until"], interview.strategy.options()["differences"]) == (0.05, 2)
    for question, _ in interview.history:
        assert sum(len({option[name] for option in question.options}) > 1 for name in LAMP.names.positions) <= 2


def test_a_saved_interview_can_be_told_anew_when_to_stop(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    ended = shell("interview", catalogue, "--until", "25%", "--save", file, "--json", typed=keys(*"1" * 30)).document
    assert (ended["ended"], ended["stakes"]["questions_left"]) == ("good enough", 0)
    shell("interview", "--resume", file, "--until", "1%", typed=keys("1"))
    again = Interview.load(file)
    assert again.strategy.options()["until"] == 0.01
    assert len(again.history) == ended["questions"] + 1


def test_only_a_strategy_that_knows_can_be_told_when_to_stop(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    shell("interview", catalogue, "--strategy", "random", "--save", file)
    assert "--until is for strategy bayes or regret only" in refused(
        shell("interview", "--resume", file, "--until", "1%")
    )


@pytest.mark.parametrize("strategy", ["bayes", "setmargin", "random"])
def test_json_says_how_sure_it_is_or_null(shell: Shell, catalogue: Path, strategy: str) -> None:
    found = shell("interview", catalogue, "--strategy", strategy, "--json", typed=keys("1", "2")).document
    why = found["explanation"]
    known = [found["stakes"], why["intervals"], why["decisive"]]
    if strategy != "bayes":
        assert known == [None, None, None]
        return
    assert found["stakes"].keys() == {"expected_loss", "probability_within", "questions_left"}
    assert why["intervals"].keys() == why["importance"].keys()
    for each in why["decisive"]:
        LAMP.check(each["instead"])
        assert each["answer"] == {"choice": each["number"]}


def test_a_saved_interview_goes_on_where_it_stopped(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    whole = shell("interview", catalogue, "--questions", 4, typed=keys("1", "2", "1", "2"))
    shell("interview", catalogue, "--save", file, typed=keys("1", "2", "q"))
    rest = shell("interview", "--resume", file, "--questions", 4, typed=keys("1", "2"))
    assert "screen 3 of at most 4" in rest.out.splitlines()[0]
    start = whole.out.index("Find your lamp", whole.out.index("> 2"))
    until = rest.out.index("Saved; go on with: ")
    assert rest.out[:until] == whole.out[start : whole.out.index("Not saved")]
    assert len(Interview.load(file).history) == 4


def test_a_resumed_interview_can_be_kept_elsewhere(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    shell("interview", catalogue, "--save", first, typed=keys("1"))
    before = first.read_bytes()
    assert shell("interview", catalogue, "--resume", first, "--save", second, typed=keys("1")).code == 0
    assert first.read_bytes() == before
    assert len(Interview.load(second).history) == 2


def test_files_are_not_overwritten_unless_forced(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    shell("interview", catalogue, "--save", file, typed=keys("1", "1"))
    before = file.read_bytes()
    assert f"{file} exists; continue it with --resume {file}" in refused(shell("interview", catalogue, "--save", file))
    assert file.read_bytes() == before
    assert shell("interview", "--resume", file, "--save", file).code == 0
    assert file.read_bytes() == before
    assert shell("interview", catalogue, "--save", file, "--force").code == 0
    assert not Interview.load(file).events


def test_a_place_that_cannot_be_written_is_refused_before_the_first_question(shell: Shell, catalogue: Path) -> None:
    for place in (catalogue.parent / "no" / "x.json", catalogue.parent, ""):
        assert "cannot write" in refused(shell("interview", catalogue, "--save", place))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "which catalogue? Shipped are bicycle, "),
        (("bicycle", "--strategy", "setmagin"), "did you mean setmargin?"),
        (
            ("bicycle", "--mode", "fast"),
            "--mode is for strategy setmargin or musm only; add --strategy setmargin, or leave it",
        ),
        (("bicycle", "--strategy", "setmargin", "--mode", "quick"), "give fast or exact"),
        (("bicycle", "--strategy", "setmargin", "--until", "3%"), "--until is for strategy bayes or regret only"),
        (("bicycle", "--strategy", "random", "--differences", "3"), "--differences is for strategy bayes only"),
        (("bicycle", "--differences", "0"), "differences is 0"),
        (
            ("bicycle", "--until", "little"),
            "--until is 'little'; give a number, such as 0.03",
        ),
        (("bicycle", "--until", "3"), "--until is 3; give the expected loss to stop at, from 0 to below 1"),
        (("bicycle", "--until", "-1%"), "--until is -1%"),
        (("bicycle", "--until", "nan"), "--until is 'nan'"),
        (("bicycle", "--set-size", "7"), "give 2 to 6"),
        (("bicycle", "--require", "prize <= 9"), "did you mean price?"),
        (("--resume", "no.json"), "cannot read no.json"),
        (("--resume", "no.json", "--set-size", "3"), "keeps its own --set-size"),
    ],
)
def test_impossible_options_are_one_line(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(shell("interview", *arguments))


def test_a_resumed_interview_is_about_its_own_catalogue(shell: Shell, catalogue: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    shell("interview", catalogue, "--save", file)
    assert "about another catalogue than pc" in refused(shell("interview", "pc", "--resume", file))


def test_ctrl_c_keeps_what_was_saved_and_says_how_to_go_on(
    shell: Shell, catalogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Answering.answer

    def interrupted_later(self: Answering, question: Question) -> Answer:
        if self.interview.history:
            raise KeyboardInterrupt
        return answer(self, question)

    monkeypatch.setattr(Answering, "answer", interrupted_later)
    file = tmp_path / "mine.json"
    result = shell("interview", catalogue, "--save", file, typed=keys("1", "1"))
    assert (result.code, result.err) == (130, "")
    assert "go on with: setmargin interview --resume" in result.out
    assert len(Interview.load(file).history) == 1


def test_ctrl_c_without_a_file_says_that_nothing_was_saved(
    shell: Shell, catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Answering, "answer", interrupted)
    result = shell("interview", catalogue, typed=keys("1"))
    assert result.code == 130
    assert result.out.endswith("\nStopped. Nothing was saved; use --save FILE next time.\n")


def test_one_key_answers_at_a_real_terminal(catalogue: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    file, (ours, theirs) = tmp_path / "mine.json", pty.openpty()
    command = [sys.executable, "-m", "setmargin", "interview", str(catalogue), "--save", str(file)]
    command += ["--policy", "comparisons"]
    running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    for number, key in ((1, b"2"), (1, b"1"), (2, b"="), (3, b"q")):
        wait_for_prompt(ours, b"screen %d of" % number)
        os.write(ours, key)
    assert running.wait() == 0
    os.close(ours)
    events = json.loads(file.read_text())["events"]
    first = next(name for name in LAMP.things if len({option.get(name) for option in events[0]["question"]}) > 1)
    assert [event["answer"] for event in events] == [{"choice": 1, "because": [first]}, {"equal": True}]


def wait_for_prompt(terminal: int, page: bytes) -> None:
    """Until that page's prompt is there, and keys are read one by one: what is typed before is thrown away."""
    import termios

    seen = b""
    while not re.search(page + rb".*\n> $", seen, re.DOTALL):
        seen += os.read(terminal, 4096)
    deadline = monotonic() + 10
    while termios.tcgetattr(terminal)[3] & termios.ICANON and monotonic() < deadline:
        sleep(0.01)


def test_opening_answers_and_the_language_can_be_said_on_the_command_line(shell: Shell) -> None:
    said = ("--opening", "use=loads", "--opening", "motor=yes", "--language", "de")
    result = shell("interview", "bicycle", *said, typed="")
    assert result.code == 0
    for words in ("Finde dein Fahrrad", "Lastenrad", "Tagesreichweite"):
        assert words in result.out
    assert "the opening question use has no answer 'load'; did you mean loads?" in refused(
        shell("interview", "bicycle", "--opening", "use=load", typed="")
    )
