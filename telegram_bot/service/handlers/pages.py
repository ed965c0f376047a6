"""Handle web pages: a page begins to read a room, or a player opens or closes the web seat."""

from typing import Final, Literal

from sqlmodel import col, select

from telegram_bot.service.announcing.presentation import envelope_to, own_page
from telegram_bot.service.announcing.private_routes import route_to
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.request import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import AnswerKnock
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, GuestNotice, Toast
from telegram_bot.service.posting import Post
from telegram_bot.service.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange


def watch_room(uow: UnitOfWork, chat: Chat) -> None:
    """Send the chat's room everybody's notices from now on, and the state of the newest table."""
    newest = select(GameTable.id).where(GameTable.chat_id == chat.id).order_by(col(GameTable.id).desc()).limit(1)
    number = uow.session.exec(newest).one_or_none()
    row = None if number is None else uow.lock_table(number)
    if chat.watched:
        return
    chat.watched = True
    if row is not None:
        TableOutbox(uow, row, chat).show_room(load_table(row))


def change_page(uow: UnitOfWork, player_id: int, *, is_open: bool) -> None:
    """Show the player their dice at their present place; in their own chat only if they need them to play on.

    The tables are locked in the order of their numbers, which prevents deadlocks.
    """
    player = uow.session.get(Player, player_id)
    if player is None or uow.traits(player.channel).reads_rooms or player.page_open == is_open:
        return
    rows = [uow.lock_table(row.id) for row in uow.live_tables_of(player)]
    player.page_open = is_open
    for row in rows:
        table = None if row is None else load_table(row)
        seat = None if table is None else table.seat_of(player.id)
        if row is None or table is None or table.game is None or seat is None or not table.in_play(seat):
            continue
        outbox, on_turn = TableOutbox(uow, row, uow.chat_of(row)), table.game.turn == seat
        route = route_to(player, outbox.chat, outbox.ephemeral_unreachable)
        if not table.seats[seat].away and (is_open or on_turn or outbox.has_board(player, route)):
            outbox.send_hand(table, seat, news=on_turn, on_board=not on_turn)


def answer_knock(context: TableContext, request: AnswerKnock) -> Toast | None:
    """Admit a waiting visitor into the table's room, or refuse them; either way they get the answer."""
    uow, row, table = context.uow, context.row, context.table
    if context.player_id != table.host:
        host = next((seat.name for seat in table.seats if seat.player == table.host), None)
        raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)
    done = ConfirmationNotice(done=Confirmation.NOBODY_WAITS)
    room = uow.session.get(WebRoom, row.chat_id, with_for_update=True)
    entry = uow.session.get(WebEntry, (row.chat_id, request.player))
    if room is not None and entry is not None and entry.answer == EntryAnswer.ASKED:
        entry.answer, entry.at = EntryAnswer.ADMITTED if request.admit else EntryAnswer.REFUSED, uow.now
        room.door_changed, room.host_told_at, room.times_told = True, 0, 0
        guest = uow.player_by_id(request.player)
        told: Literal["admitted", "refused"] = "admitted" if request.admit else "refused"
        notice = GuestNotice(what=told, table=row.id, code=row.code, player=guest.id, name=guest.name)
        uow.enqueue(Post(envelope_to(uow, guest, notice, at=own_page(uow, guest))))
        answer = Confirmation.ADMITTED if request.admit else Confirmation.NOT_ADMITTED
        done = ConfirmationNotice(done=answer, title=guest.name)
    context.close_question(done)
    return context.save_and_answer(TableChange(table), done)


ANSWER_KNOCK: Final = TableRequest(
    AnswerKnock,
    answer_knock,
    buttons=(Button("admit={player}", admit=True), Button("refuse={player}", admit=False)),
    acts=(Act("admit", "player", admit=True), Act("refuse", "player", admit=False)),
)
