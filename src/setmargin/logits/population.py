"""Hierarchical Bayes logit: people's tastes come from one normal population with a full covariance, or from segments.

    segment of i ~ shares,    b_i ~ N(μ, Σ) of that segment,    choices of i ~ logit with b_i

By Markov chain Monte Carlo over everybody's choices at once: Gibbs steps for μ, Σ, shares and segments, whose
conditional distributions are known, and a few steps of Hamiltonian Monte Carlo for all tastes together, scaled for each
person by what their choices and the population say. The priors are weak: μ ~ N(0, 10² I), Σ ~ inverse Wishart with
d + 3 degrees of freedom about the identity, shares ~ Dirichlet(1). Features should therefore be of about unit size.
Instead of the inverse Wishart, deviations may be half-t, one by one, and correlations about uniform (Huang and Wand):

    Σ | a ~ inverse Wishart(ν + d - 1, 2ν diag(1 / a)),    a_f ~ inverse gamma(1/2, 1 / A²)

which shrinks less what differs much between people; the larger ν, the less dependence between features is expected.

After Rossi, Allenby and McCulloch, Bayesian Statistics and Marketing (2005), chapter 5; proposals after Neal (2011).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from setmargin.arrays import Floats, Ints
from setmargin.logits.ridge import pooled_tastes
from setmargin.logits.rows import ChoiceRows, gradients, information

LEAPFROGS = 4
ACCEPTED = 0.8
"""Steps are made longer or shorter during the warm-up until so many are accepted."""
SCALED_AT = (0.05, 0.15, 0.35, 0.65)
"""After these parts of the warm-up, what choices say about tastes is worked out anew."""
SCALED_EVERY = 10
"""After so many steps they are scaled anew by the population as it is then."""
FIRST_PENALTY = 1.0


@dataclass(frozen=True)
class PopulationPrior:
    """What is assumed before anybody has chosen.

    Parameters
    ----------
    mean_deviation : float
        How far from 0 the population's means may be.
    covariance : float
        The inverse Wishart's location: its scale matrix is this times the degrees of freedom times the identity.
    freedom : int
        Degrees of freedom beyond the number of features, 2 or more; more say that the covariance is known better.
    half_t : float
        A, where deviations are half-t with `freedom` as their ν; `covariance` then has no meaning. 0: they are not.
    """

    mean_deviation: float = 10.0
    covariance: float = 1.0
    freedom: int = 3
    half_t: float = 0.0


USUAL_PRIOR = PopulationPrior()


@dataclass(frozen=True, eq=False)
class PopulationDraws:
    """Draws from the posterior: what the population, and everybody in it, may be like.

    Parameters
    ----------
    shares : array, draws × segments
    means : array, draws × segments × features
    covariances : array, draws × segments × features × features
    tastes : array, draws × people × features
    segments : array of int, draws × people
        Which segment each person belongs to.
    accepted : float
        How many of the steps were accepted after the warm-up.
    """

    shares: Floats
    means: Floats
    covariances: Floats
    tastes: Floats
    segments: Ints
    accepted: float


def fit_population(
    data: ChoiceRows,
    *,
    segments: int = 1,
    draws: int = 500,
    thin: int = 4,
    warm_up: int = 1000,
    prior: PopulationPrior = USUAL_PRIOR,
    seed: int = 0,
    watch: Callable[[int, int], None] | None = None,
    belongs: Ints | None = None,
) -> PopulationDraws:
    """Learn a population of tastes, and everybody's own, from the choices of all.

    Parameters
    ----------
    data : ChoiceRows
        Everybody's choices.
    segments : int
        Of how many normals the population is a mixture; their order means nothing.
    draws, thin, warm_up : int
        How many draws are kept, every how many steps, and after how many steps.
    prior : PopulationPrior
    seed : int
    watch : function, optional
        Called with the number of steps made, and of all, after each step.
    belongs : array of int, optional
        To which segment each person belongs; found out along with all else where nothing is said.

    Returns
    -------
    PopulationDraws

    Examples
    --------
    >>> import numpy as np
    >>> from setmargin.logits.rows import choice_rows, probabilities
    >>> from setmargin.logits.population import fit_population
    >>> options = np.array([[1.0], [0.0]])
    >>> data = choice_rows([[(options, 0)] * 8, [(options, 1)] * 8], width=1)
    >>> found = fit_population(data, draws=50, warm_up=100)
    >>> bool(probabilities(options, found.tastes[:, 0])[0] > 0.8)
    True
    """
    rng = np.random.default_rng(seed)
    chain = _Chain(data, segments, prior, rng, belongs)
    steps = warm_up + draws * thin
    scaled_at = {int(share * warm_up) for share in SCALED_AT}
    kept: list[tuple[Floats, Floats, Floats, Floats, Ints]] = []
    accepted = 0.0
    for step in range(steps):
        if step in scaled_at:
            chain.look_again()
        if step % SCALED_EVERY == 0:
            chain.scale_steps()
        rate = chain.move_tastes(adapt=(step + 1) ** -0.5 if step < warm_up else 0.0)
        chain.draw_population()
        if step >= warm_up:
            accepted += rate / (draws * thin)
            if (step - warm_up) % thin == thin - 1:
                kept.append(chain.state())
        if watch:
            watch(step + 1, steps)
    shares, means, covariances, tastes, members = (np.stack(part) for part in zip(*kept, strict=True))
    return PopulationDraws(shares, means, covariances, tastes, members, accepted)


class _Chain:
    """Where the Markov chain is."""

    def __init__(
        self,
        data: ChoiceRows,
        segments: int,
        prior: PopulationPrior,
        rng: np.random.Generator,
        belongs: Ints | None,
    ) -> None:
        self.data, self.prior, self.rng = data, prior, rng
        self.people, self.width = data.count, data.width
        start = pooled_tastes(data, penalty=FIRST_PENALTY)
        self.tastes = start + 0.1 * rng.standard_normal((self.people, self.width))
        self.segments: Ints = rng.integers(segments, size=self.people) if belongs is None else belongs
        self.is_known = belongs is not None
        self.scales = np.ones((segments, self.width))
        """a of the half-t prior."""
        self.shares = np.full(segments, 1.0 / segments)
        self.means = np.tile(start, (segments, 1))
        self.precisions = np.tile(np.eye(self.width), (segments, 1, 1))
        self.covariances = self.precisions.copy()
        self.log_step = np.full(self.people, np.log(0.5))
        self.look_again()

    def state(self) -> tuple[Floats, Floats, Floats, Floats, Ints]:
        """What a draw consists of; every part is replaced, never changed, by the next step."""
        return self.shares, self.means, self.covariances, self.tastes, self.segments

    # Tastes

    def look_again(self) -> None:
        """What everybody's choices say about their tastes, which are about as they are now."""
        self.known = information(self.data, self.tastes)
        self.scale_steps()

    def scale_steps(self) -> None:
        """Roots of about what the tastes' covariances are, given the choices and the population."""
        self.roots = np.linalg.cholesky(np.linalg.inv(self.known + self.precisions[self.segments]))

    def move_tastes(self, *, adapt: float) -> float:
        """A Hamiltonian step for everybody at once, in coordinates in which all directions are about as wide."""
        means = self.means[self.segments]
        step = (np.exp(self.log_step) * self.rng.uniform(0.8, 1.2, self.people))[:, None]
        momentum = self.rng.standard_normal((self.people, self.width))
        tastes, (worth, slopes) = self.tastes, self._worth(self.tastes, means)
        start = worth - (momentum**2).sum(axis=1) / 2
        for _ in range(LEAPFROGS):
            momentum = momentum + step / 2 * self._turned(slopes)
            tastes = tastes + step * (self.roots @ momentum[:, :, None])[:, :, 0]
            worth, slopes = self._worth(tastes, means)
            momentum = momentum + step / 2 * self._turned(slopes)
        gain = worth - (momentum**2).sum(axis=1) / 2 - start
        chances = np.exp(np.minimum(gain, 0.0))
        taken = self.rng.random(self.people) < chances
        self.tastes = np.where(taken[:, None], tastes, self.tastes)
        self.log_step = self.log_step + adapt * (chances - ACCEPTED)
        return float(chances.mean()) if self.people else 1.0

    def _turned(self, slopes: Floats) -> Floats:
        turned: Floats = (slopes[:, None, :] @ self.roots)[:, 0]
        return turned

    def _worth(self, tastes: Floats, means: Floats) -> tuple[Floats, Floats]:
        """The log of the posterior of everybody's tastes, up to a constant, and its slopes."""
        likelihoods, slopes = gradients(self.data, tastes)
        away = tastes - means
        pull = np.empty_like(away)
        for segment, precision in enumerate(self.precisions):
            members = self.segments == segment
            pull[members] = away[members] @ precision
        return likelihoods - (away * pull).sum(axis=1) / 2, slopes - pull

    # The population

    def draw_population(self) -> None:
        """Segments, shares, means and covariances, each given all else."""
        count = len(self.shares)
        if count > 1:
            self.segments = self.segments if self.is_known else self._drawn_segments()
            self.shares = self.rng.dirichlet(1.0 + np.bincount(self.segments, minlength=count))
        parts = [self._drawn_normal(self.tastes[self.segments == k], k) for k in range(count)]
        self.means, self.precisions, self.covariances = (np.stack(part) for part in zip(*parts, strict=True))
        if self.prior.half_t:
            least = 1 / self.prior.half_t**2 + self.prior.freedom * np.diagonal(self.precisions, axis1=1, axis2=2)
            self.scales = least / self.rng.gamma((self.prior.freedom + self.width) / 2, size=least.shape)

    def _drawn_segments(self) -> Ints:
        away = self.tastes[:, None] - self.means
        distances = np.einsum("pkf,kfg,pkg->pk", away, self.precisions, away)
        logs = np.log(self.shares) + np.linalg.slogdet(self.precisions)[1] / 2 - distances / 2
        # The largest of logs with Gumbel noise is drawn in proportion to their exponentials.
        drawn: Ints = np.argmax(logs + self.rng.gumbel(size=logs.shape), axis=1)
        return drawn

    def _drawn_normal(self, tastes: Floats, segment: int) -> tuple[Floats, Floats, Floats]:
        """Mean, precision and covariance of a segment with these members, who may be none."""
        d, prior, rng, precision = self.width, self.prior, self.rng, self.precisions[segment]
        root = np.linalg.cholesky(np.linalg.inv(len(tastes) * precision + np.eye(d) / prior.mean_deviation**2))
        mean: Floats = root @ (root.T @ (precision @ tastes.sum(axis=0))) + root @ rng.standard_normal(d)
        freedom, away = d + prior.freedom, tastes - mean
        usual = freedom * prior.covariance * np.eye(d)
        if prior.half_t:
            freedom, usual = d + prior.freedom - 1, 2 * prior.freedom * np.diag(1 / self.scales[segment])
        scatter = usual + away.T @ away
        precision = _wishart(_inverse(scatter), freedom + len(tastes), rng)
        covariance = _inverse(precision)
        return mean, precision, covariance


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.inv(matrix).astype(np.float64, copy=False)


def _wishart(scale: Floats, freedom: int, rng: np.random.Generator) -> Floats:
    """A draw by Bartlett's decomposition."""
    d = len(scale)
    lower = np.tril(rng.standard_normal((d, d)), -1)
    lower[np.diag_indices(d)] = np.sqrt(rng.chisquare(freedom - np.arange(d)))
    root = np.linalg.cholesky(scale) @ lower
    drawn: Floats = root @ root.T
    return drawn
