"""Whether questions about a space that is too large to be listed lead anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from setmargin.experiments.people import draw_people
from setmargin.experiments.responses import Response
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.base import Strategy


def large_space(quantities: int = 0) -> Space:
    """Twelve attributes of six values, a rule, and so many prices."""
    prices = [
        Quantity(f"q{n}", {f"a{n}": {value: value for value in range(6)}}, better="lower") for n in range(quantities)
    ]
    return Space({f"a{n}": list(range(6)) for n in range(12)}, quantities=prices, rules=["a0 = 1 => a1 != 2"])


def losses_before_and_after(strategy: Strategy[Any], space: Space, *, questions: int) -> tuple[float, float]:
    """The mean relative loss of three noiseless people, before any question and after so many that can be built."""
    losses = []
    people = draw_people(space, 3, quantities=bool(space.quantities), response=Response(model="noiseless"), seed=3)
    for person in people:
        belief = strategy.start(space)
        before = person.relative_loss(strategy.recommend(belief).configuration)
        for _ in range(questions):
            question = strategy.ask(belief)
            assert question is not None
            for option in question.options:
                space.check(option)
            belief = strategy.update(belief, question, person.answer(question, "pairs", person.noise()))
        losses.append((before, person.relative_loss(strategy.recommend(belief).configuration)))
    first, last = np.mean(losses, axis=0)
    return first, last
