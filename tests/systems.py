"""What some systems lack: tests of it are skipped there, and say so."""

from __future__ import annotations

import sys

import pytest

on_unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals, priorities or groups")
