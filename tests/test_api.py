"""The public API is one page, and pinned."""

from __future__ import annotations

import subprocess
import sys

import pytest

import setmargin


def test_the_public_names_are_these() -> None:
    assert " ".join(sorted(setmargin.__all__)) == (
        "Answer Attribute Belief Choice Comparisons Configuration Explanation Interview NoDifference Oracle Outcome "
        "Quantity Question Ranking Recommendation SetmarginError Skip Space Stakes Strategy Table "
        "dumps load loads make_strategy oracle_for save"
    )
    assert dir(setmargin) == sorted([*setmargin.__all__, "__version__"])


@pytest.mark.parametrize("name", [*setmargin.__all__, "__version__"])
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(setmargin, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        setmargin.nonsense  # noqa: B018


def test_importing_the_package_loads_no_solver() -> None:
    code = "import sys, setmargin; sys.exit(any(m in sys.modules for m in ('highspy', 'scipy', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_interview_in_five_lines() -> None:
    space = setmargin.Space({"type": ["laptop", "tower"], "memory": [8, 16]}, rules=["type = tower => memory >= 16"])
    interview = setmargin.Interview(space, setmargin.make_strategy("setmargin", mode="fast"))
    while (question := interview.ask()) is not None:
        interview.tell(max(range(2), key=lambda i: question.options[i]["type"] == "tower"))
    assert dict(interview.recommend().configuration) == {"type": "tower", "memory": 16}
