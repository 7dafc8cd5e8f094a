from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pytest

from setmargin import Belief, Choice, Configuration, Question, Recommendation, Space, Strategy, make_strategy
from setmargin.arrays import Floats
from setmargin.choices import Choices, ChoiceTask, Respondent, StrategyModel, make_study, read_choices, score_models
from setmargin.choices.study import Study
from setmargin.space.text import Value
from setmargin.strategies.base import History
from tests.choices.files import simulated, written


def no_watch(_part: float) -> None:
    pass


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = written(tmp_path_factory.mktemp("choices"), simulated(30, 9))
    return make_study(read_choices(path, better={"price": "none"}), learn=6, predict=3, by=[0, 6])


@pytest.mark.parametrize("name", ["bayes", "rivoi", "perceptron"])
def test_strategies_predict_better_the_more_they_learn(study: Study, name: str) -> None:
    before, after = score_models(study, [StrategyModel(make_strategy(name))])
    assert after.log_loss < before.log_loss
    assert after.log_loss < np.log(3)
    assert after.hits > 0.5


def test_processes_change_nothing(study: Study) -> None:
    few = make_study(Choices(study.space, study.people[:4]), learn=2, predict=1)
    strategy = make_strategy("perceptron")
    alone = StrategyModel(strategy).predict(few, no_watch)
    together = StrategyModel(strategy, jobs=2).predict(few, no_watch)
    assert [[each.tolist() for each in own] for own in alone[2]] == [[e.tolist() for e in own] for own in together[2]]


SPACE = Space({"colour": ["red", "green", "blue"]})
RED, GREEN, BLUE = (Configuration({"colour": colour}) for colour in SPACE.attributes[0].values)


@dataclass(frozen=True, kw_only=True)
class Copycat(Strategy[Belief]):
    """Expects what earlier people took most; so the test sees whom it was told about."""

    name: ClassVar[str] = "copycat"
    learns_from_others: ClassVar[bool] = True
    earlier: ClassVar[list[int]] = []

    def knowing(self, space: Space, earlier: Sequence[History]) -> Self:
        assert space == SPACE
        self.earlier.append(len(earlier))
        return self

    def _start(self, space: Space, seed: int) -> Belief:
        return Belief(space, seed)

    def _ask(self, belief: Belief) -> Question | None:  # noqa: ARG002
        return None

    def _recommend(self, belief: Belief) -> Recommendation:  # noqa: ARG002
        return Recommendation(RED, np.zeros(3))

    def predict(self, belief: Belief, options: Sequence[Mapping[str, Value]]) -> Floats:
        assert all(question.forced and isinstance(answer, Choice) for question, answer in belief.history)
        return np.arange(1.0, len(options) + 1) / sum(range(len(options) + 1))


def people(count: int, *tasks: ChoiceTask) -> tuple[Respondent, ...]:
    return tuple(Respondent(str(number), tasks) for number in range(count))


def test_everybody_is_told_about_all_groups_but_their_own() -> None:
    task = ChoiceTask((RED, GREEN), 0)
    study = make_study(Choices(SPACE, people(20, task, task)), learn=1, predict=1)
    Copycat.earlier.clear()
    (chances,) = StrategyModel(Copycat(), earlier=True).predict(study, no_watch).values()
    assert Copycat.earlier == [18] * 10
    assert len(chances) == 20
    Copycat.earlier.clear()
    StrategyModel(Copycat()).predict(study, no_watch)
    assert Copycat.earlier == []


def test_alike_options_share_their_chance() -> None:
    tasks = (ChoiceTask((RED, GREEN), 0), ChoiceTask((RED, GREEN, RED), 2))
    study = make_study(Choices(SPACE, people(1, *tasks)), learn=1, predict=1)
    ((chances,),) = StrategyModel(Copycat()).predict(study, no_watch)[1]
    assert chances.tolist() == pytest.approx([1 / 6, 2 / 3, 1 / 6])


def test_the_scale_of_weights_is_that_of_the_other_people() -> None:
    """Everybody learns to like red; those who then take red surely make the others' predictions surer."""
    learnt = ChoiceTask((RED, GREEN), 0)
    sure = make_study(Choices(SPACE, people(20, learnt, learnt)), learn=1, predict=1)
    torn: Any = people(10, learnt, learnt) + people(10, learnt, ChoiceTask((RED, GREEN), 1))
    unsure = make_study(Choices(SPACE, torn), learn=1, predict=1)
    model = StrategyModel(make_strategy("perceptron"))
    ((first,), *_), ((second,), *_) = (model.predict(each, no_watch)[1] for each in (sure, unsure))
    assert first[0] > 0.95
    assert second[0] < 0.7
