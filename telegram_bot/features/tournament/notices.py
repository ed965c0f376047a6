"""The notices about a tournament: the group's one message, the answers to taps, and the news of each person."""

from enum import StrEnum
from typing import Literal

from telegram_bot.notices import FeatureNotice, FeatureToast, FileNotice, LinksToBot, ListNotice, PublicNotice
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import FrozenModel, TableRules
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView


class Phase(StrEnum):
    """The phase of a tournament."""

    OPEN = "open"
    """People join."""
    TABLES = "tables"
    """A stage is played, at several tables."""
    FINAL_WAITS = "final_waits"
    """The finalists wait until the game in the group has ended."""
    FINAL = "final"
    OVER = "over"
    CLOSED = "closed"
    """Closed without a winner."""


class SeatLine(FrozenModel):
    """A player at a table of a stage."""

    name: str
    dice: int = 0
    goes_on: bool = False
    place: int = 0
    """A person's place in the whole tournament; 0: not known, or a computer."""
    face: Face | None = None

    def is_out(self, *, over: bool) -> bool:
        """Return True if the player does not go on; `over`: whether the table has ended."""
        return not self.goes_on if over else not self.dice


class TableLine(FrozenModel):
    """A table of the running stage; its players in order of their dice."""

    number: int
    seats: tuple[SeatLine, ...]
    over: bool = False
    seconds: int = 0
    """The longest turn of a running game."""
    going_on: int = 0
    """The number of players who reach the next stage."""


class TournamentNotice(LinksToBot, ListNotice):
    """The group's message about its tournament, which is edited."""

    kind: Literal["tournament"] = "tournament"
    tournament: int
    phase: Phase
    rules: TableRules
    house_rules: tuple[HouseRules, ...] = ()
    names: tuple[str, ...] = ()
    """While people join: all. Later: the people still in, by place once it is known."""
    players: tuple[int, ...] = ()
    """The people who take part and are not out; empty in notices of earlier versions."""
    host: str = ""
    """The person who may start it; empty in notices of earlier versions: the first name."""
    computers: bool = False
    asking: int = 0
    """The number of people who wait for the host's answer."""
    code: str | None = None
    numbers: tuple[str, ...] = ()
    """Telephone numbers that accept a text with the code."""
    stage: int = 0
    tables: tuple[TableLine, ...] = ()
    late: tuple[str, ...] | None = None
    """The people who came late and wait for a table, or None if it is too late to join."""
    out: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """At the end: each stage before the final, the last one first, with the people for whom it was the last."""
    slept: tuple[int, ...] = ()
    """At the end: the positions in `names` of people who made no call in their last game, so they get no medal."""

    @property
    def list_code(self) -> str | None:
        """The code, while the tournament runs."""
        return None if self.phase in (Phase.OVER, Phase.CLOSED) else self.code


class EntrantsNotice(FeatureNotice):
    """The people on a tournament's list, for its host and for admins of the group: let them in, remove them."""

    kind: Literal["tournament_entrants"] = "tournament_entrants"
    tournament: int
    group: int
    """The group's address."""
    title: str
    asking: tuple[tuple[int, str], ...] = ()
    """The people who wait for an answer, by number and name."""
    people: tuple[tuple[int, str], ...] = ()
    """The people who can be removed."""
    removed: tuple[tuple[int, str], ...] = ()
    """The people who were removed last."""
    is_open: bool = False
    """Whether the list can be closed: it runs, and the tables are not drawn yet."""
    closing: bool = False
    """Whether the reader is asked if they want to close the list."""


class TelevisedRoundNotice(PublicNotice):
    """The running round of the table that the television shows during a stage."""

    kind: Literal["televised_round"] = "televised_round"
    number: int
    """The table's number within the stage."""
    view: TableView


class TelevisedRevealNotice(PublicNotice):
    """The end of a round of that table."""

    kind: Literal["televised_reveal"] = "televised_reveal"
    number: int
    view: RevealView


class StageResultNotice(FeatureNotice):
    """The result of a stage, told to a person in private."""

    kind: Literal["tournament_stage"] = "tournament_stage"
    goes_on: bool
    played: bool = True
    """False: the reader came late, and too few people for another table."""
    table: int | None = None
    """The reader's table of the stage."""
    stage: int
    title: str


class PlaceNotice(FeatureNotice):
    """The reader's place at the end of the tournament."""

    kind: Literal["tournament_place"] = "tournament_place"
    place: int
    """Several people may share it."""
    people: int
    finalist: bool
    slept: bool = False
    """Whether the reader made no call in their last game, so they get no medal."""
    title: str


class BracketNotice(LinksToBot, PublicNotice):
    """The whole tournament, in a message to be forwarded."""

    kind: Literal["tournament_bracket"] = "tournament_bracket"
    tournament: int
    title: str
    winner: str
    people: int
    stages: tuple[tuple[TableLine, ...], ...]
    """From the first stage to the final; the players of each table in the order of their places."""
    bluffer: str = ""
    bluff: BluffCard | None = None
    """The least likely bluff of all tables that was not caught."""


class TableSeal(FrozenModel):
    """The seal of the dice of a table, published before the first roll."""

    number: int
    code: str
    commitment: str


class SealsNotice(PublicNotice):
    """The seals of the tables that begin, in a message that is never edited."""

    kind: Literal["tournament_seals"] = "tournament_seals"
    stage: int
    seals: tuple[TableSeal, ...]


class DiceFileNotice(FileNotice):
    """All games of a tournament in one file, with the proof of their dice: JSON lines."""

    kind: Literal["tournament_dice"] = "tournament_dice"
    games: int
    failed: tuple[str, ...] = ()
    """The codes of the tables whose dice do not follow from their seal."""


class HurryNotice(FeatureNotice):
    """Other tables wait for the reader's table: its turns are shorter from now on."""

    kind: Literal["tournament_hurry"] = "tournament_hurry"
    seconds: int
    title: str


class TournamentAnswer(StrEnum):
    """The answers to people's requests."""

    JOINED = "joined"
    LATE = "late"
    ALREADY_JOINED = "already_joined"
    LISTED = "listed"
    WAITS = "waits"
    IS_OUT = "is_out"
    NEEDS_CODE = "needs_code"
    NO_SUCH_CODE = "no_such_code"
    OPEN_PRIVATE_CHAT = "open_private_chat"
    PRIVATE_CHAT_IS_OPEN = "private_chat_is_open"
    FULL = "full"
    BEGUN = "begun"
    OVER = "over"
    LEFT = "left"
    WITHDRAWN = "withdrawn"
    PLAYING = "playing"
    NOT_JOINED = "not_joined"
    TOO_FEW = "too_few"
    NOT_HOST = "not_host"
    BUSY = "busy"
    STARTED = "started"
    CHANGED = "changed"
    FILE_ABOVE = "file_above"
    FILE_GONE = "file_gone"
    ASKED = "asked"
    MANY_ASK = "many_ask"
    REMOVED = "removed"
    CLOSED = "closed"
    SHOWN_IN_PRIVATE = "shown_in_private"


class TournamentAnswerNotice(FeatureToast):
    """Answers the person who asked."""

    kind: Literal["tournament_answer"] = "tournament_answer"
    answer: TournamentAnswer
    number: int = 0
    """The number of people on the list, or the limit."""
    name: str = ""
    """The host."""
