"""SetMargin as a strategy: Algorithm 1 with its special cases handled.

A question is the k configurations of the setwise problem; the recommendation is the configuration of the problem for
k = 1. What an answer says is broken into pairs, whether the person compared all pairs, ranked, sorted or chose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from operator import index
from time import monotonic
from typing import Any, Literal

import numpy as np

from setmargin.answers import Question, Skip
from setmargin.errors import OptionError
from setmargin.solve.feasible import FeasibleBlock, feasible_block
from setmargin.solve.gurobi import Gurobi
from setmargin.solve.highs import Highs
from setmargin.solve.lowered import Floats, Ints
from setmargin.solve.milp import Limits, Solver
from setmargin.solve.oracle import oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.setmargin.fixed import FixedConfigurations
from setmargin.strategies.setmargin.problem import Form, Pairs, SetProblem, SetSolution, is_nothing, pairs_of, prove
from setmargin.strategies.setmargin.search import search
from setmargin.strategies.setmargin.setting import STRICTEST, Bounds, Setting
from setmargin.strategies.setmargin.simplest import simplest_weights
from setmargin.strategies.setmargin.tuning import Tuning, tune

Mode = Literal["fast", "exact"]
MODES: tuple[Mode, ...] = ("fast", "exact")

# A margin below this is none.
NO_MARGIN = 1e-6
# The paper's first iterations, before the first tuning.
FIRST = Setting(1.0, 1.0, 1.0)
RUNNERS_UP = 200
# A short search gives the proof something to start from.
FITS_BEFORE_PROOF = 20
# In fast mode: never fewer, and otherwise so many that fits × weights stays about constant.
LEAST_FITS = 10
FITS_TIMES_WEIGHTS = 3000
# After a skip: so many quick searches of so many linear problems each.
QUICK_ENDS = 6
QUICK_FITS = 4
# Far below any real difference of utilities.
TIE_BREAK = 1e-7
# One linear problem takes milliseconds; this only guards against one that does not.
LP_LIMITS = Limits(seconds=10.0)
PAPERS_TUNING = Tuning()
HIGHS = Highs()
DEFAULT_LIMITS = Limits(seconds=10.0)
OPTIONS = ("set_size", "mode", "setting", "tuning", "form", "solver", "seconds", "gap", "threads", "fits")


class Clock:
    """One deadline for all that a question or a recommendation needs."""

    def __init__(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline; negative after it."""
        return self._deadline - monotonic()


@dataclass(frozen=True)
class SetMarginBelief(Belief):
    """The answers, and the setting that tuning chose last."""

    setting: Setting = FIRST


