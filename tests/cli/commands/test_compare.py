"""`setmargin compare`: from options or a file to records, figures and a report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from setmargin.cli.run import Written
from setmargin.experiments.records import read_records
from setmargin.experiments.running import run_experiment
from tests.cli.running import Result, Shell

QUICK = ("--catalogue", "synthetic:3", "--people", "2", "--questions", "3", "--jobs", "1")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than all the rest, so only one test does it."""
    monkeypatch.setattr("setmargin.cli.run._write", lambda _, out, *__: Written(out, (), out / "report.html"))


def compare(shell: Shell, folder: Path, *arguments: object, code: int = 0) -> Result:
    found = shell("compare", *QUICK, "--out", folder, *arguments)
    assert found.code == code, found.err
    return found


@pytest.mark.usefixtures("undrawn")
def test_strategies_stand_side_by_side_in_a_table(shell: Shell, tmp_path: Path) -> None:
    both = ("--strategy", "random", "--strategy", "perceptron", "--weights", "normal", "--weights", "uniform")
    found = compare(shell, tmp_path / "out", *both)
    assert re.search(r"questions to a median loss of +10% +1% +0 +at the end +s/question", found.out)
    lines = r"synthetic:3, normal *\n  random \(k = 2\) .*\n  perceptron \(k = 2\) .*\nsynthetic:3, uniform *\n  random"
    assert re.search(lines, found.out)
    assert "2 people in each of 4 settings" in found.out
    assert found.err == ""
    assert max(map(len, found.out.replace(str(tmp_path), "").splitlines())) <= 80


def test_records_figures_and_report_are_written(shell: Shell, tmp_path: Path) -> None:
    document = compare(shell, tmp_path / "out", "--strategy", "random", "--json").document
    for file in (*document["figures"], document["report"]):
        assert Path(file).stat().st_size > 1000
    frame = read_records(document["records"])
    assert (frame.height, set(frame["strategy"])) == (6, {"random"})
    (setting,) = document["settings"]
    assert (setting["strategy"], setting["set_size"], setting["summary"]["people"]) == ("random", 2, 2)


def test_experiments_in_one_folder_keep_their_reports_and_a_run_that_goes_on_has_its_own(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setmargin.experiments.figures.draw", lambda _, target, **__: target)
    monkeypatch.setattr("setmargin.experiments.report.write_report", lambda _, target, **__: target)
    out = tmp_path / "out"
    runs = (("random",), ("perceptron",), ("random", "--people", "3"), ("random", "--weights", "normal"))
    found = [compare(shell, out, "--strategy", *words, "--json").document for words in runs]
    names = [Path(each["report"]).name for each in found]
    assert names == ["report.html", "report-2.html", "report.html", "report-3.html"]
    assert Path(found[1]["figures"][0]).name == "compared-2.svg"
    assert [len(each["settings"]) for each in found] == [1, 1, 1, 1]
    assert read_records(out)["setting"].n_unique() == 3


@pytest.mark.usefixtures("undrawn")
def test_people_of_a_file_are_compared_and_not_drawn_besides(shell: Shell, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("x1=1,x2=3\n12.5,0\n0,7\n3,3\n", encoding="utf-8")
    both = ("--strategy", "random", "--strategy", "perceptron", "--people", people)
    found = compare(shell, tmp_path / "out", *both, "--json").document
    assert found["people"] == 3
    assert {each["weights"] for each in found["settings"]} == {"people.csv"}
    said = compare(shell, tmp_path / "out", *both, "--weights", "normal", code=2).err
    assert "weights is for drawn people, but" in said


@pytest.mark.usefixtures("undrawn")
def test_a_table_in_a_pipe_keeps_its_numbers(shell: Shell, tmp_path: Path) -> None:
    long = ("--strategy", "perceptron", "--option", "passes=2", "--option", "tradeoff=0.123456", "--set-size", "3")
    found = compare(shell, tmp_path / "out", *long)
    assert "…" not in found.out
    (line,) = (line for line in found.out.splitlines() if "perceptron" in line)
    assert re.search(r"passes=2.*\) .* \d+\.\d% +\d\.\d{3}", line)


@pytest.mark.usefixtures("undrawn")
def test_a_second_run_does_only_what_is_new(shell: Shell, tmp_path: Path) -> None:
    compare(shell, tmp_path / "out", "--strategy", "random")
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("trials/*/*.parquet")}
    compare(shell, tmp_path / "out", "--strategy", "random", "--strategy", "perceptron", "--people", "3")
    again = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("trials/*/*.parquet")}
    assert (len(files), len(again)) == (2, 6)
    assert files.items() < again.items()


