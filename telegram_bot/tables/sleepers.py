"""Players for whom the bot plays: the host can remove them amid a game."""

from telegram_bot.tables import play
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange, no_running_game
from telegram_bot.tables.model import Moment, Status, Table


def asleep(table: Table) -> tuple[int, ...]:
    """Return the seats of people who may come back, and for whom the bot plays until then."""
    return tuple(
        index
        for index, seat in enumerate(table.seats)
        if table.in_play(index) and seat.away and seat.computer is None and not seat.left_to_bot
    )


def remove(table: Table, by: int, player: int, *, dice_go: bool, moment: Moment) -> TableChange:
    """Remove a sleeper, for the host only: their dice go, or the bot plays with them until the game is over.

    Raises:
        RejectedError: no game runs, the asker is not the host, or the player is not asleep.
    """
    if table.status is not Status.PLAYING:
        raise no_running_game(table)
    if by != table.host:
        host = next((seat.name for seat in table.seats if seat.player == table.host), None)
        raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)
    seat = table.seat_of(player)
    if seat is None or seat not in asleep(table):
        raise RejectedError(RejectionReason.STALE)
    if dice_go:
        return play.resign(table, seat, moment=moment)
    return TableChange(table.with_seat(seat, left_to_bot=True))