class SetMargin(Strategy[SetMarginBelief]):
    """The paper's strategy: `fast` searches for its questions, `exact` also proves with a MILP that they are best."""

    name = "setmargin"

    def __init__(
        self,
        *,
        set_size: int = 2,
        mode: Mode = "fast",
        setting: Setting = FIRST,
        tuning: Tuning | None = PAPERS_TUNING,
        bounds: Bounds | None = None,
        form: Form = Form.COUPLED,
        solver: Solver = HIGHS,
        limits: Limits = DEFAULT_LIMITS,
        fits: int = 40,
    ) -> None:
        super().__init__(set_size=set_size)
        if mode not in MODES:
            raise OptionError(f"mode is {mode!r}; give fast or exact")
        if fits < 1:
            raise OptionError(f"fits is {fits}; give 1 or more")
        self.mode, self.setting, self.tuning = mode, setting, tuning
        self.bounds, self.form, self.solver, self.limits, self.fits = bounds, form, solver, limits, fits

    @classmethod
    def with_options(cls, **options: Any) -> SetMargin:
        """Made from plain data: numbers and words instead of objects; what is not said keeps its default."""
        if unknown := [name for name in options if name not in OPTIONS]:
            raise OptionError(f"setmargin has no option {unknown[0]!r}; known are {', '.join(OPTIONS)}")
        limits = {name: options.pop(name) for name in ("seconds", "gap", "threads") if name in options}
        read = {name: _read(name, value) for name, value in options.items()}
        return cls(**read, limits=_read("limits", limits))

    def options(self) -> dict[str, Any]:
        """The parameters as plain data; bounds of weights other than the usual ones are not part of it."""
        return {
            **super().options(),
            "mode": self.mode,
            "setting": list(astuple(self.setting)),
            "tuning": asdict(self.tuning) if self.tuning else None,
            "form": self.form.value,
            "solver": self.solver.name.lower(),
            "seconds": self.limits.seconds,
            "gap": self.limits.gap,
            "threads": self.limits.threads,
            "fits": self.fits,
        }

    def _start(self, space: Space, seed: int) -> SetMarginBelief:
        return SetMarginBelief(space, seed, setting=self.setting)

    def tune(self, belief: SetMarginBelief) -> SetMarginBelief:
        """Every `tuning.every` answered questions, choose the setting anew by cross-validation."""
        if self.tuning is None or not belief.answered or belief.answered % self.tuning.every:
            return belief
        setting = tune(
            belief.oracle,
            pairs_of(belief.space, belief.history),
            belief.setting,
            tuning=self.tuning,
            bounds=self._bounds(belief.space),
            form=self.form,
            solver=self.solver,
            rng=belief.rng(purpose=1),
        )
        return replace(belief, setting=setting)

    def _ask(self, belief: SetMarginBelief) -> Question | None:
        clock = Clock(self.limits.seconds)
        found = self._solve(belief, self.set_size, clock)
        if found.margin < NO_MARGIN and self._answers_agree(belief):
            # A question is of use only if some can still be told apart: let the strictest setting decide.
            strictest = replace(belief, setting=STRICTEST)
            found = self._solve(strictest, self.set_size, clock)
            if found.margin < NO_MARGIN:
                found = self._solve(strictest, 2, clock, prove=True)
                if found.margin < NO_MARGIN and found.status == "optimal":
                    return None
        if _skipped(belief):
            found = self._elsewhere(belief, found, clock)
        return _question(belief, found)

    def _elsewhere(self, belief: SetMarginBelief, found: SetSolution, clock: Clock) -> SetSolution:
        """After a skip, something else: of a few quick ends, the one that shares least with what was passed over."""
        rng, size, left = belief.rng(purpose=3), len(found.configurations), max(clock.left, 0.0)
        pairs = pairs_of(belief.space, belief.history)
        with self._fixed(belief, pairs, size) as fixed:
            ends = [
                search(fixed, belief.oracle, belief.setting, size=size, rng=rng, fits=QUICK_FITS, seconds=left)
                for _ in range(QUICK_ENDS)
            ]
        return max([found, *ends], key=lambda end: _distance(belief, end))

    def _recommend(self, belief: SetMarginBelief) -> Recommendation:
        clock = Clock(self.limits.seconds)
        found = self._solve(belief, 1, clock)
        if not _obeys(belief, found) and self._answers_agree(belief):
            # A large γ or β may buy its favourite with an answer; where all answers can be obeyed, they are.
            found = self._solve(replace(belief, setting=STRICTEST), 1, clock)
        best = belief.oracle.best_for_values(_with_better_quantities(belief.space, found.value_weights))[0]
        weights = found.weights[0] if self.form is Form.PAPER else self._simplest(belief, found, best)
        return Recommendation(belief.space.configuration(best), weights, status=found.status, gap=found.gap)

    def _simplest(self, belief: SetMarginBelief, found: SetSolution, best: Ints) -> Floats:
        return simplest_weights(
            belief.oracle,
            pairs_of(belief.space, belief.history),
            found.weights[0],
            best,
            margin=found.margin,
            bounds=self._bounds(belief.space),
            solver=self.solver,
        )

    def _answers_agree(self, belief: SetMarginBelief) -> bool:
        """Whether some weights obey every answer by a margin."""
        pairs = pairs_of(belief.space, belief.history)
        if not len(pairs.strict):
            return not len(pairs.equal)
        with self._fixed(belief, pairs, 1) as fixed:
            return fixed.fit(np.zeros((1, int(belief.space.offsets[-1]))), STRICTEST).margin >= NO_MARGIN

    def _solve(self, belief: SetMarginBelief, size: int, clock: Clock, *, prove: bool = False) -> SetSolution:
        """The setwise problem; with β lowered step by step where it would make all weights zero."""
        pairs = pairs_of(belief.space, belief.history)
        for setting in _with_smaller_beta(belief.setting):
            found = self._search(belief, pairs, size, setting, clock)
            if prove or self.mode == "exact":
                found = self._prove(belief, pairs, setting, found)
            if clock.left <= 0 or not is_nothing(belief.space, found.value_weights):
                break
        return found

    def _prove(self, belief: SetMarginBelief, pairs: Pairs, setting: Setting, found: SetSolution) -> SetSolution:
        size, bounds = len(found.configurations), self._bounds(belief.space)
        problem = SetProblem(belief.space, _feasible(belief.space), pairs, size, setting, bounds, self.form)
        return prove(problem, found, solver=self.solver, limits=self.limits)

    def _search(self, belief: SetMarginBelief, pairs: Pairs, size: int, setting: Setting, clock: Clock) -> SetSolution:
        fits = _affordable(belief, size, self.fits) if self.mode == "fast" else FITS_BEFORE_PROOF
        with self._fixed(belief, pairs, size) as fixed:
            return search(
                fixed,
                belief.oracle,
                setting,
                size=size,
                rng=belief.rng(purpose=2),
                fits=fits,
                seconds=max(clock.left, 0.0),
            )

    def _fixed(self, belief: SetMarginBelief, pairs: Pairs, size: int) -> FixedConfigurations:
        return FixedConfigurations(
            belief.space,
            pairs,
            size=size,
            bounds=self._bounds(belief.space),
            form=self.form,
            solver=self.solver,
            limits=LP_LIMITS,
        )

    def _bounds(self, space: Space) -> Bounds:
        return self.bounds or Bounds.usual(space)


