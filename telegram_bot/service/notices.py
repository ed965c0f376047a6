"""Notices: what people are told. The outbox stores them; they become sentences when they are sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from perudo_core import Reason
from telegram_bot.service.message_refs import MessageRef, ReplyHandle
from telegram_bot.service.notice_kinds import Confirmation, PhoneMessage, SendMode
from telegram_bot.service.stored_envelopes import upgrade_envelope
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.events import CloseReason, RejectionReason
from telegram_bot.tables.model import FrozenModel, TableRules, TurnClock
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.views import BidView, HandView, LobbyView, TableView


class LobbyNotice(FrozenModel):
    """The lobby's message."""

    kind: Literal["lobby"] = "lobby"
    view: LobbyView
    page: str | None = None
    """The page of choices that its message shows, in the channel's own word; None: the first."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers to which a text with the table's code brings a seat."""


class StartedNotice(FrozenModel):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView


class ClosedNotice(FrozenModel):
    """The message of a table that was closed without a winner."""

    kind: Literal["closed"] = "closed"
    why: CloseReason
    names: tuple[str, ...] = ()


class TableNotice(FrozenModel):
    """The message of the running round.

    `shared`: the player on turn is not asked in private, so the table's message asks them.
    `unreachable`: some player has no private way at all, and needs to be told how to open one.
    """

    kind: Literal["table"] = "table"
    view: TableView
    shared: bool
    unreachable: bool
    previous: RevealView | None = None
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    may_calza: bool = False
    """Whether that reader may say calza."""


class RevealNotice(FrozenModel):
    """The message of a round once it is over."""

    kind: Literal["reveal"] = "reveal"
    view: RevealView
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader, who plays on."""


class GameOverNotice(FrozenModel):
    """The winner, the places, and a way to play again."""

    kind: Literal["game_over"] = "game_over"
    view: GameOverView
    previous: RevealView | None = None
    """How the last round ended, for readers who have not been told."""


class HandNotice(FrozenModel):
    """One player's dice, and what they can bid when it is their turn."""

    kind: Literal["hand"] = "hand"
    view: HandView
    player: int
    title: str
    deal: int
    previous: RevealView | None = None
    unheard: bool = False
    """Whether the notice answers words that were not understood."""


class BidsNotice(FrozenModel):
    """The bids on a face, or the most likely ones, in a message that shows others."""

    kind: Literal["keyboard"] = "keyboard"
    view: TableView
    seat: int
    face: int | None
    private: bool
    """Whether only the player sees the message."""


class ReminderNotice(FrozenModel):
    """The player on turn has little time left."""

    kind: Literal["reminder"] = "reminder"
    name: str
    address: int
    clock_ends: float
    direct: bool


class AwayNotice(FrozenModel):
    """Told in private: the bot plays for the player until they return."""

    kind: Literal["away"] = "away"
    table: int
    title: str


class PausedNotice(FrozenModel):
    """Everybody is away; the game waits."""

    kind: Literal["paused"] = "paused"
    table: int


class ResumedNotice(FrozenModel):
    """The bot can write here again."""

    kind: Literal["resumed"] = "resumed"


class HostNotice(FrozenModel):
    """Somebody else is now the host of the running game."""

    kind: Literal["host"] = "host"
    name: str


class RulesNotice(FrozenModel):
    """A table's rules in words."""

    kind: Literal["rules"] = "rules"
    rules: TableRules


class HelpNotice(FrozenModel):
    """How to play, and the commands."""

    kind: Literal["help"] = "help"
    private: bool


class WelcomeNotice(FrozenModel):
    """The greeting in a private chat; `titles` are the person's live tables."""

    kind: Literal["welcome"] = "welcome"
    name: str
    titles: tuple[str, ...] = ()


