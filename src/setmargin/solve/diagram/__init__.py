"""The space compiled once into a decision diagram, from which everything is answered; `engine` is the way in.

Compiling, in the order of the work: `propagate` (values that can never be used), `ordering` (of the attributes),
`product` (of the automata of all relations), `compile` (the smallest of some tries). Answering: `layers` (one backward
pass for a whole batch), `diagram` (best, best first, count, sample, possible). Linear rows: `linear_rows` (their sums,
and multiplied into the diagram); for those that do not fit, `lagrangian` (bounds) and `label_search` (exact).
"""
