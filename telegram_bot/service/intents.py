"""Intents: what a person wants, with who, where, at which table and for which step. Only channels create them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from telegram_bot.service.chat_updates import (
    BotMembershipChanged,
    ChatMoved,
    MemberLeft,
    MembersJoined,
    PrivateChatBlocked,
    TopicReopened,
)
from telegram_bot.service.learning_intents import AllowHints, AskCoach, SeeHelp, SeeRules, TakeTutorial
from telegram_bot.service.lobby_intents import (
    AddComputers,
    ChangeComputer,
    ChangeOption,
    ChooseClock,
    ChooseHouseRules,
    ChooseOnTimeout,
    ChooseQuickTable,
    ChooseRulebook,
    Join,
    Kick,
    KickNamed,
    Leave,
    OpenLobby,
    PlayAgain,
    PlayOn,
    Practise,
    Start,
    Stop,
    TurnPage,
    WishNextGame,
)
from telegram_bot.service.message_refs import MessageRef, ReplyHandle
from telegram_bot.service.people import Person, Place
from telegram_bot.service.phone_intents import (
    ChooseName,
    ChooseQuiet,
    ChooseTable,
    ChooseVerbose,
    LinkPhone,
    OpenPrivateLobby,
    RequestPhoneLink,
    UnlinkPhone,
)
from telegram_bot.service.prediction_intents import ChoosePredictions, PredictCall
from telegram_bot.service.statistics_intents import HideMe, SeeLeague, SeeStatistics, TellStory
from telegram_bot.service.voice_intents import (
    AnswerNote,
    ChooseTrustVoice,
    ConfirmCall,
    FailedNote,
    OtherRecording,
    SayCalls,
    VoiceNote,
)
from telegram_bot.storage.models import DiceStyle, PrivateView


@dataclass(frozen=True, slots=True)
class MakeBid:
    """Bid a quantity of a face."""

    quantity: int
    face: int
    bare: bool = field(default=False, compare=False)
    """Whether nothing in it tells the number from the face, as in "4 5": the other way round is easily meant."""


@dataclass(frozen=True, slots=True)
class CallDudo:
    """Doubt the standing bid."""


@dataclass(frozen=True, slots=True)
class CallCalza:
    """Say that the standing bid is exact."""


@dataclass(frozen=True, slots=True)
class ReturnToSeat:
    """Take my seat back, which is played automatically."""


@dataclass(frozen=True, slots=True)
class SeeDice:
    """Show me my dice."""


@dataclass(frozen=True, slots=True)
class BidHere:
    """Let me choose a bid here in the group, for my eyes alone if the channel can."""


@dataclass(frozen=True, slots=True)
class SeeBids:
    """Show me, in the message that I tapped, all bids on a face; None: the most likely bids on all faces."""

    face: int | None


@dataclass(frozen=True, slots=True)
class SeeStatus:
    """Show how the table stands."""


@dataclass(frozen=True, slots=True)
class StirDice:
    """Stir a sign or a lucky word of mine into the dice, before the game begins."""

    what: str


@dataclass(frozen=True, slots=True)
class SeeRecord:
    """Give me the finished game's record, so that I can check the dice."""


@dataclass(frozen=True, slots=True)
class SeeSettings:
    """Show the stored choices and what can be chosen."""


@dataclass(frozen=True, slots=True)
class ChooseView:
    """Choose how I see my dice and the bids."""

    view: PrivateView


@dataclass(frozen=True, slots=True)
class ChooseAskTwice:
    """Let my dudo and my calza count only when I tap a second time, or at once again."""

    on: bool


@dataclass(frozen=True, slots=True)
class ChooseLanguage:
    """Speak this language to me, or `to_all` in the place; None: as before anybody chose."""

    language: str | None
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class ChooseDiceStyle:
    """Write dice like this to me, or `to_all` in the place."""

    style: DiceStyle
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class ChoosePictures:
    """Show me dice as pictures or not, or `to_all` in the place."""

    on: bool
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class ChooseAloud:
    """Read messages aloud to me or not, or `to_all` in the place the end of each round."""

    on: bool
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class StartPrivateChat:
    """The person opened a private chat with the bot: direct messages work from now on.

    `code` names a table to join at once; `greeted` is False where nothing was said.
    """

    code: str | None = None
    greeted: bool = True


@dataclass(frozen=True, slots=True)
class UnparsedText:
    """A text that is almost a call; it never acts. `suggestion` is the text to send instead."""

    suggestion: str | None


