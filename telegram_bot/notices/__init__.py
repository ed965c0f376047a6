"""Notices: messages as data, and their words. The outbox stores them; they become sentences when they are sent."""

from typing import Annotated, TypeAlias

from pydantic import Field, SerializeAsAny

from telegram_bot.notices.base import (
    ADDED_LINES,
    FEATURE_NOTICES,
    SWITCHED_OFF,
    AboutTable,
    AnyFeatureNotice,
    ExtendedNotice,
    FeatureNotice,
    FeatureToast,
    FileNotice,
    KnownParts,
    LinksToBot,
    ListNotice,
    NoticeModel,
    PageFormat,
    Picture,
    PublicNotice,
    VoiceNotice,
    Worded,
    added_lines,
)
from telegram_bot.notices.ending import (
    CallNotice,
    Celebration,
    GameOverNotice,
    KnockedOutNotice,
    OpenedRevealNotice,
    ReactionNotice,
    RevealNotice,
    RoundOverNotice,
    call_notice,
    celebration_of,
)
from telegram_bot.notices.help import HelpNotice, RulesNotice, WelcomeNotice
from telegram_bot.notices.lobby import ClosedNotice, LobbyNotice, Mention, StartedNotice
from telegram_bot.notices.people import (
    AwayNotice,
    GuestNotice,
    HostNotice,
    IdentifyAdminNotice,
    NextGameNotice,
    NextGameOfferNotice,
    PausedNotice,
    RestoredNotice,
    ResumedNotice,
    SeatClaim,
    SeatHandoverNotice,
    SeatLinkNotice,
    SeatOpenedNotice,
)
from telegram_bot.notices.phone import LinkCodeNotice, PhoneMessage, PhoneNotice
from telegram_bot.notices.replies import (
    AnswerNotice,
    Confirmation,
    ConfirmationNotice,
    ConfirmNotice,
    OutdatedNotice,
    RejectionNotice,
    TableChoice,
    WhichTableNotice,
)
from telegram_bot.notices.round import (
    ANY_FACE,
    BidsNotice,
    DiceNotice,
    HandNotice,
    HeardNotice,
    ReminderNotice,
    TableNotice,
)
from telegram_bot.notices.settings import SettingsFolder, SettingsNotice
from telegram_bot.tables.result_views import CalledRound, called_round

__all__ = [
    "ADDED_LINES",
    "ANY_FACE",
    "FEATURE_NOTICES",
    "SWITCHED_OFF",
    "AboutTable",
    "AnswerNotice",
    "AnyFeatureNotice",
    "AwayNotice",
    "BaseNotice",
    "BidsNotice",
    "CallNotice",
    "CalledRound",
    "Celebration",
    "ClosedNotice",
    "ConfirmNotice",
    "Confirmation",
    "ConfirmationNotice",
    "DiceNotice",
    "ExtendedNotice",
    "FeatureNotice",
    "FeatureToast",
    "FileNotice",
    "GameOverNotice",
    "GuestNotice",
    "HandNotice",
    "HeardNotice",
    "HelpNotice",
    "HostNotice",
    "IdentifyAdminNotice",
    "KnockedOutNotice",
    "KnownParts",
    "LinkCodeNotice",
    "LinksToBot",
    "ListNotice",
    "LobbyNotice",
    "Mention",
    "NextGameNotice",
    "NextGameOfferNotice",
    "Notice",
    "NoticeModel",
    "OpenedRevealNotice",
    "OutdatedNotice",
    "PageFormat",
    "PausedNotice",
    "PhoneMessage",
    "PhoneNotice",
    "Picture",
    "PublicNotice",
    "ReactionNotice",
    "RejectionNotice",
    "ReminderNotice",
    "RestoredNotice",
    "ResumedNotice",
    "RevealNotice",
    "RoundOverNotice",
    "RulesNotice",
    "SeatClaim",
    "SeatHandoverNotice",
    "SeatLinkNotice",
    "SeatOpenedNotice",
    "SettingsFolder",
    "SettingsNotice",
    "StartedNotice",
    "TableChoice",
    "TableNotice",
    "Toast",
    "VoiceNotice",
    "WelcomeNotice",
    "WhichTableNotice",
    "Worded",
    "added_lines",
    "call_notice",
    "called_round",
    "celebration_of",
]

BaseNotice: TypeAlias = (
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
    | SeatHandoverNotice
    | ResumedNotice
    | RestoredNotice
    | RulesNotice
    | HelpNotice
    | WelcomeNotice
    | SettingsNotice
    | WhichTableNotice
    | ConfirmNotice
    | ConfirmationNotice
    | RejectionNotice
    | DiceNotice
    | IdentifyAdminNotice
    | LinkCodeNotice
    | GuestNotice
    | SeatLinkNotice
    | SeatOpenedNotice
    | PhoneNotice
    | CallNotice
    | OpenedRevealNotice
    | RoundOverNotice
    | ReactionNotice
    | AnswerNotice
    | OutdatedNotice
)
"""The notices of the base game."""

Notice: TypeAlias = SerializeAsAny[  # a union would first try all types of the base game for a feature's notice
    Annotated[Annotated[BaseNotice, Field(discriminator="kind")] | AnyFeatureNotice, Field(union_mode="left_to_right")]
]

Toast: TypeAlias = ConfirmationNotice | RejectionNotice | AnswerNotice | DiceNotice | FeatureToast
"""Notices short enough for the answer to a tap."""
