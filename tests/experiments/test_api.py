"""The names of `setmargin.experiments` are there, and cheap to have."""

from __future__ import annotations

import subprocess
import sys

import pytest

from setmargin import experiments


def test_every_public_name_is_there() -> None:
    assert all(getattr(experiments, name) is not None for name in experiments.__all__)
    assert set(dir(experiments)) == set(experiments.__all__)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        experiments.simulat  # noqa: B018


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    heavy = ("numpy", "scipy", "joblib", "polars", "matplotlib")
    code = f"import sys, setmargin.experiments; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
