"""Pages of the channel that reads rooms: somebody begins to read a room, a page opens before a player, or closes."""

from telegram_bot.service.announcing.private_routes import route_to
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player


def watch_room(uow: UnitOfWork, table: int) -> None:
    """Send to the room what everybody at the table is told from now on, and how it stands."""
    row = uow.lock_table(table)
    if row is None:
        return
    chat = uow.chat_of(row)
    if chat.watched:
        return
    chat.watched = True
    TableOutbox(uow, row, chat).show_room(load_table(row))


def change_window(uow: UnitOfWork, player_id: int, *, is_open: bool) -> None:
    """Show the player their dice where they look from now on; in their own chat only where that is needed to play on.

    The tables are locked in the order of their numbers, so that no two such changes wait for each other.
    """
    player = uow.session.get(Player, player_id)
    if player is None or uow.traits(player.channel).reads_rooms or player.window_open == is_open:
        return
    rows = [uow.lock_table(row.id) for row in uow.live_tables_of(player)]
    player.window_open = is_open
    for row in rows:
        table = None if row is None else load_table(row)
        seat = None if table is None else table.seat_of(player.id)
        if row is None or table is None or table.game is None or seat is None or not table.in_play(seat):
            continue
        outbox, on_turn = TableOutbox(uow, row, uow.chat_of(row)), table.game.turn == seat
        way = route_to(player, outbox.chat, outbox.ephemeral_unreachable)
        if not table.seats[seat].away and (is_open or on_turn or outbox.has_board(player, way)):
            outbox.send_hand(table, seat, news=on_turn, on_board=not on_turn)
