"""Small pieces that several messages share: names as safe HTML, clocks, labels of choices."""

import re
import unicodedata
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from typing import Final

from babel.numbers import format_percent
from wcwidth import iter_graphemes

from perudo_core.agents import Character, Level
from telegram_bot.tables.model import ComputerPlayer, OnTimeout, TurnClock
from telegram_bot.tables.names import is_blank
from telegram_bot.tables.views import SeatView
from telegram_bot.words.catalogue import Catalogue

LONGEST_SHOWN_NAME: Final = 32
"""Messages show so much of a name, and people choose no longer one."""
_TURNING = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that change the writing direction of the text after them."""
_NUMBER = re.compile(r" \d{1,2}$")
"""The number that tells a name apart from another one."""
MINUTE = 60
HOUR = 3600


def whole_signs(text: str, longest: int) -> str:
    """Return the beginning of a text without a part of a sign of several characters, such as a flag.

    A sign that is too long by itself is cut.
    """
    kept = ""
    for sign in iter_graphemes(text):
        if len(kept + sign) > longest:
            break
        kept += sign
    return kept or text[:longest].rstrip("\N{ZERO WIDTH JOINER}")


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """Return a name that fits into any message, is visible, and cannot change the direction of the words around it."""
    tidy = " ".join("".join(c for c in name if c not in _TURNING).split())
    if is_blank(tidy):
        return "?"
    front = _NUMBER.sub("", tidy)
    number = tidy[len(front) :]
    short = cut(front, LONGEST_SHOWN_NAME - len(number)) + number
    if any(unicodedata.bidirectional(c) in {"R", "AL"} for c in short):
        return f"\N{FIRST STRONG ISOLATE}{short}\N{POP DIRECTIONAL ISOLATE}"  # else "Dana 3 × ⚃" reads as "⚃ × 3 Dana"
    return short


def cut(text: str, longest: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= longest else f"{whole_signs(text, longest - 1)}…"


def name_of(seat: SeatView) -> str:
    """Return a seat's name, safe in HTML."""
    return escape(plain_name(seat.name))


def faced(seat: SeatView, name: str) -> str:
    """Return a seat's name in a list, after its face."""
    return name if seat.face is None else f"{seat.face.sign} {name}"


def table_name(title: str, w: Catalogue) -> str:
    """Return the title of a table's chat; a private chat has none, and its table is for practice."""
    return title or w.say("Practice")


def titled(title: str, rest: str = "") -> str:
    """Return the first line of a private message about a table: the table's chat."""
    shown = escape(plain_name(title)) if title else "Perudo"
    return f"🎲 <b>{shown}</b>{rest}"


def folded(title: str, *lines: str) -> str:
    """Return a folded quotation: the reader sees its title, and unfolds the rest."""
    return "<blockquote expandable>" + "\n".join([title, *lines]) + "</blockquote>"


def verify_command(file: str) -> str:
    """Return the command that checks a file of dice, in a chat."""
    return f"<code>python -m perudo_core verify {escape(file)}</code>"


def seat_mark(seat: SeatView) -> str:
    """Mark a player who plays by text message, and a guest, who came by a link."""
    return " 📱" if seat.by_text else " (web)" if seat.guest else ""


def percentage(part: int, total: int, w: Catalogue) -> str:
    """Return a part of a number as the reader's language writes it: "57%", "57 %"."""
    return str(format_percent(round(part / total, 2), locale=w.language.replace("-", "_")))


def duration(seconds: int, w: Catalogue) -> str:
    """Return a length of time in its largest whole unit."""
    if seconds % HOUR == 0 and seconds:
        return w.count("{n} hour", "{n} hours", seconds // HOUR)
    if seconds % MINUTE == 0 and seconds:
        return w.count("{n} minute", "{n} minutes", seconds // MINUTE)
    return w.count("{n} second", "{n} seconds", seconds)


def moment(at: float, w: Catalogue) -> str:
    """Return a point in time: Telegram clients show the remaining time, other clients the hour."""
    hour = datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S")
    shown = w.say("at {time} UTC", time=hour)
    return f'<tg-time unix="{int(at)}" format="r">{shown}</tg-time>'


def time_left(ends: float, w: Catalogue) -> str:
    """When the player's time is up."""
    return w.say("Time is up {moment}", moment=moment(ends, w))


def clock_label(clock: TurnClock, w: Catalogue) -> str:
    """Return the turn clock for a button or a line: `2 minutes` or `no clock`."""
    if not clock.seconds:
        return w.say("no time limit")
    if clock.quiet is None:
        return duration(clock.seconds, w)
    hours = f"{_hour(clock.quiet.start)}-{_hour(clock.quiet.end)} {clock.quiet.zone}"
    return w.say("{clock}, nights off ({hours})", clock=duration(clock.seconds, w), hours=hours)


def _hour(minutes: int) -> str:
    """Return a time of day as people write quiet hours: `22`, or `22:30`."""
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}" if minute else str(hour)


def clock_line(clock: TurnClock, w: Catalogue) -> str:
    """Return the turn clock, and what happens when it runs out."""
    label = clock_label(clock, w)
    return f"{label}, {on_timeout_label(clock.on_timeout, w)}" if clock.seconds else label


def on_timeout_button(choice: OnTimeout, w: Catalogue) -> str:
    """Return the consequence of an expired turn clock, for a button."""
    return {
        OnTimeout.AUTO: w.context_say("time is up", "I play for you"),
        OnTimeout.LOSE_DIE: w.context_say("time is up", "You lose the round"),
        OnTimeout.DROP_OUT: w.context_say("time is up", "Out after misses"),
    }[choice]


def on_timeout_label(choice: OnTimeout, w: Catalogue) -> str:
    """Return the consequence of an expired turn clock, in a few words."""
    return {
        OnTimeout.AUTO: w.say("then I play for you"),
        OnTimeout.LOSE_DIE: w.say("then you lose the round and I play on"),
        OnTimeout.DROP_OUT: w.say("out after several missed turns"),
    }[choice]


def level_label(level: Level, w: Catalogue) -> str:
    """Return a level, as on a button."""
    return {
        Level.NOVICE: w.context_say("level", "novice"),
        Level.REGULAR: w.context_say("level", "regular"),
        Level.STRONG: w.context_say("level", "strong"),
        Level.EXPERT: w.context_say("level", "expert"),
    }[level]


def character_label(character: Character, w: Catalogue) -> str:
    """Return a character, as on a button."""
    return {
        Character.PLAIN: w.context_say("character", "calm"),
        Character.CAUTIOUS: w.context_say("character", "cautious"),
        Character.BOLD: w.context_say("character", "bold"),
        Character.HONEST: w.context_say("character", "honest"),
        Character.TRICKSTER: w.context_say("character", "trickster"),
        Character.MIRROR: w.context_say("character", "mirror"),
    }[character]


def computer_label(computer: ComputerPlayer, w: Catalogue) -> str:
    """Return how a computer player plays: `regular, bold`; the name of an engine."""
    if computer.engine:
        return computer.engine
    return f"{level_label(computer.level, w)}, {character_label(computer.character, w)}"
