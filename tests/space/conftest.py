"""What tests of catalogue files share."""

from __future__ import annotations

import pytest
import yaml

from setmargin.space import yaml_reading


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser in C where there is one, and the one in Python."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML has no parser in C here")
    monkeypatch.setattr(yaml_reading, "LOADER", getattr(yaml, request.param))
