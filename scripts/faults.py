"""Faults are injected while people answer, and no acknowledged answer may be lost, there twice, or to another question.

    python scripts/faults.py                              a minute on SQLite
    python scripts/faults.py --seconds 600 --database postgresql
    python scripts/faults.py --seconds 20 --mutant synchronous-off

It starts servers of its own on the loopback address. People answer as fast as they can, several at one interview, with
every strategy, each request under a key of its own and sent again until it is acknowledged or refused. Faults come one
after the other, by seed. In the end the database itself is read (scripts/laboratory/history.py): every acknowledged
answer has to be there once, in its place, with the options that were on the screen. Mutants are servers with a mistake
that has to be found. Everything ends by itself, also on Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.laboratory.running import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
