"""Answers that say more: with reasons and changes fewer answers are needed than with choices alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from setmargin.answers import Answer, Choice, Question, differing
from setmargin.experiments.people import Person, draw_people
from setmargin.space.catalogue import load
from setmargin.strategies.setmargin.strategy import SetMargin
from setmargin.strategies.shared.changes import gains_of

PEOPLE = 20
ANSWERS = 4


def alone(person: Person, question: Question) -> Choice:
    return Choice(int(person.utilities(question.options).argmax()))


def with_a_reason(person: Person, question: Question) -> Answer:
    choice, space = alone(person, question), person.space
    features = np.stack([space.encode(option) for option in question.options])
    apart = features[choice.option] - np.delete(features, choice.option, axis=0).mean(axis=0)
    names = differing(space, question.options)
    adds = [float((apart * space.features_of(name)) @ person.weights) for name in names]
    return replace(choice, because=(names[int(np.argmax(adds))],))


def with_a_change(person: Person, question: Question) -> Answer:
    best = alone(person, question).option
    changes, gains = gains_of(person.space, person.weights, Question((question.options[best],)))
    return replace(changes[int(gains.argmax())], option=best)


def mean_losses() -> dict[str, float]:
    """Everybody answers the same random pairs in all three manners; the mean loss after the second to the last."""
    space, strategy = load("synthetic:4"), SetMargin(tuning=None)
    losses: dict[str, list[float]] = {"alone": [], "reason": [], "change": []}
    for number, person in enumerate(draw_people(space, PEOPLE, seed=11)):
        start = strategy.start(space, seed=number)
        drawn = start.oracle.sample(np.random.default_rng(number), 8 * ANSWERS)
        rows = np.unique(drawn, axis=0)[: 2 * ANSWERS]
        rows = np.random.default_rng(number).permutation(rows)
        pairs = [Question((space.configuration(a), space.configuration(b))) for a, b in rows.reshape(ANSWERS, 2, -1)]
        for name, say in (("alone", alone), ("reason", with_a_reason), ("change", with_a_change)):
            belief = start
            for question in pairs:
                belief = strategy.update(belief, question, say(person, question))
            losses[name].append(person.relative_loss(strategy.recommend(belief).configuration))
    return {name: float(np.mean(each)) for name, each in losses.items()}


def test_reasons_and_changes_say_more_than_choices_alone() -> None:
    loss = mean_losses()
    assert loss["reason"] < 0.9 * loss["alone"]
    assert loss["change"] < 0.6 * loss["alone"]
