"""Intents: requests to the service, with person and place.

They are a person's requests, a messenger's reports about a chat, and the bot's own (`SystemIntent`): deadlines,
outages, and a channel's results of sends.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias

from perudo_core import Call
from telegram_bot.intents.envelope import Envelope, MessageRef, ReplyHandle
from telegram_bot.intents.request import Request
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.model import COMPUTER_MARK, FrozenModel
from telegram_bot.words.phrases import whole_signs

LONGEST_NAME: Final = 128
"""The limit of Telegram's first name and last name: 64 characters each."""
LONGEST_TITLE: Final = 255
LONGEST_WORD: Final = 64
MOST_MARKS: Final = 4
"""The most combining marks on one letter. Tibetan has three, and a Vietnamese vowel two."""
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, characters that change the direction of text, and lone surrogates."""


def normalize_name(text: str, longest: int) -> str:
    """Return a messenger's name on one line, shortened, without characters that cannot be stored."""
    plain = _with_few_marks(_UNSEEN.sub(" ", text[: 4 * longest]))
    return whole_signs(" ".join(plain.split()), longest).rstrip()


def _with_few_marks(text: str) -> str:
    """Return the text without further marks on a letter that has `MOST_MARKS`: they would cover the lines around it."""
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if not char.isascii() and unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def person_name(text: str, longest: int) -> str:
    """Return a person's name, normalized, without the sign of computer players."""
    return normalize_name(text.replace(COMPUTER_MARK.strip(), " "), longest)


@dataclass(frozen=True, slots=True)
class Person:
    """The person who speaks, by their address on a channel."""

    channel: str
    address: int
    name: str
    username: str | None = None
    language: str | None = None
    language_is_guess: bool = False
    """Whether the language is only a guess: no act or word of the person shows it."""
    name_is_guess: bool = False
    """Whether the name is a placeholder, because the messenger gives none: a known name remains."""

    def __post_init__(self) -> None:
        """Normalize the name, which is untrusted."""
        object.__setattr__(self, "name", person_name(self.name, LONGEST_NAME) or str(self.address))
        for word in ("username", "language"):
            if (value := getattr(self, word)) is not None:
                object.__setattr__(self, word, normalize_name(value, LONGEST_WORD) or None)


@dataclass(frozen=True, slots=True)
class Place:
    """The place where a person spoke: a group chat, or one topic of it (0: no topic)."""

    channel: str
    address: int
    topic: int = 0
    title: str = ""
    topic_known: bool = True
    """False: the messenger's message names no topic."""

    def __post_init__(self) -> None:
        """Normalize the title, which is untrusted."""
        object.__setattr__(self, "title", normalize_name(self.title, LONGEST_TITLE))


@dataclass(frozen=True, slots=True)
class PrivateChatBlocked:
    """The person blocked the bot: direct messages are refused from now on."""


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """The person left the group or was removed from it."""


@dataclass(frozen=True, slots=True)
class MembersJoined:
    """People, by their addresses on the channel, joined the group."""

    addresses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BotMembershipChanged:
    """The bot's own membership or rights in a chat changed."""

    present: bool
    ephemeral_allowed: bool
    arrived: bool = False
    can_write: bool = True


@dataclass(frozen=True, slots=True)
class TopicReopened:
    """A closed topic was opened again; the bot may have been unable to write there."""


@dataclass(frozen=True, slots=True)
class ChatMoved:
    """The group became a supergroup with another address."""

    address: int


@dataclass(frozen=True, slots=True)
class ForAdmins(Request):
    """A request that admins of the group may make too; `is_admin`: whether the asker is one, or None if unknown."""

    is_admin: bool | None = field(default=False, kw_only=True)

    def group_in(self, where: Place | None) -> int | None:
        """Return the address of the group whose admins may make it, or None without one; `where`: where it is made."""
        return None if where is None else where.address


SpokenWord: TypeAlias = str
"""A call as `perudo_core` writes it, `5x4` or `dudo`, or one of the requests below."""
DICE: Final = "dice"
STATUS: Final = "status"
REPEAT: Final = "repeat"
CONFIRM: Final = "confirm"
"""The last recognised call is right."""
SPOKEN_REQUESTS: Final = (DICE, STATUS, REPEAT)
"""Spoken requests: the dice, the state of the table, a repetition."""


