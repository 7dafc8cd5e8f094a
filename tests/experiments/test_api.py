"""The names of `setmargin.experiments` are there, cheap to have, and their examples run."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

from setmargin import experiments

EXPLAINED = ("compare", "curve", "draw_people", "make_grid", "read_people", "simulate", "summarise")


def test_every_public_name_is_there() -> None:
    assert all(getattr(experiments, name) is not None for name in experiments.__all__)
    assert set(dir(experiments)) == set(experiments.__all__) == set(experiments._HOME)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        experiments.simulat  # noqa: B018


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    heavy = ("numpy", "scipy", "joblib", "polars", "matplotlib")
    code = f"import sys, setmargin.experiments; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_example_of_a_public_function_runs(name: str) -> None:
    function = getattr(experiments, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert example.examples
    assert doctest.DocTestRunner().run(example) == (0, len(example.examples))
