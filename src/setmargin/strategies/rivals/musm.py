"""Multi-user setwise max-margin (ADT 2017): setmargin whose weights lie near those of similar earlier people.

The setwise problem stays as it is; only the box of its weights moves, from [0, 1] to [b, a·1 + b], elementwise:

    indep          a = 1,        b = 0
    sumcov         a = 1 − λ,    b = λ Σ_v K_uv w_v
    varsumvarcov   a = 1 − s_u,  b = s_u Σ_v K_uv (1 − s_v) w_v

Person u is the one who is asked, and v are earlier people with weights w_v. How alike u and v are, and how little is
known about u, is read off the k weight vectors of the setwise problem, computed anew after every answer:

    K_uv = exp(−τ mean_i ‖w_u^i − w_v‖²),    s_u = (1 + Σ_{i<j} ‖w_u^i − w_u^j‖²) / (2k(k − 1))

All vectors have length 1. Lengths and distances are those of the value weights, which is the same without quantities;
of an earlier person a single vector is known, so that its s_v is the smallest there is.

Three things are not published; without them a hundred earlier people outvote anybody. Together they count as 20 at
most, like the largest published group: then all K_uv shrink alike. Where the box leaves nothing to ask about, and where
it contradicts the answers though some weights obey them, earlier people are left aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import ClassVar, Literal, Self

import numpy as np

from setmargin.answers import Answer, Question, Skip
from setmargin.arrays import Floats
from setmargin.errors import OptionError
from setmargin.space.space import Space
from setmargin.strategies.base import History, Recommendation
from setmargin.strategies.options import option
from setmargin.strategies.setmargin.options import GIVE_SETTING, GIVE_TUNING, read_setting, read_tuning
from setmargin.strategies.setmargin.problem import Bounds, Hyperparameters
from setmargin.strategies.setmargin.strategy import Clock, SetMargin, SetMarginBelief
from setmargin.strategies.setmargin.tuning import Tuning

Transfer = Literal["indep", "sumcov", "varsumvarcov"]
TRANSFERS: tuple[Transfer, ...] = ("indep", "sumcov", "varsumvarcov")
PUBLISHED = Hyperparameters(10.0, 0.1, 0.1)
# Saved interviews keep all of them: about two megabytes.
MOST_NUMBERS = 100_000
NOTHING = 1e-13


class EarlierPeople(tuple[tuple[float, ...], ...]):
    """The weights of earlier people, over the features of the catalogue."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} people>"


def read_earlier(people: Iterable[Iterable[float]]) -> EarlierPeople:
    """Weight vectors of one length that are not negative and not too many to be kept."""
    people = list(people)
    if any(isinstance(weights, str) for weights in people):  # which would be read digit by digit
        raise TypeError("words are no weights")
    read = EarlierPeople(tuple(map(float, weights)) for weights in people)
    sizes = {len(weights) for weights in read}
    if len(sizes) > 1:
        raise OptionError(f"the earlier people have {min(sizes)} to {max(sizes)} weights; give everybody equally many")
    for number, weights in enumerate(read, start=1):
        if not all(0 <= weight < inf for weight in weights):
            wrong = next(weight for weight in weights if not 0 <= weight < inf)
            raise OptionError(f"a weight of earlier person {number} is {wrong}; give finite numbers, 0 or more")
    if sum(map(len, read)) > MOST_NUMBERS:
        most = MOST_NUMBERS // max(sizes)
        raise OptionError(f"{len(read)} earlier people are more than saved interviews keep; give {most} or fewer")
    return read


