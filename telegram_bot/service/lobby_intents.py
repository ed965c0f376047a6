"""Intents about a table that is not running: its seats, its rules, its beginning and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from perudo_core.agents import Level
from telegram_bot.tables.house_rules import QuickChoice
from telegram_bot.tables.model import OnTimeout


@dataclass(frozen=True, slots=True)
class OpenLobby:
    """Open a lobby in the place; `can_whisper` tells whether ephemeral messages may be sent there at any time."""

    can_whisper: bool | None = None


@dataclass(frozen=True, slots=True)
class Join:
    """Take a seat; `code` names the table where the place does not. `name`: what I want to be called from now on."""

    code: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """Give the seat up, before or during the game; in a game only after `confirmed`.

    `asked` is the player (by the players' own id) whom the button was made for, in a group that all can tap.
    """

    confirmed: bool = False
    asked: int | None = None


@dataclass(frozen=True, slots=True)
class Kick:
    """The host sends a player (by the players' own id) out of the lobby."""

    player: int


@dataclass(frozen=True, slots=True)
class KickNamed:
    """The host sends somebody out of the lobby who is called this, or stands at this place of the list."""

    name: str


@dataclass(frozen=True, slots=True)
class AddComputers:
    """The host has computer players sit down; `count` None: as many as there is room for."""

    count: int | None = 1
    level: Level = Level.REGULAR


@dataclass(frozen=True, slots=True)
class ChangeComputer:
    """The host moves a computer player (by its number as a player) on to the next level or character."""

    player: int
    trait: Literal["level", "character"]


@dataclass(frozen=True, slots=True)
class Practise:
    """Play alone against so many computer players, in the private chat; None: ask how many."""

    opponents: int | None = None


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Show another page of the lobby's choices; which pages there are is the channel's affair. None: the first."""

    page: str | None


@dataclass(frozen=True, slots=True)
class ChooseRulebook:
    """Play by a published rulebook."""

    preset: str


@dataclass(frozen=True, slots=True)
class ChooseHouseRules:
    """Play by house rules of the installation, by their key."""

    key: str


@dataclass(frozen=True, slots=True)
class ChooseQuickTable:
    """Play one of the quick choices: rules and turn clock at once."""

    choice: QuickChoice


@dataclass(frozen=True, slots=True)
class ChangeOption:
    """Set one house option to a value, written as in a file; None: move it on to its next value."""

    option: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class ChooseClock:
    """Set the turn clock, in seconds; 0 is off."""

    seconds: int


@dataclass(frozen=True, slots=True)
class ChooseOnTimeout:
    """Set what happens when a clock runs out."""

    choice: OnTimeout


@dataclass(frozen=True, slots=True)
class Start:
    """Begin the game."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End the table for everybody, a running game only after `confirmed`.

    Channels say whether the asker is an admin of the chat, None: it cannot be told. `asked` is the player (by the
    players' own id) whom the button was made for.
    """

    is_admin: bool | None = False
    confirmed: bool = False
    asked: int | None = None


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Answer the question whether to leave or to close the table with no. `asked` as in `Leave`."""

    asked: int | None = None


@dataclass(frozen=True, slots=True)
class WishNextGame:
    """Tell me when the next lobby opens in the place."""


@dataclass(frozen=True, slots=True)
class PlayAgain:
    """A new lobby with the people of a finished game."""
