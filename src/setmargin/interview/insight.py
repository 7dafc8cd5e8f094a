"""What an interview knows at a moment: what suits the person best, why, what comes close, what a wish comes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from setmargin.answers import Change
from setmargin.interview.adjustment import Adjustment, adjusted, previews, with_kept
from setmargin.interview.explain import (
    Alternative,
    Explanation,
    Tradeoff,
    alternatives,
    decisive_answers,
    explain,
    importance_by,
    surprising,
    tradeoffs,
)
from setmargin.interview.log import Event, kept_by, kept_values
from setmargin.interview.offers import Offer, offers
from setmargin.interview.quotes import Matters, Quote, matters, quotes
from setmargin.space.space import Space
from setmargin.space.text import Value
from setmargin.strategies.base import Belief, History, Recommendation, Strategy

if TYPE_CHECKING:
    from setmargin.interview.certain import Certain


class Insight(ABC):
    """What follows from what was said so far; nothing here changes it, or asks."""

    space: Space
    strategy: Strategy[Any]

    @property
    @abstractmethod
    def belief(self) -> Belief:
        """What the answers so far say."""

    @property
    @abstractmethod
    def events(self) -> tuple[Event, ...]:
        """Answers and must-haves in force, in order."""

    @property
    def history(self) -> History:
        """Questions and their answers, skips included."""
        return self.belief.history

    def recommend(self) -> Recommendation:
        """The configuration that suits the person best, as far as is known, and the weights behind it.

        What they made of it themselves (`adjust` with `keep`) stays as they made it until something else is said, and
        has the values that they chose after that.
        """
        found, belief = self.strategy.recommend(self.belief), self.belief
        made = kept_by(self.events)
        if made is not None and not belief.space.broken_rules(made):
            return replace(found, configuration=made)
        return with_kept(belief.oracle, found, kept_values(self.events))

    # What a wish comes to

    def previews(self, name: str, *, recommendation: Recommendation | None = None) -> dict[Value, Adjustment | None]:
        """What each other value of an attribute comes to, with as few other changes as make sense.

        None stands for a value that cannot be had. `adjust` with `keep` takes one of them.

        Examples
        --------
        >>> interview = Interview("bicycle", "random")
        >>> preview = interview.previews("brakes")
        >>> now = interview.recommend().configuration["brakes"]
        >>> now in preview
        False
        """
        best = recommendation or self.recommend()
        return previews(self.belief.oracle, best, name, kept_values(self.events))

    def with_change(
        self, name: str | None, value: Value | None = None, *, recommendation: Recommendation | None = None
    ) -> Adjustment:
        """The best that has what is wished for, what else is different then, and what that does to quantities.

        Nothing is learnt from it. Parameters and errors are those of `adjust`.

        Examples
        --------
        >>> interview = Interview("bicycle", "random")
        >>> now = interview.recommend().configuration["brakes"]
        >>> other = "rim" if now != "rim" else "hydraulic disc"
        >>> interview.with_change("brakes", other).changed["brakes"] == (now, other)
        True
        """
        return adjusted(self.belief.oracle, recommendation or self.recommend(), Change(name, value))

    # What the recommendation is based on; each method takes one that was made already, to save time

    def explain(self, recommendation: Recommendation | None = None) -> Explanation:
        """Why: what each feature contributes, what matters most, what separates the runner-up, which answers decided.

        Intervals and decisive answers are there where the strategy knows them.
        """
        strategy, belief = self.strategy, self.belief
        influences = strategy.influence(belief)
        return explain(
            belief.oracle,
            recommendation or self.recommend(),
            shares=strategy.importance(belief),
            decisive=None if influences is None else decisive_answers(belief.history, influences),
        )

    def importance(self, recommendation: Recommendation | None = None) -> dict[str, float]:
        """The share of each attribute and quantity in all that is at stake, largest first."""
        shares = self.strategy.importance(self.belief)
        if shares is not None:
            return {name: share.mean for name, share in shares.items()}
        return importance_by(self.space, (recommendation or self.recommend()).weights)

    def alternatives(self, recommendation: Recommendation | None = None, *, most: int = 2) -> tuple[Alternative, ...]:
        """Good configurations that differ from the recommendation, and from each other, in something that matters."""
        return alternatives(self.belief.oracle, recommendation or self.recommend(), most=most)

    def offers(self, recommendation: Recommendation | None = None, *, most: int = 3) -> tuple[Offer, ...]:
        """Alternatives along what matters: the cheaper one, the bolder one, each with what it is for.

        None of them differs only in what hardly matters.
        """
        strategy, belief, best = self.strategy, self.belief, recommendation or self.recommend()
        shares, suggested = strategy.importance(belief), strategy.recommend(belief).configuration
        return offers(
            belief.oracle,
            best,
            self.importance(best),
            intervals={name: (share.low, share.high) for name, share in (shares or {}).items()},
            suggested=None if suggested == best.configuration else suggested,
            most=most,
        )

    def quotes(self, recommendation: Recommendation | None = None) -> tuple[Quote, ...]:
        """For the values that matter what was said: "in question 4 you paid 90 € more for it", as data."""
        best = recommendation or self.recommend()
        return quotes(self.belief.oracle, best, self.history, self.importance(best), open_space=self.space)

    def matters(self, recommendation: Recommendation | None = None) -> Matters:
        """What matters in a few names: mostly these, these somewhat."""
        return matters(self.importance(recommendation), self.history)

    def tradeoffs(self, recommendation: Recommendation | None = None) -> tuple[Tradeoff, ...]:
        """What the answers gave up for what, most often first."""
        return tradeoffs(self.belief.space, recommendation or self.recommend(), self.history)

    def surprising(self, recommendation: Recommendation | None = None) -> tuple[int, ...]:
        """The answers, counted from 0, that go against what all of them together say."""
        return surprising(self.belief.space, recommendation or self.recommend(), self.history)

    def certain(self) -> Certain:
        """What follows from the answers for certain, whichever strategy asked.

        Examples
        --------
        >>> interview = Interview("synthetic:3", "random")
        >>> chosen, other = interview.ask().options
        >>> interview.tell(0)
        >>> interview.certain().necessarily(chosen, other)
        True
        """
        from setmargin.interview.certain import Certain  # it needs a solver, which most interviews do not

        return Certain(self.belief.space, self.history)
