"""Notices about a table: its lobby, its rounds, a player's own dice, and its end."""

from __future__ import annotations

from typing import Literal

from telegram_bot.statistics.story import GameStory
from telegram_bot.tables.events import CloseReason
from telegram_bot.tables.fair_dice import StirView
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import FrozenModel, TurnClock
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.views import HandView, LobbyView, TableView


class Mention(FrozenModel):
    """A person whom a message mentions, so that they are notified."""

    name: str
    address: int


class LobbyNotice(FrozenModel):
    """The lobby's message."""

    kind: Literal["lobby"] = "lobby"
    view: LobbyView
    page: str | None = None
    """The page of choices that its message shows, in the channel's own word; None: the first."""
    to_host: bool = False
    """Whether its only reader is the host."""
    asks_name: bool = False
    """Whether its only reader is to be asked for their name."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers to which a text with the table's code brings a seat."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which can be chosen, and which give some rules their name."""
    usual_clock: TurnClock | None = None
    """The turn clock of a quick table where it has none of its own."""
    mentions: tuple[Mention, ...] = ()
    """People who wanted to be told of the next game, and whom no private message reaches."""


class StartedNotice(FrozenModel):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView
    house_rules: tuple[HouseRules, ...] = ()


class ClosedNotice(FrozenModel):
    """The message of a table that was closed without a winner."""

    kind: Literal["closed"] = "closed"
    why: CloseReason
    names: tuple[str, ...] = ()
    by: str = ""
    """The name of the person who closed it, if somebody did."""


class TableNotice(FrozenModel):
    """The message of the running round.

    `shared`: the player on turn is not asked in private, so the table's message asks them.
    `unreachable`: some player has no private way at all, and needs to be told how to open one.
    """

    kind: Literal["table"] = "table"
    view: TableView
    shared: bool
    unreachable: bool
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    may_calza: bool = False
    """Whether that reader may say calza."""
    own_chat: bool = False
    """Whether its only reader gets dice and bids in messages of their own in the same chat."""
    in_text_field: bool = False
    """Whether the player on turn chose to see dice and bids in the text field, and needs no shared bid buttons."""


class RevealNotice(FrozenModel):
    """The message of a round once it is over."""

    kind: Literal["reveal"] = "reveal"
    view: RevealView
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""


class AchievementView(FrozenModel):
    """An achievement that the end of a game tells."""

    name: str
    key: str


class EveningScore(FrozenModel):
    """How many games of the evening somebody has won."""

    name: str
    wins: int


class ProphetView(FrozenModel):
    """How many of their predictions somebody who watched had right."""

    name: str
    right: int
    made: int


class GameOverNotice(FrozenModel):
    """The winner, the places, and a way to play again."""

    kind: Literal["game_over"] = "game_over"
    view: GameOverView
    previous: RevealView | None = None
    """How the last round ended, for readers who have not been told."""
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader, by its number at the table."""
    title: str = ""
    """The table's chat, for a reader who is elsewhere."""
    achievements: tuple[AchievementView, ...] = ()
    """What players have achieved, as far as it is told now."""
    evening: tuple[EveningScore, ...] = ()
    """Who has won how many of the evening's games here, the best first; empty after the first game."""
    prophets: tuple[ProphetView, ...] = ()
    """Who of those who watched predicted the calls best, the best first."""


class KnockedOutNotice(FrozenModel):
    """Told in private: the reader has lost their last die, how that round ended, and which place is theirs."""

    kind: Literal["knocked_out"] = "knocked_out"
    view: RevealView
    seat: int
    place: int
    players: int
    title: str


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
    called: Literal["dudo", "calza"] | None = None
    """What the player has just called; None: nothing."""
    stirs: tuple[StirView, ...] | None = None
    """What was stirred into the dice, with the first dice of a game for a player who does not see the table's chat."""


class BidsNotice(FrozenModel):
    """The bids on a face, or the most likely ones, in a message that shows others."""

    kind: Literal["keyboard"] = "keyboard"
    view: TableView
    seat: int
    face: int | None
    private: bool
    """Whether only the player sees the message."""


class HeardNotice(FrozenModel):
    """Asks whoever sent a voice note which of these calls they said; once answered, tells which it was."""

    kind: Literal["heard"] = "heard"
    table: int
    step: int
    player: int
    name: str
    private: bool
    """Whether nobody but the player reads it."""
    guesses: tuple[str, ...]
    """Calls as `perudo_core` writes them, the likeliest first."""
    sure: bool = False
    """Whether the recogniser is sure of the first."""
    answered: bool = False
    """Whether the player has said that the only guess is right."""
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


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


class NextGameOfferNotice(FrozenModel):
    """Offers whoever watches a game to be told when the next one opens."""

    kind: Literal["next_game_offer"] = "next_game_offer"


class NextGameNotice(FrozenModel):
    """Tells in private that a lobby has opened in a group."""

    kind: Literal["next_game"] = "next_game"
    title: str
    code: str


class DiceNotice(FrozenModel):
    """The dice of one player, short enough for an alert."""

    kind: Literal["dice"] = "dice"
    view: HandView


class StoryNotice(FrozenModel):
    """The story of a finished game: the course of the dice, what stands out, luck against skill."""

    kind: Literal["story"] = "story"
    table: int
    story: GameStory
    names: tuple[str, ...]
    """By seat; "" for a player who is not named."""
    theme: Literal["dark", "light"] = "dark"
    """Of the picture."""


class RecordNotice(FrozenModel):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"
    document: str
    name: str
    rolls: int | None = None
    """The number of rolls that were computed again and follow from the secret; None: nothing was computed."""
    failed: bool = False
    """Whether the dice do not follow from the secret."""
    stirs: tuple[StirView, ...] | None = None
    """Who stirred what into the dice, in order; None: nothing was sealed."""
