"""Every quoted answer really says what it is quoted for, and what would tip the balance does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from setmargin.answers import Answer, Change, Choice, NoDifference, Question, Ranking, Skip, differing, preferences
from setmargin.arrays import Floats
from setmargin.interview.explain import importance_by
from setmargin.interview.offers import CLEARLY, offers
from setmargin.interview.quotes import Matters, Quote, matters, quotes, tips
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Configuration, Space
from setmargin.strategies.base import History, Recommendation
from tests.interview.tastes import taste
from tests.solve.spaces_with_rules import feasible

claims = settings(derandomize=True, deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)

BIKE = Space(
    {"brakes": ["rim", "disc"], "frame": ["steel", "carbon"], "lamp": ["no", "yes"]},
    quantities=[
        Quantity(
            "price",
            {"brakes": {"rim": 0, "disc": 90}, "frame": {"steel": 300, "carbon": 900}, "lamp": {"no": 0, "yes": 20}},
            better="lower",
            unit="€",
        ),
        Quantity("weight", {"frame": {"steel": 12, "carbon": 8}}, better="lower", unit="kg"),
    ],
)


def bike(brakes: str, frame: str, lamp: str = "no") -> Configuration:
    return Configuration({"brakes": brakes, "frame": frame, "lamp": lamp})


WEIGHTS = BIKE.weights({"brakes=disc": 1.0, "lamp=yes": 0.2, "price": 2.0, "weight": 0.3})
BEST = Recommendation(bike("disc", "steel", "yes"), WEIGHTS)


def quoted(history: History, best: Recommendation = BEST) -> dict[str, Quote]:
    found = quotes(oracle_for(BIKE), best, history, importance_by(BIKE, best.weights))
    return {each.name: each for each in found}


def test_what_was_paid_for_a_value_is_quoted() -> None:
    said = quoted(((Question((bike("rim", "steel"), bike("disc", "steel"))), Choice(1)),))
    assert said == {"brakes": Quote("brakes", "paid", "disc", (0,), "rim", "price", 90.0)}


def test_a_value_is_not_said_to_cost_what_other_parts_cost() -> None:
    """Steel is heavier, brakes weigh nothing: who takes discs on steel did not take more weight for the discs."""
    heavy = Recommendation(bike("disc", "steel"), BIKE.weights({"brakes=disc": 2.0, "price": 0.1, "weight": 0.3}))
    pair = Question((bike("rim", "carbon"), bike("disc", "steel")))
    for answer in (Choice(1), Choice(1, ("brakes",))):
        said = quoted(((pair, answer),), heavy)["brakes"]
        assert (said.kind, said.quantity) == ("decided" if answer.because else "chosen", None)


def test_a_quantity_that_decided_nearly_as_much_is_a_reason_of_its_own() -> None:
    weights = BIKE.weights({"brakes=disc": 1.0, "price": 1.5})
    pair = Question((bike("rim", "carbon"), bike("disc", "steel")))
    said = quoted(((pair, Choice(1)),), Recommendation(bike("disc", "steel"), weights))
    assert {name: quote.kind for name, quote in said.items()} == {"brakes": "chosen", "price": "better"}
    assert said["price"].by == -510.0


def test_price_can_be_the_reason_and_what_was_given_up_for_it_is_named() -> None:
    history: History = (
        (Question((bike("disc", "carbon", "yes"), bike("disc", "steel"))), Choice(1)),
        (Question((bike("rim", "carbon"), bike("rim", "steel"))), Choice(1, ("price",))),
    )
    dark = Recommendation(bike("disc", "steel"), WEIGHTS)
    assert quoted(history[:1], dark)["price"] == Quote("price", "gave-up", None, (0,), "yes", "price", -620.0, "lamp")
    # Nobody did without a lamp who has one now.
    assert quoted(history[:1])["price"] == Quote("price", "better", None, (0,), quantity="price", by=-620.0)
    assert quoted(history)["price"] == Quote("price", "decided", None, (1,), quantity="price", by=-600.0)


def test_wishes_reasons_and_must_haves_come_before_what_only_follows() -> None:
    pair = Question((bike("rim", "steel"), bike("disc", "steel")))
    history: History = ((pair, Choice(1)), (pair, Choice(1, ("brakes",))))
    assert quoted(history)["brakes"].kind == "decided"
    assert quoted(history)["brakes"].answers == (1,)
    history += ((Question((bike("rim", "steel"),)), Change("brakes", "disc")),)
    assert quoted(history)["brakes"] == Quote("brakes", "asked-for", "disc", (2,))
    history += ((Question((bike("rim", "steel"),), status="unasked"), Change("brakes", "disc")),)
    assert quoted(history)["brakes"] == Quote("brakes", "set", "disc", (3,))
    must = BIKE.with_rules("brakes = disc")
    found = quotes(oracle_for(must), BEST, (), importance_by(BIKE, WEIGHTS), open_space=BIKE)
    assert found == (Quote("brakes", "must-have", "disc"),)


def test_what_speaks_for_another_value_than_the_recommended_one_is_not_quoted() -> None:
    pair = Question((bike("rim", "steel"), bike("disc", "steel")))
    assert "brakes" not in quoted(((pair, Choice(0)), (pair, Skip()), (pair, NoDifference())))


def some_history(space: Space, seed: int, weights: Floats) -> History:
    """Answers by these weights, some of them with reasons, some changed, some mistaken."""
    rng, rows, said = np.random.default_rng(seed), feasible(space), []
    for number in range(6):
        options = tuple(map(space.configuration, rng.permutation(rows)[: 2 + number % 2]))
        best = int(np.argmax([weights @ space.encode(option) for option in options]))
        because = differing(space, options)[:1] if number % 3 == 0 else ()
        answer: Answer = Choice(best, because)
        if number == 4:
            answer = Ranking(tuple(int(place) for place in rng.permutation(len(options))))
        if number == 5:
            attribute = space.attributes[0]
            others = [value for value in attribute.values if value != options[0][attribute.name]]
            options, answer = options[:1], Change(attribute.name, others[0]) if others else Change()
        said.append((Question(options), answer))
    return tuple(said)


@claims
@given(seed=seeds)
def test_each_quoted_answer_really_says_that(seed: int) -> None:
    space, _, weights, best = taste(seed, more_than=3)
    history = some_history(space, seed, weights)
    for quote in quotes(oracle_for(space), best, history, importance_by(space, weights)):
        for number in quote.answers:
            assert says(space, best.configuration, quote, *history[number], is_first=number == quote.answers[0])


def says(
    space: Space, best: Configuration, quote: Quote, question: Question, answer: Answer, *, is_first: bool
) -> bool:
    """By hand: does the answer say what the quote says?"""
    if quote.kind in ("asked-for", "set"):
        assert isinstance(answer, Change)
        return answer.name == quote.name and (answer.value is None or answer.value == best[quote.name] == quote.value)
    pairs = [pair for pair in preferences(question, answer) if pair.strict]
    taken, others = question.options[pairs[0].better], [question.options[pair.worse] for pair in pairs]
    if quote.kind == "decided" and quote.name not in answer.because:  # type: ignore[union-attr]
        return False
    if quote.value is not None and not taken[quote.name] == best[quote.name] == quote.value:
        return False
    return any(fits(space, quote, taken, other) for other in others) if is_first else True


def fits(space: Space, quote: Quote, taken: Configuration, other: Configuration) -> bool:
    if quote.value is not None and other[quote.name] != quote.instead:
        return False
    if quote.lost is not None and not other[quote.lost] == quote.instead != taken[quote.lost]:
        return False
    if quote.quantity is None:
        return True
    more = space.amounts(taken)[quote.quantity] - space.amounts(other)[quote.quantity]
    lower = next(each.better for each in space.quantities if each.name == quote.quantity) == "lower"
    is_better = (more < 0) == lower
    return more == pytest.approx(quote.by) and is_better == (quote.quantity == quote.name)


@claims
@given(seed=seeds)
def test_what_would_tip_the_balance_does_and_anything_less_does_not(seed: int) -> None:
    space, rows, weights, best = taste(seed)
    other = space.configuration(rows[seed % len(rows)])
    assume(other != best.configuration)
    found = tips(space, best, other)
    if found is None:
        return
    columns = np.flatnonzero(space.owners[: len(weights)] == space.things.index(found.name))

    def lead(factor: float) -> float:
        scaled = weights.copy()
        scaled[columns] *= factor
        return float(scaled @ (space.encode(best.configuration) - space.encode(other)))

    step = 1.01 if found.factor > 1 else 0.99
    assert lead(1.0) > 0
    assert lead(found.factor) == pytest.approx(0.0, abs=1e-8)
    assert lead(found.factor * step) < 0 < lead(found.factor / step)


@claims
@given(seed=seeds)
def test_alternatives_are_what_they_say_they_are(seed: int) -> None:
    space, _, weights, best = taste(seed, more_than=3)
    shares = importance_by(space, weights)
    found = offers(oracle_for(space), best, shares, intervals={name: (0.0, share) for name, share in shares.items()})
    shown = [best.configuration, *(each.alternative.configuration for each in found)]
    assert len(set(shown)) == len(shown)
    for each in found:
        other = each.alternative.configuration
        space.check(other)
        if each.kind == "better":
            assert each.name is not None
            sign = next(-1 if q.better == "lower" else 1 for q in space.quantities if q.name == each.name)
            had, has = space.amounts(best.configuration)[each.name], space.amounts(other)[each.name]
            assert sign * (has - had) >= CLEARLY * abs(had) > 0
        if each.kind == "bolder":
            assert each.name is not None
            assert other[each.name] != best.configuration[each.name]


def test_what_differs_only_in_what_hardly_matters_is_no_alternative() -> None:
    weights = BIKE.weights({"brakes=disc": 0.5, "lamp=yes": 0.001, "price": 2.0})
    best = Recommendation(oracle_for(BIKE).best(weights), weights)
    found = offers(oracle_for(BIKE), best, importance_by(BIKE, weights))
    others = [dict(each.alternative.configuration) for each in found]
    apart = [{name for name in other if other[name] != best.configuration[name]} for other in others]
    assert found
    assert {"lamp"} not in apart


def test_what_matters_is_said_in_a_few_names() -> None:
    shares = {"price": 0.4, "weight": 0.3, "brakes": 0.16, "lamp": 0.1, "frame": 0.04}
    assert matters(shares) == Matters(("price", "weight"), ("brakes",))
    pair = Question((bike("rim", "steel"), bike("disc", "steel")))
    assert matters(shares, ((pair, Choice(1, ("brakes",))),)).mostly == ("price", "weight", "brakes")
    assert matters(dict.fromkeys("abcdefgh", 0.125)) == Matters((), ())
    assert matters({}) == Matters((), ())
