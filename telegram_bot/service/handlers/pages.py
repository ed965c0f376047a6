"""Handle web pages: a player opens or closes the web seat."""

from dataclasses import dataclass
from typing import Literal

from sqlmodel import col, select

from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import AtAnyStep, TellsNothing, Who, texted
from telegram_bot.notices import Confirmation, ConfirmationNotice, GuestNotice, SeatLinkNotice, Toast
from telegram_bot.repositories.repositories import join_code_of, load_table
from telegram_bot.repositories.room_access import lists_in
from telegram_bot.screens.routes import page_or_chat, page_readers_in
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.own_seats import absent_guests, end_pages, judges_of, new_seat_key, open_seat
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession
from telegram_bot.tables.events import RejectedError, RejectionReason


def change_page(uow: UnitOfWork, number: int, chat: int | None) -> None:
    """Note the room that a page shows, and show its player their dice at their present place.

    In their own chat they see them only if they need them to play on.
    """
    page = uow.session.get(WebSession, number)
    player = None if page is None or page.player_id is None else uow.session.get(Player, page.player_id)
    if page is None or player is None or uow.traits(player.channel).reads_rooms or page.shown_chat_id == chat:
        return
    rooms = [uow.session.get_one(Chat, room) for room in (page.shown_chat_id, chat) if room is not None]
    rows = [row for row in uow.live_tables_of(player) if uow.chat_of(row) in rooms]
    if chat is None and page.open_until > uow.now:  # it was opened again
        return
    before = {room.id for room in rooms if player.id in page_readers_in(uow, room)}
    page.shown_chat_id = chat
    uow.session.flush()
    for row in rows:
        table, outbox = load_table(row), TableOutbox(uow, row, uow.chat_of(row))
        seat, is_open = table.seat_of(player.id), player.id in outbox.routes.page_readers
        if is_open == (row.chat_id in before) or table.game is None or seat is None or not table.in_play(seat):
            continue
        on_turn = table.game.turn == seat
        if not table.seats[seat].away and (is_open or on_turn or outbox.routes.to(player).has_board):
            outbox.send_hand(table, seat, news=on_turn, on_board=not on_turn)


@dataclass(frozen=True, slots=True)
class AnswerKnock(AtAnyStep, TableRequest):
    """Admit or refuse a player (by the players' own id) who asked without the link, for the host only.

    0: all of them of whom the host was told. If they say that a guest's seat is theirs, they get that seat or not; the
    other players may answer that too while the host is away.
    """

    buttons = (Button("admit={player}", admit=True), Button("refuse={player}", admit=False))
    acts = (Act("admit", "player", admit=True), Act("refuse", "player", admit=False))

    player: int
    admit: bool

    def handle(self, context: TableContext) -> Toast | None:
        """Admit a waiting visitor into the table's room, or refuse them; 0: all of whom the host was told."""
        uow, row, table = context.uow, context.row, context.table
        claim = uow.session.get(WebEntry, (context.chat.id, self.player))
        if claim is not None and claim.answer == EntryAnswer.ASKED and claim.claimed is not None:
            return self._answer_claim(context, claim, claim.claimed)
        if context.player_id != table.host:
            host = next((seat.name for seat in table.seats if seat.player == table.host), None)
            raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)
        done = ConfirmationNotice(done=Confirmation.NOBODY_WAITS)
        names = answer_visitors(uow, context.chat, self.player, admit=self.admit, table=row.id, code=join_code_of(row))
        if names:
            answer = Confirmation.ADMITTED if self.admit else Confirmation.NOT_ADMITTED
            done = ConfirmationNotice(done=answer, names=tuple(names))
        context.close_question(done)
        return done

    def _answer_claim(self, context: TableContext, claim: WebEntry, owner: int) -> Toast:
        """Count the answer to a person who says that a guest's seat is theirs; the last one that matters decides.

        A guest who has come back meanwhile keeps the seat.
        """
        uow, table = context.uow, context.table
        uow.session.get(WebRoom, context.chat.id)
        judges, needed = judges_of(uow, table, owner)
        if context.player_id not in judges:
            host = next((seat.name for seat in table.seats if seat.player == table.host), None)
            raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)
        claim.votes = claim.votes | {str(context.player_id): self.admit}
        said = [claim.votes[str(judge)] for judge in judges if str(judge) in claim.votes]
        seat = next((each for each in absent_guests(uow, table) if each.player == owner), None)
        asker = uow.player_by_id(claim.player_id)
        told: Literal["admitted", "refused"] = "refused"
        if seat is None:
            claim.answer, done = EntryAnswer.UNANSWERED, Confirmation.NOBODY_WAITS
        elif said.count(True) >= needed:
            context.save(open_seat(uow, table, claim))
            told, done = "admitted", Confirmation.SEAT_GIVEN
        elif said.count(False) > max(len(judges) - needed, 0):
            claim.answer, claim.at, done = EntryAnswer.REFUSED, uow.now, Confirmation.SEAT_KEPT
        else:
            done = Confirmation.SEAT_HALF_GIVEN
        if done is not Confirmation.SEAT_HALF_GIVEN:
            notice = GuestNotice(what=told, table=table.id, code=table.join_code, player=asker.id, name=asker.name)
            say(uow, asker, notice, at=page_or_chat(uow, asker, context.chat))
        room = uow.session.get_one(WebRoom, context.chat.id)
        room.door_changed, room.host_told_at, room.times_told = True, 0, 0
        answered = ConfirmationNotice(done=done, title=asker.name if seat is None else seat.name)
        context.close_question(answered)
        return answered


