"""The public API is one page, and pinned; it is documented, and its examples run."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

import setmargin
from setmargin import Bayes, Interview, OptionError, SetMargin, Strategy, experiments, laws
from setmargin.strategies.registry import strategy_class, strategy_names

PUBLIC = {name: getattr(setmargin, name) for name in setmargin.__all__} | {
    f"{module.__name__.partition('.')[2]}.{name}": getattr(module, name)
    for module in (experiments, laws)
    for name in module.__all__
}


@pytest.fixture(autouse=True)
def _registered_here_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests and examples register is not known to other tests."""
    monkeypatch.setattr("setmargin.strategies.registry._REGISTERED", {})


def test_the_public_names_are_these() -> None:
    assert " ".join(sorted(setmargin.__all__)) == (
        "Answer AsyncClient Attribute Bayes Belief Change Choice Client Comparisons Configuration Explanation "
        "Interview Item Items LearntPrior NoDifference OptionError Oracle Outcome Quantity Question Ranking "
        "Recommendation SetMargin SetmarginError Skip Space Stakes Strategy Table dumps experiments laws "
        "learn_population list_strategies load loads make_strategy option oracle_for register save"
    )
    assert dir(setmargin) == sorted([*setmargin.__all__, "__version__"])


@pytest.mark.parametrize("name", ["draw_people", "read_people", "simulate", "compare", "summarise", "collect", "curve"])
def test_experiments_are_public_too(name: str) -> None:
    assert name in experiments.__all__
    assert callable(getattr(experiments, name))


@pytest.mark.parametrize("name", [*setmargin.__all__, "__version__"])
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(setmargin, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        setmargin.nonsense  # noqa: B018


# Documentation


def methods(public: Any) -> list[str]:
    """Names of what a class, or one of ours that it derives from, has written for others to call."""
    own = [each for each in inspect.getmro(public) if each.__module__.startswith("setmargin.")]
    found = {name: part for each in reversed(own) for name, part in vars(each).items() if not name.startswith("_")}
    return [name for name, part in found.items() if callable(part) or isinstance(part, property | classmethod)]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_and_method_says_what_it_is(name: str) -> None:
    public = PUBLIC[name]
    if not (inspect.isclass(public) or inspect.isfunction(public)):
        return  # a type's alias, a constant, a module
    assert (public.__doc__ or "").strip(), name
    assert not (public.__doc__ or "").startswith(f"{public.__name__}("), f"{name} has only what dataclass wrote"
    if inspect.isclass(public):
        missing = [method for method in methods(public) if not inspect.getdoc(getattr(public, method))]
        assert not missing


MODULES = sorted({public.__module__ for public in PUBLIC.values() if hasattr(public, "__module__")})


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("setmargin.")])
def test_the_examples_in_docstrings_run(module: str) -> None:
    names = {**PUBLIC, "dataclass": dataclass}
    assert doctest.testmod(sys.modules[module], extraglobs=names, optionflags=doctest.ELLIPSIS).failed == 0


WITH_EXAMPLES = (
    "Attribute Change Configuration Interview Oracle Quantity Space Table dumps load loads make_strategy oracle_for "
    "register save"
)


@pytest.mark.parametrize("name", WITH_EXAMPLES.split())
def test_a_public_name_has_an_example(name: str) -> None:
    assert any(test.examples for test in doctest.DocTestFinder().find(PUBLIC[name], name))


# Imports


def modules_after(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], check=True, capture_output=True, text=True
    )
    return set(shown.stdout.split())


def test_importing_the_package_loads_no_solver() -> None:
    assert not {"highspy", "scipy", "numpy"} & modules_after("import setmargin")


def test_importing_interview_loads_no_solver_and_listing_catalogues_computes_nothing() -> None:
    assert not {"highspy", "scipy", "jsonschema"} & modules_after("from setmargin import Interview")
    listing = "from setmargin.cli.commands.check import catalogues; catalogues()"
    assert not {"numpy", "lark", "yaml"} & modules_after(listing)


def test_importing_interview_loads_no_strategy() -> None:
    loaded = {name for name in modules_after("from setmargin import Interview") if name.startswith("setmargin.strat")}
    assert {name.split(".")[2] for name in loaded if name.count(".") > 1} == {"base", "options", "registry", "shared"}


def test_only_the_strategy_in_use_is_imported() -> None:
    loaded = modules_after("from setmargin import Interview; Interview('synthetic:3').ask()")
    assert "setmargin.strategies.bayes.strategy" in loaded
    assert not any(
        name.startswith(("setmargin.strategies.setmargin", "setmargin.strategies.rivals")) for name in loaded
    )


# What people write first


def test_an_interview_in_five_lines() -> None:
    space = setmargin.Space({"type": ["laptop", "tower"], "memory": [8, 16]}, rules=["type = tower => memory >= 16"])
    interview = Interview(space, SetMargin())
    while (question := interview.ask()) is not None:
        interview.tell(max(range(2), key=lambda i: question.options[i]["type"] == "tower"))
    assert interview.history
    assert dict(interview.recommend().configuration) == {"type": "tower", "memory": 16}


