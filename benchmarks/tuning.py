"""Tuning on PC, as shipped, against 320 cold solves: one newly built problem (k = 1) for every setting and fold.

The cold solves are done in two ways: as our learner does it, but with a new linear problem each time, and as the paper
does it, with the printed MILP on HiGHS. Only seconds inside the solver are compared: building a model in it and
solving. The answers are to random questions, from people without and with plainly wrong answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from itertools import product
from math import isfinite
from time import perf_counter

import numpy as np

from benchmarks.timing import Disagreement, Grid, Report, Say, short
from setmargin.arrays import Floats
from setmargin.errors import NoSolutionInTime
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.solve.milp.feasible import feasible_block
from setmargin.solve.milp.highs import Highs, HighsModel
from setmargin.solve.milp.model import DEFAULT_LIMITS, Limits, Milp, Solution
from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from setmargin.space.space import Space
from setmargin.strategies.rivals.random import RandomStrategy
from setmargin.strategies.setmargin.local_search import WorkBudget
from setmargin.strategies.setmargin.problem import Bounds, Form, Hyperparameters, SetProblem, solve
from setmargin.strategies.setmargin.strategy import FIRST
from setmargin.strategies.setmargin.tuning import (
    WORST,
    CrossValidation,
    Learner,
    Score,
    Tuning,
    best_of,
    cross_validation,
    folds_of,
    tune,
)
from setmargin.strategies.setmargin.weights import WeightFitter
from setmargin.strategies.shared.pairs import Pairs, pairs_of

WRONG = 0.15
LIMITS = (0.1, 0.5)
"""Seconds that a tuning is given, to see what it still finds."""
GOAL_RATIO, GOAL_SECONDS = 50, 2.0
AGREE = 1e-5
"""Relative or absolute; no learner can be better than a proven optimum by more."""


# A solver with a clock


@dataclass
class Watch:
    """Seconds spent inside the solver, and how often it solved."""

    seconds: float = 0.0
    solves: int = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Everything inside counts."""
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds += perf_counter() - began


@dataclass(frozen=True)
class Watched(Highs):
    """HiGHS with a watch on it."""

    watch: Watch = field(default_factory=Watch)

    def open(self, model: Milp) -> HighsModel:
        """Handing the model over counts too."""
        with self.watch.running():
            return WatchedModel(model, self.watch)


class WatchedModel(HighsModel):
    """A model inside a HiGHS with a watch on it."""

    def __init__(self, model: Milp, watch: Watch) -> None:
        super().__init__(model)
        self._watch = watch

    def change_objective(self, objective: Floats) -> None:
        """Replace the objective of every column."""
        with self._watch.running():
            super().change_objective(objective)

    def solve(
        self,
        *,
        limits: Limits = DEFAULT_LIMITS,
        start: Floats | None = None,
        fresh: bool = False,
        cutoff: float | None = None,
    ) -> Solution:
        """Solve as the model now stands."""
        self._watch.solves += 1
        with self._watch.running():
            return super().solve(limits=limits, start=start, fresh=fresh, cutoff=cutoff)


