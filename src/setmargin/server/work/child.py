"""A process as the server sees it: started, called, and killed where it takes too long."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import Final

from setmargin.server.work.process import Call, Reply

START_SECONDS: Final = 60.0
END_SECONDS: Final = 2.0
ONE_THREAD: Final = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")
}
"""There are as many processes as cores; threads of linear algebra would only stand in each other's way."""
START: Final = "import sys; from setmargin.server.work.process import main; main(sys.argv[1])"


class Died(Exception):
    """The process ended, by itself or by another hand."""


class Overran(Exception):
    """The process took longer than it may, and was killed."""


class Child:
    """One process; calls are made one at a time, from one thread."""

    def __init__(self, *, seconds: float) -> None:
        """Start it; `seconds` is what a call may take, as the process itself should know."""
        self._process = _started(seconds)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        try:
            with self._no_longer_than(START_SECONDS):
                self._receive()
        except (Died, Overran) as error:
            self.close()
            raise Died(f"it did not start: {error}") from None

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def call(self, call: Call, *, seconds: float) -> Reply:
        """What the process says; Died or Overran if it does not."""
        with self._no_longer_than(seconds):
            self._send(call)
            return self._receive()

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    def close(self) -> None:
        """Let it go, and wait until it is gone."""
        with suppress(OSError):
            self._stdin.close()  # what it sees as the end
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    def _send(self, call: Call) -> None:
        whole = pickle.dumps(call, protocol=5)  # before anything is written: what cannot be pickled harms nobody
        try:
            self._stdin.write(whole)
            self._stdin.flush()
        except OSError as error:
            raise Died(str(error)) from None

    def _receive(self) -> Reply:
        try:
            reply: Reply = pickle.load(self._stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise Died(f"it ended with {self._process.poll()}: {error}") from None
        return reply

    @contextmanager
    def _no_longer_than(self, seconds: float) -> Iterator[None]:
        overran = Event()
        timer = Timer(seconds, self._overrun, (overran,))
        timer.daemon = True
        timer.start()
        try:
            yield
        except Died:
            if overran.is_set():
                raise Overran(f"after {seconds:g} seconds") from None
            raise
        finally:
            timer.cancel()

    def _overrun(self, overran: Event) -> None:
        overran.set()
        self.kill()


def _started(seconds: float) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # an interrupt at the terminal is for the server alone
        )
    except OSError as error:
        raise Died(f"it did not start: {error}") from None
