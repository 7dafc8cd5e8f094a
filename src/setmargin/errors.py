"""Everything that can go wrong, as one tree.

SetmarginError
├── CatalogueError          a catalogue file cannot be read or does not make sense (file, line, cure)
├── SpaceError              attributes, quantities or rules that do not fit together
│   └── RuleError           a rule that cannot be read, or speaks of something unknown
├── ConfigurationError      a configuration that is not one of this space
├── InfeasibleSpace         nothing satisfies these rules (or must-haves) together
├── AnswerError             an answer that does not fit its question
├── InterviewError          an interview that cannot be continued, saved or loaded
│   └── OtherQuestion       an answer to a question that is not the one it is given to
├── OptionError             an option with an impossible value
│   └── PluginError         what another package brings along cannot be used
├── LearningError           earlier people that cannot be learnt from, or the file of a prior that cannot be read
│   └── TooFewPeople        fewer people than may be learnt from
├── PeopleError             simulated people that cannot be drawn or read
├── ChoicesError            choice data that cannot be read, or are too few to be scored
├── ExperimentError         an experiment that cannot be run to its end, or whose records cannot be read
├── PackageMissing          a package that an extra brings is not installed
└── SolverError             a solver failed
    ├── SolverMissing       the solver is not installed, or has no licence
    ├── ModelInfeasible     the model has no solution
    ├── ModelCutOff         the model has no solution better than what is known
    ├── ModelUnbounded      the model's objective has no bound
    ├── TooTangled          rules so tangled that what is best cannot be found within the limits of work
    └── NoSolutionInTime    time ran out before any solution was found
        └── TimeIsUp        the time that was set for all of it is over

Every message says what was wrong, the value, and the cure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self


class SetmarginError(Exception):
    """The root: catching it catches every mistake that a user can make."""


class SpaceError(SetmarginError, ValueError):
    """Attributes, quantities or rules that do not fit together; `at` is the place in the catalogue's document."""

    def __init__(self, message: str, *, at: tuple[str | int, ...] = ()) -> None:
        self.at = at
        super().__init__(message)

    def under(self, *place: str | int) -> Self:
        """The same error, seen from further outside."""
        self.at = (*place, *self.at)
        return self


class RuleError(SpaceError):
    """A rule that cannot be read, or speaks of something unknown."""


class CatalogueError(SetmarginError):
    """A catalogue file that cannot be read or does not make sense."""

    def __init__(self, message: str, *, file: str, line: int | None = None) -> None:
        self.message, self.file, self.line = message, file, line
        where = file if line is None else f"{file}:{line}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_catalogue_error, (self.message, self.file, self.line)


def _rebuild_catalogue_error(message: str, file: str, line: int | None) -> CatalogueError:
    return CatalogueError(message, file=file, line=line)


class ConfigurationError(SetmarginError, ValueError):
    """A configuration that is not one of this space."""


class InfeasibleSpace(SetmarginError):
    """Nothing satisfies these rules together; `conflict` holds a smallest such set, in their own words."""

    def __init__(self, message: str, *, conflict: Sequence[str] = ()) -> None:
        self.conflict = tuple(conflict)
        super().__init__(message)


class AnswerError(SetmarginError, ValueError):
    """An answer that does not fit its question."""


class InterviewError(SetmarginError):
    """An interview that cannot be continued, saved or loaded."""


class OtherQuestion(InterviewError):
    """An answer to a question that is not the one it is given to: what the person was shown has changed meanwhile."""


class OptionError(SetmarginError, ValueError):
    """An option with an impossible value."""


class PluginError(OptionError):
    """What another package brings along cannot be loaded, or is not what it should be."""


class LearningError(SetmarginError):
    """Earlier people that cannot be learnt from, or a learnt prior that cannot be read; `at` is the place in it."""

    def __init__(self, message: str, *, at: tuple[str | int, ...] = ()) -> None:
        self.at = at
        super().__init__(message)


class TooFewPeople(LearningError):
    """Fewer people than may be learnt from."""


class PeopleError(SetmarginError, ValueError):
    """Simulated people that cannot be drawn or read."""


class ChoicesError(SetmarginError):
    """Choice data that cannot be read, or are too few to be scored."""


class ExperimentError(SetmarginError):
    """An experiment that cannot be run to its end, or whose records cannot be read."""


class PackageMissing(SetmarginError, ImportError):
    """A package that an extra brings is not installed."""


class SolverError(SetmarginError):
    """A solver failed."""


class SolverMissing(SolverError):
    """The solver is not installed, or has no licence."""


class ModelInfeasible(SolverError):
    """The model has no solution."""


class ModelCutOff(SolverError):
    """The model has no solution better than the one known already."""


class ModelUnbounded(SolverError):
    """The model's objective has no bound."""


class NoSolutionInTime(SolverError):
    """Time ran out before any solution was found."""


class TimeIsUp(NoSolutionInTime):
    """The time that was set for all of it is over (see `time_limit`)."""


class TooTangled(SolverError):
    """Rules so tangled that what is best cannot be found within the limits of work."""
