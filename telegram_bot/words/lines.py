"""A notice's words as ranked lines, written once; each channel derives its message from them.

A chat shows every line. A text message takes those for which one segment has room, the most important first. The voice
reads what can be said.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from html import escape, unescape
from typing import Final, NamedTuple

from perudo_core import Bid, parse_call
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, dice, face_words
from telegram_bot.words.phrases import cut, plain_name
from telegram_bot.words.sms import gsm
from telegram_bot.words.sms.layout import NAME_LENGTHS, normalize, shorten_name, shorten_names


class Line(NamedTuple):
    """A line of a message."""

    text: str
    """It may contain tags of Telegram's HTML."""
    rank: int | None = 0
    """Text messages have rank 0, and each higher one for which there is room, the lowest first. A line without a rank
    is for chats only."""
    sign: str = ""
    """The picture in front of it, in chats."""
    seat: int | None = None
    """The seat that it is about, whose face pages show in front of it."""
    short: "Line | None" = None
    """The line that takes its place in a text message without room for it."""

    def forms(self) -> "Iterator[Line]":
        """Yield it, and the lines that may take its place, the longest first."""
        line: Line | None = self
        while line is not None:
            yield line
            line = line.short


BLANK: Final = Line("", rank=None)


class Medium(Enum):
    """The medium in which lines are read or heard."""

    CHAT = auto()
    """A message in Telegram's HTML."""
    ALERT = auto()
    """Plain text over a chat."""
    TEXT = auto()
    """A text message."""
    SPEECH = auto()


@dataclass(frozen=True, slots=True)
class Format:
    """How names, bids and dice are written within a sentence."""

    w: Catalogue
    medium: Medium
    letters: int = 0
    """The maximum length of a name, in a text message or in a caption that would be too long; 0 is none in chats."""
    code: str = ""
    """In a text message with a question: the code that the answer must contain."""

    def name(self, name: str, number: int | None = None) -> str:
        """Return a player's or a chat's name; `number`: of the player's seat, for a name that cannot be said."""
        match self.medium:
            case Medium.CHAT:
                return escape(plain_name(cut(name, self.letters) if self.letters else name), quote=False)
            case Medium.ALERT:
                return plain_name(name)
            case Medium.TEXT:
                return shorten_name(name, self.letters) or "Perudo"
            case Medium.SPEECH:
                said = sayable(plain_name(name))
                silent = number is not None and not any(map(str.isalnum, said))
                return self.w.say("player {number}", number=str(number)) if silent else escape(said, quote=False)

    def foreign(self, words: str) -> str:
        """Return words that the bot did not write and that are no name, such as the title of house rules."""
        return escape(words, quote=False) if self.medium in (Medium.CHAT, Medium.SPEECH) else words

    def names(self, names: Sequence[str]) -> list[str]:
        """Return the names of all players at a table, which remain distinct when they are shortened."""
        if self.medium is Medium.TEXT:
            return shorten_names(names, self.letters)
        return [self.name(name, number) for number, name in enumerate(names, start=1)]

    def strong(self, text: str) -> str:
        """Return the part that the reader must see first."""
        return f"<b>{text}</b>" if self.medium is Medium.CHAT else text

    def bid(self, quantity: int, face: int, wild_by: str | None = None) -> str:
        """Return a bid; `wild_by` as for `words.dice.die`."""
        match self.medium:
            case Medium.TEXT:
                return f"{quantity}x{face}"
            case Medium.SPEECH:
                return face_words(quantity, face, self.w).spoken
            case _:
                return bid_figure(quantity, face, self.w, wild_by)

    def dice(self, faces: Iterable[int], wild_by: str | None = None) -> str:
        """Return a hand, in order."""
        faces = sorted(faces)
        return " ".join(map(str, faces)) if self.medium is Medium.TEXT else dice(faces, self.w, wild_by)

    def call(self, call: str, wild_by: str | None = None) -> str:
        """Return a call in the notation of `perudo_core`, or `silence`: no call out of turn."""
        match call:
            case "dudo":
                return self.strong(self.w.context_say("call", "dudo"))
            case "calza":
                return self.strong(self.w.context_say("call", "calza"))
            case "silence":
                return self.w.say("saying nothing")
            case _:
                said = parse_call(call, 0)
                return self.strong(self.bid(said.quantity, said.face, wild_by) if isinstance(said, Bid) else call)