class NoteOutcome(StrEnum):
    """The result of recognising a voice note."""

    HEARD = "heard"
    UNHEARD = "unheard"
    """There is sound, but no word for the player."""
    NOBODY = "nobody"
    """The person has no running game here, so the note was not recognised."""
    TOO_LONG = "too_long"
    """It has too many seconds or bytes, so it was not recognised."""
    TOO_MANY = "too_many"
    IGNORED = "ignored"
    """A further note after `TOO_MANY`."""
    WITHOUT_SOUND = "without_sound"
    """The file is damaged, or no voice note."""
    NOT_HEARD_HERE = "not_heard_here"
    """This installation recognises no voice notes, or not in this language."""
    TROUBLE = "trouble"
    """Too many notes at once, a time-out, or an error."""


class HeardNote(FrozenModel):
    """The result of recognising a voice note, which is stored with the update. The sound is not."""

    outcome: NoteOutcome
    table: int | None = None
    step: int | None = None
    """The step of the game whose legal calls were considered."""
    sure: bool = False
    guesses: tuple[SpokenWord, ...] = ()
    """Best first."""


@dataclass(frozen=True, slots=True)
class VoiceNote:
    """A voice note, which may be a call or a request; an enricher recognises it before the step."""

    file: str
    """The reference by which the channel downloads it."""
    seconds: float
    size: int
    """In bytes, if known before the download."""
    overheard: bool = False
    """Whether it may not be meant for the bot: it counts only for the player whose turn it is."""
    message: int = 0
    """Its number in the chat, or 0 if that is unknown."""
    heard: HeardNote | None = None


ChatUpdate: TypeAlias = (
    PrivateChatBlocked | MemberLeft | MembersJoined | BotMembershipChanged | TopicReopened | ChatMoved
)
"""Reports of a messenger: no reply, no player row."""


@dataclass(frozen=True, slots=True)
class TypedText:
    """Words that may be a call or a request: the service parses them when the player and the table are known."""

    text: str
    suggestion: str | None = None
    """The text to send instead if the words mean nothing in the game."""
    may_be_talk: bool = False
    """Whether the players may be talking to each other: words without a meaning then get no answer."""
    overheard: bool = False
    """Whether the words may not be meant for the bot: they count only as a bid of the player whose turn it is."""
    table_code: str = ""
    """The code of one of the person's tables for which the words are, if they name it."""


class ParseText(Protocol):
    """A parser of typed words."""

    def __call__(
        self,
        text: str,
        language: str | None,
        table: str | None = None,
        total_dice: int | None = None,
        standing: tuple[int, int] | None = None,
        *,
        private: bool = False,
    ) -> Request | None:
        """Return the request of a player of this language, or None for talk: see `parsing.grammar.parse`."""


AnyRequest: TypeAlias = Request | ChatUpdate | TypedText | VoiceNote


@dataclass(frozen=True, slots=True)
class Intent:
    """One request, with its cause: (source, cause) is unique, so that a repeated delivery has no effect.

    Buttons name the `table`; for typed words the place or the person determines it. `step` is the step of the game for
    which a button was made. `said_at` is when a typed word was sent, by the bot's clock, in seconds since the epoch.
    """

    source: str
    cause: str
    who: Person
    request: AnyRequest
    where: Place | None = None
    table: int | None = None
    step: int | None = None
    said_at: float | None = None
    round: int | None = None
    """The round that the typed words name."""
    answered_by: Literal["toast", "message", "nothing"] = "message"
    """How the person gets the result: a toast for a tap, a message for words."""
    reads: str = ""
    """The code of the table that the person may read on a page, if the channel has checked that."""
    replied_to: MessageRef | None = None
    """The bot's message that a typed word replies to: it names the table."""
    tapped: MessageRef | None = None
    """The bot's message whose button was tapped."""
    reply_handle: ReplyHandle | None = None
    """The channel's reference for answering the tap with a message."""
    sender_proof: bool = True
    """Whether the channel knows the sender; if not, a request that takes or links a seat is confirmed first."""
    may_come_again: bool = False
    """Whether the words may be a second delivery of earlier ones, because they have no time of sending."""