# One tuning in all ways


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How often a tuning is timed, how many of the cold solves are done, and how long a MILP may take."""

    repeats: int
    lps: int
    milps: int
    seconds: float


QUICK = Plan(repeats=1, lps=16, milps=2, seconds=1.0)
FULL = Plan(repeats=5, lps=320, milps=30, seconds=10.0)


@dataclass(frozen=True, eq=False)
class Case:
    """What one tuning is about; the folds are the same in every way of doing it."""

    space: Space
    pairs: Pairs
    seed: int

    def rng(self) -> np.random.Generator:
        """The same folds each time."""
        return np.random.default_rng(self.seed)

    def tune(self, *, solver: Highs, tuning: Tuning) -> Hyperparameters:
        """As the strategy does it."""
        return tune(
            oracle_for(self.space),
            self.pairs,
            FIRST,
            tuning=tuning,
            bounds=Bounds.usual(self.space),
            form=Form.COUPLED,
            solver=solver,
            rng=self.rng(),
        ).setting

    @contextmanager
    def validation(self, *, solver: Highs) -> Iterator[CrossValidation]:
        """The same from inside."""
        with cross_validation(
            oracle_for(self.space),
            self.pairs,
            tuning=Tuning(),
            bounds=Bounds.usual(self.space),
            form=Form.COUPLED,
            solver=solver,
            rng=self.rng(),
        ) as made:
            yield made

    def cold(self) -> list[tuple[Hyperparameters, Pairs]]:
        """Every setting with the pairs of every fold, shuffled, so that the first few are a sample."""
        parts = folds_of(len(self.pairs), Tuning().folds, self.rng())
        ordered = [(setting, self.pairs.at(rest)) for setting, (_, rest) in product(Tuning().grid(), parts)]
        return [ordered[place] for place in self.rng().permutation(len(ordered))]


@dataclass
class CountedCrossValidation(CrossValidation):
    """A cross-validation that counts what became of the settings."""

    watch: Watch = field(default_factory=Watch)
    complete: int = 0
    given_up: int = 0
    unsolved: int = 0

    def score(self, setting: Hyperparameters, bar: Score = WORST) -> Score:
        """And whether it took all folds, some, or no solve at all."""
        before = self.watch.solves
        found = super().score(setting, bar)
        self.complete += found < WORST
        self.unsolved += self.watch.solves == before
        self.given_up += found == WORST and self.watch.solves > before
        return found


@dataclass(frozen=True, kw_only=True)
class Stop:
    """What a time limit leaves: how long it really took, and the wrong orders of what was chosen."""

    limit: float | None
    seconds: float
    setting: tuple[float, ...]
    wrong_orders: float | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One tuning and its rivals; solver seconds of the cold ones are scaled up from their samples to all solves."""

    person: str
    answers: int
    pairs: int
    seconds: tuple[float, ...]
    solver_seconds: float
    solves: int
    cold_seconds: float
    milp_seconds: float
    milp_optimal: int
    equal: int
    complete: int
    given_up: int
    unsolved: int
    current_wrong: float | None
    stops: tuple[Stop, ...]


def measured(case: Case, plan: Plan, *, person: str, answers: int) -> Run:
    """One tuning as shipped, under time limits, and cold."""
    watched = [Watched() for _ in range(plan.repeats)]
    timed = [_timed(case, solver, Tuning()) for solver in watched]
    chosen, spent = timed[0][0], [each.watch.seconds for each in watched]
    problems = case.cold()
    fits, cold = _cold_fits(case, problems[: plan.lps])
    optima, milp = _cold_milps(case, problems[: plan.milps], Limits(seconds=plan.seconds))
    counted = _counted_again(case, chosen)
    limited = [(limit, *_timed(case, Highs(), Tuning(seconds=limit))) for limit in LIMITS]
    return Run(
        person=person,
        answers=answers,
        pairs=len(case.pairs),
        seconds=tuple(seconds for _, seconds in timed),
        solver_seconds=float(np.median(spent)),
        solves=watched[0].watch.solves,
        cold_seconds=cold.seconds * len(problems) / len(fits),
        milp_seconds=milp.seconds * len(problems) / len(optima),
        milp_optimal=sum(value is not None for value in optima),
        equal=equal(fits, optima),
        complete=counted.complete,
        given_up=counted.given_up,
        unsolved=counted.unsolved,
        current_wrong=_wrong_orders(case, FIRST),
        stops=tuple(_stop(case, *each) for each in (*limited, (None, *timed[0]))),
    )


def _timed(case: Case, solver: Highs, tuning: Tuning) -> tuple[Hyperparameters, float]:
    began = perf_counter()
    return case.tune(solver=solver, tuning=tuning), perf_counter() - began


def _cold_fits(case: Case, problems: Sequence[tuple[Hyperparameters, Pairs]]) -> tuple[list[float], Watch]:
    """Objectives of our learner, each from a problem built anew, and the solver's seconds."""
    watched, found = Watched(), []
    for setting, pairs in problems:
        with WeightFitter(
            case.space,
            pairs,
            size=1,
            bounds=Bounds.usual(case.space),
            form=Form.COUPLED,
            solver=watched,
            limits=DEFAULT_LIMITS,
        ) as fitter:
            found.append(Learner(fitter, oracle_for(case.space), WorkBudget.unlimited()).fit(setting).objective)
    return found, watched.watch


