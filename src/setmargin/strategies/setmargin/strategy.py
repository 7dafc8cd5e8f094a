"""SetMargin as a strategy: Algorithm 1 with its special cases handled.

A question is the k configurations of the setwise problem; the recommendation is the configuration of the problem for
k = 1. What an answer says is broken into pairs, whether the person compared all pairs, ranked, sorted or chose. Reasons
and changes are pairs, too (see `shared/pairs.py`); in the paper's form for quantities, which has no weights of
quantities, only those that speak of none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf
from time import monotonic
from typing import Any, ClassVar, Literal

import numpy as np

from setmargin.answers import Question
from setmargin.arrays import Floats, Ints
from setmargin.solve.milp.feasible import FeasibleBlock, feasible_block
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits, Solver
from setmargin.solve.oracle import Oracle, oracle_for
from setmargin.space.space import Space
from setmargin.strategies.base import Belief, Recommendation, Strategy
from setmargin.strategies.options import no_option, option
from setmargin.strategies.setmargin.best_set import fill_up, find_best_set
from setmargin.strategies.setmargin.options import GIVE_SETTING, GIVE_TUNING, read_setting, read_solver, read_tuning
from setmargin.strategies.setmargin.problem import (
    STRICTEST,
    Bounds,
    Form,
    Hyperparameters,
    SetProblem,
    SetSolution,
    tells_nothing_apart,
)
from setmargin.strategies.setmargin.proof import SearchLimits, weight_fitter
from setmargin.strategies.setmargin.questions import distance_from_skipped, last_options, question_of, skipped
from setmargin.strategies.setmargin.tuning import Tuning, tune
from setmargin.strategies.setmargin.weights import mostly_one_quantity, simplest_weights, sole_quantity
from setmargin.strategies.shared.pairs import Pairs, pairs_of
from setmargin.strategies.shared.ties import with_better_quantities

Mode = Literal["fast", "exact"]
MODES: tuple[Mode, ...] = ("fast", "exact")

# A margin below this is none.
NO_MARGIN = 1e-6
# And one above this is enough to ask about; only whether there is any has to be proven.
SOME_MARGIN = 1e-3
# The paper's first iterations, before the first tuning.
FIRST = Hyperparameters(1.0, 1.0, 1.0)
# In fast mode: so many nodes, fewer where the relaxation has many products of weights and values, as each then takes
# longer, and none where it alone would take longer than a person wants to wait: there the search has all the time.
NODES, LEAST_NODES = 40, 8
NODES_TIMES_PRODUCTS = 5000
# Before a question gets fewer options than it should have, and before nothing is asked any more.
MANY_NODES, NODES_FOR_PAIRS = 600, 5000
MOST_PRODUCTS = 1000
# The search alone: never fewer linear problems, and otherwise so many that fits × weights stays about constant.
FITS, LEAST_FITS = 40, 10
FITS_TIMES_WEIGHTS = 3000
# After a skip: so many quick searches of so many linear problems each.
QUICK_ENDS = 6
QUICK_FITS = 4
# After so many answers that one quantity alone explains it is no chance any more, but all that somebody cares about.
ENOUGH_ANSWERS = 8
PAPERS_TUNING = Tuning()
HIGHS = Highs()


class Clock:
    """One deadline for all that a question or a recommendation needs."""

    def __init__(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline; negative after it."""
        return self._deadline - monotonic()


