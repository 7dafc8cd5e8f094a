"""Which question is asked: judged by brute force on spaces that can be listed."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from setmargin.answers import Choice, differing
from setmargin.arrays import Floats, Ints
from setmargin.interview.interview import Interview
from setmargin.solve.oracle import oracle_for
from setmargin.space.attributes import Quantity
from setmargin.space.rules import Table
from setmargin.space.space import Space
from setmargin.strategies.bayes.prior import Prior, shape_of
from setmargin.strategies.bayes.questions import Found, Set, Situation, _iterated, find_question
from setmargin.strategies.bayes.sampler import first_population
from setmargin.strategies.bayes.samples import Samples
from setmargin.strategies.bayes.strategy import Bayes
from setmargin.strategies.bayes.values import Search, chances_of, judged, told
from setmargin.strategies.shared.evidence import answer_chances

SPACE = Space(
    {"a": [0, 1, 2], "b": [0, 1, 2], "c": [0, 1]},
    quantities=[Quantity("price", {"a": {0: 0, 1: 1, 2: 3}}, better="lower")],
    rules=["a = 2 => b != 0"],
)
WIDE = Space({f"a{number}": [0, 1, 2, 3] for number in range(7)})


def samples_of(space: Space, people: int = 200, seed: int = 0) -> Samples:
    population = first_population(shape_of(Prior(), space), people, np.random.default_rng(seed))
    return Samples.of(oracle_for(space), population)


def everything(space: Space) -> Ints:
    rows = np.array(list(product(*map(range, space.domains))), dtype=np.int64)
    return rows[space.feasible(rows)]


def found_in(
    samples: Samples,
    *,
    size: int = 2,
    asked: frozenset[Set] = frozenset(),
    differences: int | None = None,
    reach: Floats | None = None,
    passed: Ints | None = None,
    seed: int = 0,
) -> Found | None:
    return find_question(situation(samples, asked, differences, reach, passed, seed), size=size)


def situation(
    samples: Samples,
    asked: frozenset[Set] = frozenset(),
    differences: int | None = None,
    reach: Floats | None = None,
    passed: Ints | None = None,
    seed: int = 0,
) -> Situation:
    features = len(samples.oracle.space.feature_names)
    return Situation(
        samples=samples,
        asked=asked,
        passed=np.zeros((0, len(samples.oracle.space.domains)), dtype=np.int64) if passed is None else passed,
        differences=differences,
        reach=np.ones(features) if reach is None else reach,
        search=Search(),
        rng=np.random.default_rng(seed),
    )


def test_utilities_are_shares_of_what_each_person_could_have() -> None:
    samples = samples_of(SPACE)
    worth = samples.worth(everything(SPACE))[samples.cares]
    assert worth.max(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_the_favourite_has_the_smallest_expected_loss() -> None:
    samples = samples_of(SPACE)
    losses = [samples.losses(row).mean() for row in everything(SPACE)]
    assert samples.losses(samples.favourite).mean() == pytest.approx(min(losses))


def test_a_question_is_worth_what_brute_force_expects_after_its_answer() -> None:
    """With one option in the next set: how much better the best recommendation is once the answer is known."""
    samples, rows = samples_of(SPACE), everything(SPACE)
    pairs = np.array(list(combinations(range(len(rows)), 2)))[::7]
    gains = judged(samples, chances_of(samples, rows[pairs]), Search(ahead=1, now=0.0, about=0.0, finalists=1000))
    worth = samples.worth(rows).astype(float)
    before = worth.mean(axis=0).max()
    for pair, gain in zip(pairs, gains, strict=True):
        utilities = (worth[:, pair] * samples.best[:, None])[:, None].astype(np.float32)
        chances = answer_chances(utilities, samples.manner)[:, 0].astype(float)
        after = sum((chance @ worth / len(worth)).max() for chance in chances)
        assert gain == pytest.approx(after - before, abs=1e-5)


def test_an_answer_never_hurts() -> None:
    samples, rows = samples_of(SPACE), everything(SPACE)
    pairs = np.array(list(combinations(range(len(rows)), 2)))
    assert (
        judged(samples, chances_of(samples, rows[pairs]), Search(ahead=1, now=0.0, about=0.0, finalists=1000)).min()
        > -1e-6
    )


def test_an_answer_tells_as_many_bits_as_brute_force_counts() -> None:
    """The mutual information of the answer and the best value, from the table of both, attribute by attribute."""
    samples, rows = samples_of(SPACE), everything(SPACE)
    sets = rows[np.array(list(combinations(range(len(rows)), 2)))[::9]]
    chances = answer_chances(samples.worth_of(sets) * samples.best[:, None, None].astype(np.float32), samples.manner)
    bits = told(samples, chances / np.float32(samples.size))
    for place in range(len(sets)):
        counted = 0.0
        for best in samples.optima.T:
            table = np.array([chances[:, place, best == value].sum(axis=1) for value in np.unique(best)], dtype=float)
            table /= table.sum()
            alone = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
            counted += float((table * np.log2(table / alone, where=table > 0, out=np.zeros_like(table))).sum())
        assert bits[place] == pytest.approx(counted, abs=1e-4)


def test_query_iteration_never_makes_a_set_worse() -> None:
    samples, rng = samples_of(WIDE), np.random.default_rng(1)
    sets = samples.optima[rng.integers(samples.size, size=(20, 3))]
    steps = [sets, *_iterated(samples, sets, np.zeros(1), 4)]
    worth = np.array([samples.worth_of(step).max(axis=2).mean(axis=0) for step in steps])
    assert (np.diff(worth, axis=0) > -1e-5).all()
    assert worth[-1].mean() > worth[0].mean() + 0.01


def test_the_question_is_nearly_the_best_of_all_pairs() -> None:
    samples, rows = samples_of(SPACE), everything(SPACE)
    effort = Search(finalists=1000, judged=200)
    pairs = np.array(list(combinations(range(len(rows)), 2)))
    best = judged(samples, chances_of(samples, rows[pairs]), effort).max()
    found = found_in(samples)
    assert found is not None
    assert judged(samples, chances_of(samples, found.options[None]), effort)[0] > 0.9 * best


@pytest.mark.parametrize("size", range(2, 7))
def test_a_question_has_as_many_different_options_as_wanted(size: int) -> None:
    found = found_in(samples_of(WIDE), size=size)
    assert found is not None
    assert len(np.unique(found.options, axis=0)) == size


def test_where_so_many_options_cannot_be_a_question_has_as_many_as_can() -> None:
    found = found_in(samples_of(Space({"a": [0, 1, 2]})), size=6)
    assert found is not None
    assert len(found.options) == 3


def test_a_limit_that_forbids_so_many_options_leaves_the_most_it_allows() -> None:
    """Colour and trim go together, so four options would differ in all three attributes somewhere."""
    space = Space({"colour": [1, 2, 3], "trim": [1, 2, 3], "size": [1, 2]}, rules=["colour = trim"])
    found = found_in(samples_of(space), size=4, differences=2)
    assert found is not None
    assert len(np.unique(found.options, axis=0)) == len(found.options) == 3


@pytest.mark.parametrize("differences", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 4])
def test_no_two_options_differ_in_more_than_the_limit(differences: int, size: int) -> None:
    for seed in range(5):
        found = found_in(samples_of(WIDE, seed=seed), size=size, differences=differences, seed=seed)
        assert found is not None
        for one, other in combinations(found.options, 2):
            assert 1 <= (one != other).sum() <= differences


@pytest.mark.parametrize(("differences", "rows"), [(2, 2), (4, 4), (5, 4), (8, 8)])
def test_a_question_differs_in_as_much_as_the_limit_allows_even_where_things_change_together(
    differences: int, rows: int
) -> None:
    """Each attribute goes with one other, so chance would hardly ever leave two of these pairs free."""
    tied = [Table.allowing([f"a{n}", f"b{n}"], [["x", "x"], ["y", "y"], ["z", "z"]]) for n in range(20)]
    space = Space({f"{side}{n}": ["x", "y", "z"] for n in range(20) for side in "ab"}, rules=tied)
    for seed in range(4):
        found = found_in(samples_of(space, seed=seed), differences=differences, seed=seed)
        assert found is not None
        assert np.ptp(found.options, axis=0).astype(bool).sum() == rows


@pytest.mark.parametrize("differences", [3, 4])
def test_quantities_count_among_the_differences_that_are_used(differences: int) -> None:
    space = Space({f"a{n}": [0, 1, 2] for n in range(7)}, quantities=[amounts("price", 7), amounts("weight", 3)])
    for seed in range(4):
        samples = samples_of(space, seed=seed)
        found = found_in(samples, differences=differences, seed=seed)
        assert found is not None
        assert samples.differs(found.options[None]).sum() == differences


def test_where_quantities_differ_whatever_one_does_a_question_differs_in_the_fewest_things() -> None:
    space = Space({f"a{n}": [0, 1, 2] for n in range(7)}, quantities=[amounts("price", 7), amounts("weight", 7)])
    for seed in range(4):
        samples = samples_of(space, seed=seed)
        found = found_in(samples, differences=2, seed=seed)
        assert found is not None
        assert samples.differs(found.options[None]).sum() == 3


def test_the_few_changes_that_leave_quantities_as_they_are_are_found() -> None:
    """Nearly every part of a bicycle changes its price, its weight and how far it goes."""
    interview = Interview("bicycle", Bayes(differences=2, set_size=2, policy="comparisons", until=0.0), seed=3)
    for _ in range(8):
        question = interview.ask()
        assert question is not None
        assert len(differing(interview.space, question.options)) == 2
        interview.tell(Choice(0))


def amounts(name: str, attributes: int) -> Quantity:
    """No two changes of so many attributes have the same sum."""
    return Quantity(name, {f"a{n}": {value: value * 3**n for value in range(3)} for n in range(attributes)})


def test_no_question_is_asked_again_until_none_is_left() -> None:
    space = Space({"a": [0, 1], "b": [0, 1]})
    samples = samples_of(space)
    asked: frozenset[Set] = frozenset()
    for _ in range(6):
        found = found_in(samples, asked=asked)
        assert found is not None
        asked |= {frozenset(map(tuple, found.options.tolist()))}
    assert len(asked) == 6
    assert found_in(samples, asked=asked) is None


def test_no_option_is_worse_in_everything_that_anybody_could_care_about() -> None:
    """Where only the price matters the cheapest wins: there is nothing to ask."""
    samples = samples_of(SPACE)
    only_price = np.array([0.0] * 8 + [1.0])
    assert found_in(samples, reach=only_price) is None


def test_values_that_matter_to_nobody_are_no_reason_for_a_question() -> None:
    samples = samples_of(SPACE)
    price_and_b = np.array([0.0, 0, 0, 1, 1, 1, 0, 0, 1])
    found = found_in(samples, reach=price_and_b)
    assert found is not None
    one, other = found.options
    assert one[1] != other[1]


def test_after_a_skip_something_else_is_asked() -> None:
    samples = samples_of(WIDE)
    first = found_in(samples)
    assert first is not None
    apart = []
    for passed in (None, first.options):
        asked = frozenset({frozenset(map(tuple, first.options.tolist()))})
        again = found_in(samples, asked=asked, passed=passed)
        assert again is not None
        apart.append((again.options[:, None] != first.options[None]).sum(axis=2).min(axis=1).sum())
    assert apart[1] > apart[0]