@dataclass(frozen=True, slots=True)
class AnswerVisitor(TellsNothing, PersonRequest):
    """Admit or refuse a player who asked without the link, for the host of a room's list; 0: all whom they know of.

    The host of the room's table has another button: `AnswerKnock`.
    """

    buttons = (Button("let_in_room={room}_{player}", admit=True), Button("refuse_room={room}_{player}", admit=False))
    acts = (Act("let_in_room", "room", "player", admit=True), Act("refuse_room", "room", "player", admit=False))

    room: int
    player: int
    admit: bool

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Answer as `AnswerKnock` does; then the list of waiting people is edited."""
        listed = lists_in(uow.session, [self.room]).get(self.room)
        if listed is None or listed.host != player.id:
            raise RejectedError(RejectionReason.NOT_HOST)
        newest = select(GameTable).where(GameTable.chat_id == self.room).order_by(col(GameTable.id).desc()).limit(1)
        row, chat = uow.session.exec(newest).one_or_none(), uow.session.get_one(Chat, self.room)
        table, code = (0, listed.code) if row is None else (row.id, join_code_of(row))
        names = answer_visitors(uow, chat, self.player, admit=self.admit, table=table, code=code)
        done = Confirmation.ADMITTED if self.admit else Confirmation.NOT_ADMITTED
        said = ConfirmationNotice(done=done if names else Confirmation.NOBODY_WAITS, names=tuple(names))
        return answer(uow, intent, player, said)


@dataclass(frozen=True, slots=True)
class TextSeatLink(AtAnyStep, TableRequest):
    """Ask for the link that opens the person's seat on a page, once; an earlier one ends."""

    commands = (texted("page", "get a link that opens your seat on a page", who=Who.PLAYER),)

    def handle(self, context: TableContext) -> None:
        uow, chat = context.uow, context.chat
        context.seat()
        if uow.channels.pages is None or not uow.traits(chat.channel).shared_chats:
            raise RejectedError(RejectionReason.NO_PAGE)
        key = new_seat_key(uow.session, chat, context.player_id, uow.now)
        url = f"{uow.config.pages_url}/t/{context.table.join_code}#seat={key}"
        say(uow, context.player, SeatLinkNotice(url=url), at=context.intent)


@dataclass(frozen=True, slots=True)
class EndPages(TellsNothing, PersonRequest):
    """Close the person's seat on all pages, because somebody else has opened it there."""

    buttons = (Button("end_pages"),)

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """End the pages and the links; the Mini App opens again, because Telegram proves its user."""
        end_pages(uow.session, player.id)
        return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.PAGES_ENDED))


def answer_visitors(uow: UnitOfWork, chat: Chat, player: int, *, admit: bool, table: int, code: str) -> list[str]:
    """Answer a visitor who waits, or for 0 all of whom the host was told; return the names of those who got an answer.

    `table`, `code`: those of the room's newest table; without one, 0 and the code of its list.
    """
    room = uow.session.get(WebRoom, chat.id)
    told: Literal["admitted", "refused"] = "admitted" if admit else "refused"
    names = []
    for number in () if room is None else [player] if player else room.host_told:
        entry = uow.session.get(WebEntry, (chat.id, number))
        if room is None or entry is None or entry.answer != EntryAnswer.ASKED or entry.claimed is not None:
            continue
        entry.answer, entry.at = EntryAnswer.ADMITTED if admit else EntryAnswer.REFUSED, uow.now
        room.door_changed, room.host_told_at, room.times_told = True, 0, 0
        guest = uow.player_by_id(number)
        notice = GuestNotice(what=told, table=table, code=code, player=guest.id, name=guest.name)
        say(uow, guest, notice, at=page_or_chat(uow, guest, chat))
        names.append(guest.name)
    return names
