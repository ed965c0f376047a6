"""A player at one table: the context of every handler of an intent at a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import func, text
from sqlmodel import col, select

from telegram_bot.intents.config import lobby_defaults
from telegram_bot.intents.intents import Intent, Place
from telegram_bot.intents.slots import answer_slot
from telegram_bot.notices import Confirmation, ConfirmationNotice, HandNotice, Notice, Toast
from telegram_bot.repositories.repositories import load_table, quiet_hours_of
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.naming import show_new_name
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player, SentMessage
from telegram_bot.tables import lobby_rules, play, sleepers
from telegram_bot.tables.events import (
    PlainEvent,
    RejectedError,
    RejectionReason,
    TableChange,
    TableEvent,
    no_running_game,
)
from telegram_bot.tables.faces import Face, face_of
from telegram_bot.tables.handovers import awaited_by, goes_back, owned_by
from telegram_bot.tables.model import Seat, Status, Table
from telegram_bot.tables.names import is_numbered, told_apart
from telegram_bot.tables.views import hand_view


def seat_quiet_fields(player: Player) -> dict[str, Any]:
    """Return the fields of a seat that depend on the player's quiet hours."""
    return {"quiet": quiet_hours_of(player), "awake_until": player.awake_until}


def seat_for(uow: UnitOfWork, player: Player, name: str | None = None) -> Seat:
    """Return a seat for the player; `name`: their name from now on."""
    return Seat(
        player=player.id,
        name=name or player.name,
        by_text=uow.traits(player.channel).slow,
        guest=player.guest,
        face=face_of(player.id, player.face),
        **seat_quiet_fields(player),
    )


def require_same_person(uow: UnitOfWork, player: Player, name: str | None) -> None:
    """Make sure that no other person takes a seat with the phone of a player.

    Raises:
        RejectedError: the name differs from that of the person, who sits at a table.
    """
    if name is None or player.nameless or name.casefold() == player.name.casefold():
        return
    if uow.live_tables_of(player):
        raise RejectedError(RejectionReason.SHARED_PHONE, shared=(player.name, name))


def take_name(uow: UnitOfWork, player: Player, name: str | None) -> None:
    """Store the person's name, or None if they gave none, and show it in lists."""
    if name is not None and _store_name(uow, player, name):
        show_new_name(uow, player)


def _store_name(uow: UnitOfWork, player: Player, name: str) -> bool:
    """Store the person's name; True if it is another one. A table of their own is named after them."""
    is_new = player.name != name
    player.name, player.nameless, player.named = name, False, True
    own_chat = uow.find_chat(Place(player.channel, -player.address))
    if own_chat is not None:
        own_chat.title = name
    uow.session.flush()
    return is_new


def has_own_name(intent: Intent, player: Player) -> bool:
    """Return True if the person can choose a name: a phone that plays for a person of another channel cannot."""
    return player.channel == intent.who.channel


