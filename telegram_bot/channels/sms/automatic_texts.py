"""Recognize texts that no person wrote: replies of absent people's phones, and notices of networks and services.

Whoever answers them begins a conversation of two machines. Senders without a telephone number (short codes, names) are
refused before: see `numbers`.
"""

from __future__ import annotations

import re
from typing import Final

from telegram_bot.channels.sms.opt_out import OptOut, load_patterns, plain_words, read_opt_out
from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid
from telegram_bot.words.parsing.grammar import parse

MIN_WORDS: Final = 3
"""Shorter texts are what players write."""

_PATTERNS: Final = [pattern for spoken in load_patterns("automatic").values() for pattern in spoken]
_AUTOMATIC: Final = re.compile(rf"\b(?:{'|'.join(_PATTERNS)})(?!\w)")


def is_automatic(text: str) -> bool:
    """Whether a machine wrote the text."""
    words = plain_words(text)
    if words.count(" ") < MIN_WORDS - 1 or _AUTOMATIC.search(words) is None:
        return False
    begins_with_a_call = isinstance(parse(re.split(r"[,.;:!?\n]", text)[0], None), MakeBid | CallDudo | CallCalza)
    return not begins_with_a_call and read_opt_out(text) is OptOut.NO
