"""The benchmarks of tuning, of seconds a question and of the two modes measure what they say."""

from __future__ import annotations

from math import nan
from pathlib import Path

import numpy as np
import pytest
from benchmarks.questions import Growth, Wait
from benchmarks.timing import Disagreement, Report

from benchmarks import __main__ as command
from benchmarks import modes, questions, tuning
from setmargin.experiments import FINISHED, Point, run_trial
from setmargin.experiments.people import draw_people
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Columns, assemble, rows, total
from setmargin.space.catalogue import load
from setmargin.strategies.setmargin.problem import Hyperparameters
from setmargin.strategies.setmargin.strategy import Mode
from setmargin.strategies.setmargin.tuning import Tuning, best_of

# Tuning


def small_case() -> tuning.Case:
    (person,) = draw_people(load("synthetic:3"), 1, seed=1)
    ((_, case),) = tuning.cases(person, (12,))
    return case


def test_a_watched_solver_counts_solves_and_finds_the_same() -> None:
    columns = Columns()
    x = columns.add("x", (3,), upper=1.0, objective=np.array([1.0, 2.0, 3.0]))
    model = assemble(columns, [rows(total(x), upper=1.5)], maximise=True)
    watched = tuning.Watched()
    with watched.open(model) as opened:
        opened.change_objective(np.array([3.0, 0.0, 0.0]))
        assert [opened.solve().objective for _ in range(2)] == [3.0, 3.0]
    assert watched.solve(model).objective == Highs().solve(model).objective == 4.0
    assert watched.watch.solves == 3
    assert watched.watch.seconds > 0


def test_the_cold_solves_are_every_setting_in_every_fold() -> None:
    case = small_case()
    problems = case.cold()
    assert len(problems) == 64 * 5
    assert {setting for setting, _ in problems} == set(Tuning().grid())
    assert {len(pairs) for _, pairs in problems} <= {len(case.pairs) - 3, len(case.pairs) - 2}
    assert len({setting for setting, _ in problems[:20]}) > 10  # a sample of them, not the first few settings


def test_every_setting_is_scored_or_given_up_and_the_choice_stays_the_same() -> None:
    case, watched = small_case(), tuning.Watched()
    with case.validation(solver=watched) as made:
        counted = tuning.CountedCrossValidation(made.folds, made.whole, watch=watched.watch)
        chosen = best_of(Tuning().grid(), Hyperparameters(1.0, 1.0, 1.0), counted)
    assert counted.complete + counted.given_up + counted.unsolved == 65  # the grid, and the current setting before it
    assert counted.unsolved > 0
    assert chosen == case.tune(solver=Highs(), tuning=Tuning())


def test_a_tuning_is_measured_beside_its_cold_rivals() -> None:
    plan = tuning.Plan(repeats=2, lps=12, milps=6, seconds=10.0)
    found = tuning.measured(small_case(), plan, person="somebody", answers=12)
    assert len(found.seconds) == 2
    assert found.milp_optimal == 6
    assert 0 < found.equal <= 6
    assert [each.limit for each in found.stops] == [*tuning.LIMITS, None]
    assert found.cold_seconds > 0
    assert tuning.times([found]).rows[0][0] == "12"
    assert any(f"{found.equal} of 6" in note for note in tuning.notes([found], plan))


def test_a_learner_that_beats_a_proven_optimum_is_a_disagreement() -> None:
    assert tuning.equal([1.0, 2.0, 5.0, 9.0], [1.0, 2.5, None]) == 1
    with pytest.raises(Disagreement, match="the MILP proves 2"):
        tuning.equal([2.1], [2.0])


# Seconds a question


def test_the_wait_for_a_question_is_all_but_the_recommendation(monkeypatch: pytest.MonkeyPatch) -> None:
    (person,) = draw_people(load("synthetic:3"), 1, seed=0)
    seconds = {"ask_seconds": 1.0, "learn_seconds": 2.0, "tune_seconds": 4.0, "recommend_seconds": 8.0}
    plain = run_trial(questions.strategy("fast"), person, questions=2)
    timed = [
        {**record, **seconds, "status": status} for record, status in zip(plain, ("optimal", FINISHED), strict=True)
    ]
    monkeypatch.setattr(questions, "run_trial", lambda *_, **__: timed)
    assert questions.waits(questions.strategy("fast"), person, questions=2, number=3) == [Wait(3, 1, 7.0, 4.0, True)]


