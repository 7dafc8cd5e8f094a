"""The space compiled once into a decision diagram, from which everything is answered.

Compiling, in the order of the work: `propagate` (values that can never be used), `ordering` (of the attributes),
`residual` (one relation as an automaton), `product` (of all of them), `compile` (the smallest of some tries).
Answering: `layers` and `sweep` (one backward pass for a whole batch), `diagram` (best, count, sample, possible),
`ranking` (best first). Linear rows: `absorb` (into the diagram), or beside it `multipliers`, `labels`, `budget`.
"""
