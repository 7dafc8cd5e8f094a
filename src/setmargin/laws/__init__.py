"""The laws that every strategy obeys, and that a strategy of your own can be tried on.

    python -m setmargin.laws my_package.hillclimb:HillClimb

runs them all and prints a report; `laws()` gives them one by one, for a test of each.
"""

from setmargin.laws.checks import Law, Make, laws
from setmargin.laws.report import LawResult, try_laws

__all__ = ["Law", "LawResult", "Make", "laws", "try_laws"]
