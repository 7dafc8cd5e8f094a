"""Docstrings of public names: each has an example, and every example runs."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import setmargin

NAMES = ["Attribute", "Configuration", "Oracle", "Quantity", "Space", "Table", "dumps", "load", "loads", "oracle_for"]
"""Public names that have an example."""
MODULES = sorted({getattr(setmargin, name).__module__ for name in NAMES})


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_of_its_own(name: str) -> None:
    assert doctest.DocTestFinder(recurse=False).find(getattr(setmargin, name), name)[0].examples
