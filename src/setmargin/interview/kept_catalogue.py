"""The catalogue of a saved interview: inside its file where it is small, else once beside it, by its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from setmargin.errors import CatalogueError, InterviewError, SpaceError
from setmargin.files import write_whole
from setmargin.space.catalogue import dumps, load
from setmargin.space.document import from_document
from setmargin.space.space import Space, fingerprint_of

LARGEST_INSIDE: Final = 100_000
"""Characters; a larger catalogue is kept once for all interviews of a folder."""
FINGERPRINT: Final = "fingerprint"


def keep_catalogue(space: Space, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The document of a saved interview as it stands in its file; a large catalogue is written into the folder."""
    fingerprint, text = _written(space)
    if len(text) <= LARGEST_INSIDE:
        return document
    file = _file(folder, space.name, fingerprint)
    if not file.exists():
        write_whole(file, text, private=True)
    return document | {"catalogue": {"catalogue": space.name, FINGERPRINT: fingerprint}}


def kept_space(catalogue: Mapping[str, Any], folder: Path | None) -> Space:
    """The space of a saved interview, from its file or from beside it.

    Raises
    ------
    InterviewError
        Where the catalogue is damaged, or is not where the interview says.
    """
    if FINGERPRINT not in catalogue:
        try:
            return from_document(catalogue)
        except SpaceError as error:
            raise InterviewError(f"its catalogue is damaged: {error}") from None
    name, fingerprint = str(catalogue.get("catalogue")), str(catalogue[FINGERPRINT])
    if folder is None:
        raise InterviewError(f"it only names its catalogue {name}; load it from its file, beside which that is kept")
    file = _file(folder, name, fingerprint)
    if not file.is_file():
        raise InterviewError(f"its catalogue is not beside it; put {file.name} into the folder {folder}")
    try:
        space = load(file)
    except CatalogueError as error:
        raise InterviewError(f"its catalogue is damaged: {error}") from None
    if _written(space)[0] != fingerprint:
        raise InterviewError(f"its catalogue {file} was changed; put back the one that it began with")
    return space


def _file(folder: Path, name: str, fingerprint: str) -> Path:
    return folder / f"{name.replace(':', '-')}-{fingerprint[:16]}.yaml"


@lru_cache(maxsize=4)
def _written(space: Space) -> tuple[str, str]:
    """The fingerprint of all that the catalogue says, and its text."""
    return fingerprint_of(space.name, space.document()), dumps(space)
