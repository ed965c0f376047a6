"""The events of one step of a table, and the reasons why a step is rejected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from perudo_core import Action, Bid, Event, Reason
from telegram_bot.tables.model import Status, Table


class PlainEvent(StrEnum):
    """An event without further data."""

    LOBBY_CHANGED = "lobby_changed"
    """The lobby's players, options or open menu changed."""
    DICE_SEALED = "dice_sealed"
    """The seal of the dice is published."""
    DICE_STIRRED = "dice_stirred"
    """A player in the lobby stirred the dice."""
    GAME_STARTED = "game_started"
    """The lobby became a game."""
    CLOCK_RESTARTED = "clock_restarted"
    """The clock of the turn began anew, because the bot could not receive the player's messages for a while."""
    TABLE_CLOSED = "table_closed"
    """The table is over without a winner; `Table.closed_why` is the reason."""
    GAME_PAUSED = "game_paused"
    """All players left in the game are away: the clock stops until one returns."""
    TURN_UNDELIVERED = "turn_undelivered"
    """No player has acted, and the message that announced the turn may not have arrived."""
    PROBE_DUE = "probe_due"
    """The bot must test whether it can write to the table's chat."""
    TABLE_RESUMED = "table_resumed"
    """The bot can write again: the game continues."""
    RESULT_SHOWN = "result_shown"
    """The table's chat shows the dice of the last round: the result of the game counts from now on."""
    ROUND_SHOWN = "round_shown"
    """The running round of a practice game must be shown to its player."""


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Another player is now the host."""

    player: int


@dataclass(frozen=True, slots=True)
class GameEvents:
    """The events of the rules, in order."""

    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class TurnReminder:
    """The player to call has little time left."""

    seat: int


@dataclass(frozen=True, slots=True)
class ClockRanOut:
    """A player's clock ran out: they bear the consequence that the host chose."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """An away player is back and plays for themselves again."""

    seat: int
    lost: int = 0
    """How many dice the seat lost while they were away."""


class Handover(StrEnum):
    """The ways in which the players of a seat change, or do not."""

    TAKEN = "taken"
    """Another player takes it from the next deal on."""
    TAKEN_BACK = "taken_back"
    """Its owner takes it back from the next deal on."""
    KEPT = "kept"
    """Its player has come back before another one took it."""
    LOST = "lost"
    """Its dice went before another player took it."""
    GIVEN_UP = "given_up"
    """The player who was to take it does not want it any more."""
    MOVES = "moves"
    """Its player opens it on another device from the next deal on; until then the bot plays."""
    RETURNED = "returned"
    """Its owner has taken it back."""
    MOVED = "moved"
    """Its player has opened it on another device, at a time when it had no dice."""


@dataclass(frozen=True, slots=True)
class SeatHandover:
    """A seat goes to another player at the next deal, or does not after all."""

    seat: int
    what: Handover
    player: int
    """The player who takes it, or was to take it."""
    name: str
    """The name of that player."""
    sitting: str
    """The name of the player who has it now."""


@dataclass(frozen=True, slots=True)
class TableRestored:
    """The table was restored from a backup of this time; later moves are lost."""

    at: float


@dataclass(frozen=True, slots=True)
class CalzaClaimed:
    """A player out of turn said calza; the claim waits for the window to close."""

    seat: int


@dataclass(frozen=True, slots=True)
class ClaimsVoided:
    """The player to call acted at the same moment: these claims do not count."""

    seats: tuple[int, ...]


TableEvent: TypeAlias = (
    PlainEvent
    | HostChanged
    | GameEvents
    | TurnReminder
    | ClockRanOut
    | SeatReturned
    | SeatHandover
    | TableRestored
    | CalzaClaimed
    | ClaimsVoided
)


@dataclass(frozen=True, slots=True)
class TableChange:
    """A table after one intent, the events, and the game's actions in order for the game's record."""

    table: Table
    events: tuple[TableEvent, ...] = ()
    actions: tuple[Action, ...] = ()

    @property
    def game_events(self) -> tuple[Event, ...]:
        """The events of the rules, in order."""
        return tuple(
            game_event for event in self.events if isinstance(event, GameEvents) for game_event in event.events
        )

    def then(self, later: TableChange) -> TableChange:
        """Return this step followed by another."""
        return TableChange(later.table, self.events + later.events, self.actions + later.actions)


