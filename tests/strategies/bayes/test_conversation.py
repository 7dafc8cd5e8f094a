"""A conversation: what a screen is worth with the reason or change that follows, and what is asked next."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from setmargin import load
from setmargin.answers import Answer, Change, Choice, Question, Skip, differing
from setmargin.arrays import Floats, Ints
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.space import Space
from setmargin.strategies.bayes.prior import Prior, shape_of
from setmargin.strategies.bayes.sampler import first_population
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.strategy import Bayes, BayesBelief
from setmargin.strategies.bayes.values import Search, chances_of, judged, with_changes, with_reasons
from setmargin.strategies.shared.changes import changes_of, gains_of, possible_values
from setmargin.strategies.shared.effort import answer_effort, screen_effort
from setmargin.strategies.shared.evidence import answer_chances
from setmargin.strategies.shared.reasons import contrast

SPACE = Space(
    {"a": [0, 1, 2], "b": [0, 1, 2], "c": [0, 1]},
    quantities=[Quantity("price", {"a": {0: 0, 1: 1, 2: 3}}, better="lower")],
    rules=["a = 2 => b != 0"],
)
ROWS = np.array([row for row in product(range(3), range(3), range(2)) if not (row[0] == 2 and row[1] == 0)])
AT_ONCE = Search(ahead=1, now=0.0, about=0.0, finalists=1000, changes=100)


def samples_of(space: Space, people: int = 120) -> Samples:
    population = first_population(shape_of(Prior(), space), people, np.random.default_rng(0))
    return Samples.of(oracle_for(space), population)


def expected_best(samples: Samples, chances: Floats) -> float:
    """How good the best recommendation is on average once the answer is known: answers × people."""
    worth = samples.worth(ROWS).astype(float)
    return sum(float((said[:, None] * worth).mean(axis=0).max()) for said in chances)


def picked(logs: Floats, lapse: float) -> Floats:
    shares = np.exp(logs - logs.max())
    chances: Floats = (1 - lapse) * shares / shares.sum() + lapse / len(logs)
    return chances


def choices(samples: Samples, rows: Ints) -> Floats:
    """How likely everybody is to choose each option, or none: answers × people."""
    worth = samples.worth_of(rows[None]) * samples.best[:, None, None].astype(np.float32)
    return answer_chances(worth, samples.manner)[:, 0].astype(float)


def test_a_choice_with_its_reason_is_worth_what_brute_force_expects() -> None:
    samples, rows = samples_of(SPACE), ROWS[[0, 5, 12]]
    question = Question(tuple(SPACE.configuration(row) for row in rows))
    starts, names = shape_of(Prior(), SPACE).starts, differing(SPACE, question.options)
    *chosen, tie = choices(samples, rows)
    chances = [tie]
    for option, chance in enumerate(chosen):
        apart = contrast(SPACE, question, option)
        each = np.zeros((len(names), samples.size))
        for person in range(samples.size):
            worth = np.add.reduceat(apart * samples.weights[:, person], starts[:-1])
            by_name = dict(zip(SPACE.things, worth, strict=True))
            logs = samples.manner.reason_sharpness[person] * np.array([by_name[name] for name in names])
            each[:, person] = chance[person] * picked(logs, float(samples.manner.reason_lapse[person]))
        chances.extend(each)
    gain = expected_best(samples, np.array(chances)) - expected_best(samples, np.ones((1, samples.size)))
    said = with_reasons(samples, rows[None], chances_of(samples, rows[None]))
    assert judged(samples, said, AT_ONCE)[0] == pytest.approx(gain, abs=2e-5)


@pytest.mark.parametrize("numbers", [[4], [0, 5, 12]], ids=["alone", "of three"])
def test_a_change_is_worth_what_brute_force_expects(numbers: list[int]) -> None:
    samples, rows = samples_of(SPACE), ROWS[numbers]
    *chosen, tie = choices(samples, rows) if len(rows) > 1 else (np.ones(samples.size), np.zeros(samples.size))
    chances = [tie]
    for row, chance in zip(rows, chosen, strict=True):
        question = Question((SPACE.configuration(row),))
        each = np.zeros((len(changes_of(SPACE, question)), samples.size))
        for person in range(samples.size):
            _, gains = gains_of(SPACE, samples.weights[:, person].astype(float), question)
            logs = float(samples.manner.change_sharpness[person]) * gains
            each[:, person] = chance[person] * picked(logs, float(samples.manner.change_lapse[person]))
        chances.extend(each)
    gain = expected_best(samples, np.array(chances)) - expected_best(samples, np.ones((1, samples.size)))
    possible = np.append(possible_values(SPACE), True)
    chosen_first = chances_of(samples, rows[None]) if len(rows) > 1 else None
    said = with_changes(samples, rows[None], chosen_first, possible, AT_ONCE.changes)
    assert judged(samples, said, AT_ONCE)[0] == pytest.approx(gain, abs=2e-5)


# What is asked next


def told(strategy: Bayes, space: Space, answers: int, *, talks: bool, seed: int = 0) -> list[tuple[Question, Answer]]:
    """An interview of somebody with clear tastes who says what to change when asked, or never does."""
    weights = np.random.default_rng(seed).uniform(0, 100, len(space.feature_names))
    belief = strategy.start(space, seed=seed)
    for _ in range(answers):
        question = strategy.ask(belief)
        if question is None:
            break
        belief = strategy.update(belief, question, said(belief, question, weights, talks=talks))
    return list(belief.history)


def said(belief: BayesBelief, question: Question, weights: Floats, *, talks: bool) -> Answer:
    best = int(np.argmax([weights @ belief.space.encode(option) for option in question.options]))
    if not question.asks_for_change or not talks:
        return Choice(best) if question.is_comparison else Skip()
    changes, gains = gains_of(belief.space, weights, Question((question.options[best],), besides=question.besides))
    wish = changes[int(np.argmax(gains))]
    return Change(wish.name, wish.value, best)


CONVERSATION = Bayes(policy="conversation", set_size=4, until=0.0)


def test_people_who_say_what_to_change_are_asked_and_no_wish_is_asked_for_twice() -> None:
    history = told(CONVERSATION, load("laptop"), 5, talks=True)
    assert sum(question.asks_for_change for question, _ in history) >= 3
    wishes = [(said.name, said.value) for _, said in history if isinstance(said, Change) and said.name]
    assert len(set(wishes)) == len(wishes) > 2
    for place, (question, _) in enumerate(history):
        if question.asks_for_change:
            earlier = [(said.name, said.value) for _, said in history[:place] if isinstance(said, Change)]
            assert {wish for wish in earlier if wish[0]} == set(question.besides)


def test_people_who_never_say_what_to_change_are_soon_only_asked_to_choose() -> None:
    history = told(CONVERSATION, load("laptop"), 8, talks=False)
    assert len(history) == 8
    assert not any(question.asks_for_change for question, _ in history[5:])
    assert all(2 <= len(question.options) <= 4 for question, _ in history[5:])


def test_only_comparisons_are_asked_where_that_is_wanted() -> None:
    history = told(Bayes(policy="comparisons", set_size=3, until=0.0), load("laptop"), 4, talks=True)
    assert [(len(question.options), question.asks_for_change) for question, _ in history] == [(3, False)] * 4


@pytest.mark.parametrize("policy", ["conversation", "comparisons"])
def test_comparisons_differ_in_no_more_things_than_wanted_quantities_included(policy: str) -> None:
    space = load("laptop")
    history = told(Bayes(policy=policy, set_size=3, until=0.0, differences=4), space, 5, talks=False)
    rows = [len(differing(space, question.options)) for question, _ in history if question.is_comparison]
    assert len(rows) >= 4
    assert max(rows) <= 4


def test_a_wish_is_learnt() -> None:
    """Somebody who wants one colour above all gets it, if it can be had."""
    space = Space({"colour": ["red", "green", "blue"], "size": [1, 2, 3], "box": ["yes", "no"]})
    belief = CONVERSATION.start(space)
    shown = CONVERSATION.recommend(belief).configuration
    other = next(colour for colour in ("red", "green", "blue") if colour != shown["colour"])
    belief = CONVERSATION.update(belief, Question((shown,)), Change("colour", other))
    assert CONVERSATION.recommend(belief).configuration["colour"] == other
    again = CONVERSATION.update(belief, Question((CONVERSATION.recommend(belief).configuration,)), Change())
    assert CONVERSATION.stakes(again).expected_loss < CONVERSATION.stakes(belief).expected_loss


def test_a_reason_tells_more_than_the_choice_alone() -> None:
    space = Space({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    question = Question((space.configuration((0, 0, 0)), space.configuration((1, 1, 1))))
    start = CONVERSATION.start(space)
    plain, because = (CONVERSATION.update(start, question, Choice(0, why)) for why in ((), ("b",)))
    assert CONVERSATION.importance(because)["b"].mean > CONVERSATION.importance(plain)["b"].mean + 0.1


# What a screen costs


def test_effort_grows_with_options_rows_and_what_is_said() -> None:
    assert screen_effort(2, 3) < screen_effort(3, 3) < screen_effort(3, 5)
    question = Question((SPACE.configuration((0, 0, 0)), SPACE.configuration((1, 1, 0))))
    efforts = [answer_effort(SPACE, question, said) for said in (Choice(0), Choice(0, ("a",)), Change("c", 1))]
    assert efforts == sorted(set(efforts))