def _read(name: str, value: Any) -> Any:
    """An option from plain data, or an error that says what to give."""
    read, wanted = READERS.get(name, (lambda same: same, ""))
    try:
        return read(value)
    except OptionError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise OptionError(f"{name} is {value!r}; give {wanted}") from None


def _tuning(options: Mapping[str, Any] | None) -> Tuning | None:
    if options is None:
        return None
    lists = ("alphas", "betas", "gammas")
    read: dict[str, Any] = {n: tuple(map(float, value)) if n in lists else value for n, value in options.items()}
    return Tuning(**read)


def _solver(name: str) -> Solver:
    if name == "highs":
        return HIGHS
    if name == "gurobi":
        return Gurobi()
    raise OptionError(f"there is no solver {name!r}; there is highs, and gurobi where it is installed")


READERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "setting": (lambda numbers: Setting(*map(float, numbers)), "three numbers: alpha, beta and gamma"),
    "tuning": (_tuning, "alphas, betas, gammas, folds, every and seconds, or nothing to switch it off"),
    "form": (Form, "coupled or paper"),
    "solver": (_solver, "highs or gurobi"),
    "limits": (lambda limits: replace(DEFAULT_LIMITS, **limits), "seconds, gap and threads as numbers"),
    "fits": (index, "a whole number"),
}


@lru_cache(maxsize=128)
def _feasible(space: Space) -> FeasibleBlock:
    return feasible_block(oracle_for(space).lowered)


def _affordable(belief: SetMarginBelief, size: int, fits: int) -> int:
    """Fewer linear problems where each is large, or where the oracle has to solve a MILP for every call."""
    if not belief.oracle.is_quick:
        return min(fits, LEAST_FITS)
    return min(fits, max(LEAST_FITS, FITS_TIMES_WEIGHTS // (size * len(belief.space.feature_names))))


def _skipped(belief: SetMarginBelief) -> list[Question]:
    """The questions passed over since the last answer."""
    trailing = takewhile(lambda event: isinstance(event[1], Skip), reversed(belief.history))
    return [question for question, _ in trailing]


def _distance(belief: SetMarginBelief, found: SetSolution) -> int:
    """In how many attributes the options differ from the nearest ones that were passed over, summed."""
    space = belief.space
    passed = np.array([space.indices(option) for question in _skipped(belief) for option in question.options])
    apart = (found.configurations[:, None, :] != passed[None]).sum(axis=2)
    return int(apart.min(axis=1).sum())


def _with_better_quantities(space: Space, value_weights: Floats) -> Floats:
    """Among configurations that are equally good, the one with the better quantities is better after all."""
    lifted: Floats = value_weights + TIE_BREAK * space.costs.sum(axis=0)
    return lifted


def _obeys(belief: SetMarginBelief, found: SetSolution) -> bool:
    """Whether the weights put every strict answer in the right order."""
    strict = pairs_of(belief.space, belief.history).strict
    return bool((strict @ found.value_weights.T > 0).all())


def _with_smaller_beta(setting: Setting) -> Iterator[Setting]:
    yield setting
    for beta in (0.1, 0.01, 0.001, 0.0001):
        if beta < setting.beta:
            yield replace(setting, beta=beta, gamma=max(setting.gamma, beta))


def _question(belief: SetMarginBelief, found: SetSolution) -> Question | None:
    """The configurations as a question: equal ones and repeated questions give way to runners-up."""
    chosen: list[tuple[int, ...]] = []
    for row, weights in zip(found.configurations, found.value_weights, strict=True):
        option: Ints | None = row
        if tuple(row.tolist()) in chosen:
            option = belief.oracle.best_other_indices(weights, chosen)
        if option is not None:
            chosen.append(tuple(option.tolist()))
    if len(chosen) < 2:
        return None
    for last in _last_options(belief, found, chosen):
        options = tuple(belief.space.configuration(row) for row in (*chosen[:-1], last))
        if not belief.was_asked(frozenset(options)):
            return Question(options, status=found.status, gap=found.gap)
    return None


def _last_options(
    belief: SetMarginBelief, found: SetSolution, chosen: list[tuple[int, ...]]
) -> Iterator[tuple[int, ...]]:
    """The last option itself, then what comes after it in the order of its weights."""
    yield chosen[-1]
    ranked = (tuple(row.tolist()) for row in belief.oracle.ranked_for_values(found.value_weights[-1]))
    yield from (row for row in islice(ranked, RUNNERS_UP) if row not in chosen)
