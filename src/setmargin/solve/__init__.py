"""What is best, and what is possible: exact answers about a space.

`oracle` is the one door. A space is lowered to integers (`lowering`), and an engine answers from there (`engine`): by a
decision diagram that is compiled once (`diagram/`), or by a linear model with integers (`milp/`). `conflicts` says why
nothing can be built.
"""