@dataclass(frozen=True, kw_only=True)
class Musm(SetMargin):
    """Asks as setmargin does, with weights drawn towards those of similar earlier people.

    Parameters
    ----------
    earlier : sequence of weight vectors
        Of earlier people, over the features of the catalogue, such as the `weights` of what was recommended to them.
        Saved interviews keep them.
    transfer : "varsumvarcov", "sumcov" or "indep"
        How they count: by how alike and how well known people are, by how alike they are, or not at all.
    tau : float
        How fast likeness falls with distance.
    weight : float
        How much others count in `sumcov`, 0 to 1.
    crowd : float or None
        For how many people all earlier ones together count at most; None: there is no limit.
    **more
        As in `SetMargin`. The setting is the published one, and is tuned only where `tuning` says so.

    Raises
    ------
    OptionError
        Where one of them has an impossible value, or the weights do not fit the catalogue.

    Examples
    --------
    >>> strategy = Musm(earlier=[[1, 0, 0, 1], [1, 0, 0.5, 1]])
    >>> strategy
    Musm(earlier=<2 people>)
    >>> Interview("synthetic:2", strategy).recommend().configuration
    {'x1': 1, 'x2': 2}
    """

    name = "musm"
    learns_from_others: ClassVar[bool] = True

    setting: Hyperparameters = option(
        PUBLISHED,
        read=read_setting,
        write=lambda setting: [setting.alpha, setting.beta, setting.gamma],
        give=GIVE_SETTING,
    )
    tuning: Tuning | None = option(None, read=read_tuning, write=asdict, give=GIVE_TUNING)
    earlier: Sequence[Sequence[float] | Floats] = option(
        EarlierPeople(),
        read=read_earlier,
        write=lambda people: [list(weights) for weights in people],
        give="a list with a list of weights for each earlier person",
    )
    transfer: Transfer = option("varsumvarcov", choices=TRANSFERS)
    tau: float = option(0.25, give="a positive number", allowed=lambda tau: 0 < tau < inf)
    weight: float = option(0.5, give="a number from 0 to 1", allowed=lambda weight: 0 <= weight <= 1)

    crowd: float | None = option(
        20.0, give="a positive number, or nothing for no limit", allowed=lambda crowd: 0 < crowd < inf, or_none=True
    )

    def knowing(self, space: Space, earlier: Sequence[History]) -> Self:
        """The same strategy that knows these people, too, by the weights that it learns from their answers alone."""
        alone = replace(self, earlier=EarlierPeople())
        beliefs = (SetMarginBelief(space, 0, history, self.setting) for history in earlier)
        learnt = [alone.recommend(belief).weights.tolist() for belief in beliefs]
        return replace(self, earlier=read_earlier([*self.earlier, *learnt]))

    def _start(self, space: Space, seed: int) -> SetMarginBelief:
        width = len(space.feature_names)
        if self.earlier and len(self.earlier[0]) != width:
            raise OptionError(
                f"the earlier people have {len(self.earlier[0])} weights, but {space.name} has {width} features; "
                f"give weights that were learnt with this catalogue"
            )
        return self.near_others(super()._start(space, seed))

    def _learn(self, belief: SetMarginBelief, question: Question, answer: Answer) -> SetMarginBelief:
        belief = super()._learn(belief, question, answer)
        return belief if isinstance(answer, Skip) else self.near_others(belief)

    def near_others(self, belief: SetMarginBelief) -> SetMarginBelief:
        """The belief with the box that follows from its answers and the earlier people that are known now."""
        if self.transfer == "indep" or not self.earlier:
            return belief
        share, shift = self.box(belief.space, self.vectors(belief))
        usual = self._bounds(_alone(belief))
        lower = usual.lower + shift
        return replace(belief, bounds=Bounds(lower, lower + share * (usual.upper - usual.lower), usual.counts))

    def _ask(self, belief: SetMarginBelief) -> Question | None:
        question = super()._ask(belief)
        return super()._ask(_alone(belief)) if question is None and belief.bounds is not None else question

    def _recommend(self, belief: SetMarginBelief) -> Recommendation:
        alone = _alone(belief)
        if belief.bounds is not None and not self._answers_agree(belief) and self._answers_agree(alone):
            belief = alone
        return super()._recommend(belief)

    def vectors(self, belief: SetMarginBelief) -> Floats:
        """The k weight vectors of the setwise problem in the box so far, per value and of length 1."""
        return of_length_one(self._solve(belief, self.set_size, Clock(self.limits.seconds)).value_weights)

    def box(self, space: Space, own: Floats) -> tuple[float, Floats]:
        """How large a part of the box is left, a, and by how much each weight is shifted, b.

        `own` are the k vectors of the person who is asked, per value and of length 1.
        """
        others = np.array(self.earlier)
        values = space.value_weights(others)
        lengths = np.linalg.norm(values, axis=1) + NOTHING
        alike = likeness(own, values / lengths[:, None], tau=self.tau)
        if self.crowd is not None:
            alike *= min(1.0, self.crowd / (float(alike.sum()) + NOTHING))
        known = others / lengths[:, None]
        if self.transfer == "sumcov":
            return 1.0 - self.weight, self.weight * (alike @ known)
        least = spread(np.repeat(own[:1], len(own), axis=0))
        return 1.0 - spread(own), spread(own) * (1.0 - least) * (alike @ known)


def _alone(belief: SetMarginBelief) -> SetMarginBelief:
    """The belief as if nobody was earlier."""
    return replace(belief, bounds=None)


def of_length_one(weights: Floats) -> Floats:
    """Each row by its length; zeros stay zeros."""
    scaled: Floats = weights / (np.linalg.norm(weights, axis=1, keepdims=True) + NOTHING)
    return scaled


def likeness(own: Floats, others: Floats, *, tau: float) -> Floats:
    """K_uv for every row v of the others."""
    squared = ((own[None] - others[:, None]) ** 2).sum(axis=2).mean(axis=1)
    alike: Floats = np.exp(-tau * squared)
    return alike


def spread(own: Floats) -> float:
    """s_u: how far the k weight vectors are apart."""
    k = len(own)
    apart = ((own[None] - own[:, None]) ** 2).sum() / 2.0
    return float((1.0 + apart) / (2 * k * (k - 1)))