def _cold_milps(
    case: Case, problems: Sequence[tuple[Hyperparameters, Pairs]], limits: Limits
) -> tuple[list[float | None], Watch]:
    """Proven optima of the printed MILP, None where time was too short, and the solver's seconds."""
    watched, block = Watched(), feasible_block(oracle_for(case.space).lowered)
    found: list[float | None] = []
    for setting, pairs in problems:
        problem = SetProblem(case.space, block, pairs, 1, setting, Bounds.usual(case.space), one_bound=True)
        try:
            solved = solve(problem, solver=watched, limits=limits)
            found.append(solved.objective if solved.status == "optimal" else None)
        except NoSolutionInTime:
            found.append(None)
    return found, watched.watch


def equal(fits: Sequence[float], optima: Sequence[float | None]) -> int:
    """How often the learner reaches the proven optimum; more than it is a disagreement."""
    reached = 0
    for fit, best in zip(fits, optima, strict=False):
        if best is None:
            continue
        apart = (best - fit) / max(1.0, abs(best))
        if apart < -AGREE:
            raise Disagreement(f"the learner finds {fit}, but the MILP proves {best}")
        reached += apart <= AGREE
    return reached


def _counted_again(case: Case, chosen: Hyperparameters) -> CountedCrossValidation:
    watched = Watched()
    with case.validation(solver=watched) as made:
        counted = CountedCrossValidation(made.folds, made.whole, watch=watched.watch)
        if (again := best_of(Tuning().grid(), FIRST, counted)) != chosen:
            raise Disagreement(f"tuning chose {chosen}, and the second time {again}")
    return counted


def _stop(case: Case, limit: float | None, chosen: Hyperparameters, seconds: float) -> Stop:
    wrong = _wrong_orders(case, chosen)
    return Stop(limit=limit, seconds=seconds, setting=astuple(chosen), wrong_orders=wrong)


def _wrong_orders(case: Case, setting: Hyperparameters) -> float | None:
    """By learners that have seen no other setting; None where the weights vanish."""
    with case.validation(solver=Highs()) as fresh:
        found = fresh.score(setting).ranking
    return found if isfinite(found) else None


# All of them


def people(*, quick: bool) -> list[tuple[str, Person]]:
    """Half of them with plainly wrong answers now and then."""
    space, count = load("pc"), 1 if quick else 2
    return [
        (f"{name} {person.number}", person)
        for name, wrong in (("right", 0.0), ("wrong now and then", WRONG))
        for person in draw_people(space, count, weights="sparse-uniform", response=Response(wrong=wrong), seed=3)
    ]


def cases(person: Person, counts: Sequence[int]) -> Iterator[tuple[int, Case]]:
    """What is known after so many answers to random questions."""
    strategy, noise = RandomStrategy(), person.noise()
    belief = strategy.start(person.space, seed=person.strategy_seed)
    for answered in range(1, max(counts) + 1):
        question = strategy.ask(belief)
        assert question is not None
        belief = strategy.update(belief, question, person.answer(question, "pairs", noise))
        if answered in counts:
            yield answered, Case(person.space, pairs_of(person.space, belief.history), answered)


def run(quick: bool, say: Say) -> Report:
    """Everybody, after 10, 20 and 50 answers."""
    counts = (10,) if quick else (10, 20, 50)
    plan = QUICK if quick else FULL
    runs = []
    for name, person in people(quick=quick):
        for answers, case in cases(person, counts):
            say(f"tuning: {name}, {answers} answers")
            runs.append(measured(case, plan, person=name, answers=answers))
    found = {"plan": asdict(plan), "runs": [asdict(each) for each in runs]}
    return Report([times(runs), discards(runs), stops(runs)], notes(runs, plan), found)


