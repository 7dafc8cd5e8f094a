"""Random numbers of simulated people: every person has a stream of its own for each purpose."""

from __future__ import annotations

import numpy as np

from setmargin.errors import OptionError

WEIGHTS_STREAM, NOISE_STREAM, STRATEGY_STREAM, TALK_STREAM, ORDER_STREAM, SEGMENT_STREAM = range(6)
SHARES_STREAM, CENTRE_STREAM = range(2)
"""Of number 0, which is nobody: what all people of a seed share."""


def stream(seed: int, number: int, purpose: int, *more: int) -> np.random.Generator:
    """The random numbers of one person for one purpose, from their start; they depend on no other person."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, purpose, *more)))


def check_seed(seed: int) -> None:
    """Refuse seeds that NumPy does not take."""
    if seed < 0:
        raise OptionError(f"the seed is {seed}; give 0 or more")
