from __future__ import annotations

import numpy as np
import pytest

from setmargin.arrays import Floats
from setmargin.logits.population import PopulationPrior, fit_population
from setmargin.logits.rows import ChoiceRows, choice_rows, log_likelihoods, probabilities
from tests.logits.simulated import choices_of


def test_a_population_is_recovered() -> None:
    rng = np.random.default_rng(5)
    mean = np.array([1.0, -1.0, 0.0])
    covariance = np.array([[2.0, 1.2, 0.0], [1.2, 1.5, 0.0], [0.0, 0.0, 0.5]])
    tastes = rng.multivariate_normal(mean, covariance, size=300)
    data = choice_rows(choices_of(tastes, tasks=15, options=3, rng=rng), width=3)
    found = fit_population(data, draws=150, warm_up=300)
    assert found.means.mean(axis=0)[0] == pytest.approx(mean, abs=0.25)
    assert found.covariances.mean(axis=0)[0] == pytest.approx(covariance, abs=0.6)
    low, high = np.quantile(found.tastes, [0.1, 0.9], axis=0)
    assert ((low < tastes) & (tastes < high)).mean() == pytest.approx(0.8, abs=0.05)  # 80% intervals hold 80%


def test_draws_agree_with_importance_sampling(thorough: bool) -> None:
    """Two people, one of whom chose little: everything drawn from the prior, and weighed by the choices."""
    rng = np.random.default_rng(6)
    people = [*choices_of(np.array([[2.0, 0.5]]), tasks=6, options=3, rng=rng), [(np.eye(2), 0)]]
    data, prior = choice_rows(people, width=2), PopulationPrior(mean_deviation=1.0, covariance=0.5, freedom=4)
    tastes, weights = _weighed(data, prior, rng, size=100_000 if thorough else 40_000)
    found = fit_population(data, prior=prior, draws=2500 if thorough else 1000, thin=2, warm_up=500)
    for person in range(2):
        exact = weights @ (1 / (1 + np.exp(tastes[:, person, 1] - tastes[:, person, 0])))
        assert probabilities(np.eye(2), found.tastes[:, person])[0] == pytest.approx(exact, abs=0.02)
    assert found.tastes.mean(axis=0) == pytest.approx(np.einsum("s,spf->pf", weights, tastes), abs=0.1)


def _weighed(data: ChoiceRows, prior: PopulationPrior, rng: np.random.Generator, *, size: int) -> tuple[Floats, Floats]:
    """Tastes of everybody from the prior (draws × people × features), and how likely each draw is."""
    d = data.width
    freedom = d + prior.freedom
    # A Wishart draw of whole degrees of freedom is a sum of outer products: another way than the sampler's.
    normals = rng.standard_normal((size, freedom, d)) / np.sqrt(freedom * prior.covariance)
    roots = np.linalg.cholesky(np.linalg.inv(np.swapaxes(normals, 1, 2) @ normals))
    means = prior.mean_deviation * rng.standard_normal((size, 1, d))
    tastes = means + np.einsum("sfg,spg->spf", roots, rng.standard_normal((size, data.count, d)))
    many = ChoiceRows(
        rows=np.tile(data.rows, (size, 1)),
        starts=(data.starts + len(data.rows) * np.arange(size)[:, None]).ravel(),
        people=(data.people + data.count * np.arange(size)[:, None]).ravel(),
        count=size * data.count,
    )
    logs = log_likelihoods(many, tastes.reshape(-1, d)).reshape(size, -1).sum(axis=1)
    weights = np.exp(logs - logs.max())
    return tastes, weights / weights.sum()


def test_two_segments_are_told_apart() -> None:
    rng = np.random.default_rng(7)
    means = np.array([[3.0, 0.0], [-3.0, 2.0]])
    belongs = np.repeat([0, 1], [40, 80])
    tastes = means[belongs] + 0.3 * rng.standard_normal((120, 2))
    data = choice_rows(choices_of(tastes, tasks=10, options=3, rng=rng), width=2)
    found = fit_population(data, segments=2, draws=100, warm_up=300)
    together = (found.segments == found.segments[:, :1]).mean(axis=0)
    assert together[belongs == 0].mean() > 0.95
    assert together[belongs == 1].mean() < 0.05
    assert np.sort(found.shares, axis=1).mean(axis=0) == pytest.approx([1 / 3, 2 / 3], abs=0.07)


def test_the_same_seed_gives_the_same_draws() -> None:
    data = choice_rows(choices_of(np.ones((4, 2)), tasks=3, options=2, rng=np.random.default_rng(8)), width=2)
    steps: list[tuple[int, int]] = []
    first = fit_population(data, draws=5, thin=2, warm_up=10, seed=3, watch=lambda done, of: steps.append((done, of)))
    again = fit_population(data, draws=5, thin=2, warm_up=10, seed=3)
    other = fit_population(data, draws=5, thin=2, warm_up=10, seed=4)
    assert (first.tastes == again.tastes).all()
    assert (first.tastes != other.tastes).any()
    assert steps[-1] == (20, 20)
