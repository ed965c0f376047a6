"""Seats that go to another player amid a game, when all dice are rolled again.

So no player sees dice that another one had in the same round.
"""

from telegram_bot.tables.events import Handover, SeatHandover, TableChange
from telegram_bot.tables.model import Seat, Table


def awaited_by(table: Table, player: int) -> int | None:
    """Return the seat that a player takes at the next deal, or None if there is none."""
    return next(
        (
            index
            for index, seat in enumerate(table.seats)
            if seat.next is not None and seat.next.player == player and not moves(seat)
        ),
        None,
    )


def owned_by(table: Table, player: int) -> int | None:
    """Return the seat of a player that another one has now, or None if there is none."""
    return next(
        (index for index, seat in enumerate(table.seats) if seat.owner is not None and seat.owner.player == player),
        None,
    )


def moves(seat: Seat) -> bool:
    """Return True if the seat's own player opens it on another device at the next deal."""
    return seat.next is not None and seat.next.player == seat.player


def goes_back(seat: Seat) -> bool:
    """Return True if the seat goes back to its owner at the next deal."""
    return seat.next is not None and seat.owner is not None and seat.next.player == seat.owner.player


def withdraw(table: Table, index: int, what: Handover) -> TableChange:
    """Let a seat keep its player after all, if another one was to take it."""
    seat = table.seats[index]
    if seat.next is None:
        return TableChange(table)
    if moves(seat):
        return TableChange(table.with_seat(index, next=None))
    happened = SeatHandover(index, what, seat.next.player, seat.next.name, seat.name)
    return TableChange(table.with_seat(index, next=None), (happened,))


def withdraw_lost(table: Table) -> TableChange:
    """Do the same for the seats that have lost their last dice."""
    step = TableChange(table)
    for index, seat in enumerate(table.seats):
        if seat.next is not None and not table.in_play(index):
            step = step.then(withdraw(step.table, index, Handover.LOST))
    return step


def seat_the_next(table: Table) -> Table:
    """Return the table with its seats' next players; each seat remembers its owner until it is theirs again."""
    return table.replace(seats=tuple(map(_next, table.seats)))


def _next(seat: Seat) -> Seat:
    if seat.next is None or moves(seat):
        return seat.next or seat
    owner = None if goes_back(seat) else seat.owner or seat.model_copy(update={"next": None})
    return seat.next.model_copy(update={"owner": owner, "changed_hands": True})
