"""How the webhook knows the doctor's questions: they are refused as anybody's, and not worth a line in the log."""

import hmac
from typing import Final

PROBE_HEADER: Final = "X-Perudo-Doctor"


def probe_mark(secret: str) -> str:
    """What only somebody who knows the webhook's secret can put into the header; it does not tell the secret."""
    return hmac.new(secret.encode(), PROBE_HEADER.encode(), "sha256").hexdigest()


def is_probe(given: str | None, secret: str) -> bool:
    """Whether the header's value is the doctor's."""
    return given is not None and hmac.compare_digest(given.encode(), probe_mark(secret).encode())