def test_a_space_and_a_strategy_may_be_given_by_name() -> None:
    assert Interview("synthetic:3").strategy == Bayes()
    assert Interview(setmargin.load("synthetic:3"), "setmargin").strategy == SetMargin()
    assert Interview("synthetic:3", Bayes(until=0.01)).strategy.options()["until"] == 0.01


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((5,), "the space is 5; give a Space"),
        ((None,), "the space is None"),
        (("synthetic:3", "bays"), "there is no strategy 'bays'; did you mean bayes"),
        (("synthetic:3", 3), "3 is no strategy"),
        (("synthetic:3", Bayes), "make one: add \\(\\)"),
    ],
)
def test_wrong_arguments_get_our_errors(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Interview(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": "3%"}, "until is '3%'; give the expected loss to stop at, from 0 to below 1"),
        ({"until": True}, "until is True"),
        ({"until": float("nan")}, "until is nan"),
        ({"set_size": 2.0}, "the set size is 2.0; give 2 to 6"),
        ({"samples": "many"}, "samples is 'many'; give 2 or more"),
        ({"differences": 0}, "differences is 0"),
        ({"hints": {"price": 3}}, "the hint for price is 3"),
        ({"hints": ["price"]}, "hints is"),
    ],
)
def test_wrong_options_get_our_errors(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Bayes(**options)


def test_numbers_of_numpy_are_numbers() -> None:
    import numpy as np

    numbers: dict[str, Any] = {"until": np.float64(0.5), "set_size": np.int64(3), "samples": np.int32(100)}
    strategy = Bayes(**numbers)
    assert strategy == Bayes(until=0.5, set_size=3, samples=100)
    assert [type(value) for value in strategy.options().values()] == [
        int,
        str,
        float,
        type(None),
        dict,
        float,
        int,
        type(None),
    ]


def test_strategies_are_values() -> None:
    assert Bayes(until=0.01) == Bayes(until=0.01) != Bayes()
    assert len({Bayes(hints={"price": 0.5}), Bayes(hints={"price": 0.5}), SetMargin(), SetMargin()}) == 2
    assert repr(Bayes(until=0.01, samples=384)) == "Bayes(until=0.01)", "defaults need not be said"
    assert repr(setmargin.make_strategy("setmargin")) == "SetMargin()"
    with pytest.raises(AttributeError):
        Bayes().until = 0.5  # type: ignore[misc]


@pytest.mark.parametrize("name", strategy_names())
def test_a_class_declares_what_others_need_to_know(name: str) -> None:
    strategy = strategy_class(name)()
    options = strategy.options()
    assert strategy.name == name
    assert strategy.keeps_time == ("seconds" in options)
    assert (strategy.until_means is not None) == ("until" in options)
    assert set(strategy.when_simulated) <= set(options)
    assert not set(strategy.renamed_options) & set(options)
    assert set(strategy.renamed_options.values()) <= set(options)
    assert strategy.within(0.5).options().get("seconds", 0.5) == 0.5


def test_tuning_keeps_within_a_deadline_too() -> None:
    hurried = SetMargin().within(0.5)
    assert hurried.options()["tuning"]["seconds"] == 0.5
    assert SetMargin(tuning=None).within(0.5) == SetMargin(tuning=None, seconds=0.5)


def test_every_strategy_is_listed_with_a_line() -> None:
    listed = setmargin.list_strategies()
    assert tuple(listed) == strategy_names()
    assert all(line.endswith(".") for line in listed.values())


# A strategy of one's own


def test_a_registered_strategy_is_known_by_name(tmp_path: Any) -> None:
    setmargin.register(Patient)
    assert "patient" in setmargin.list_strategies()
    interview = Interview("synthetic:3", setmargin.make_strategy("patient", depth=5))
    interview.tell(0)
    interview.save(tmp_path / "own.json")
    again = Interview.load(tmp_path / "own.json")
    assert again.strategy == Patient(depth=5)
    assert again.events == interview.events
    people = list(experiments.draw_people(setmargin.load("synthetic:3"), 2))
    records = list(experiments.simulate(people, "patient", questions=2))
    assert {record["strategy"] for record in records} == {"patient"}


@dataclass(frozen=True, kw_only=True)
class Patient(Bayes):
    """Goes on for longer."""

    name = "patient"
    until: float = 0.001
    depth: int = setmargin.option(3, give="1 or more", allowed=lambda depth: depth >= 1)


def test_what_cannot_be_registered_is_refused() -> None:

    @dataclass(frozen=True, kw_only=True)
    class Other(Patient):
        pass

    class Nameless(Strategy[Any]):
        pass

    setmargin.register(Patient)
    setmargin.register(Patient)  # the same one again, as in a notebook
    for wrong, words in (
        (Other, "there is a strategy 'patient'"),
        (Bayes, "'bayes' already"),
        (Nameless, "has a name"),
    ):
        with pytest.raises(OptionError, match=words):
            setmargin.register(wrong)
    with pytest.raises(OptionError, match="depth is 0; give 1 or more"):
        setmargin.make_strategy("patient", depth=0)


# How things look in a console


def test_reprs_are_short_and_useful() -> None:
    space = setmargin.Space({"a": [1, 2], "b": ["x", "y"]}, name="toy")
    interview = Interview(space, "random")
    question = interview.ask()
    assert question is not None
    interview.skip()
    assert repr(interview) == "<Interview on toy by random: 0 answers and 1 skipped>"
    interview.undo()
    interview.tell(0)
    interview.require("a = 2")
    assert repr(interview) == "<Interview on toy by random: 1 answer, must have a = 2>"
    assert repr(interview.belief) == "<Belief on toy: 1 answer>"
    assert repr(Interview(space).belief) == "<BayesBelief on toy: 0 answers>"
    assert repr(interview.recommend()).startswith("<Recommendation: a = 2, b = ")
    one, other = space.configuration([0, 1]), space.configuration([1, 1])
    assert repr(setmargin.Question((one, other))) == "<Question: a = 1 | a = 2>"
