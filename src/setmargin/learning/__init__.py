"""What earlier people were like, learnt from what they answered and what they bought.

    from setmargin import Bayes, Interview, load
    from setmargin.learning import learn_population, save_prior

    prior = learn_population(load("bicycle"), sales="sales.csv")
    save_prior(prior, "bicycle-people.yaml")
    interview = Interview("bicycle", Bayes(prior=prior))

Each name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setmargin.learning.learn import learn_population
    from setmargin.learning.sales import read_sales
    from setmargin.learning.sources import read_source
    from setmargin.learning.summary import describe_prior
    from setmargin.strategies.bayes.learnt.document import load_prior, save_prior
    from setmargin.strategies.bayes.learnt.fit_favourites import Sales, held_out_bits
    from setmargin.strategies.bayes.learnt.prior import LearntPrior

__all__ = [
    "LearntPrior",
    "Sales",
    "describe_prior",
    "held_out_bits",
    "learn_population",
    "load_prior",
    "read_sales",
    "read_source",
    "save_prior",
]

_HOME = {
    "LearntPrior": "setmargin.strategies.bayes.learnt.prior",
    "Sales": "setmargin.strategies.bayes.learnt.fit_favourites",
    "describe_prior": "setmargin.learning.summary",
    "held_out_bits": "setmargin.strategies.bayes.learnt.fit_favourites",
    "learn_population": "setmargin.learning.learn",
    "load_prior": "setmargin.strategies.bayes.learnt.document",
    "read_sales": "setmargin.learning.sales",
    "read_source": "setmargin.learning.sources",
    "save_prior": "setmargin.strategies.bayes.learnt.document",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'setmargin.learning' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
