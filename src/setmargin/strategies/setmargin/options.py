"""The strategy's options as plain data: what the command line and saved interviews can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import index
from typing import Any

from setmargin.errors import OptionError
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Limits, Solver
from setmargin.strategies.setmargin.problem import Form, Hyperparameters
from setmargin.strategies.setmargin.tuning import Tuning

DEFAULT_LIMITS = Limits(seconds=10.0)
LIMITS = ("seconds", "gap", "threads")
OPTIONS = ("set_size", "mode", "setting", "tuning", "form", "solver", *LIMITS, "fits", "nodes")


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments behind plain data; what is not said keeps its default."""
    if unknown := [name for name in options if name not in OPTIONS]:
        raise OptionError(f"setmargin has no option {unknown[0]!r}; known are {', '.join(OPTIONS)}")
    limits = {name: value for name, value in options.items() if name in LIMITS}
    others = {name: _read(name, value) for name, value in options.items() if name not in LIMITS}
    return {**others, "limits": _read("limits", limits)}


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
        return Highs()
    if name == "gurobi":
        return Gurobi()
    raise OptionError(f"there is no solver {name!r}; there is highs, and gurobi where it is installed")


READERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "setting": (lambda numbers: Hyperparameters(*map(float, numbers)), "three numbers: alpha, beta and gamma"),
    "tuning": (_tuning, "alphas, betas, gammas, folds, every and seconds, or nothing to switch it off"),
    "form": (Form, "coupled or paper"),
    "solver": (_solver, "highs or gurobi"),
    "limits": (lambda limits: replace(DEFAULT_LIMITS, **limits), "seconds, gap and threads as numbers"),
    "fits": (index, "a whole number"),
    "nodes": (index, "a whole number"),
}