@pytest.mark.usefixtures("undrawn")
def test_options_of_the_strategies_are_given_to_those_that_know_them(shell: Shell, tmp_path: Path) -> None:
    strategies = ("--strategy", "random", "--strategy", "perceptron", "--option", "passes=2")
    settings = compare(shell, tmp_path / "out", *strategies, "--json").document["settings"]
    assert [setting["options"] for setting in settings] == ["", "passes=2"]


def test_people_who_talk_stand_beside_those_who_do_not(shell: Shell, tmp_path: Path) -> None:
    both = ("--strategy", "random", "--reasons", "0", "--reasons", "1", "--how", "choice")
    found = compare(shell, tmp_path / "out", *both)
    assert re.search(r"at the end +effort, s +s/question", found.out)
    assert re.search(r"synthetic:3, reasons 0\.0 *\n  random .*\nsynthetic:3, reasons 1\.0 *\n  random", found.out)
    frame = read_records(tmp_path / "out")
    assert set(frame["reasons"]) == {0.0, 1.0}
    more, less = (frame.filter(frame["reasons"] == rate)["effort"].sum() for rate in (1.0, 0.0))
    assert more > less


@pytest.mark.usefixtures("undrawn")
def test_a_file_says_what_to_run_and_options_win_over_it(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    strategies = "strategy: [random, {name: perceptron, passes: 5}]"
    Path("noise.yaml").write_text(f"catalogue: synthetic:3\n{strategies}\nwrong: [0, 0.3]\npeople: 9\nquestions: 2\n")
    found = shell(
        "compare", "noise.yaml", "--people", "1", "--jobs", "1", "--option", "tradeoff=0.5", "--json"
    ).document
    assert (found["experiment"], found["people"], found["records"]) == ("noise", 1, "noise")
    said = [(setting["wrong"], setting["options"]) for setting in found["settings"]]
    assert said == [(0.0, ""), (0.0, "tradeoff=0.5, passes=5"), (0.3, ""), (0.3, "tradeoff=0.5, passes=5")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare",), "there is no catalogue; give --catalogue synthetic:4, or a file such as grid.yaml"),
        (("compare", "--catalogue", "pc"), "there is no strategy; give --strategy bayes"),
        (("compare", "none.yaml"), "none.yaml: cannot be read"),
        (("compare", *QUICK, "--strategy", "rndom"), "did you mean random?"),
        (("compare", *QUICK, "--strategy", "random", "--option", "particles=3"), "random knows no option 'particles'"),
        (("compare", *QUICK, "--strategy", "random", "--jobs", "0"), "0 jobs"),
        (("compare", *QUICK, "--strategy", "random", "--strategy", "random"), "stands there twice"),
        (("compare", *QUICK, "--strategy", "rivoi", "--set-size", "3"), "rivoi asks about pairs only"),
        (("compare", *QUICK, "--strategy", "random", "--out", "/dev/null"), "choose another folder"),
    ],
)
def test_mistakes_are_one_line_with_their_cure(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = shell(*arguments)
    assert found.code == 2
    assert words in found.err
    assert found.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def stop_after(monkeypatch: pytest.MonkeyPatch, trials: int, error: BaseException) -> None:
    whole = run_experiment

    def cut_short(*arguments: object, **options: object) -> object:
        fresh = 0
        for step in whole(*arguments, **options):  # type: ignore[arg-type]
            yield step
            fresh += step.fresh
            if fresh == trials:
                raise error

    monkeypatch.setattr("setmargin.cli.run.run_experiment", cut_short)


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_after(monkeypatch, 1, KeyboardInterrupt())
    found = compare(shell, tmp_path / "out", "--strategy", "random", code=130)
    kept = f"1 of 2 trials are kept in {tmp_path / 'out'}; the same command goes on from there"
    assert found.err == f"setmargin: interrupted; {kept}\n"
    assert found.out == ""


@pytest.mark.usefixtures("undrawn")
def test_damage_is_said_even_where_nothing_else_is(shell: Shell, tmp_path: Path) -> None:
    compare(shell, tmp_path / "out", "--strategy", "random")
    file = next((tmp_path / "out").glob("trials/*/*.parquet"))
    file.write_bytes(b"")
    found = compare(shell, tmp_path / "out", "--strategy", "random", "--json")
    assert found.err == f"setmargin: {file} was damaged; its trial is run again\n"
    assert file.stat().st_size


def test_what_matplotlib_or_polars_lack_is_said_before_anything_runs(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    found = compare(shell, tmp_path / "out", "--strategy", "random", code=2)
    assert found.err == "setmargin: matplotlib is not installed; pip install 'setmargin[experiments]'\n"
    assert not (tmp_path / "out").exists()
