"""Webhooks: who is told of finished interviews, and how they know that it is true.

Requests are signed as the Standard Webhooks specification says, so that its libraries can verify them: with HMAC-SHA256
over the id of the message, the time, and the body.
"""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from setmargin.errors import OptionError

SECRET_VARIABLE: Final = "SETMARGIN_WEBHOOK_SECRET"
PREFIX: Final = "whsec_"
LEAST_BYTES: Final = 16
LONGEST_PAUSE: Final = 6 * 3600.0
GROWTH: Final = 4.0
"""How many times longer each pause is than the one before."""


@dataclass(frozen=True)
class Webhooks:
    """Receivers, and how they are told. The secrets stay out of every text that is made of it."""

    urls: Sequence[str] = ()
    """Each is told of every interview that is finished; none: nobody is."""
    secrets: Sequence[str] = field(default=(), repr=False)
    """`whsec_` and some bytes in base64; requests are signed with each, so that one can take the other's place."""
    attempts: int = 12
    """How often a message is sent to somebody who does not take it."""
    pause: float = 5.0
    """Seconds before it is sent again the first time; then four times as long, and so on, up to six hours."""
    seconds: float = 10.0
    """How long somebody may take to reply."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "urls", tuple(dict.fromkeys(self.urls)))
        object.__setattr__(self, "secrets", tuple(self.secrets))
        for url in self.urls:
            _check_url(url)
        if self.urls and not self.secrets:
            raise OptionError(
                f'webhooks are signed with a secret; set {SECRET_VARIABLE} to what `echo "{PREFIX}$(openssl rand '
                '-base64 24)"` prints'
            )
        for secret in self.secrets:
            key_of(secret)
        if self.attempts < 1:
            raise OptionError(f"webhooks cannot be sent {self.attempts} times; give 1 or more")
        if not self.pause > 0 or not self.seconds > 0:
            raise OptionError(f"webhooks wait {self.pause} and {self.seconds} seconds; give more than 0")

    def pause_after(self, attempts: int) -> float | None:
        """How long to wait after so many attempts; None: there are no more."""
        # Later powers would be too large for a float where somebody wants thousands of attempts.
        return None if attempts >= self.attempts else min(self.pause * GROWTH ** min(attempts - 1, 30), LONGEST_PAUSE)

    def signed(self, id: str, timestamp: int, body: bytes) -> dict[str, str]:
        """The headers that say which message it is, when it was sent, and that it was us."""
        content = f"{id}.{timestamp}.".encode() + body
        signatures = (b64encode(hmac.digest(key_of(each), content, sha256)).decode() for each in self.secrets)
        return {
            "webhook-id": id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
        }


def key_of(secret: str) -> bytes:
    """The bytes of a secret; an error does not say what it is."""
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True) if secret.startswith(PREFIX) else b""
    except binascii.Error:
        key = b""
    if len(key) < LEAST_BYTES:
        raise OptionError(
            f"{SECRET_VARIABLE} is no secret of webhooks; give {PREFIX} and {LEAST_BYTES} bytes or more in base64, as "
            f'`echo "{PREFIX}$(openssl rand -base64 24)"` prints'
        )
    return key


def shown_address(url: str) -> str:
    """An address without what may be secret about it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and parts.username is None
        is_good = is_good and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        is_good = False
    if not is_good:
        raise OptionError(f"{url!r} is no address of a webhook; give one such as https://shop.example/setmargin")
