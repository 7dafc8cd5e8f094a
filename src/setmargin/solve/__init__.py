"""What is best, and what is possible: exact answers about a space.

A space is lowered to integers (`lowered`), and an engine answers from there: by a decision diagram that is compiled
once, or by a linear model with integers (`milp_engine`). Linear models are plain data (`milp`), built of small blocks
(`feasible`); `highs` and `gurobi` solve them, and are the only files that know a vendor.
"""
