from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from setmargin import Quantity, Space
from setmargin.choices import Choices, ChoiceTask, Respondent, make_study, read_choices, score_models
from setmargin.choices.coding import Coding, contrasts
from setmargin.choices.models import Chance, ChoiceModel, HierarchicalLogit, PooledLogit, RidgeLogit, usual_models
from setmargin.choices.study import Study
from setmargin.space.space import Configuration
from tests.choices.files import simulated, written


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = written(tmp_path_factory.mktemp("choices"), simulated(60, 12))
    return make_study(read_choices(path), learn=8, predict=4, by=[2, 8])


def test_models_that_know_more_predict_better(study: Study) -> None:
    heard: list[tuple[str, float]] = []
    models: list[ChoiceModel] = [Chance(), PooledLogit(), RidgeLogit(), HierarchicalLogit(draws=100, warm_up=200)]
    scores = score_models(study, models, watch=lambda model, part: heard.append((model, part)))
    losses = {(score.model, score.learnt): score.log_loss for score in scores}
    assert losses["chance", 8] == pytest.approx(np.log(3))
    assert losses["pooled logit", 8] < losses["chance", 8]
    assert losses["ridge logit", 8] < losses["pooled logit", 8] - 0.05
    assert losses["hierarchical logit", 8] < losses["ridge logit", 8]
    assert losses["hierarchical logit", 8] < losses["hierarchical logit", 2]
    assert list(dict.fromkeys(model for model, part in heard if part == 1.0)) == [model.name for model in models]
    assert all(0 <= part <= 1 for _, part in heard)


def test_the_usual_models_have_names_of_their_own() -> None:
    assert len({model.name for model in usual_models()}) == 4
    assert HierarchicalLogit(segments=3).name == "hierarchical logit, 3 segments"


def test_contrasts_tell_all_values_apart_and_none_is_special() -> None:
    for count in (2, 3, 5):
        found = contrasts(count)
        assert found.T @ found == pytest.approx(np.eye(count - 1))
        assert found.sum(axis=0) == pytest.approx(np.zeros(count - 1))
        distances = np.linalg.norm(found[:, None] - found, axis=2)[~np.eye(count, dtype=bool)]
        assert distances == pytest.approx(np.full(count * (count - 1), np.sqrt(2)))


def test_numbers_are_linear_and_quantities_count_where_they_say_more() -> None:
    twice = Quantity("twice", {"size": 2})
    weight = Quantity("weight", {"size": {"1": 1, "2": 5, "4": 6}})
    space = Space({"size": [1, 2, 4], "colour": ["red", "blue"]}, quantities=[twice, weight])
    options = tuple(Configuration({"size": size, "colour": colour}) for size in (1, 2, 4) for colour in ("red", "blue"))
    person = Respondent("1", (ChoiceTask(options, 0), ChoiceTask(options, 1)))
    coding = Coding.of(make_study(Choices(space, (person,))))
    features = coding.features(options)
    assert coding.width == 3  # size, colour and weight; twice the size is the size
    size = features[:, 0]
    assert (size[4] - size[2]) == pytest.approx(2 * (size[2] - size[0]))
    assert size.std() == pytest.approx(1)


def test_a_column_that_never_varies_does_no_harm(tmp_path: Path) -> None:
    space = Space({"price": [10, 20, 30, 40], "colour": ["red", "green", "blue"], "only": ["one"]})
    lines = simulated(5, 6)
    path = written(tmp_path, [f"{lines[0]},only", *(f"{line},one" for line in lines[1:])])
    study = make_study(read_choices(path, space))
    for score in score_models(study, [PooledLogit(), RidgeLogit()]):
        assert np.isfinite(score.log_loss)
