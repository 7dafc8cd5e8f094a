"""Real people's choices: read from a file, learnt from, and predicted, beside the models of conjoint analysis.

    from setmargin import Bayes
    from setmargin.choices import StrategyModel, make_study, read_choices, score_models, usual_models

    study = make_study(read_choices("choices.csv", better={"price": "lower"}), learn=8, predict=4)
    for score in score_models(study, [*usual_models(), StrategyModel(Bayes())]):
        print(score.model, score.hits, score.log_loss, score.log_loss_error)

Each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setmargin.late_imports import late_names

if TYPE_CHECKING:
    from setmargin.choices.data import Choices, ChoiceTask, Respondent, read_choices
    from setmargin.choices.models import (
        Chance,
        ChoiceModel,
        HierarchicalLogit,
        PooledLogit,
        RidgeLogit,
        usual_models,
    )
    from setmargin.choices.scoring import ModelScore, Reliability, score_models
    from setmargin.choices.strategies import StrategyModel
    from setmargin.choices.study import Study, make_study

__all__ = [
    "Chance",
    "ChoiceModel",
    "ChoiceTask",
    "Choices",
    "HierarchicalLogit",
    "ModelScore",
    "PooledLogit",
    "Reliability",
    "Respondent",
    "RidgeLogit",
    "StrategyModel",
    "Study",
    "make_study",
    "read_choices",
    "score_models",
    "usual_models",
]

__getattr__ = late_names(
    __name__,
    {
        "data": "Choices ChoiceTask Respondent read_choices",
        "models": "Chance ChoiceModel HierarchicalLogit PooledLogit RidgeLogit usual_models",
        "scoring": "ModelScore Reliability score_models",
        "strategies": "StrategyModel",
        "study": "Study make_study",
    },
)


def __dir__() -> list[str]:
    return __all__
