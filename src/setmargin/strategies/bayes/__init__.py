"""The Bayesian strategy: what people are like (prior), what answers say (evidence), both together (sampler), what to
ask (questions), what is still at stake (stakes), and the strategy itself."""
