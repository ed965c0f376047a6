"""Mark the doctor's requests to the webhook. They are refused like other requests, but not logged."""

import hmac
from typing import Final

PROBE_HEADER: Final = "X-Perudo-Doctor"


def probe_mark(secret: str) -> str:
    """Return a header value that proves knowledge of the webhook's secret without containing it."""
    return hmac.new(secret.encode(), PROBE_HEADER.encode(), "sha256").hexdigest()


def is_probe(given: str | None, secret: str) -> bool:
    """Return True if the header's value is the doctor's."""
    return given is not None and hmac.compare_digest(given.encode(), probe_mark(secret).encode())
