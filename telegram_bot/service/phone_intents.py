"""The intents of people who play by text message, or link a phone."""

from __future__ import annotations

from dataclasses import dataclass

from telegram_bot.tables.quiet_hours import QuietHours


@dataclass(frozen=True, slots=True)
class OpenPrivateLobby:
    """Open a table that stands in no chat: its people come by code, and everything is told in private.

    `name`: what I want to be called from now on, if I say so.
    """

    name: str | None = None


@dataclass(frozen=True, slots=True)
class ChooseName:
    """Call me this from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class ChooseTable:
    """From now on my private words concern this one of my tables."""

    code: str


@dataclass(frozen=True, slots=True)
class RequestPhoneLink:
    """Give me a code that my phone can text, so that it speaks for me."""


@dataclass(frozen=True, slots=True)
class LinkPhone:
    """This phone speaks for whoever asked for the code."""

    code: str
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class UnlinkPhone:
    """The phone speaks for itself again."""

    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class ChooseVerbose:
    """Tell me every call by text, or only what I need to know."""

    on: bool


@dataclass(frozen=True, slots=True)
class ChooseQuiet:
    """Do not text me in these hours, and let my clock wait; None: at any time."""

    quiet: QuietHours | None
