"""Packages that only some people need, and what to install where one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from setmargin.errors import ExperimentError

EXTRAS = {"polars": "experiments", "matplotlib": "experiments", "distributed": "cluster"}


def need(package: str) -> Any:
    """The package, or an error that says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise ExperimentError(f"{package} is not installed; pip install 'setmargin[{EXTRAS[package]}]'") from None
