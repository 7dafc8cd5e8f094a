"""Catalogues through the library, in processes of their own with limits of memory and time.

`python -m scripts.fuzzing.checking` reads tasks, one JSON document a line, and answers each with one line.
"""

from __future__ import annotations

import base64
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Literal

from scripts.fuzzing.catalogues import catalogue
from scripts.laboratory.processes import TOP
from scripts.orphans import ending_with_us

from setmargin.threads import ONE_THREAD

MEGABYTES = 1000
"""What a process may have."""
START_SECONDS = 60.0
SAID = 20_000
"""More than this is no message for people."""
Outcome = Literal["accepted", "refused", "failed"]


@dataclass(frozen=True)
class Checked:
    """What became of one catalogue."""

    number: int
    outcome: Outcome
    seconds: float
    megabytes: float
    """The most that its process ever had until then."""
    detail: str = ""
    content: bytes = b""


def check(content: bytes) -> tuple[Outcome, str]:
    """Let `setmargin check` look at a file, and where it is accepted write and read it again.

    Returns
    -------
    tuple
        What became of it, and what was said; anything but the package's own errors is a failure.
    """
    from setmargin.cli import main
    from setmargin.space.catalogue import dumps, load, loads

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalogue.yaml"
        file.write_bytes(content)
        out, err = io.StringIO(), io.StringIO()
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main(["check", str(file), "--json"])
        except SystemExit as end:
            code = end.code
        except BaseException:
            return "failed", traceback.format_exc(limit=-8)
        try:
            if code == 0:
                json.loads(out.getvalue())
                space = load(str(file))
                if loads(dumps(space)) != space:
                    return "failed", "what was written is read as another space"
        except BaseException:
            return "failed", traceback.format_exc(limit=-8)
    said = err.getvalue()
    if code == 0:
        return "accepted", ""
    if code != 2 or not said.startswith("setmargin: ") or len(said) > SAID:
        return "failed", f"exit code {code}: {said[:2000]}"
    return "refused", said[:300]


def main() -> None:
    """Answer until there are no more tasks."""
    import resource

    from setmargin.server.work.process import limit_memory

    limit_memory(MEGABYTES)
    tasks, sys.stdin = sys.stdin, io.StringIO()  # commands may read it, and change how it is read
    for line in tasks:
        task = json.loads(line)
        text = task.get("content")
        content = base64.b64decode(text) if text else catalogue(task["seed"], task["number"])
        began = time.perf_counter()
        outcome, detail = check(content)
        seconds = time.perf_counter() - began
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([outcome, seconds, most, detail]), flush=True)


class Checker:
    """A process that checks one catalogue after the other, and is replaced where one takes too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._process = seconds, self._started()

    def _started(self) -> subprocess.Popen[str]:
        paths = [str(TOP), str(TOP / "src"), os.environ.get("PYTHONPATH", "")]
        return subprocess.Popen(
            [sys.executable, "-m", "scripts.fuzzing.checking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=TOP,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            preexec_fn=ending_with_us(signal.SIGKILL),
        )

    def check(self, seed: int, number: int, content: bytes | None = None) -> Checked:
        """What becomes of the catalogue of that number, or of the content."""
        task = {"seed": seed, "number": number} | ({"content": base64.b64encode(content).decode()} if content else {})
        known = content or catalogue(seed, number)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        stdin.write(json.dumps(task) + "\n")
        stdin.flush()
        ready, _, _ = select.select([stdout], [], [], self._seconds)
        line = stdout.readline() if ready else ""
        if not line:
            what = "its process died" if ready else f"it took longer than {self._seconds:g} s"
            self.close()
            self._process = self._started()
            return Checked(number, "failed", self._seconds, 0.0, what, known)
        outcome, seconds, megabytes, detail = json.loads(line)
        return Checked(number, outcome, seconds, megabytes, detail, known)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait(30)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def check_all(
    seed: int, numbers: Iterator[int], *, processes: int, seconds: float, heard: Callable[[Checked], Any]
) -> None:
    """Check all catalogues of these numbers, several at once; `heard` is told of each, one at a time."""
    lock = Lock()

    def work() -> None:
        checker = Checker(seconds)
        try:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                found = checker.check(seed, number)
                with lock:
                    heard(found)
        finally:
            checker.close()

    threads = [Thread(target=work, daemon=True) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
