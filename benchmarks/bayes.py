"""The strategy `bayes` on simulated people: how many questions, how long, and whether what it claims is true.

The seed of these people was not used while anything was tuned. Where a goal is missed, the line with the people's own
prior known says whether the prior is to blame: what it needs is what the questions themselves cost. And no strategy can
do better than what its answers carry: see what bits can buy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.timing import Grid, Report, Say, exponent, short
from setmargin import Space, load
from setmargin.answers import How
from setmargin.arrays import Floats
from setmargin.experiments.people import Person, draw_people
from setmargin.experiments.responses import Response
from setmargin.solve.oracle import oracle_for
from setmargin.strategies.bayes.prior import Kind, Prior
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.shared.evidence import Singles

SEED = 0
PEOPLE, PEOPLE_QUICK = 40, 3
SHOWN = (4, 8, 12, 16, 20, 24, 32)
CLAIMS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
LOSSES = (0.0, 0.03, 0.06, 0.1, 0.2, 0.4, 1.0)


@dataclass(frozen=True)
class AsDrawn(Kind):
    """Exactly the people that are drawn attribute by attribute: the prior that nobody really knows."""

    def counts(self, size: int) -> Floats:
        """One in five values of each attribute, and at least one."""
        return np.where(np.arange(size + 1) == max(1, size // 5), 1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Case:
    """Some people, how they are asked, and what was hoped for."""

    name: str
    space: Space
    questions: int
    options: Mapping[str, Any] = field(default_factory=dict)
    people: Mapping[str, Any] = field(default_factory=dict)
    how: How = "pairs"
    goal: str = ""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """People × questions: the true relative loss, what was claimed about it, and the milliseconds to ask and learn.

    Where a strategy stopped, the last loss and claim are carried on, and there is no time (NaN).
    """

    loss: Floats
    expected: Floats
    within: Floats
    milliseconds: Floats

    @property
    def asked(self) -> Floats:
        """How many questions each person was asked."""
        asked: Floats = np.isfinite(self.milliseconds).sum(axis=1).astype(float)
        return asked


def grid_space(attributes: int, values: int) -> Space:
    """A space without rules."""
    names = {f"a{number}": list(range(values)) for number in range(attributes)}
    return Space(names, name=f"grid-{attributes}x{values}")


def cases() -> list[Case]:
    """Those of which figures are asked."""
    pc = load("pc")
    wrong, known = Response(wrong=0.15), Prior((AsDrawn(0.2, 1.0),))
    sparse = {"weights": "sparse-uniform"}
    return [
        Case(name="PC, sparse", space=pc, questions=32, people=sparse, goal="10% by 16 (20), 1% by 32"),
        Case(name="PC, sparse, prior known", space=pc, questions=24, people=sparse, options={"prior": known}),
        Case(name="PC, uniform", space=pc, questions=24, people={"weights": "uniform"}),
        Case(name="PC, normal", space=pc, questions=24, people={"weights": "normal"}),
        Case(name="PC, sparse, price", space=pc, questions=24, people={**sparse, "quantities": True}),
        Case(
            name="PC, sparse, 15% wrong",
            space=pc,
            questions=32,
            people={**sparse, "response": wrong},
            goal="1.5 × the questions",
        ),
        Case(
            name="PC, sparse, one of 4",
            space=pc,
            questions=12,
            people=sparse,
            options={"set_size": 4},
            how="choice",
            goal="10% by 8",
        ),
        *(
            Case(
                name=f"PC, sparse, {limit} differences",
                space=pc,
                questions=24,
                people=sparse,
                options={"differences": limit},
            )
            for limit in (4, 3)
        ),
        *(_grid_case(size, kind, goal) for size, kind, goal in GRIDS),
    ]


GRIDS = (
    (4, "uniform", "median 0 by 9"),
    (4, "sparse-uniform", "median 0 by 7"),
    (5, "uniform", "median 0 by 12"),
    (7, "uniform", ""),
    (10, "uniform", ""),
)


def _grid_case(size: int, kind: str, goal: str) -> Case:
    space, questions = grid_space(size, size), {4: 16, 5: 20}.get(size, 24)
    return Case(name=f"r = {size}, {kind}", space=space, questions=questions, people={"weights": kind}, goal=goal)


def interviews(case: Case, people: int, *, until: float = 0.0) -> Outcomes:
    """Everybody is asked all questions, or until less than `until` is expected to be lost."""
    strategy = Bayes(until=until, **case.options)
    drawn = draw_people(case.space, people, seed=SEED, **case.people)
    tables = np.array([_interview(strategy, person, case) for person in drawn])
    return Outcomes(*np.moveaxis(tables, 2, 0))


def _interview(strategy: Bayes, person: Person, case: Case) -> list[tuple[float, float, float, float]]:
    belief, noise = strategy.start(case.space, seed=person.strategy_seed), person.noise()
    rows: list[tuple[float, float, float, float]] = []
    for _ in range(case.questions):
        began = perf_counter()
        question = strategy.ask(belief)
        took = perf_counter() - began
        if question is not None:
            answer = person.answer(question, case.how, noise)
            began = perf_counter()
            belief = strategy.update(belief, question, answer)
            took += perf_counter() - began
        stakes, best = strategy.stakes(belief), strategy.recommend(belief).configuration
        time = 1000 * took if question else np.nan
        rows.append((person.relative_loss(best), stakes.expected_loss, stakes.probability_within, time))
    return rows


def run(quick: bool, say: Say) -> Report:
    """Every case, then the catalogues until the strategy stops, then growth."""
    people = PEOPLE_QUICK if quick else PEOPLE
    chosen = cases()[::5] if quick else cases()
    found: dict[str, Outcomes] = {}
    for case in chosen:
        say(f"bayes: {case.name}")
        found[case.name] = interviews(case, people)
    stopped = _stopped(people, quick=quick, say=say)
    times = _growth(quick=quick, say=say)
    say("bayes: what bits can buy")
    bought = codebook_losses(load("pc"), bits=5 if quick else 10, people=600 if quick else 6000)
    document = {
        "people": people,
        "seed": SEED,
        "cases": {case.name: _document(found[case.name], case) for case in chosen},
        "calibration": {name: calibration(table) for name, table in _claims(list(found.values())).items()},
        "catalogues": {name: _document(each) for name, each in stopped.items()},
        "growth": times,
        "bits": bought,
    }
    grids = [
        losses_grid(chosen, found),
        needed_grid(chosen, found),
        limit_grid(bought),
        *calibration_grids(list(found.values())),
        expected_grid(chosen, found),
        catalogues_grid(stopped),
        growth_grid(times),
    ]
    notes = [
        f"{people} people each, seed {SEED}; ± is a standard error. Losses are relative to the best utility.",
        f"Time grows with the power {short(exponent(times['features'], times['median']))} of the features, and "
        f"with the power {short(exponent(times['answers'], times['by answers']))} of the answers on PC.",
    ]
    return Report(grids, notes, document)


def _stopped(people: int, *, quick: bool, say: Say) -> dict[str, Outcomes]:
    """The other catalogues, asked until the strategy itself stops."""
    found = {}
    for name in ("bicycle",) if quick else ("bicycle", "laptop", "trip"):
        say(f"bayes: {name} until 3%")
        drawn = {"weights": "sparse-uniform", "quantities": True}
        case = Case(name=name, space=load(name), questions=12 if quick else 50, people=drawn)
        found[name] = interviews(case, people if quick else people // 2, until=0.03)
    return found


def _growth(*, quick: bool, say: Say) -> dict[str, list[float]]:
    """Milliseconds to ask and learn by the number of features (no rules), and by the number of answers (PC)."""
    shapes = ((5, 5), (10, 10)) if quick else ((5, 5), (10, 10), (14, 14), (20, 20), (30, 33))
    questions = 6 if quick else 24
    times: dict[str, list[float]] = {"features": [], "median": [], "p95": []}
    for attributes, values in shapes:
        say(f"bayes: {attributes} × {values}")
        case = Case(name="", space=grid_space(attributes, values), questions=questions, people={"weights": "uniform"})
        took = interviews(case, 2).milliseconds
        times["features"].append(attributes * values)
        times["median"].append(float(np.nanmedian(took)))
        times["p95"].append(float(np.nanquantile(took, 0.95)))
    case = Case(name="", space=load("pc"), questions=4 * questions, people={"weights": "sparse-uniform"})
    by_answers = np.nanmedian(interviews(case, 2).milliseconds, axis=0)
    times["answers"] = [float(number) for number in range(questions // 2, 4 * questions + 1)]
    times["by answers"] = by_answers[questions // 2 - 1 :].tolist()
    return times


# The limit


def codebook_losses(space: Space, *, bits: int, people: int, tried: int = 300) -> list[float]:
    """What is lost if people may point at the best of 1, 2, 4, ... 2^bits configurations, chosen well in advance.

    Answers to b yes-or-no questions of any sort lead to 2^b recommendations at most, so this is about what b bits can
    buy; about, since the configurations are chosen greedily, for half of the people, and tried on the others.
    """
    drawn = draw_people(space, people, weights="sparse-uniform", seed=SEED)
    values = space.value_weights(np.array([person.weights for person in drawn]))
    optima = oracle_for(space).best_for_values(values)
    best = np.einsum("ij,ij->i", values, space.onehot(optima))
    candidates = np.unique(optima[::2], axis=0)
    worth = ((values / best[:, None]) @ space.onehot(candidates).T).astype(np.float32)
    return _greedy_losses(worth[::2], worth[1::2], bits, tried)


def _greedy_losses(known: Singles, others: Singles, bits: int, tried: int) -> list[float]:
    rng, losses = np.random.default_rng(SEED), []
    mine, theirs = np.zeros(len(known), dtype=np.float32), np.zeros(len(others), dtype=np.float32)
    for number in range(1, 2**bits + 1):
        some = rng.permutation(known.shape[1])[:tried]
        added = some[np.maximum(known[:, some] - mine[:, None], 0).sum(axis=0).argmax()]
        mine, theirs = np.maximum(mine, known[:, added]), np.maximum(theirs, others[:, added])
        if number & (number - 1) == 0:
            losses.append(float(1 - theirs.mean()))
    return losses


def limit_grid(losses: Sequence[float]) -> Grid:
    """What bits can buy."""
    row = ["mean relative loss, %", *(f"{100 * loss:.1f}" for loss in losses)]
    return Grid(
        "PC, sparse: the best that b perfect yes-or-no answers can buy", ["b", *map(str, range(len(losses)))], [row]
    )


# Figures


def _with_error(sample: Floats) -> str:
    error = sample.std(ddof=1) / np.sqrt(len(sample)) if len(sample) > 1 else 0.0
    return f"{100 * sample.mean():.1f} ± {100 * error:.1f}"


def losses_grid(chosen: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """The mean loss on the way."""
    rows = [
        [case.name, *(_with_error(found[case.name].loss[:, n - 1]) if n <= case.questions else "" for n in SHOWN)]
        for case in chosen
    ]
    return Grid("Mean relative loss in % after so many questions", ["people", *map(str, SHOWN)], rows)


def needed_grid(chosen: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """Questions until a level is reached for good, the goal, and the time."""
    rows = []
    for case in chosen:
        each = found[case.name]
        means, medians = each.loss.mean(axis=0), np.median(each.loss, axis=0)
        levels = [reached(means, 0.1), reached(means, 0.01), reached(medians, 0.1), reached(medians, 1e-9)]
        times = each.milliseconds[np.isfinite(each.milliseconds)]
        took = [f"{np.median(times):.0f}", f"{np.quantile(times, 0.95):.0f}"]
        rows.append([case.name, *(str(level or "–") for level in levels), case.goal or "–", *took])
    headers = ["people", "mean 10%", "mean 1%", "median 10%", "median 0", "goal", "ms", "p95"]
    return Grid("Questions until the loss is this small for good; milliseconds to ask and learn", headers, rows)


def reached(curve: Floats, level: float) -> int | None:
    """The question after which the curve stays at or below the level; None if it does not."""
    above = np.flatnonzero(curve > level)
    last = int(above[-1]) + 1 if len(above) else 0
    return last + 1 if last < len(curve) else None


def _claims(outcomes: Sequence[Outcomes]) -> dict[str, tuple[Floats, Floats, Sequence[float]]]:
    """What was claimed beside what came true, over all people and questions, and where to cut."""
    loss = np.concatenate([each.loss.ravel() for each in outcomes])
    within = np.concatenate([each.within.ravel() for each in outcomes])
    expected = np.concatenate([each.expected.ravel() for each in outcomes])
    return {
        "within 5% of the best": (within, (loss <= 0.05).astype(float), CLAIMS),
        "expected loss": (expected, loss, LOSSES),
    }


def calibration(table: tuple[Floats, Floats, Sequence[float]]) -> list[dict[str, float]]:
    """By what was claimed: its mean, the mean of what came true, and how often that was claimed."""
    claimed, true, cuts = table
    bins = np.digitize(claimed, cuts[1:-1])
    return [
        {"claimed": float(claimed[here].mean()), "true": float(true[here].mean()), "times": int(here.sum())}
        for here in (bins == number for number in range(len(cuts) - 1))
        if here.any()
    ]


def calibration_grids(outcomes: Sequence[Outcomes]) -> list[Grid]:
    """The calibration plots as tables."""
    return [
        Grid(
            f"Calibration: {name}",
            ["claimed, %", "true, %", "times"],
            [[f"{100 * b['claimed']:.1f}", f"{100 * b['true']:.1f}", f"{b['times']:,}"] for b in calibration(table)],
        )
        for name, table in _claims(outcomes).items()
    ]


def expected_grid(chosen: Sequence[Case], found: Mapping[str, Outcomes]) -> Grid:
    """Case by case, since errors of opposite sign hide each other in the pooled tables."""
    rows = []
    for case in chosen:
        each = found[case.name]
        both = zip(100 * each.expected.mean(axis=0), 100 * each.loss.mean(axis=0), strict=True)
        shown = [f"{expected:.0f} / {true:.0f}" for expected, true in both]
        rows.append([case.name, *(shown[n - 1] if n <= case.questions else "" for n in SHOWN)])
    return Grid(
        "Calibration by people: expected / true loss in % after so many questions", ["people", *map(str, SHOWN)], rows
    )


def catalogues_grid(stopped: Mapping[str, Outcomes]) -> Grid:
    """Questions until the strategy stopped by itself, and the true loss then."""
    rows = [
        [
            name,
            f"{np.median(each.asked):.0f}",
            f"{np.quantile(each.asked, 0.9):.0f}",
            f"{(each.expected[:, -1] < 0.03).mean():.0%}",
            _with_error(each.loss[:, -1]),
        ]
        for name, each in stopped.items()
    ]
    headers = ["catalogue", "questions", "9 of 10 people", "stopped", "true loss then, %"]
    return Grid("Questions until the expected loss is under 3% (sparse people, quantities too)", headers, rows)


def growth_grid(times: Mapping[str, Sequence[float]]) -> Grid:
    """Milliseconds by the size of the space."""
    columns = zip(times["features"], times["median"], times["p95"], strict=True)
    rows = [[f"{features:.0f}", f"{median:.0f}", f"{p95:.0f}"] for features, median, p95 in columns]
    return Grid("Milliseconds to ask and learn", ["features", "median", "p95"], rows)


def _document(each: Outcomes, case: Case | None = None) -> dict[str, object]:
    return {
        "goal": case.goal if case else "",
        "mean": each.loss.mean(axis=0).tolist(),
        "standard error": (each.loss.std(axis=0, ddof=1) / np.sqrt(len(each.loss))).tolist(),
        "median": np.median(each.loss, axis=0).tolist(),
        "expected": each.expected.mean(axis=0).tolist(),
        "calibration": {name: calibration(table) for name, table in _claims([each]).items()},
        "asked": each.asked.tolist(),
    }
