"""Strategies that believe in weighted particles (Viappiani and Boutilier, 2010): what people are like (prior), what
answers say (likelihood), both together (sampler), what to ask (questions), and the strategies `eus` and `qi`."""
