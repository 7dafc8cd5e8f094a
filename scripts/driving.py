"""A server and a browser on this machine, both gone at the end: for scripts and tests that use the page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from scripts.orphans import ending_with_us

from setmargin.threads import ONE_THREAD

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""No sandbox, for in containers everybody is root; and no request that the page did not make."""


@contextmanager
def serving(
    catalogues: Sequence[str],
    home: Path,
    *,
    workers: int = 1,
    token: str = "",
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """A server with a database of its own in the directory `home`, and these options; gives its address."""
    ours = ["--port", "0", "--rate", "0", "--workers", str(workers), "--database", f"sqlite:///{home}/setmargin.db"]
    command = [sys.executable, "-m", "setmargin", "serve", *catalogues, *ours, *options]
    environment = os.environ | ONE_THREAD | ({"SETMARGIN_OWNER_TOKEN": token} if token else {}) | dict(variables or {})
    log = home / "server.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
            preexec_fn=ending_with_us(),
        ) as server,
    ):
        try:
            yield _address(server, log)
        finally:
            server.terminate()
            server.wait(20)


def _address(server: subprocess.Popen[str], log: Path) -> str:
    """What the server says of itself in its first line."""
    found = re.search(r"http://[\w.:/\[\]-]+", server.stdout.readline() if server.stdout else "")
    if not found:
        raise RuntimeError(f"the server did not start: {log.read_text()}")
    return found[0]


def chromium() -> str | None:
    """Where the system's browser is."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def browsing() -> Iterator[Browser]:
    """The system's Chromium without a window."""
    path = chromium()
    if path is None:
        raise SystemExit("there is no chromium; install it, for example with: apt install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()