class RejectionReason(StrEnum):
    """Why an intent changed nothing."""

    NO_TABLE = "table/none"
    NOT_SEATED = "table/not_seated"
    NOT_YOURS = "table/not_yours"
    NOT_HOST = "table/not_host"
    NOT_ALLOWED = "table/not_allowed"
    CANNOT_TELL = "table/cannot_tell"
    TABLE_EXISTS = "table/exists"
    STILL_RUNNING = "table/still_running"
    ALREADY_RUNNING = "lobby/already_running"
    LATE = "lobby/late"
    GAME_OVER = "lobby/game_over"
    ALREADY_JOINED = "lobby/already_joined"
    FULL = "lobby/full"
    SENT_OUT = "lobby/sent_out"
    TOO_FEW = "lobby/too_few"
    TOO_MANY = "lobby/too_many"
    NOBODY = "lobby/nobody"
    CONTRADICTION = "lobby/contradiction"
    UNKNOWN_OPTION = "lobby/unknown_option"
    JOIN_FIRST = "lobby/join_first"
    NO_NAME = "settings/no_name"
    STIRRED_ENOUGH = "lobby/stirred_enough"
    NO_GAME = "game/none"
    NOT_STARTED = "game/not_started"
    OUT = "game/out"
    SEAT_TAKEN = "game/seat_taken"
    SEAT_LENT = "game/seat_lent"
    STALE = "game/stale"
    CALLED_BEFORE = "game/called_before"
    ALREADY_DONE = "game/already_done"
    TOO_LATE = "game/too_late"
    REVEALING = "game/revealing"
    ILLEGAL = "game/illegal"
    WHICH_TABLE = "table/which"
    SUSPENDED = "table/suspended"
    ELSEWHERE = "table/elsewhere"
    NO_TEXTING = "link/no_texting"
    NO_PAGE = "link/no_page"
    IN_PRIVATE = "link/in_private"
    STILL_SEATED = "link/still_seated"
    SHARED_PHONE = "link/shared_phone"
    TEXTS_SHORT = "texts/short"
    TEXTS_USED_UP = "texts/used_up"
    NO_LINK = "link/none"
    LINK_EXPIRED = "link/expired"
    NOTE_UNHEARD = "note/unheard"
    NOTE_TOO_LONG = "note/too_long"
    NOTE_WITHOUT_SOUND = "note/without_sound"
    NOTE_OTHER_KIND = "note/other_kind"
    NOTE_NOT_HEARD_HERE = "note/not_heard_here"
    NOTE_TROUBLE = "note/trouble"
    TOO_FAST = "quota/too_fast"
    HOUSE_FULL = "quota/house_full"
    HOSTS_ENOUGH = "quota/hosts_enough"
    TROUBLE = "trouble"


@dataclass(eq=False)
class RejectedError(Exception):
    """A refused intent; the table is unchanged.

    `rule` is set when the rules refused it, `smallest` then names the smallest legal raise.
    """

    reason: RejectionReason
    rule: Reason | None = None
    smallest: Bid | None = None
    on_turn: str | None = None
    """The player whose turn it is, or the host."""
    number: int | None = None
    standing: Bid | None = None
    suggestion: str | None = None
    """A guess at the intended text, as it can be typed."""
    shared: tuple[str, str] | None = None
    """The player of this phone, and the second player who wanted to use it."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment, or None if they are not, or the answer contains no bid."""

    def __str__(self) -> str:
        return str(self.reason)


def no_running_game(table: Table) -> RejectedError:
    """Return why a table without a running game rejects a request: the game has not begun, or it is over."""
    not_yet = table.status is Status.LOBBY
    return RejectedError(RejectionReason.NOT_STARTED if not_yet else RejectionReason.NO_GAME)
