"""Fit a text into one message: shorten names first, then leave out what can be left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeAlias

from babel.dates import format_datetime

from telegram_bot.words.sms import gsm

NAME_LENGTHS = (16, 12, 9, 6, 4)
"""Letters that every name may have, the longest first."""
ANOTHER_DAY = timedelta(hours=20)
"""From when on an hour needs its day."""
_HOUR, _DAY_AND_HOUR = "HH:mm", "EEE'\u00a0'HH:mm"
_NO_NAME = re.compile(r"[^\w '\-]|_")
"""What could make a name look like an address or a bid."""

Draft: TypeAlias = Callable[[int], str]
"""A text with names of at most so many letters."""
Drafts: TypeAlias = Iterable[Draft]
"""The same text again and again, the fullest first."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Whom a text is for: the hours of their day, the number they know us by."""

    zone: tzinfo = UTC
    now: float = 0
    number: str = ""
    round: int | None = None
    """The round of the game they play in, as it was when the text was written."""


def fit_one_message(drafts: Iterable[Draft], head: str = "") -> str:
    """The first draft that fits one message behind its head, with names as long as there is room for."""
    last = ""
    for draft in drafts:
        for letters in NAME_LENGTHS:
            last = normalize(f"{head} {draft(letters)}")
            if gsm.septets(last) <= gsm.SINGLE:
                return last
    return gsm.cut(last, gsm.SINGLE)


def fixed_text(text: str) -> Drafts:
    """A text that nothing can be left out of; a translation too long for one message is cut."""
    return [lambda _letters: text]


def normalize(text: str) -> str:
    """A sentence as a text says it: in the alphabet, without double blanks."""
    return " ".join(gsm.to_gsm(text).split())


def shorten_name(name: str, letters: int) -> str:
    """A name in plain letters: nothing in it can be taken for an address, a bid or a command's end."""
    plain = " ".join(_NO_NAME.sub("", gsm.to_gsm(name)).split())
    return plain[:letters].rstrip(" '-")


def shorten_names(names: Sequence[str], letters: int) -> list[str]:
    """Names of at most so many letters that can still be told apart."""
    cut = [shorten_name(name, letters) for name in names]
    taken: dict[str, int] = {}
    for name in cut:
        taken[name.casefold()] = taken.get(name.casefold(), 0) + 1
    return [
        name if name and taken[name.casefold()] == 1 else f"{name[: letters - len(str(seat))]}{seat}"
        for seat, name in enumerate(cut, start=1)
    ]


def time_of_day(at: float, reader: Reader, language: str) -> str:
    """An hour of the reader's day, with the day where it is not today's: `14:05`, `Tue 14:05`."""
    then = datetime.fromtimestamp(at, reader.zone)
    far = at - reader.now > ANOTHER_DAY.total_seconds()
    return format_datetime(then, _DAY_AND_HOUR if far else _HOUR, locale=language.replace("-", "_"))


def bid_figure(quantity: int, face: int) -> str:
    """A bid as it can be texted back: `5x4`."""
    return f"{quantity}x{face}"
