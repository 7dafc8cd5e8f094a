"""The durability script, in short: a real server, killed while people answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "durability.py"


def test_every_acknowledged_answer_is_there_once_after_the_server_was_killed(sqlite_url: str) -> None:
    options = ["--kills", "1", "--between", "20", "--clients", "3", "--workers", "1", "--json", "--database"]
    done = subprocess.run([sys.executable, SCRIPT, *options, sqlite_url], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout)
    assert figures["problems"] == []
    assert figures["acknowledged"] >= 30
