"""What must work in a fresh environment that has the built package alone: run it there with its Python."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import setmargin
from setmargin import Interview, load, oracle_for

LAMP = """
catalogue: lamp
attributes:
  kind: [desk, floor]
  light: {values: [400, 800], unit: lm, better: higher}
rules:
  - kind = floor => light >= 800
"""


def run(*words: str, keys: str = "") -> str:
    done = subprocess.run([sys.executable, "-m", "setmargin", *words], input=keys, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"setmargin {' '.join(words)} failed: {done.stderr}")
    return done.stdout


def main() -> None:
    source = Path(setmargin.__file__)
    if "site-packages" not in source.parts:
        raise SystemExit(f"{source} is not the installed package; run this in an environment that has only the wheel")
    assert oracle_for(load("pc")).count() == 64_476
    interview = Interview("bicycle", seed=1)
    for _ in range(3):
        interview.ask()
        interview.tell(0)
    load("bicycle").check(interview.recommend().configuration)
    with tempfile.TemporaryDirectory() as folder:
        lamp = Path(folder) / "lamp.yaml"
        lamp.write_text(LAMP, encoding="utf-8")
        assert "3" in run("check", str(lamp))
    assert "bicycle" in run("catalogues")
    assert setmargin.__version__ in run("--version")
    assert "loss after 3 questions" in run("simulate", "synthetic:3", "--people", "2", "--questions", "3")
    print(f"setmargin {setmargin.__version__} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
