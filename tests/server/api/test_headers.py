"""Every reply tells the browser to do no more than the page needs."""

from __future__ import annotations

import pytest

from tests.server.api.calling import API, Caller


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/health", f"{API}/catalogues", f"{API}/interviews/none", "/static/x"]
)
def test_every_reply_is_guarded(call: Caller, path: str) -> None:
    headers = call("GET", path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert (policy["default-src"], policy["script-src"], policy["frame-ancestors"]) == ("'none'", "'self'", "'none'")
    assert not {"*", "'unsafe-inline'", "'unsafe-eval'"} & set(" ".join(policy.values()).split())
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == ("no-cache" if path == "/" else "no-store")
    assert "server" not in headers