@dataclass(frozen=True, slots=True)
class UnknownChoice:
    """A choice that no message of the bot offers: forged, or from an earlier version."""


@dataclass(frozen=True, slots=True)
class PostedElsewhere:
    """I posted a call in a chat that is not the table's, where it plays nothing.

    `table` and `step` are given if only the missing message tells so: if the table has moved on, all is well.
    """

    table: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class IdentifyAdmin:
    """Somebody who writes as the group or as a channel wants what needs a known person: ask for a tap."""

    wish: Literal["open", "stop"]


TableIntent: TypeAlias = (
    Join
    | Leave
    | Kick
    | KickNamed
    | AddComputers
    | ChangeComputer
    | TurnPage
    | ChooseRulebook
    | ChooseHouseRules
    | ChooseQuickTable
    | ChangeOption
    | ChooseClock
    | ChooseOnTimeout
    | AllowHints
    | AskCoach
    | ChoosePredictions
    | Start
    | Stop
    | PlayOn
    | MakeBid
    | CallDudo
    | CallCalza
    | SayCalls
    | AnswerNote
    | ConfirmCall
    | PredictCall
    | ReturnToSeat
    | SeeDice
    | BidHere
    | SeeBids
    | SeeStatus
    | StirDice
    | SeeRecord
    | TellStory
)
"""Wishes that concern a table, which is found and locked first."""

PersonIntent: TypeAlias = (
    OpenLobby
    | PlayAgain
    | Practise
    | WishNextGame
    | SeeRules
    | SeeHelp
    | TakeTutorial
    | SeeSettings
    | SeeStatistics
    | SeeLeague
    | HideMe
    | ChooseView
    | ChooseAskTwice
    | ChooseLanguage
    | ChooseDiceStyle
    | ChoosePictures
    | ChooseAloud
    | ChooseTrustVoice
    | FailedNote
    | OtherRecording
    | OpenPrivateLobby
    | ChooseTable
    | ChooseName
    | RequestPhoneLink
    | LinkPhone
    | UnlinkPhone
    | ChooseVerbose
    | ChooseQuiet
    | StartPrivateChat
    | UnparsedText
    | UnknownChoice
    | PostedElsewhere
    | IdentifyAdmin
)
"""Other wishes of a person."""

ChatUpdate: TypeAlias = (
    PrivateChatBlocked | MemberLeft | MembersJoined | BotMembershipChanged | TopicReopened | ChatMoved
)
"""Reports of a messenger. Nobody asked, so nobody is answered and nobody gets a row."""

Wish: TypeAlias = TableIntent | PersonIntent
"""What a person wants."""


@dataclass(frozen=True, slots=True)
class TypedText:
    """Words that may be a call or a request: the service parses them, once the player and the table are known."""

    text: str
    suggestion: str | None = None
    """What to send instead if the words mean nothing in the game."""
    may_be_talk: bool = False
    """Whether the players may be talking to each other: words that mean nothing are then at most a lucky word."""
    overheard: bool = False
    """Whether nothing shows that the words are meant for the bot: they count only as a bid of the player on turn."""


ParseText: TypeAlias = Callable[[str, str | None, str | None, int | None], Wish | None]
"""What a text means: the text, the player's language, the table's, and how many dice can be bid."""

What: TypeAlias = Wish | ChatUpdate | TypedText | VoiceNote


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish, with its cause: (source, cause) is unique, so that a repeated delivery acts once.

    `table` is named by buttons; typed words leave it to the place or the person. `step` is the step of the
    game that a button was made for. `said_at` is when a typed word was sent, by the bot's clock,
    in seconds since the epoch.
    """

    source: str
    cause: str
    who: Person
    what: What
    where: Place | None = None
    table: int | None = None
    step: int | None = None
    said_at: float | None = None
    round: int | None = None
    """The round that the typed words name, if they name one."""
    answered_by: Literal["toast", "message", "nothing"] = "message"
    """How the person hears of the result: a tap is answered with a toast, words with a message."""
    replied_to: MessageRef | None = None
    """The bot's message that a typed word replies to: it names the table."""
    tapped: MessageRef | None = None
    """The bot's message whose button was tapped."""
    reply_handle: ReplyHandle | None = None
    """What lets the channel answer the tap with a message."""
    sender_proof: bool = True
    """Whether the channel knows who speaks; where it does not, what takes a seat or a link away is asked first."""
