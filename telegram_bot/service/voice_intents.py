"""Intents that begin with a voice note: what was heard in it, and what the player answers to that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from telegram_bot.tables.model import FrozenModel

SpokenWord: TypeAlias = str
"""A call as `perudo_core` writes it, `5x4` or `dudo`, or one of the requests below."""
DICE: Final = "dice"
STATUS: Final = "status"
REPEAT: Final = "repeat"
CONFIRM: Final = "confirm"
"""The call that was heard last is right."""
REQUESTS: Final = (DICE, STATUS, REPEAT)
"""What can be said beside the calls: show my dice; show how the table stands; say it again."""


class NoteOutcome(StrEnum):
    """What came of listening to a voice note."""

    HEARD = "heard"
    UNHEARD = "unheard"
    """There is sound, but nothing that the player could have said."""
    NOBODY = "nobody"
    """The person plays no running game here, so nobody listened."""
    TOO_LONG = "too_long"
    """It takes too many seconds or bytes, so nobody listened."""
    TOO_MANY = "too_many"
    IGNORED = "ignored"
    """One more after `TOO_MANY`."""
    WITHOUT_SOUND = "without_sound"
    """The file is damaged, or no voice note."""
    NOT_HEARD_HERE = "not_heard_here"
    """This installation hears no voice notes, or not in this language."""
    TROUBLE = "trouble"
    """Too many people speak at once, it took too long, or something failed."""


class HeardNote(FrozenModel):
    """What was heard in a voice note: a fact that is stored with the update. The sound is not."""

    outcome: NoteOutcome
    table: int | None = None
    step: int | None = None
    """The step of the game whose legal calls were listened for."""
    sure: bool = False
    guesses: tuple[SpokenWord, ...] = ()
    """Best first."""


@dataclass(frozen=True, slots=True)
class VoiceNote:
    """A voice note, which may be a call or a request; a channel listens to it before the step."""

    file: str
    """What lets the channel download it."""
    seconds: float
    size: int
    """In bytes, as far as is known before it is downloaded."""
    overheard: bool = False
    """Whether nothing shows that it is meant for the bot: it counts only for the player on turn."""
    heard: HeardNote | None = None


@dataclass(frozen=True, slots=True)
class SayCalls:
    """One of these calls was said, the likeliest first; `sure`: it is the first one."""

    guesses: tuple[SpokenWord, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """The player tells which of the calls that may have been heard they said; None: none of them."""

    asked: int
    """The player (by the players' own id) whom the button was made for."""
    call: SpokenWord | None
    rank: int = 0
    """Where the call stood among the guesses, from 1 on."""


@dataclass(frozen=True, slots=True)
class ConfirmCall:
    """The player says that the call is right which the bot has heard before, and has read aloud to them."""


@dataclass(frozen=True, slots=True)
class FailedNote:
    """A voice note was sent in which no call was heard; the player is told why."""

    why: NoteOutcome


@dataclass(frozen=True, slots=True)
class OtherRecording:
    """A round video or a music file was sent, which nobody listens to."""


@dataclass(frozen=True, slots=True)
class ChooseTrustVoice:
    """Play a bid by voice note without a tap in the place, if the recogniser is sure of it."""

    on: bool
