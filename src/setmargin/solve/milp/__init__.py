"""Linear models with integers, the solvers that read them, and the engine of the oracle that is built on them."""
