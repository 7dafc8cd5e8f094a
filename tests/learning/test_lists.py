"""What earlier people were like can be learnt from interviews about a product list, and is about what they saw."""

from __future__ import annotations

from benchmarks.lists import laptops

from setmargin import Bayes, Interview, learn_population, make_strategy
from setmargin.experiments.people import draw_people
from setmargin.learning.summary import describe_prior


def test_a_prior_of_a_list_is_about_attributes_and_quantities_only() -> None:
    space, histories = laptops(40), []
    for person in draw_people(space, 10, seed=1, weights="ordered", quantities=True):
        interview, noise, talk = Interview(space, make_strategy("random"), seed=1), person.noise(), person.talk()
        for _ in range(4):
            question = interview.ask()
            assert question is not None
            interview.tell(person.answer(question, "choice", noise, talk))
        histories.append(interview.history)
    prior = learn_population(space, histories=histories, segments=1, seed=0)
    (segment,) = describe_prior(prior, space)
    assert sorted(each.name for each in segment.things) == sorted(space.things)
    assert prior.tastes is not None
    assert not [name for name in prior.tastes.segments[0].features if "#" in name]
    assert prior.notes(space) == ()
    assert Interview(space, Bayes(prior=prior), seed=1).ask() is not None
