"""setmargin: ask a few well-chosen questions, learn what a person cares about, construct what suits them best.

    from setmargin import Interview

    interview = Interview("bicycle")
    question = interview.ask()
    interview.tell(0, because="price")      # the first option is the better one; reasons may be left out
    interview.adjust("brakes", "rim")       # the best so far, but with rim brakes
    interview.require("price <= 1500")
    print(interview.recommend().configuration)

The names below, and those of `setmargin.experiments`, `.choices`, `.laws`, `.plots` and `.widget`, are the public
API; everything else may change without notice.
Options of a question, and answers, are counted from 0. Each name is imported when it is first used, so that the command
line starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from setmargin.late_imports import late_names

if TYPE_CHECKING:
    from setmargin import experiments, laws
    from setmargin.answers import Answer, Change, Choice, Comparisons, NoDifference, Outcome, Question, Ranking, Skip
    from setmargin.client import AsyncClient, Client
    from setmargin.errors import OptionError, SetmarginError
    from setmargin.interview.explain import Explanation
    from setmargin.interview.interview import Interview
    from setmargin.learning.learn import learn_population
    from setmargin.solve.oracle import Oracle, oracle_for
    from setmargin.space.attributes import Attribute, Quantity
    from setmargin.space.catalogue import dumps, load, loads, save
    from setmargin.space.items import Item, Items
    from setmargin.space.rules import Table
    from setmargin.space.space import Configuration, Space
    from setmargin.strategies.base import Belief, Recommendation, Stakes, Strategy
    from setmargin.strategies.bayes.learnt.prior import LearntPrior
    from setmargin.strategies.bayes.strategy import Bayes
    from setmargin.strategies.options import option
    from setmargin.strategies.registry import list_strategies, make_strategy, register
    from setmargin.strategies.setmargin.strategy import SetMargin

    __version__: str

__all__ = [
    "Answer",
    "AsyncClient",
    "Attribute",
    "Bayes",
    "Belief",
    "Change",
    "Choice",
    "Client",
    "Comparisons",
    "Configuration",
    "Explanation",
    "Interview",
    "Item",
    "Items",
    "LearntPrior",
    "NoDifference",
    "OptionError",
    "Oracle",
    "Outcome",
    "Quantity",
    "Question",
    "Ranking",
    "Recommendation",
    "SetMargin",
    "SetmarginError",
    "Skip",
    "Space",
    "Stakes",
    "Strategy",
    "Table",
    "dumps",
    "experiments",
    "laws",
    "learn_population",
    "list_strategies",
    "load",
    "loads",
    "make_strategy",
    "option",
    "oracle_for",
    "register",
    "save",
]

_HOMES = {
    "answers": "Answer Change Choice Comparisons NoDifference Outcome Question Ranking Skip",
    "client": "AsyncClient Client",
    "errors": "OptionError SetmarginError",
    "interview.explain": "Explanation",
    "interview.interview": "Interview",
    "learning.learn": "learn_population",
    "solve.oracle": "Oracle oracle_for",
    "space.attributes": "Attribute Quantity",
    "space.catalogue": "dumps load loads save",
    "space.items": "Item Items",
    "space.rules": "Table",
    "space.space": "Configuration Space",
    "strategies.base": "Belief Recommendation Stakes Strategy",
    "strategies.bayes.learnt.prior": "LearntPrior",
    "strategies.bayes.strategy": "Bayes",
    "strategies.options": "option",
    "strategies.registry": "list_strategies make_strategy register",
    "strategies.setmargin.strategy": "SetMargin",
}
_late = late_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("setmargin")
    if name in ("experiments", "laws"):
        return import_module(f"setmargin.{name}")
    return _late(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
