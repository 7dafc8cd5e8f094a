"""The laboratory in short: real servers lose power while people answer, and mutants of them are found."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.laboratory.mutants import MUTANTS
from scripts.laboratory.processes import NoPostgres, binaries

SCRIPT = Path(__file__).parents[2] / "scripts" / "faults.py"
SHORT = ["--seconds", "0", "--servers", "1", "--tables", "2", "--between", "30", "--strategies", "random", "--json"]
needs_compiler = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="disks fail with a library that is compiled for Linux"
)


def laboratory(*options: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run([sys.executable, SCRIPT, *SHORT, *options], capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, figures


@needs_compiler
@pytest.mark.parametrize(
    ("database", "faults", "seconds", "least"),
    [("sqlite", "kill-server,kill-worker,power-loss", 5, 2), ("postgresql", "power-loss", 0, 1)],
)
def test_every_acknowledged_answer_is_there_once_after_kills_and_a_power_cut(
    database: str, faults: str, seconds: int, least: int
) -> None:
    if database == "postgresql":
        try:
            binaries()
        except NoPostgres as reason:
            pytest.skip(str(reason))
    kinds = ["--faults", f"{faults},partition", "--between", "10"]
    code, found = laboratory(*kinds, "--database", database, "--seconds", str(seconds))
    wrong = [found[name] for name in ("lost", "duplicated", "misattributed", "untold", "undeleted", "problems")]
    assert wrong == [0, 0, 0, 0, 0, []]
    assert found["acknowledged"] >= 1
    assert found["faults"]["power-loss"] >= 1
    assert sum(found["faults"].values()) >= least
    assert database == "postgresql" or found["not_simulated"] == {"partition": "there is no such thing with sqlite"}
    assert code == 0


@needs_compiler
@pytest.mark.parametrize("mutant", sorted(set(MUTANTS) - {"tell-later", "delete-later"}))
def test_a_server_with_a_mistake_is_found(mutant: str) -> None:
    code, found = laboratory("--faults", "power-loss", "--mutant", mutant)
    assert found["lost"] or found["duplicated"] or found["undeleted"] or found["problems"]
    assert code == 0