_TAG: Final = re.compile(r"<[^>]*>")
_TITLE: Final = re.compile(r"<b>[^<]*</b>")
_END: Final = (".", "!", "?", ":", "…")
_SILENT: Final = frozenset({"So", "Sk", "Cc", "Cf", "Cs", "Co", "Cn", "Me"})
"""Unicode's categories of characters without a sound: pictures, marks around letters, controls."""
_COMMAND: Final = re.compile(r"(?<!\S)/(?!link\b)(hide off|[a-z]+)\b")
"""A command of chats. People send `/link` only in Telegram."""
_TEXTED_COMMANDS: Final = {"perudo": "NEW"}
"""Commands that have another name in text messages."""
_SENTENCE_WITH_A_COMMAND: Final = re.compile(r"(?:[^.!?:\s][^.!?:]*\s)?(?<!\S)/[a-z][^.!?]*[.!?]?\s*")


def html(lines: Iterable[Line]) -> str:
    """Return the message of a chat."""
    return "\n".join(f"{line.sign} {line.text}".strip() for line in lines)


def plain(lines: Iterable[Line]) -> str:
    """Return an alert over a chat."""
    return " ".join(line.text for line in lines)


def one_message(lines_of: Callable[[int], Sequence[Line]], head: str = "") -> str | None:
    """Return what one text message has room for after `head`, or None without a line for texts.

    `lines_of` writes the lines with names of at most so many letters. Names are shortened for a rank, but not after a
    line is left out for which none stands.
    """
    written, names = cache(lines_of), NAME_LENGTHS
    ranks = {form.rank for line in written(names[0]) for form in line.forms() if form.rank is not None}
    if not ranks:
        return None
    taken, text = {0}, ""
    for rank in sorted({0, *ranks}):
        fitting = (
            (said, names[at:])
            for at, letters in enumerate(names)
            if gsm.septets(said := _texted(written(letters), taken | {rank}, head)) <= gsm.SINGLE
        )
        if (found := next(fitting, None)) is not None:
            text, names = found
            taken.add(rank)
        elif rank == 0:
            text = gsm.cut(_texted(written(names[-1]), taken, head), gsm.SINGLE)
        elif any(line.rank == rank and line.short is None for line in written(names[0])):
            names = names[:1]
    return text


def _texted(lines: Sequence[Line], taken: Collection[int | None], head: str) -> str:
    """Return the lines of these ranks as sentences."""
    shown = (next((form.text for form in line.forms() if form.rank in taken), "") for line in lines)
    *before, last = filter(None, shown)
    return normalize(as_texted(" ".join([head, *map(_ended, before), _TAG.sub("", last)])))


def as_texted(sentence: str) -> str:
    """Return a sentence of chats with its commands in their text form: HIDE OFF for /hide off."""
    return _COMMAND.sub(lambda found: _TEXTED_COMMANDS.get(found[1], found[1].upper()), sentence)


def spoken(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a chat that can be said, each with an end, so that the voice pauses there.

    Without commands.
    """
    for text in "\n".join(texts).split("\n"):
        said = sayable(without_commands(unescape(_TAG.sub("", text))))
        if said:
            yield said if said.endswith(_END) else f"{said}."


def without_commands(text: str) -> str:
    """Return a text without the sentences that name a command of chats."""
    return _SENTENCE_WITH_A_COMMAND.sub("", text).strip()


def sayable(text: str) -> str:
    """Return a text without characters that have no sound."""
    heard = "".join(
        " " if unicodedata.category(sign) in _SILENT or sign in "\N{VARIATION SELECTOR-16}·" else sign for sign in text
    )
    return " ".join(heard.split()).strip(" ,:;")


def _ended(text: str) -> str:
    """Return the words of a line as a sentence, or as a title."""
    words = _TAG.sub("", text)
    return words if words.endswith(_END) else words + (":" if _TITLE.fullmatch(text) else ".")