def require_may_host(uow: UnitOfWork, player: Player, chat: Chat) -> None:
    """Make sure that there is room for one more table in a place, and that the player has not opened too many.

    Everyone can make new rooms of pages, so their tables count apart, and take no place of a group.

    Raises:
        RejectedError: the limit is reached; no row was written before.
    """
    quotas = uow.config.quotas
    if quotas.tables_per_host:
        hosted = sum(_is_opened_by(load_table(row), player) for row in uow.live_tables_once_of(player))
        if hosted >= quotas.tables_per_host:
            raise RejectedError(RejectionReason.HOSTS_ENOUGH, number=hosted)
    if quotas.live_tables:
        of_pages = chat.channel == uow.channels.rooms
        rooms = select(Chat.id).where(Chat.channel == uow.channels.rooms)
        place = col(GameTable.chat_id).in_(rooms) if of_pages else col(GameTable.chat_id).not_in(rooms)
        live = uow.session.exec(select(func.count()).select_from(GameTable).where(text("live"), place)).one()
        if live >= (max(1, quotas.live_tables // 2) if of_pages else quotas.live_tables):
            raise RejectedError(RejectionReason.HOUSE_FULL)


def _is_opened_by(table: Table, player: Player) -> bool:
    """Return True if the table counts as the player's: handing it over or leaving it to others changes nothing."""
    return player.id == (table.host if table.opened_by is None else table.opened_by)


def new_lobby(uow: UnitOfWork, chat: Chat, player: Player) -> tuple[GameTable, TableChange]:
    """Return a lobby in a place, hosted by the player, with the rules and the turn clock of the last table there."""
    require_may_host(uow, player, chat)
    rules, clock = lobby_defaults(chat, uow.config)
    row, new = uow.new_table(chat)
    chat.language = uow.language_for(player)
    return row, lobby_rules.open_lobby(new, seat_for(uow, player), rules, clock, moment=uow.moment)


class TableContext:
    """The table before and after a step."""

    def __init__(self, uow: UnitOfWork, row: GameTable, intent: Intent, player: Player) -> None:
        self.uow = uow
        self.row = row
        self.intent = intent
        self.player = player
        self.player_id = player.id
        self.stored = self.table = load_table(row)
        self.returned = TableChange(self.table)
        """The return of the player to their seat, as far as it is not saved."""
        self.chat = self.uow.chat_of(row)

    @contextmanager
    def seat_returned(self) -> Iterator[None]:
        """Hand an away player their seat back, and save the table that the request leaves.

        The return is saved together with the request's first step. If the request is rejected, it is saved alone.
        """
        self._return_seat()
        try:
            yield
        except RejectedError:
            if self.returned.events:
                self.save(TableChange(self.returned.table))
            raise
        self.save(TableChange(self.table))

    def return_if_away(self) -> bool:
        """Hand an away seat back to its player; True if the players are told."""
        self._return_seat()
        told = any(event is not PlainEvent.LOBBY_CHANGED for event in self.returned.events)
        self.save(TableChange(self.table))
        return told

    def _return_seat(self) -> None:
        before = self.table
        seat = before.seat_of(self.player_id)
        if seat is None:
            return
        self.table = before.with_seat(
            seat, name=self._name_on_seat(seat, self.player.name, kept=True), **seat_quiet_fields(self.player)
        )
        shown: tuple[TableEvent, ...] = ()
        if self.player_id == before.host and before.host_awaited_since is not None:
            self.table = self.table.replace(host_awaited_since=None)
            shown = (PlainEvent.LOBBY_CHANGED,) if self.table.status is Status.LOBBY else ()
        self.returned = TableChange(self.table, shown).then(play.return_seat(self.table, seat, moment=self.uow.moment))
        self.table = self.returned.table

    def save(self, step: TableChange) -> None:
        """Save a step, after the player's return if that is not saved yet."""
        before, whole = self.stored, self.returned.then(step)
        self.stored = self.table = step.table
        self.returned = TableChange(step.table)
        if whole.events or whole.actions or step.table != before:
            self.uow.commit_step(self.row, before, whole)

    def rename_seat(self, name: str) -> None:
        """Write the player's new name on their seat."""
        seat = self.seat()
        is_new = _store_name(self.uow, self.player, name)
        shown = (PlainEvent.LOBBY_CHANGED,) if self.table.status is Status.LOBBY else ()
        self.save(TableChange(self.table.with_seat(seat, name=self._name_on_seat(seat, name)), shown))
        if is_new:
            show_new_name(self.uow, self.player)  # after the step: lists name seats as well

    def change_face(self, face: Face) -> None:
        """Give the player's seat the face, unless another player at the table has it."""
        seat, table = self.seat(), self.table
        if face in (each.face for each in table.seats):
            return
        shown = (PlainEvent.LOBBY_CHANGED,) if table.status is Status.LOBBY else ()
        self.save(TableChange(table.with_seat(seat, face=face), shown))

    def _name_on_seat(self, seat: int, name: str, *, kept: bool = False) -> str:
        """Return the player's name, distinct from the names on the other seats.

        `kept`: during a game the name keeps its number, because messages above call the player so.
        """
        shown = self.table.seats[seat].name
        if kept and self.table.status is Status.PLAYING and is_numbered(shown, name):
            return shown
        return told_apart(name, (each.name for index, each in enumerate(self.table.seats) if index != seat))

    def hand_notice(self, seat: int) -> HandNotice:
        """Return the notice that shows the player their dice and, on their turn, asks for a call."""
        return HandNotice(
            view=hand_view(self.table, seat), player=self.player_id, title=self.chat.title, deal=self.table.deals
        )

    def send_hand(self, seat: int) -> None:
        """Send the dice to the private chat in which the player asked; a board is sent again at the end of the chat."""
        outbox = TableOutbox(self.uow, self.row, self.chat)
        if outbox.routes.to(self.player).has_board:
            outbox.send_hand(self.table, seat)
            return
        self.say_in_private(self.hand_notice(seat))

    def say_in_private(self, notice: Notice) -> None:
        """Answer the player's words; the next answer or call takes its keys away. A page has the keys of its card."""
        slot = None if self.uow.traits(self.intent.source).reads_rooms else answer_slot(self.player_id)
        say(self.uow, self.player, notice, at=self.intent, about=self.table.id, slot=slot)
        if slot is not None:
            withdraw(self.uow, self.player, slot, about=self.table.id, keeps_words=True)

    def take_seat(self, player: int = 0, name: str | None = None) -> Toast | None:
        """Let the person take a sleeper's seat at the next deal, or their own back; `player` as of `sleepers.take`."""
        step = sleepers.take(self.table, seat_for(self.uow, self.player, name), player, moment=self.uow.moment)
        take_name(self.uow, self.player, name)
        self.save(step)
        seat = awaited_by(step.table, self.player_id)
        assert seat is not None  # noqa: S101 - it was taken
        done = Confirmation.TOOK_BACK if goes_back(step.table.seats[seat]) else Confirmation.TAKES_OVER
        notice = ConfirmationNotice(done=done, title=step.table.seats[seat].name)
        if self.intent.where is not None and self.intent.answered_by == "message":
            return None  # the group reads who takes the seat
        return answer(self.uow, self.intent, self.player, notice)

    def close_question(self, notice: Notice) -> None:
        """Remove the buttons of the tapped question, or write the answer in its place."""
        uow, tapped, where = self.uow, self.intent.tapped, self.intent.where
        if tapped is None:
            return
        reader, chat = (self.player, self.intent.who.address) if where is None else (self.chat, where.address)
        shows_a_table = select(SentMessage.slot).where(SentMessage.chat == chat, SentMessage.message == tapped.message)
        if uow.session.exec(shows_a_table.limit(1)).first() is not None:
            return  # a forged button: no question, but the message of a table
        say(uow, reader, notice, at=where or self.intent.who, target=tapped, about=self.table.id)

    def require_asked(self, asked: int | None) -> None:
        """Make sure that only the person who was asked answers a question in the group."""
        if asked not in (None, self.player_id):
            raise RejectedError(RejectionReason.NOT_YOURS)

    def require_turn(self) -> int:
        """Return the player's seat, which is on turn.

        Raises:
            RejectedError: they have no seat, no game runs, they are out, or it is another player's turn.
        """
        seat, game = self.seat(), self.table.game
        if game is None or self.table.status is not Status.PLAYING:
            raise no_running_game(self.table)
        if not self.table.in_play(seat):
            raise RejectedError(RejectionReason.OUT)
        if game.turn != seat:
            on_turn = None if game.turn is None else self.table.seats[game.turn].name
            raise RejectedError(RejectionReason.ILLEGAL, on_turn=on_turn)
        return seat

    def answers_cost_money(self) -> bool:
        """Return True if answers to the person cost money."""
        return self.uow.traits(self.intent.who.channel).paid

    def seat(self) -> int:
        """Return the player's seat.

        Raises:
            RejectedError: they have none at this table, or another player has it.
        """
        seat = self.table.seat_of(self.player_id)
        lent = owned_by(self.table, self.player_id) if seat is None else None
        if lent is not None and self.table.in_play(lent):
            raise RejectedError(RejectionReason.SEAT_LENT, on_turn=self.table.seats[lent].name)
        if seat is None:
            raise RejectedError(RejectionReason.NOT_SEATED)
        return seat