DEADLINE: Final = "deadline"
OUTAGE: Final = "outage"
DELIVERY: Final = "delivery"
VOICE: Final = "voice"
COMPUTER: Final = "computer"
COMPUTATION: Final = "computation"
PAGE: Final = "page"


@dataclass(frozen=True, slots=True)
class DeadlineReached:
    """A deadline of a table has passed: of a turn, a reminder, or an unused lobby."""

    cause: ClassVar[str] = DEADLINE
    table: int


@dataclass(frozen=True, slots=True)
class OutageEnded:
    """An outage is over: the turn clocks of the next few tables restart."""

    cause: ClassVar[str] = OUTAGE


@dataclass(frozen=True, slots=True)
class TurnDeliveryUnknown:
    """It is unknown whether the message about a turn (the table's step) arrived."""

    cause: ClassVar[str] = DELIVERY
    table: int
    turn: int


@dataclass(frozen=True, slots=True)
class RevealSettled:
    """A call or the dice of a round in a table's chat were sent, or never will be.

    `deal`: the round whose dice were sent just now, or None.
    """

    cause: ClassVar[str] = DELIVERY
    table: int
    lane: LaneName
    deal: int | None = None


@dataclass(frozen=True, slots=True)
class PrivateRouteFailed:
    """A private message about a table was refused.

    `everyone`: no ephemeral message works in that chat; `once`: only this one was too late.
    """

    cause: ClassVar[str] = DELIVERY
    envelope: Envelope
    table: int | None
    everybody: bool = False
    once: bool = False


@dataclass(frozen=True, slots=True)
class PrivateRoutesWork:
    """Direct messages to these people got through."""

    cause: ClassVar[str] = DELIVERY
    channel: str
    addresses: frozenset[int]


@dataclass(frozen=True, slots=True)
class ChatLost:
    """The bot cannot write to a chat, or to one topic of it."""

    cause: ClassVar[str] = DELIVERY
    channel: str
    address: int
    topic: int | None = None


@dataclass(frozen=True, slots=True)
class ChatWritable:
    """A message got through to a place where the bot could not write."""

    cause: ClassVar[str] = DELIVERY
    channel: str
    address: int
    topic: int


@dataclass(frozen=True, slots=True)
class ChatAddressChanged:
    """A channel answered that a group has another address now."""

    cause: ClassVar[str] = DELIVERY
    channel: str
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class NoteBeingHeard:
    """A voice note of the player to call is being recognised: their clock waits."""

    cause: ClassVar[str] = VOICE
    table: int
    step: int
    seat: int


@dataclass(frozen=True, slots=True)
class CallComputed:
    """A computer player's call at a step of a table.

    The call is None if none was found on its turn, or if it does not call out of turn.
    """

    table: int
    step: int
    seat: int
    call: Call | None

    @property
    def cause(self) -> str:
        """The stored cause of the step: only decided calls follow from the seal of the dice."""
        return DEADLINE if self.call is None else COMPUTER


@dataclass(frozen=True, slots=True)
class ComputationDone:
    """A computation of a feature has ended."""

    cause: ClassVar[str] = COMPUTATION
    hand_in: Callable[[Any], bool]
    """Uses the result, with a unit of work; False: it is not needed any more."""


@dataclass(frozen=True, slots=True)
class PageChanged:
    """A page of a player of another channel shows the room of a chat, or of none if the page was closed."""

    cause: ClassVar[str] = PAGE
    page: int
    chat: int | None


SystemIntent: TypeAlias = (
    DeadlineReached
    | OutageEnded
    | TurnDeliveryUnknown
    | RevealSettled
    | PrivateRouteFailed
    | PrivateRoutesWork
    | ChatLost
    | ChatWritable
    | ChatAddressChanged
    | NoteBeingHeard
    | CallComputed
    | ComputationDone
    | PageChanged
)
