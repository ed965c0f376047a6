"""The players that a step asks: those whose clock waits for a message, and those who get their dice in a new one."""

from dataclasses import dataclass
from typing import Final

from perudo_core import BidMade, DiceShown, RoundStarted
from telegram_bot.tables.events import PlainEvent, SeatReturned, TableChange
from telegram_bot.tables.model import Status, Table

WATCHING_SECONDS: Final = 60
"""If the turn before took longer, a new message announces the next one: an edit notifies no phone."""
_SHOWN_AGAIN: Final = (PlainEvent.ROUND_SHOWN, PlainEvent.TABLE_RESUMED)


@dataclass(frozen=True, slots=True)
class Asking:
    """The questions of a step to the readers of its table."""

    seats: tuple[int, ...] = ()
    """The seats whose players are shown their dice; the clock of the turn waits for its player's message."""
    on_board: bool = False
    """Whether a board need not become a new message, if it is the newest one of its chat."""
    at_bottom: bool = False
    """Whether the table's message becomes a new one, because the last one may be lost."""


def asking_of(before: Table | None, step: TableChange, now: float) -> Asking:
    """Return what a step asks, from its events. The end of a practice round is looked at before the next one begins."""
    table, game = step.table, step.table.game
    if PlainEvent.TABLE_RESUMED in step.events and table.status is Status.LOBBY:
        return Asking(at_bottom=True)
    if table.status is not Status.PLAYING or game is None:
        return Asking()
    events = step.game_events
    everybody = tuple(seat for seat in game.active_seats if not table.seats[seat].away)
    on_turn = tuple(seat for seat in everybody if seat == game.turn)
    if any(isinstance(event, RoundStarted) for event in events):
        waits = table.practice and before is not None and before.game is not None
        found = Asking() if waits else Asking(seats=everybody)
    elif events:
        has_bid = any(isinstance(event, BidMade | DiceShown) for event in events)
        quick = before is not None and now - before.turn_since < WATCHING_SECONDS
        found = Asking(seats=on_turn if has_bid else (), on_board=quick)
    else:
        returned = tuple(event.seat for event in step.events if isinstance(event, SeatReturned))
        found = Asking(seats=returned)
    if PlainEvent.TURN_UNDELIVERED in step.events:
        return Asking(seats=on_turn, at_bottom=True)
    if any(event in step.events for event in _SHOWN_AGAIN):
        return Asking(seats=everybody, at_bottom=PlainEvent.TABLE_RESUMED in step.events)
    return found
