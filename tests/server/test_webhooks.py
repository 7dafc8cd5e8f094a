"""Webhooks are signed, checked before anything is served, and judged by whoever is told."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from scripts.laboratory.receiver import SECRET, Told, is_signed, several_ids, untold

from setmargin.errors import OptionError
from setmargin.server.webhooks import Webhooks

URL = "https://shop.example/told?key=x"


def test_what_nobody_was_told_is_noticed_and_what_was_told_twice_is_not() -> None:
    told = [Told("a", "one", 3), Told("a", "one", 3), Told("b", "one", 5)]
    assert untold([("one", 3), ("one", 4), ("two", 5)], told) == [("one", 4), ("two", 5)]
    assert several_ids(told) == []
    assert len(several_ids([*told, Told("c", "one", 3), Told("b", "two", 1)])) == 2


def test_the_server_signs_as_the_receiver_verifies() -> None:
    other = "whsec_" + "QUJD" * 8
    headers = Webhooks(urls=[URL], secrets=[other, SECRET]).signed("id", 1700000000, b"{}")
    assert is_signed(headers, b"{}")
    assert not is_signed(headers, b"{ }")
    assert not is_signed(headers | {"webhook-timestamp": "1700000001"}, b"{}")
    assert not is_signed(Webhooks(urls=[URL], secrets=[other]).signed("id", 1700000000, b"{}"), b"{}")


def test_the_documented_receiver_verifies_it_and_refuses_old_ones() -> None:
    text = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(text.partition("```python\n")[2].partition("```")[0], names)
    verify, webhooks = names["is_from_setmargin"], Webhooks(urls=[URL], secrets=[SECRET])
    now = int(time.time())
    assert verify(SECRET, webhooks.signed("id", now, b"{}"), b"{}")
    assert not verify(SECRET, webhooks.signed("id", now, b"{}"), b"{ }")
    assert not verify(SECRET, webhooks.signed("id", now - 400, b"{}"), b"{}")


def test_pauses_grow_up_to_a_limit_and_end() -> None:
    webhooks = Webhooks(attempts=12)
    pauses = [webhooks.pause_after(often) for often in range(1, 13)]
    assert pauses[:4] == [5.0, 20.0, 80.0, 320.0]
    assert pauses[-2:] == [21600.0, None]


@pytest.mark.parametrize(
    "url", ["shop.example", "ftp://x/", "https://", "https://a b/", "https://u:p@x/", "http://x:y/"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="is no address of a webhook"):
        Webhooks(urls=[url], secrets=[SECRET])


def test_a_missing_or_weak_secret_is_refused_without_being_said() -> None:
    with pytest.raises(OptionError, match="set SETMARGIN_WEBHOOK_SECRET to what"):
        Webhooks(urls=[URL])
    for secret in ("password-in-plain", "whsec_QUJD", "whsec_*"):
        with pytest.raises(OptionError, match="is no secret of webhooks") as refused:
            Webhooks(urls=[URL], secrets=[secret])
        assert secret not in str(refused.value)
    assert SECRET not in repr(Webhooks(urls=[URL], secrets=[SECRET]))
