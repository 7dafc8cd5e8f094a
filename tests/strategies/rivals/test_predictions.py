from __future__ import annotations

import pytest

from setmargin import Choice, Configuration, Question, Space, make_strategy

SPACE = Space({"colour": ["red", "green", "blue"], "size": ["small", "large"]})
COLOURS = [Configuration({"colour": colour, "size": "small"}) for colour in ("red", "green", "blue")]


@pytest.mark.parametrize("name", ["rivoi", "eus", "qi"])
def test_what_was_chosen_again_and_again_is_expected(name: str) -> None:
    strategy = make_strategy(name) if name == "rivoi" else make_strategy(name, particles=4000)
    belief = strategy.start(SPACE)
    before = strategy.predict(belief, COLOURS)
    assert before is not None
    assert before == pytest.approx([1 / 3] * 3, abs=0.05)
    for _ in range(3):
        belief = strategy.update(belief, Question(tuple(COLOURS[::-1])), Choice(1))
    after = strategy.predict(belief, COLOURS)
    assert after is not None
    assert after[1] > 0.7


@pytest.mark.parametrize("name", ["random", "perceptron", "setmargin"])
def test_weights_alone_predict_nothing(name: str) -> None:
    strategy = make_strategy(name)
    assert strategy.predict(strategy.start(SPACE), COLOURS) is None
