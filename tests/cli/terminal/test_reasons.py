"""Reasons in the terminal's words, which are the page's."""

from __future__ import annotations

import pytest

from setmargin.cli.terminal import formatting
from setmargin.cli.terminal.reasons import matters_in_words, reasons, sentence
from setmargin.interview.interview import Interview
from setmargin.interview.quotes import Matters, Quote
from setmargin.space.catalogue import loads
from setmargin.strategies.bayes.strategy import Bayes
from tests.interview.told import TOLD
from tests.server.page.conftest import LAMP
from tests.space.presented import CHAIR

SPACE = loads(LAMP)


@pytest.mark.parametrize(("quote", "told"), TOLD)
def test_every_kind_of_reason_has_its_sentence(quote: Quote, told: str) -> None:
    assert sentence(SPACE, quote) == told


def test_a_value_that_says_what_it_is_of_stands_alone() -> None:
    """As the page says it in its test of the same name."""
    chair = loads(CHAIR)
    with formatting.speaking(chair.presentation, "en"):
        assert sentence(chair, Quote("wood", "must-have", "none")) == "No wood: one of your must-haves."
        assert sentence(chair, Quote("wood", "must-have", "oak")) == "Wood Oak: one of your must-haves."
        gave_up = Quote("price", "gave-up", None, (0,), "none", "price", -20.0, "wood")
        assert sentence(chair, gave_up).endswith("cheaper, instead of no wood.")


def test_what_matters_is_said_in_a_line() -> None:
    matters = Matters(("price", "life", "kind"), ("brightness",))
    assert matters_in_words(SPACE, matters) == (
        "What matters to you: mostly price, life and kind; luminous flux a little."
    )
    assert matters_in_words(SPACE, Matters(("price",), ())) == "What matters to you: mostly price."
    assert matters_in_words(SPACE, Matters((), ())) == ""


def test_reasons_are_about_the_interview() -> None:
    interview = Interview(SPACE, Bayes(samples=48, policy="comparisons", set_size=2))
    for _ in range(4):
        question = interview.ask()
        assert question is not None
        prices = [SPACE.amounts(option)["price"] for option in question.options]
        interview.tell(prices.index(min(prices)), because="price" if prices[0] != prices[1] else ())
    told = reasons(interview, interview.recommend())
    assert told[0].startswith("What matters to you: mostly price")
    assert any(line.startswith("Price decided in question") for line in told)
