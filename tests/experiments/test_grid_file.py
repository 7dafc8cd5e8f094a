"""Grids in YAML: read as they are meant, refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from setmargin.errors import OptionError
from setmargin.experiments.grid import make_grid
from setmargin.experiments.grid_file import READERS, read_grid
from setmargin.strategies import registry
from tests.experiments.stubs import Learner

WHOLE = """\
name: noise
catalogue: [own.yaml, other.yaml]
strategy:
  - learner
  - {name: perceptron, passes: 3}
set_size: [2, 3]
weights: [ordered, sparse-normal]
no_order: [0, 0.2]
population: segments:3
earlier: 5
earlier_population: segments:3/2
quantities: yes
rules: false
response: tree
wrong: [0, 0.1]
reasons: 1
changes: [0, 0.5]
careless: 0.2
how: choice
questions: 5
people: 4
seed: 7
"""
OWN = "catalogue: own\nattributes: {a: {values: [1, 2, 3], better: higher}, b: [x, y]}\nrules: [a = 1 => b = x]\n"


def written(folder: Path, text: str) -> Path:
    (folder / "own.yaml").write_text(OWN)
    (folder / "other.yaml").write_text(OWN.replace("own", "other"))
    (folder / "grid.yaml").write_text(text)
    return folder / "grid.yaml"


def test_a_file_says_everything_that_a_grid_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._REGISTERED, Learner.name, Learner)
    said = read_grid(written(tmp_path, WHOLE))
    assert set(said) == set(READERS)
    assert said["strategy"] == [{"name": "learner"}, {"name": "perceptron", "passes": 3}]
    assert (said["response"], said["wrong"], said["quantities"], said["rules"]) == (["tree"], [0.0, 0.1], True, False)
    grid = make_grid(**said)
    assert (grid.name, grid.people, len(grid.settings)) == ("noise", 4, 2 * 2 * 2 * (2 + 1) * 2 * 2)
    assert {(s.response.reasons, s.response.changes, s.response.careless) for s in grid.settings} == {
        (1.0, 0.0, 0.2),
        (1.0, 0.5, 0.2),
    }
    assert {(s.strategy.name, s.earlier, s.earlier_population) for s in grid.settings} == {
        ("learner", 5, "segments:3/2"),
        ("perceptron", 0, ""),
    }
    assert {(s.weights, s.no_order, s.population) for s in grid.settings} == {
        ("ordered", 0.0, "segments:3"),
        ("ordered", 0.2, "segments:3"),
        ("sparse-normal", 0.0, "segments:3"),
    }
    assert {setting.space.name for setting in grid.settings} == {"other-without-rules", "own-without-rules"}
    assert {(setting.questions, setting.seed, setting.how) for setting in grid.settings} == {(5, 7, "choice")}


def test_one_value_needs_no_list(tmp_path: Path) -> None:
    said = read_grid(written(tmp_path, "catalogue: synthetic:3\nstrategy: random\n"))
    assert said == {"catalogue": ["synthetic:3"], "strategy": [{"name": "random"}]}


def test_a_catalogue_is_found_beside_the_grid(tmp_path: Path) -> None:
    said = read_grid(written(tmp_path, "catalogue: own.yaml\nstrategy: random\n"))
    assert said["catalogue"] == [str(tmp_path / "own.yaml")]


HEAD = "catalogue: synthetic:3\nstrategy: random\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: there is nothing to run"),
        ("- a", ":1: there is nothing to run"),
        ("strategy: random", ":1: catalogue is missing; add it, such as catalogue: synthetic:4"),
        ("catalogue: synthetic:3", ":1: strategy is missing"),
        (HEAD + "weigths: normal", ":3: 'weigths' means nothing here; did you mean weights?"),
        (HEAD + "weights: [normal,\n  norml]", ":4: the distribution of weights is 'norml'; did you mean normal?"),
        (HEAD + "set_size: [2,\n 3,\n 9]", ":5: the set size is 9"),
        (HEAD + "set_size: two", ":3: set_size is 'two'; give a whole number"),
        (HEAD + "people: 0", ":3: 0 people"),
        (HEAD + "people: [1, 2]", r":3: people is \[1, 2\]; give a whole number"),
        (HEAD + "questions: 0", ":3: 0 questions"),
        (HEAD + "seed: -1", ":3: the seed is -1"),
        (HEAD + "wrong: often", ":3: wrong is 'often'"),
        (HEAD + "wrong: 2", ":3: the rate of wrong answers is 2.0"),
        (HEAD + "reasons: always", ":3: reasons is 'always'; give a share"),
        (HEAD + "changes: 1.5", ":3: the rate of changes is 1.5; give a number from 0 to 1"),
        (HEAD + "careless: -1", ":3: the rate of careless reasons and changes is -1.0"),
        (HEAD + "no_order: 2", ":3: the share of people without an order is 2.0; give a number from 0 to 1"),
        (HEAD + "no_order: some", ":3: no_order is 'some'; give a share of people"),
        (HEAD + "population: segments", ":3: the population is 'segments'; write usual, segments:5"),
        (HEAD + "population: segments:0", ":3: 0 segments are no population"),
        (HEAD + "earlier: many", ":3: earlier is 'many'; give a whole number"),
        (HEAD + "earlier: -1", ":3: -1 earlier people cannot be asked"),
        (HEAD + "quantities: maybe", ":3: quantities is 'maybe'; write yes or no"),
        (HEAD + "response: []", ":3: response is an empty list"),
        (HEAD + "how: guess", ":3: the way of answering is 'guess'"),
        (HEAD + "name: ../mine", r":3: name is '\.\./mine'; use letters"),
        (HEAD + "name:", ":3: name is None; write a word"),
        ("catalogue: pcc\nstrategy: random", ":1: pcc: there is no such file or shipped catalogue; did you mean pc?"),
        ("catalogue: pc\nstrategy:\n - random\n - randm", ":4: there is no strategy 'randm'; did you mean random?"),
        ("catalogue: pc\nstrategy: {passes: 3}", ":2: strategy is None; write a word"),
        (
            "catalogue: pc\nstrategy: {name: perceptron, pases: 3}",
            ":2: perceptron has no option 'pases'; did you mean passes?",
        ),
        ("catalogue: pc\nstrategy: {name: random, set_size: 3}", ":2: set_size stands beside strategy"),
        ("catalogue: pc\ncatalogue: pc", ":2: 'catalogue' stands here twice"),
        ("a: [", "not valid YAML"),
    ],
)
def test_mistakes_are_told_with_their_line_and_cure(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(OptionError, match=rf"grid\.yaml.*{words}"):
        read_grid(written(tmp_path, text))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be read: No such file"):
        read_grid(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff")
    with pytest.raises(OptionError, match="not UTF-8"):
        read_grid(tmp_path / "binary.yaml")
    (tmp_path / "large.yaml").write_bytes(b" " * 1_000_001)
    with pytest.raises(OptionError, match="larger than"):
        read_grid(tmp_path / "large.yaml")
