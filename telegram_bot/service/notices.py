"""Notices: what people are told. The outbox stores them; they become sentences when they are sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from perudo_core import Reason
from telegram_bot.service.coach_notices import CoachNotice, RoundReviewNotice
from telegram_bot.service.game_notices import (
    AwayNotice,
    BidsNotice,
    ClosedNotice,
    DiceNotice,
    GameOverNotice,
    HandNotice,
    HeardNotice,
    HostNotice,
    KnockedOutNotice,
    LobbyNotice,
    NextGameNotice,
    NextGameOfferNotice,
    PausedNotice,
    RecordNotice,
    ReminderNotice,
    ResumedNotice,
    RevealNotice,
    StartedNotice,
    StoryNotice,
    TableNotice,
)
from telegram_bot.service.message_refs import MessageRef, ReplyHandle
from telegram_bot.service.notice_kinds import Confirmation, PhoneMessage, SendMode
from telegram_bot.service.reveal_notices import CallNotice, ReactionNotice, RoundOverNotice
from telegram_bot.service.statistics_notices import ComputerRatingsNotice, LeagueNotice, StatisticsNotice
from telegram_bot.service.stored_envelopes import upgrade_envelope
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import FrozenModel, PredictionsFrom, TableRules, TurnClock
from telegram_bot.tables.views import BidView, PredictedCall


class RulesNotice(FrozenModel):
    """A table's rules in words."""

    kind: Literal["rules"] = "rules"
    rules: TableRules
    house_rules: tuple[HouseRules, ...] = ()


class HelpNotice(FrozenModel):
    """How to play, and the commands."""

    kind: Literal["help"] = "help"
    private: bool
    replies_only: bool = False
    """Whether the group's bot reads commands and replies to its own messages, and nothing else."""
    voice: bool = False
    """Whether voice notes are heard here."""


class WelcomeNotice(FrozenModel):
    """The greeting in a private chat; `titles` are the person's live tables."""

    kind: Literal["welcome"] = "welcome"
    name: str
    titles: tuple[str, ...] = ()


class TutorialNotice(FrozenModel):
    """One step of the tutorial; after the last one, its end."""

    kind: Literal["tutorial"] = "tutorial"
    rules: TableRules
    step: int = 0
    wrong: int | None = None
    """The answer that was given to this step and was not the right one, by its number."""


class PracticeNotice(FrozenModel):
    """Against how many computer players a person would like to practise."""

    kind: Literal["practice"] = "practice"
    most: int


class SettingsNotice(FrozenModel):
    """The stored choices of a person and, in a group, of the group."""

    kind: Literal["settings"] = "settings"
    view: PrivateView
    private: bool
    rules: TableRules
    clock: TurnClock
    house_rules: tuple[HouseRules, ...] = ()
    texting: bool = False
    """Whether the installation can link phones."""
    phone: bool = False
    """Whether a phone is linked to the person."""
    speaks: str = "en"
    """The language of these messages to the person, or to the group."""
    chosen: bool = False
    """Whether somebody chose that language."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool | None = None
    """Whether dice come as pictures; None: this installation draws none."""
    trusts_voice: bool | None = None
    """Whether a bid by voice note that was heard surely needs no tap in the group; None: nothing is heard here."""
    asks_twice: bool = False
    """Whether the person's dudo and calza count only at the second tap."""
    aloud: bool | None = None
    """Whether messages are read aloud; None: this installation has no voice."""


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
    """Asks the player to confirm that they leave a running game and lose their dice, or the lobby."""

    kind: Literal["confirm_leave"] = "confirm_leave"
    table: int
    title: str
    player: int
    name: str
    lobby: bool = False


