"""Names, stirs and times in a text message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from babel.dates import format_datetime

from perudo_core.stirs import SIGNS
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.words.sms import gsm

NAME_LENGTHS: tuple[int, ...] = (16, 12, 9, 6, 4)
"""The maximum lengths of names to try, the longest first."""
STIRS_TOLD = 3
"""The maximum number of stirs in a text; the newest are listed."""
ANOTHER_DAY = timedelta(hours=20)
"""A time that is further ahead than this is written with its day."""
_HOUR, _DAY_AND_HOUR = "HH:mm", "EEE'\u00a0'HH:mm"
_NO_NAME = re.compile(r"[^\w '\-&]|_")
"""Characters that could make a name look like an address or a bid."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """The reader of a text: their time zone, and the bot's number that they text."""

    zone: tzinfo = UTC
    now: float = 0
    number: str = ""
    round: int | None = None
    """The round of their game when the text was written."""
    code: str = ""
    """The code that their answer must contain if the text is a question."""


def normalize(text: str) -> str:
    """Return a sentence in the alphabet of text messages, without double blanks."""
    return " ".join(gsm.to_gsm(text).split())


def shorten_name(name: str, letters: int) -> str:
    """Return a name in plain letters, distinct from an address, a bid or the end of a command."""
    return _plain(name)[:letters].rstrip(" '-")


@lru_cache(maxsize=1024)  # each text to a table has its names, in several lengths
def _plain(name: str) -> str:
    return " ".join(_NO_NAME.sub("", gsm.to_gsm(name)).split())


def shorten_names(names: Sequence[str], letters: int) -> list[str]:
    """Names shortened to at most so many letters, all different.

    Equal names get the numbers of their seats. A name that equals one of these gets its own number as well, and a
    numbered name that equals another is its number alone.
    """
    cut = [shorten_name(name, letters) for name in names]
    forms = [
        [str(seat), f"{name[: letters - len(str(seat))]}{seat}", name] if name else [str(seat)]
        for seat, name in enumerate(cut, start=1)
    ]
    while True:
        alike: dict[str, list[list[str]]] = {}
        for left in forms:
            alike.setdefault(left[-1].casefold(), []).append(left)
        equal = [each for each in alike.values() if len(each) > 1]
        if not equal:
            return [left[-1] for left in forms]
        for each in equal:
            most = max(map(len, each))
            for left in each:
                if len(left) == most:
                    left.pop()


def list_stirs(stirs: Sequence[StirView], letters: int) -> str:
    """Return the newest stirs, with their players."""
    listed = (f"{shorten_name(stir.name, letters)} {stir_figure(stir.what, letters)}" for stir in stirs[-STIRS_TOLD:])
    return ("... " if len(stirs) > STIRS_TOLD else "") + ", ".join(dict.fromkeys(listed))


def stir_figure(what: str, letters: int) -> str:
    """Return the number with which a text stirs a sign, which no text can show; a word of release 1.0 unchanged."""
    return str(SIGNS.index(what) + 1) if what in SIGNS else shorten_name(what, letters)


def time_of_day(at: float, reader: TextReader, language: str) -> str:
    """Return a point in time in the reader's time zone, with the day if it is not today: `14:05`, `Tue 14:05`."""
    then = datetime.fromtimestamp(at, reader.zone)
    far = at - reader.now > ANOTHER_DAY.total_seconds()
    return format_datetime(then, _DAY_AND_HOUR if far else _HOUR, locale=language.replace("-", "_"))