@dataclass(frozen=True, repr=False)
class SetMarginBelief(Belief):
    """The answers, the setting that tuning chose last, and bounds of the weights that are this person's own."""

    setting: Hyperparameters = FIRST
    bounds: Bounds | None = field(default=None, compare=False)
    cut_short: bool = False
    """Whether the clock ended the last tuning; then questions and recommendations say so."""

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs that the answers order."""
        return pairs_of(self.space, self.history)


@dataclass(frozen=True, kw_only=True)
class SetMargin(Strategy[SetMarginBelief]):
    """The paper's strategy: `fast` searches for its questions, `exact` also proves that they are best.

    Parameters
    ----------
    set_size : int
        How many options a question has at most, 2 to 6.
    mode : "fast" or "exact"
    setting : Hyperparameters, or three numbers
        What α, β and γ are before the first tuning.
    tuning : Tuning, mapping or None
        When and over what they are tuned; None switches it off.
    form : Form, "coupled" or "paper"
        How quantities enter.
    solver : Solver, "highs" or "gurobi"
    seconds, gap, threads : float, float, int
        What one question may cost.
    fits, nodes : int
        How long `fast` searches.
    bounds : Bounds, optional
        Of the weights; saved interviews do not keep them.

    Raises
    ------
    OptionError
        Where one of them has an impossible value.

    Examples
    --------
    >>> strategy = SetMargin(mode="exact", seconds=5)
    >>> strategy.options()["seconds"]
    5.0
    >>> Interview("synthetic:3", strategy)
    <Interview on synthetic:3 by setmargin: 0 answers>
    """

    name = "setmargin"
    keeps_time = True
    when_simulated: ClassVar[Mapping[str, Any]] = {"threads": 1}

    mode: Mode = option("fast", choices=MODES)
    setting: Hyperparameters = option(
        FIRST, read=read_setting, write=lambda setting: list(astuple(setting)), give=GIVE_SETTING
    )
    tuning: Tuning | None = option(PAPERS_TUNING, read=read_tuning, write=asdict, or_none=True, give=GIVE_TUNING)
    form: Form = option(Form.COUPLED, read=Form, write=lambda form: form.value, give="coupled or paper")
    solver: Solver = option(HIGHS, read=read_solver, write=lambda solver: solver.name.lower(), give="highs or gurobi")
    seconds: float = option(10.0, give="a positive number of seconds", allowed=lambda seconds: seconds > 0)
    gap: float = option(0.0, give="0 for proven optima, or a fraction such as 0.01", allowed=lambda gap: 0 <= gap < inf)
    threads: int = option(1, give="1 or more", allowed=lambda threads: threads >= 1)
    fits: int = option(FITS, give="a whole number, 1 or more", allowed=lambda fits: fits >= 1)
    nodes: int = option(NODES, give="a whole number, 1 or more", allowed=lambda nodes: nodes >= 1)
    bounds: Bounds | None = no_option(None)

    @property
    def limits(self) -> Limits:
        """What one question may cost: its `seconds`, `gap` and `threads`."""
        return Limits(seconds=self.seconds, gap=self.gap, threads=self.threads)

    def within(self, seconds: float) -> SetMargin:
        """The same strategy with no deadline of its own beyond so many seconds, for tuning neither."""
        tuning = self.tuning and replace(self.tuning, seconds=min(self.tuning.seconds, seconds))
        return replace(self, seconds=min(self.seconds, seconds), tuning=tuning)

    def _start(self, space: Space, seed: int) -> SetMarginBelief:
        return SetMarginBelief(space, seed, setting=self.setting)

    def _tune(self, belief: SetMarginBelief) -> SetMarginBelief:
        """Every `tuning.every` answered questions, choose the setting anew by cross-validation."""
        if self.tuning is None or not belief.answered or belief.answered % self.tuning.every:
            return belief
        tuned = tune(
            belief.oracle,
            self._pairs(belief),
            belief.setting,
            tuning=self.tuning,
            bounds=self._bounds(belief),
            form=self.form,
            solver=self.solver,
            rng=belief.rng(purpose=1),
        )
        return replace(belief, setting=tuned.setting, cut_short=tuned.cut_short)

    def _ask(self, belief: SetMarginBelief) -> Question | None:
        clock = Clock(self.limits.seconds)
        found = self._solve(belief, self.set_size, clock)
        if found.margin < NO_MARGIN and self._answers_agree(belief):
            # A question is of use only if some can still be told apart: let the strictest setting decide.
            strictest = replace(belief, setting=STRICTEST)
            found = self._solve(strictest, self.set_size, clock)
            if found.margin < NO_MARGIN:
                found = self._as_many_as_can_be_told_apart(strictest, clock)
                if found.margin < NO_MARGIN and found.status == "optimal":
                    return None
        if skipped(belief):
            found = self._away_from_skipped(belief, found, clock)
        return question_of(belief, _as_said(belief, found))

    def _as_many_as_can_be_told_apart(self, belief: SetMarginBelief, clock: Clock) -> SetSolution:
        """As many options as can be told apart, as far as that is found out; only of pairs is it proven.

        A tree that is cut short may miss a full set, so what it finds is filled up one by one.
        """
        for size in range(self.set_size, 1, -1):
            found = self._solve(belief, size, clock, prove=True)
            if found.margin >= NO_MARGIN:
                break
        else:
            return found
        return fill_up(
            self._problem(belief, size, belief.setting),
            belief.oracle,
            found,
            size=self.set_size,
            margin=NO_MARGIN,
            solver=self.solver,
            seconds=clock.left,
        )

    def _away_from_skipped(self, belief: SetMarginBelief, found: SetSolution, clock: Clock) -> SetSolution:
        """After a skip, something else: of a few quick ends, the one that shares least with what was passed over."""
        rng, problem = belief.rng(purpose=3), self._problem(belief, len(found.configurations), belief.setting)
        ends = [
            find_best_set(
                problem,
                belief.oracle,
                solver=self.solver,
                work=SearchLimits(nodes=0, fits=QUICK_FITS, seconds=left),
                rng=rng,
            )
            for left in (max(clock.left, 0.0) for _ in range(QUICK_ENDS))
        ]
        useful = [end for end in ends if end.margin >= NO_MARGIN]
        return max([found, *useful], key=lambda end: distance_from_skipped(belief, end))

    def _recommend(self, belief: SetMarginBelief) -> Recommendation:
        clock = Clock(self.limits.seconds)
        found = self._solve(belief, 1, clock)
        if not _obeys(self._pairs(belief), found) and self._answers_agree(belief):
            # A large γ or β may buy its favourite with an answer; where all answers can be obeyed, they are.
            found = self._solve(replace(belief, setting=STRICTEST), 1, clock)
        quantity = None if self.form is Form.PAPER else sole_quantity(belief.space, belief.pairs)
        if quantity is not None and belief.answered >= ENOUGH_ANSWERS:
            bounds = self._bounds(belief)
            weights = mostly_one_quantity(belief.space, found.weights[0], quantity, bounds)
            best = self._best(belief, belief.space.value_weights(weights))
        else:
            best = self._best(belief, found.value_weights[0])
            weights = found.weights[0] if self.form is Form.PAPER else self._simplest(belief, found, best)
        status = _as_said(belief, found).status
        return Recommendation(belief.space.configuration(best), weights, status=status, gap=found.gap)

    def _best(self, belief: SetMarginBelief, value_weights: Floats) -> Ints:
        best: Ints = belief.oracle.best_for_values(with_better_quantities(belief.space, value_weights)[None])[0]
        return best

    def _simplest(self, belief: SetMarginBelief, found: SetSolution, best: Ints) -> Floats:
        return simplest_weights(
            belief.oracle,
            belief.pairs,
            found.weights[0],
            best,
            margin=found.margin,
            bounds=self._bounds(belief),
            solver=self.solver,
        )

    def _answers_agree(self, belief: SetMarginBelief) -> bool:
        """Whether some weights obey every answer by a margin."""
        pairs = self._pairs(belief)
        if not len(pairs.strict):
            return not len(pairs.equal)
        with weight_fitter(self._problem(belief, 1, STRICTEST), self.solver) as fitter:
            return fitter.fit(np.zeros((1, int(belief.space.offsets[-1]))), STRICTEST).margin >= NO_MARGIN

    def _solve(self, belief: SetMarginBelief, size: int, clock: Clock, *, prove: bool = False) -> SetSolution:
        """The setwise problem; with β lowered step by step where it would make all weights zero."""
        for setting in _with_smaller_beta(belief.setting):
            found = find_best_set(
                self._problem(belief, size, setting),
                belief.oracle,
                solver=self.solver,
                work=self._work(belief, size, clock, prove=prove),
                rng=belief.rng(purpose=2),
                first=last_options(belief, size),
            )
            if clock.left <= 0 or not tells_nothing_apart(belief.space, found.value_weights):
                break
        return found

    def _problem(self, belief: SetMarginBelief, size: int, setting: Hyperparameters) -> SetProblem:
        bounds = self._bounds(belief)
        return SetProblem(belief.space, _feasible(belief.space), self._pairs(belief), size, setting, bounds, self.form)

    def _pairs(self, belief: SetMarginBelief) -> Pairs:
        """The paper's form has no weights of quantities, so what speaks of them alone is left out there."""
        return belief.pairs.of_values_alone() if self.form is Form.PAPER else belief.pairs

    def _work(self, belief: SetMarginBelief, size: int, clock: Clock, *, prove: bool) -> SearchLimits:
        """To the proof in exact mode; else as much as nobody notices, always the same, so that answers do not depend
        on how busy the machine is. The clock only ends what takes far longer than it should."""
        seconds = max(clock.left, 0.0)
        if prove:
            nodes = NODES_FOR_PAIRS if size == 2 else MANY_NODES
            return SearchLimits(nodes=nodes, seconds=seconds, enough=SOME_MARGIN)
        if self.mode == "exact":
            return SearchLimits(seconds=seconds, gap=self.limits.gap)
        work = fast_work(belief.oracle, size, nodes=self.nodes, fits=self.fits)
        return replace(work, seconds=seconds, gap=self.limits.gap)

    def _bounds(self, belief: SetMarginBelief) -> Bounds:
        return belief.bounds or self.bounds or Bounds.usual(belief.space)


