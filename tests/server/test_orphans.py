"""What tests start ends with them, also where they are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from select import select

import pytest

PARENT = """
import subprocess, sys
from scripts.orphans import ending_with_us
child = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(40)"],
                         preexec_fn=ending_with_us(), pass_fds=[int(sys.argv[1])], stdout=subprocess.PIPE)
child.stdout.readline()
print(flush=True)
child.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells processes that their parent is gone")
def test_a_process_ends_with_the_one_that_started_it_even_if_that_was_killed() -> None:
    reading, writing = os.pipe()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(writing)], pass_fds=[writing], stdout=subprocess.PIPE)
    os.close(writing)  # from now on only the two processes hold that end
    with parent, open(reading, "rb") as end:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.send_signal(signal.SIGKILL)
        assert select([end], [], [], 20)[0]  # its end is seen once both of them are gone