class SettingsNotice(FrozenModel):
    """The stored choices of a person and, in a group, of the group."""

    kind: Literal["settings"] = "settings"
    view: PrivateView
    private: bool
    rules: TableRules
    clock: TurnClock
    texting: bool = False
    """Whether the installation can link phones."""
    phone: bool = False
    """Whether a phone is linked to the person."""
    speaks: str = "en"
    """The language of these messages to the person, or to the group."""
    chosen: bool = False
    """Whether somebody chose that language."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS


class TableChoice(FrozenModel):
    """One of several tables that a word may concern."""

    table: int
    step: int
    title: str
    code: str = ""


class WhichTableNotice(FrozenModel):
    """Asks which of several tables a typed word concerns; `word` is its canonical form."""

    kind: Literal["which_table"] = "which_table"
    choices: tuple[TableChoice, ...]
    word: str


class ConfirmLeaveNotice(FrozenModel):
    """Asks the player to confirm that they leave a running game and lose their dice."""

    kind: Literal["confirm_leave"] = "confirm_leave"
    table: int
    title: str
    player: int
    name: str


class ConfirmationNotice(FrozenModel):
    """What was done."""

    kind: Literal["done"] = "done"
    done: Confirmation
    bid: BidView | None = None
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment; None: they are not, or no bid is told."""
    title: str = ""
    reachable: bool = True
    view: PrivateView | None = None
    speaks: str = "en"
    """The language that was chosen."""


class RejectionNotice(FrozenModel):
    """Why an intent was rejected, and the smallest thing that would work."""

    kind: Literal["denied"] = "denied"
    denial: RejectionReason
    reason: Reason | None = None
    smallest: tuple[int, int] | None = None
    standing: tuple[int, int] | None = None
    on_turn: str | None = None
    number: int | None = None
    suggestion: str | None = None
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment; None: they are not, or no bid is told."""


class DiceNotice(FrozenModel):
    """The dice of one player, short enough for an alert."""

    kind: Literal["dice"] = "dice"
    view: HandView


class IdentifyAdminNotice(FrozenModel):
    """Asks an admin who writes as the group to tap, so that the bot knows who it is."""

    kind: Literal["unmask"] = "unmask"
    table: int | None


class LinkCodeNotice(FrozenModel):
    """What to text to which numbers, so that a phone plays for the person."""

    kind: Literal["link_code"] = "link_code"
    code: str
    numbers: tuple[str, ...]


class RecordNotice(FrozenModel):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"
    document: str
    name: str


class PhoneNotice(FrozenModel):
    """A message about the phone itself. `detail` is its subject, such as a command."""

    kind: Literal["phone"] = "phone"
    word: PhoneMessage
    detail: str = ""


class OutdatedNotice(FrozenModel):
    """The message is out of date: nothing can be chosen there any more."""

    kind: Literal["strip"] = "strip"


Notice: TypeAlias = Annotated[
    LobbyNotice
    | StartedNotice
    | ClosedNotice
    | TableNotice
    | RevealNotice
    | GameOverNotice
    | HandNotice
    | BidsNotice
    | ReminderNotice
    | AwayNotice
    | PausedNotice
    | HostNotice
    | ResumedNotice
    | RulesNotice
    | HelpNotice
    | WelcomeNotice
    | SettingsNotice
    | WhichTableNotice
    | ConfirmLeaveNotice
    | ConfirmationNotice
    | RejectionNotice
    | DiceNotice
    | IdentifyAdminNotice
    | LinkCodeNotice
    | RecordNotice
    | PhoneNotice
    | OutdatedNotice,
    Field(discriminator="kind"),
]

Toast: TypeAlias = ConfirmationNotice | RejectionNotice | DiceNotice
"""Notices short enough to answer a tap with."""


class Envelope(FrozenModel):
    """A notice with its address. `receiver`: the one person who sees it (an ephemeral message in the chat)."""

    channel: str
    chat: int
    topic: int = 0
    receiver: int | None = None
    reply_handle: ReplyHandle | None = None
    """That of the tap which this answers."""
    target: MessageRef | None = None
    """The message to edit, for `SendMode.TARGET`."""
    language: str | None = None
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    silent: bool = False
    mode: SendMode = SendMode.SEND
    expires: float | None = None
    """When the message becomes useless, for channels that store undelivered messages; set when it is sent."""
    round: int | None = None
    """The round that the reader was in. Text messages overtake each other, so each one tells its round."""
    notice: Notice

    @model_validator(mode="before")
    @classmethod
    def _read_older(cls, stored: Any) -> Any:
        return upgrade_envelope(stored) if isinstance(stored, dict) else stored

    @property
    def lane(self) -> str:
        """The queue it waits in: one per chat."""
        return f"{self.channel}:{self.chat}"