def test_warming_up_does_not_count() -> None:
    plan = questions.Plan(people=1, questions=1, exact_seconds=1.0, sizes=(), growing_questions=2)
    found = questions._growth(4, plan, print)
    assert (found.name, found.features) == ("synthetic:4", 16)
    assert [each.question for each in found.waits] == [questions.WARM_UP + 1, questions.WARM_UP + 2]


def test_a_goal_is_judged_by_the_mean_and_growth_by_the_medians() -> None:
    asked = [Wait(1, number, seconds, 0.1, proven=number > 2) for number, seconds in enumerate((0.1, 0.1, 1.0), 1)]
    grown = [Growth(f"r{size}", size, (Wait(1, 1, 2.0 * size**3, 0.0, proven=False),)) for size in (10, 40)]
    (row,) = questions.both({"fast": asked}).rows
    assert row == ["fast", "3", "0.4", "0.1", "0.91", "1", "25%", "33%"]
    notes = questions.notes({"fast": asked}, grown, questions.QUICK)
    assert "0.4 s (mean)" in notes[0]
    assert "power 3.0" in notes[2]


def test_one_of_the_people_is_noisy_and_all_are_different() -> None:
    people = list(questions.people())
    assert [person.response.wrong > 0 for person in people] == [False, False, True]
    assert len({person.weights.tobytes() for person in people}) == 3


# Modes

Curves = dict[Mode, tuple[Point, ...]]


def points(*figures: tuple[float, float]) -> tuple[Point, ...]:
    return tuple(Point(number, mean, mean, error, 0.0) for number, (mean, error) in enumerate(figures, 1))


def test_modes_agree_within_the_standard_error_of_their_difference() -> None:
    fast = points((0.5, 0.03), (0.5, 0.03), (0.0, 0.0), (0.1, 0.0))
    exact = points((0.45, 0.04), (0.56, 0.04), (0.0, 0.0), (0.0, 0.0))
    found = modes.Compared(modes.CASES[0], {"fast": fast, "exact": exact}, 1.0)
    assert found.apart()[:3] == pytest.approx([1.0, 1.2, 0.0])
    assert found.apart()[3] > 1
    assert found.within() == 2
    (row,) = modes.agreement([found]).rows
    assert row[1] == "2 of 4"


def test_the_same_people_are_asked_in_both_modes_and_progress_is_said() -> None:
    said: list[str] = []
    case = modes.Case("tiny", "synthetic:2", "uniform", 1.0)
    found = modes.compared(case, people=2, questions=2, say=said.append, jobs=1)
    assert [len(curve) for curve in found.curves.values()] == [2, 2]
    assert found.proven == 1.0
    assert said == [f"modes: tiny, {mode} mode, person {n} of 2" for mode in ("fast", "exact") for n in (1, 2)]


def test_a_drawing_has_a_panel_for_each_case_and_is_the_same_each_time(tmp_path: Path) -> None:
    curves: Curves = {"fast": points((0.5, 0.1), (0.3, 0.1)), "exact": points((0.4, nan), (0.2, 0.0))}
    cases = [modes.Compared(case, curves, 1.0).document() for case in modes.CASES]
    first, second = (modes.draw({"cases": cases}, tmp_path / name).read_text(encoding="utf-8") for name in "ab")
    assert first == second
    words = (*(case.title for case in modes.CASES), "questions", "mean relative loss", "fast mode", "exact mode")
    assert all(f">{word}<" in first for word in words)


def test_figures_are_drawn_where_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curves: Curves = {"fast": points((0.5, 0.1)), "exact": points((0.4, 0.1))}
    report = Report([], [], {"cases": [modes.Compared(modes.CASES[0], curves, 1.0).document()]})
    for name in ("modes", "oracle"):
        monkeypatch.setitem(command.BENCHMARKS, name, ("nothing", lambda *_: report))
    assert command.main(["modes", "oracle", "--figures", str(tmp_path / "new")]) == 0
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["modes.svg"]
