"""The experiments behind the three figures of the SetMargin paper, with `bayes` beside its methods.

Everybody is asked the whole budget of questions: no run looks at the true loss to decide when to stop, as the published
ones did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from setmargin.errors import OptionError
from setmargin.experiments.families import PaperWeights
from setmargin.experiments.grid import Experiment, joined, make_grid
from setmargin.experiments.responses import check_one_of
from setmargin.space.text import suggest
from setmargin.strategies.options import options_of
from setmargin.strategies.registry import strategy_class, strategy_names

FigureName = Literal["comparison", "set-size", "pc"]
FIGURES: tuple[str, ...] = get_args(FigureName)
ALL_WEIGHTS: tuple[str, ...] = get_args(PaperWeights)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much of a figure is run: its people, and its questions for each set size."""

    people: int = 20
    questions: Mapping[int, int]


@dataclass(frozen=True)
class Plan:
    """What a figure shows, in full and as a taste of it."""

    methods: tuple[str, ...]
    full: Scale
    quick: Scale
    make: Callable[[Sequence[str], Scale, int, bool], Experiment]


def paper_experiment(
    figure: str,
    *,
    methods: Sequence[str] = (),
    people: int | None = None,
    seed: int = 0,
    rules: bool = True,
    quick: bool = False,
) -> Experiment:
    """The experiment behind a figure; without `rules` the PC can be built in any combination."""
    check_one_of(figure, FigureName, "the figure")
    if figure != "pc" and not rules:
        raise OptionError(f"the spaces of {figure} have no rules; --no-rules is for pc")
    for method in methods:
        if method not in strategy_names():
            raise OptionError(
                f"there is no method {method!r}; {suggest(method, sorted(strategy_names()), what='there is')}"
            )
    plan = PLANS[figure]
    scale = plan.quick if quick else plan.full
    if people is not None:
        scale = Scale(people=people, questions=scale.questions)
    return plan.make(tuple(dict.fromkeys(methods)) or plan.methods, scale, seed, rules)


def _comparison(methods: Sequence[str], scale: Scale, seed: int, _: bool) -> Experiment:
    parts = [
        make_grid(
            catalogue=["synthetic:3", "synthetic:4"],
            strategy=[_with_prior(method, kind) for method in methods],
            weights=[kind],
            questions=scale.questions[2],
            people=scale.people,
            seed=seed,
        )
        for kind in ALL_WEIGHTS
    ]
    return joined("comparison", parts)


def _with_prior(method: str, weights: str) -> dict[str, str]:
    """Beliefs with a prior start from the people's own distribution, sparsity aside: so fit the published curves."""
    prior = "normal" if weights.endswith("normal") else "uniform"
    found = options_of(strategy_class(method)).get("prior")
    known = found is not None and prior in found.declared.choices
    return {"name": method, **({"prior": prior} if known else {})}


def _set_size(methods: Sequence[str], scale: Scale, seed: int, _: bool) -> Experiment:
    """The hardest and the easiest of the four distributions, as in the paper."""
    parts = [
        make_grid(
            catalogue=[catalogue],
            strategy=methods,
            set_size=[size],
            weights=[weights],
            questions=questions,
            people=scale.people,
            seed=seed,
        )
        for catalogue, weights, (size, questions) in product(
            ("synthetic:4", "synthetic:5"), ("uniform", "sparse-normal"), scale.questions.items()
        )
    ]
    return joined("set-size", parts)


def _pc(methods: Sequence[str], scale: Scale, seed: int, rules: bool) -> Experiment:
    """Nobody cares about the price, as in the published runs."""
    parts = [
        make_grid(
            catalogue=["pc"],
            strategy=methods,
            set_size=[size],
            weights=["sparse-uniform"],
            rules=rules,
            questions=questions,
            people=scale.people,
            seed=seed,
        )
        for size, questions in scale.questions.items()
    ]
    return joined("pc", parts)


# Pairs count one query in the paper, triples three and quadruples six. Its axes end at 100 of either, and 50 questions
# of three or four options are more than that.
QUESTIONS = {2: 100, 3: 50, 4: 50}
PLANS: Mapping[str, Plan] = {
    "comparison": Plan(
        ("setmargin", "rivoi", "eus", "qi", "bayes"),
        Scale(questions={2: 30}),
        Scale(people=2, questions={2: 6}),
        _comparison,
    ),
    "set-size": Plan(
        ("setmargin", "bayes"),
        Scale(questions=QUESTIONS),
        Scale(people=2, questions={2: 12, 3: 6, 4: 6}),
        _set_size,
    ),
    "pc": Plan(
        ("setmargin", "bayes"),
        Scale(questions=QUESTIONS),
        Scale(people=2, questions={2: 12, 3: 6, 4: 6}),
        _pc,
    ),
}