@lru_cache(maxsize=128)
def _feasible(space: Space) -> FeasibleBlock:
    return feasible_block(oracle_for(space).lowered)


def fast_work(oracle: Oracle, size: int, *, nodes: int = NODES, fits: int = FITS) -> SearchLimits:
    """What fast mode does for a set of this size: so many nodes, or where even those take too long, linear problems."""
    products = size * size * _products(oracle.space)
    if oracle.is_quick and products <= MOST_PRODUCTS:
        return SearchLimits(nodes=min(nodes, max(LEAST_NODES, NODES_TIMES_PRODUCTS // products)))
    return SearchLimits(nodes=0, fits=_affordable(oracle, size, fits))


def _products(space: Space) -> int:
    """How many weights meet values: one for each value, and for each trend one for every value of its attribute."""
    return int(space.offsets[-1]) + sum(len(trend.row) for trend in space.trends)


def _affordable(oracle: Oracle, size: int, fits: int) -> int:
    """Fewer linear problems where each is large, or where the oracle has to solve a MILP for every call."""
    if not oracle.is_quick:
        return min(fits, LEAST_FITS)
    return min(fits, max(LEAST_FITS, FITS_TIMES_WEIGHTS // (size * len(oracle.space.feature_names))))


def _as_said(belief: SetMarginBelief, found: SetSolution) -> SetSolution:
    """What was found, saying that the clock has ended something where it ended the tuning."""
    return replace(found, status="time limit") if belief.cut_short else found


def _obeys(pairs: Pairs, found: SetSolution) -> bool:
    """Whether the weights put every strict answer in the right order."""
    strict, _ = pairs.ahead(found.value_weights.T, found.weights[:, found.value_weights.shape[1] :].T)
    return bool((strict > NO_MARGIN).all())


def _with_smaller_beta(setting: Hyperparameters) -> Iterator[Hyperparameters]:
    yield setting
    for beta in (0.1, 0.01, 0.001, 0.0001):
        if beta < setting.beta:
            yield replace(setting, beta=beta, gamma=max(setting.gamma, beta))
