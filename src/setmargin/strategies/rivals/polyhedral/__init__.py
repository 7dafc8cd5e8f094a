"""The polyhedral strategy: the weights that agree with the answers, their centre, and their longest axes."""