class ConfirmStopNotice(FrozenModel):
    """Asks whoever may close the table to confirm that a running game ends for everybody."""

    kind: Literal["confirm_stop"] = "confirm_stop"
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
    """What the sentence is about: the table's chat, a person, or what was stirred into the dice."""
    nameless: bool = False
    """Whether the person is to be asked for their name."""
    seal: str = ""
    """The first characters of the seal of the table that was joined."""
    reachable: bool = True
    view: PrivateView | None = None
    speaks: str = "en"
    """The language that was chosen."""
    option: str | None = None
    """The option that was changed."""
    rules: TableRules | None = None
    """The rules of the table from now on, where the host chose them or an option."""
    clock: TurnClock | None = None
    """The turn clock of the table from now on, where the host chose it."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which give some rules their name."""
    predictions: PredictionsFrom | None = None
    """From when on whoever watches may predict calls, where the host chose it."""
    predicted: PredictedCall | None = None


class RejectionNotice(FrozenModel):
    """Why an intent was rejected, and the smallest thing that would work."""

    kind: Literal["denied"] = "denied"
    denial: RejectionReason
    reason: Reason | None = None
    smallest: tuple[int, int] | None = None
    standing: tuple[int, int] | None = None
    on_turn: str | None = None
    number: int | None = None
    shared: tuple[str, str] | None = None
    """Whom the phone plays for already, and who wanted to play with it as well."""
    texts: tuple[int, int] | None = None
    """How many texts a game needs, and how many are left for today."""
    suggestion: str | None = None
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment; None: they are not, or no bid is told."""


class IdentifyAdminNotice(FrozenModel):
    """Asks somebody who writes as the group or as a channel to tap, so that the bot knows who it is."""

    kind: Literal["unmask"] = "unmask"
    table: int | None


class LinkCodeNotice(FrozenModel):
    """What to text to which numbers, so that a phone plays for the person."""

    kind: Literal["link_code"] = "link_code"
    code: str
    numbers: tuple[str, ...]


class PhoneNotice(FrozenModel):
    """A message about the phone itself. `detail` is its subject, such as a command."""

    kind: Literal["phone"] = "phone"
    word: PhoneMessage
    detail: str = ""
    link: str = ""
    """The code of the link that a question is about."""
    asker: str = ""
    """Who asked for that link."""


class OutdatedNotice(FrozenModel):
    """The message is out of date: nothing can be chosen there any more."""

    kind: Literal["strip"] = "strip"


class SpokenNotice(FrozenModel):
    """Says aloud what another message tells in words."""

    kind: Literal["spoken"] = "spoken"
    told: Annotated[
        HandNotice
        | RevealNotice
        | GameOverNotice
        | KnockedOutNotice
        | ReminderNotice
        | ClosedNotice
        | TableNotice
        | DiceNotice
        | ConfirmationNotice
        | RejectionNotice
        | HeardNotice,
        Field(discriminator="kind"),
    ]


Notice: TypeAlias = Annotated[
    LobbyNotice
    | StartedNotice
    | ClosedNotice
    | TableNotice
    | RevealNotice
    | GameOverNotice
    | KnockedOutNotice
    | HandNotice
    | BidsNotice
    | HeardNotice
    | ReminderNotice
    | AwayNotice
    | PausedNotice
    | HostNotice
    | NextGameNotice
    | NextGameOfferNotice
    | ResumedNotice
    | RulesNotice
    | HelpNotice
    | WelcomeNotice
    | TutorialNotice
    | CoachNotice
    | RoundReviewNotice
    | PracticeNotice
    | SettingsNotice
    | WhichTableNotice
    | ConfirmLeaveNotice
    | ConfirmStopNotice
    | ConfirmationNotice
    | RejectionNotice
    | DiceNotice
    | IdentifyAdminNotice
    | LinkCodeNotice
    | RecordNotice
    | StoryNotice
    | PhoneNotice
    | CallNotice
    | RoundOverNotice
    | ReactionNotice
    | SpokenNotice
    | StatisticsNotice
    | LeagueNotice
    | ComputerRatingsNotice
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
    pictures: bool = False
    """Whether a channel that can show pictures may show the dice in one, with the words below it."""
    silent: bool = False
    mode: SendMode = SendMode.SEND
    festive: bool = False
    """Whether the message comes with an effect, where the channel has such."""
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
