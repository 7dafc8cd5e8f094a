"""Networks that really part and file systems that really get full, where this machine allows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.laboratory.namespaces import NotAllowed, separate

PROGRAM = """
import errno, json, os, socket, sys
from pathlib import Path
from scripts.laboratory.namespaces import Network, NotAllowed, Volume, separate

def attempt(what):
    try:
        return what()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)

try:
    separate()
except NotAllowed as reason:
    sys.exit(print(json.dumps({"not allowed": str(reason)})))
network = Network()
with network.inside():
    listener = socket.create_server(("", 0))
cable = network.cable(1, listener.getsockname()[1])
near = socket.create_connection((cable.host, cable.port), timeout=10)
far, _ = listener.accept()
found = {"interfaces here": [name for _, name in socket.if_nameindex()]}
cable.cut()
near.sendall(b"late")
far.settimeout(0.3)
found["while cut"] = attempt(lambda: far.recv(9).decode())
cable.mend(reset=False)
far.settimeout(20)
found["after it"] = attempt(lambda: far.recv(9).decode())
network.close()

place = Path(sys.argv[1])
volume = Volume(place)
file = place / "file"
with volume.filled():
    found["full"] = attempt(lambda: file.write_bytes(bytes(100_000)))
found["with room"] = attempt(lambda: file.write_bytes(b"12"))
with volume.read_only():
    found["read-only"] = attempt(lambda: file.write_bytes(b"1234"))
found["writable"] = attempt(lambda: file.write_bytes(b"1234"))
volume.close()
print(json.dumps(found))
"""


def test_cables_are_cut_and_file_systems_get_full_and_nobody_else_sees_it(tmp_path: Path) -> None:
    top = Path(__file__).parents[2]
    (place := tmp_path / "volume").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(place)], cwd=top, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    if "not allowed" in found:
        pytest.skip(found["not allowed"])
    assert found == {
        "interfaces here": ["lo", "near1"],
        "while cut": "TimeoutError",
        "after it": "late",
        "full": "ENOSPC",
        "with room": 2,
        "read-only": "EROFS",
        "writable": 4,
    }
    assert list(place.iterdir()) == []
    assert not Path("/sys/class/net/near1").exists()


def test_where_it_is_not_allowed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NotAllowed, match="for root" if sys.platform == "linux" else "for Linux"):
        separate()
