"""Calls as people type them: `5x3`, `dudo`, `calza`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from perudo_core._actions import Bid, Call, Calza, Dudo, Seat
from perudo_core._errors import NotationError, abbreviated, expect_type, whole_number
from perudo_core._rules import MAX_SEATS

__all__ = ["exact_call", "parse_call"]

_BID: Final = re.compile(r"([0-9]{1,9})\s*[x×*]\s*([0-9])", re.IGNORECASE | re.ASCII)
_WORDS: Final[dict[str, Callable[[Seat], Call]]] = {"dudo": Dudo, "calza": Calza}


def parse_call(text: str, seat: Seat) -> Call:
    """Return the call that a text means, made by this seat: the counterpart of `str(call)`.

    Capitals, spaces around the words, `×` or `*` for `x`, and a closing `!` make no difference. The call may be
    illegal: `why_illegal` checks it. Raises `NotationError` for any other text, `ValueError` for a seat out of range.

    >>> parse_call("5x3", seat=0)
    Bid(seat=0, quantity=5, face=3)
    >>> parse_call(" Dudo! ", seat=1)
    Dudo(seat=1)
    """
    expect_type(text, str, "text")
    seat = whole_number(seat, "seat", 0, MAX_SEATS - 1)
    words = text.strip().removesuffix("!").strip().lower()
    if words in _WORDS:
        return _WORDS[words](seat)
    bid = _BID.fullmatch(words)
    if bid is None:
        raise NotationError(f"no call: {abbreviated(text)}. A call is a bid as 5x3, dudo or calza")
    return Bid(seat, int(bid[1]), int(bid[2]))


def exact_call(word: str, seat: Seat) -> Call | None:
    """Return the call that `str` writes as this word, or None for another word. Any number is a seat."""
    try:
        call = parse_call(word, 0)
    except NotationError:
        return None
    return replace(call, seat=seat) if str(call) == word else None
