"""Files are written whole or not at all, are on the disk once they are written, and are not taken from others."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

LOCK_SECONDS: Final = 5.0
"""How long another program may take to write the same file."""


class FileTaken(OSError):
    """Another program has written the file; `strerror` says what, `cure` what to do."""

    def __init__(self, reason: str, *, cure: str) -> None:
        super().__init__(None, reason)
        self.cure = cure


def write_whole(target: Path, text: str, *, new: bool = False, private: bool = False) -> None:
    """Write a text beside the target, then put it in place, as `drafted` does."""
    with drafted(target, new=new, private=private) as draft:
        draft.write_text(text, encoding="utf-8")


@contextmanager
def drafted(target: Path, *, new: bool = False, private: bool = False) -> Iterator[Path]:
    """A file beside the target to write to, which is then put in place.

    Whatever goes wrong, the old file stays and no draft is left. Once this has ended, the file is on the disk and
    survives a power cut. With `new`, it raises FileExistsError where there is such a file. One that is `private` can be
    read by its owner alone.
    """
    draft = target.parent / f".{target.name}.{os.getpid()}.part"
    try:
        if private:
            os.close(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600))
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        if new:
            _put_new(draft, target)
        else:
            draft.replace(target)
        _sync_directory(target.parent)
    finally:
        with suppress(OSError, ValueError):
            draft.unlink(missing_ok=True)


def _put_new(draft: Path, target: Path) -> None:
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        if target.exists():
            raise FileExistsError(17, "File exists", str(target)) from None
        draft.replace(target)


def _sync_directory(directory: Path) -> None:
    """Put the new name on the disk, too, where the system lets a directory be synced."""
    with suppress(OSError):
        place = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


class KnownFiles:
    """What files held when this program last read or wrote them, so that what others wrote since is not lost."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}

    def note(self, path: Path, content: bytes) -> None:
        """The file was just read."""
        self._known[path.resolve()] = _digest(content)

    def write(self, path: Path, text: str, *, overwrite: bool = True) -> None:
        """Write a file whole, for its owner alone.

        Parameters
        ----------
        path, text
            Where, and what.
        overwrite
            Whether a file that this program has neither read nor written may be replaced.

        Raises
        ------
        FileTaken
            Where somebody else has written it since, or it is not to be overwritten.
        OSError, ValueError
            Where it cannot be written.
        """
        place = path.resolve()
        known = self._known.get(place)
        with _locked(path):
            found = _digest(path.read_bytes()) if path.is_file() else None
            if found is not None and known is not None and found != known:
                raise FileTaken(
                    "another program has written it since", cure="load it again, or save under another name"
                )
            if found is not None and known is None and not overwrite:
                raise _there_already()
            try:
                write_whole(path, text, new=found is None and not overwrite, private=True)
            except FileExistsError:
                raise _there_already() from None
        self._known[place] = _digest(text.encode())


def _there_already() -> FileTaken:
    return FileTaken("it is there already", cure="save under another name")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone with the file, if it is there and the system has such locks."""
    if sys.platform == "win32" or not path.is_file():
        yield
        return
    import fcntl

    with path.open("rb") as file:
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise FileTaken(
                        "another program is writing it", cure="try again, or save under another name"
                    ) from None
                time.sleep(0.02)
            except OSError:  # a file system without locks
                break
        yield
