"""Hostile requests and catalogues: nothing may answer with a mistake of its own, hang, or take a gigabyte.

    python scripts/fuzz.py --requests 100000
    python scripts/fuzz.py --catalogues 10000
    python scripts/fuzz.py --replay fuzz-failures.jsonl

Requests go to a server of its own on the loopback address, over connections that stay open, several at once: people who
begin interviews and go on with them, with wrong methods, addresses, headers and bodies, must-haves by the grammar of
the rule language and with mistakes, every kind of answer, wrong versions, ids of others, and an owner who puts
catalogues. Catalogue files go through `setmargin check` in processes with a limit of memory: shipped ones with
mistakes, grown ones, aliases that unfold, long lines, tangled rules.

A failure is a status of 500 or more (but 503 with Retry-After, which is counted apart: the server says that it is
busy), no reply within --hang seconds, no reply at all, 1,000 MB in any process, and any error about a catalogue that is
not one of the package's own. Each is written to a file, from which --replay sends it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.fuzzing.running import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