def times(runs: Sequence[Run]) -> Grid:
    """How long one tuning takes, and how much less the solver has to do than in 320 cold solves."""
    rows = []
    for answers, mine in _by_answers(runs):
        took = _seconds(mine)
        own, cold, milp = (_median(mine, name) for name in ("solver_seconds", "cold_seconds", "milp_seconds"))
        ratios = [_ratio(mine, name) for name in ("cold_seconds", "milp_seconds")]
        figures = [float(np.median(took)), float(np.quantile(took, 0.95)), own, cold, milp, *ratios]
        rows.append([f"{answers}", *map(short, figures)])
    headers = ["answers", "median s", "p95 s", "s in solver", "320 cold LPs, s in solver", "320 cold MILPs"]
    return Grid("One tuning on PC", [*headers, "cold LPs ÷ tuning", "cold MILPs ÷ tuning"], rows)


def discards(runs: Sequence[Run]) -> Grid:
    """What became of the settings, on average; the current one is among them twice where the grid has it."""
    names = ("complete", "given_up", "unsolved", "solves")
    rows = [
        [f"{answers}", *(short(float(np.mean([getattr(each, name) for each in mine]))) for name in names)]
        for answers, mine in _by_answers(runs)
    ]
    headers = ["answers", "scored on all folds", "given up on the way", "given up unsolved", "linear problems"]
    return Grid("What became of the settings (mean)", headers, rows)


def stops(runs: Sequence[Run]) -> Grid:
    """What a time limit leaves of it."""
    rows = []
    for answers, mine in _by_answers(runs):
        found = [_wrong([each.current_wrong for each in mine])]
        for place in range(len(LIMITS) + 1):
            here = [each.stops[place] for each in mine]
            found.append(f"{_wrong([each.wrong_orders for each in here])} in {max(e.seconds for e in here):.2f} s")
        rows.append([f"{answers}", *found])
    headers = ["answers", "before tuning", *(f"limit {limit:g} s" for limit in LIMITS), "no limit"]
    return Grid("Wrong orders of held-out pairs (mean; – where weights vanish), and the longest time", headers, rows)


def notes(runs: Sequence[Run], plan: Plan) -> list[str]:
    """What was sampled, and whether the goals are met."""
    most = max(each.answers for each in runs)
    mine = [each for each in runs if each.answers == most]
    ratios, typical = (
        [_ratio(mine, name) for name in ("milp_seconds", "cold_seconds")],
        float(np.median(_seconds(mine))),
    )
    reached, proven = sum(each.equal for each in runs), sum(each.milp_optimal for each in runs)
    return [
        f"Of 320 cold solves {plan.milps} MILPs and {plan.lps} LPs were done in each case, drawn at random, and scaled "
        f"up; a MILP that runs out of its {plan.seconds:g} s counts as that long, so theirs is rather more.",
        f"The learner reached the optimum in {reached} of {proven} problems where the MILP proved one.",
        f"Goal: {GOAL_RATIO} times fewer solver seconds than 320 cold solves, {most} answers: "
        f"{short(ratios[0])} times (MILPs), {short(ratios[1])} times (our own LPs).",
        f"Goal: a tuning with {most} answers in {GOAL_SECONDS:g} s: {short(typical)} s (median).",
    ]


def _by_answers(runs: Sequence[Run]) -> list[tuple[int, list[Run]]]:
    counts = sorted({each.answers for each in runs})
    return [(count, [each for each in runs if each.answers == count]) for count in counts]


def _seconds(runs: Sequence[Run]) -> Floats:
    """Of every tuning, repeats included."""
    return np.array([seconds for each in runs for seconds in each.seconds])


def _median(runs: Sequence[Run], name: str) -> float:
    return float(np.median([getattr(each, name) for each in runs]))


def _ratio(runs: Sequence[Run], name: str) -> float:
    """The median over cases of the ratio of solver seconds."""
    return float(np.median([getattr(each, name) / each.solver_seconds for each in runs]))


def _wrong(orders: Sequence[float | None]) -> str:
    """The mean where there are weights, and how many have none."""
    known = [each for each in orders if each is not None]
    without = f" (– {len(orders) - len(known)} times)" if len(known) < len(orders) else ""
    return (f"{np.mean(known):.1f}" if known else "–") + without
