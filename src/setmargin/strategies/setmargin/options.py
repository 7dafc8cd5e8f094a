"""The options of setmargin that are more than a number or a word, made from plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from setmargin.errors import OptionError
from setmargin.plugins import is_plugin, load_plugin, plugin_names, refuse_plugin
from setmargin.solve.milp.gurobi import Gurobi
from setmargin.solve.milp.highs import Highs
from setmargin.solve.milp.model import Solver
from setmargin.strategies.setmargin.problem import Hyperparameters
from setmargin.strategies.setmargin.tuning import Tuning

GIVE_SETTING = "three numbers: alpha, beta and gamma"
GIVE_TUNING = "alphas, betas, gammas, folds, every and seconds, or nothing to switch it off"


def read_setting(numbers: Hyperparameters | Sequence[float]) -> Hyperparameters:
    return numbers if isinstance(numbers, Hyperparameters) else Hyperparameters(*map(float, numbers))


def read_tuning(options: Tuning | Mapping[str, Any]) -> Tuning:
    if isinstance(options, Tuning):
        return options
    lists = ("alphas", "betas", "gammas")
    read: dict[str, Any] = {n: tuple(map(float, value)) if n in lists else value for n, value in options.items()}
    return Tuning(**read)


def read_solver(solver: Solver | str) -> Solver:
    if not isinstance(solver, str):
        return solver
    if solver == "highs":
        return Highs()
    if solver == "gurobi":
        return Gurobi()
    if is_plugin("solvers", solver):
        return _from_plugin(solver)
    others = "".join(f", and {name}" for name in plugin_names("solvers"))
    raise OptionError(f"there is no solver {solver!r}; there is highs, and gurobi where it is installed{others}")


def _from_plugin(name: str) -> Solver:
    """A solver of another package: its class, or whatever makes one."""
    made = load_plugin("solvers", name)()
    if not callable(getattr(made, "open", None)):
        raise refuse_plugin("solvers", name, "opens no models; derive its class from setmargin.solve.milp.model.Solver")
    solver: Solver = made
    if solver.name.lower() != name:
        raise refuse_plugin("solvers", name, f"calls itself {solver.name!r}; give solver and entry point one name")
    return solver
