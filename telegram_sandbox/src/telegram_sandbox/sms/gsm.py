"""How a text message is encoded: GSM-7 or UCS-2, and into how many segments it is split."""

from typing import Final

ALPHABET: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENSION: Final = frozenset("\f^{}\\[~]|€")
"""Signs that are sent as two."""
ALONE_7, JOINED_7 = 160, 153
ALONE_16, JOINED_16 = 70, 67


def is_gsm(text: str) -> bool:
    """Return whether the seven-bit alphabet has every sign of it."""
    return all(sign in ALPHABET or sign in EXTENSION for sign in text)


def length(text: str) -> int:
    """Return the length of a text in septets, or in UTF-16 code units."""
    if is_gsm(text):
        return sum(2 if sign in EXTENSION else 1 for sign in text)
    return len(text.encode("utf-16-be")) // 2


def segments(text: str) -> int:
    """Return how many messages it takes, each of which is paid for."""
    alone, joined = (ALONE_7, JOINED_7) if is_gsm(text) else (ALONE_16, JOINED_16)
    return 1 if length(text) <= alone else -(-length(text) // joined)


def as_sent_in_seven_bits(text: str) -> str:
    """Return the part of a text that arrives when it is sent as GSM-7: all other signs are lost."""
    return "".join(sign if sign in ALPHABET or sign in EXTENSION else "?" for sign in text)
