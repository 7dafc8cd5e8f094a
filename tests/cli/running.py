"""The command line run in this process, as a shell would."""

from __future__ import annotations

import json
import sys
from io import StringIO
from typing import Any, NamedTuple

import pytest

from setmargin.cli import main


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Shell:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.delenv("FORCE_COLOR", raising=False)

    def __call__(self, *arguments: object, typed: str = "") -> Result:
        self._monkeypatch.setattr(sys, "stdin", StringIO(typed))
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        return Result(int(ending.value.code or 0), out, err)
