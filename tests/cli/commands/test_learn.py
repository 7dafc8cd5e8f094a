from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.learning import load_prior
from tests.cli.running import Shell
from tests.learning.files import written


def test_the_command_learns_and_others_use_its_file(shell: Shell, tmp_path: Path) -> None:
    catalogue = written(tmp_path / "little.yaml", ["catalogue: little", "attributes: {a: [x, y], b: [on, off]}"])
    sales = written(tmp_path / "sales.csv", ["a,b", *["x,on"] * 20, *["y,off"] * 10, "w,on"])
    found = shell("learn", catalogue, "--from", sales, "-o", tmp_path / "prior.yaml")
    assert found.code == 0, found.err
    assert "30 people of little: 30 sales" in found.out
    assert f"{sales}:32: a has no value 'w'" in found.err
    again = shell("learn", catalogue, "--sales", sales, "--json")
    assert again.document["prior"] == load_prior(tmp_path / "prior.yaml").document()
    used = shell("interview", catalogue, "--prior", tmp_path / "prior.yaml", "--json")
    assert used.code == 0, used.err
    assert used.document["recommendation"]["configuration"] == {"a": "x", "b": "on"}
    simulated = ("--prior", tmp_path / "prior.yaml", "--people", 2, "--questions", 1, "--json")
    assert shell("simulate", catalogue, *simulated).code == 0
    refused = shell("simulate", "synthetic:2", *simulated)
    assert (refused.code, "nothing in common with synthetic:2" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a source with --from"),
        (("--from", "sales.csv", "--least", 3), "--least is 3; give 10 or more"),
        (("--from", "sales.csv", "--segments", 0), "--segments is 0; give 1 to 20"),
        (("--from", "nowhere.db"), "nowhere.db: cannot be read"),
    ],
)
def test_wrong_options_are_refused(shell: Shell, arguments: tuple[object, ...], said: str) -> None:
    found = shell("learn", "synthetic:2", *arguments)
    assert found.code == 2
    assert said in found.err
