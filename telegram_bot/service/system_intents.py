"""System intents: deadlines, outages, and answers of a channel to a sent message.

No person asks for these, and nothing delivers them a second time, so they have no cause of their own in the inbox: each
handler looks under lock whether there is still something to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from perudo_core import Call
from telegram_bot.service.notices import Envelope
from telegram_bot.tables.advice import JudgedDecision

DEADLINE: Final = "deadline"
OUTAGE: Final = "outage"
DELIVERY: Final = "delivery"
VOICE: Final = "voice"
COMPUTER: Final = "computer"
COACH: Final = "coach"


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
class TurnDeliveredLate:
    """The message about a turn (the table's step) goes out only at this time, or will."""

    cause: ClassVar[str] = DELIVERY
    table: int
    turn: int
    at: float


@dataclass(frozen=True, slots=True)
class TurnDeliveryUnknown:
    """Whether the message about a turn (the table's step) arrived is not known."""

    cause: ClassVar[str] = DELIVERY
    table: int
    turn: int


@dataclass(frozen=True, slots=True)
class RevealSettled:
    """A reveal in a table's chat was sent, or never will be. `notice`: its number in the outbox."""

    cause: ClassVar[str] = DELIVERY
    notice: int


@dataclass(frozen=True, slots=True)
class LanePaused:
    """Nothing is sent in a lane before some time."""

    cause: ClassVar[str] = DELIVERY
    lane: str
    until: float


@dataclass(frozen=True, slots=True)
class PrivateRouteFailed:
    """A private message about a table was refused.

    `everybody`: no ephemeral message works in that chat; `once`: only this one came too late.
    """

    cause: ClassVar[str] = DELIVERY
    envelope: Envelope
    table: int | None
    everybody: bool = False
    once: bool = False


@dataclass(frozen=True, slots=True)
class PrivateRouteWorks:
    """A direct message got through."""

    cause: ClassVar[str] = DELIVERY
    channel: str
    address: int


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
    """A voice note of the player on turn is listened to: their clock waits."""

    cause: ClassVar[str] = VOICE
    table: int
    step: int
    seat: int


@dataclass(frozen=True, slots=True)
class ThoughtPlayed:
    """A computer player has decided on a call at a step of a table.

    None: on its turn it has failed to; out of turn it lets the turn pass.
    """

    cause: ClassVar[str] = COMPUTER
    table: int
    step: int
    seat: int
    call: Call | None


@dataclass(frozen=True, slots=True)
class RoundReviewed:
    """The coach has judged what people decided in a round of a table; none of them: it could not."""

    cause: ClassVar[str] = COACH
    table: int
    round: int
    wild_by: str | None
    """The rulebook by which ones were wild in the round; None: they were not."""
    judged: tuple[JudgedDecision, ...]


SystemIntent: TypeAlias = (
    DeadlineReached
    | OutageEnded
    | TurnDeliveredLate
    | TurnDeliveryUnknown
    | RevealSettled
    | LanePaused
    | PrivateRouteFailed
    | PrivateRouteWorks
    | ChatLost
    | ChatWritable
    | ChatAddressChanged
    | NoteBeingHeard
    | ThoughtPlayed
    | RoundReviewed
)
