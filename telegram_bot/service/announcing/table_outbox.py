"""Put notices about one table into the outbox: to its chat, or to a player by the private route that works."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from telegram_bot import notices as n
from telegram_bot.intents.slots import (
    LOBBY_SLOT,
    chat_note_slot,
    deal_slot,
    hand_slot,
    menu_slot,
    note_slot,
)
from telegram_bot.repositories.next_game import end_mentions
from telegram_bot.screens.envelopes import envelope_to
from telegram_bot.screens.facts import Facts, facts_about
from telegram_bot.screens.posting import Notification
from telegram_bot.screens.routes import Routes, Way, has_pages, room_of
from telegram_bot.screens.surface_notices import hand_notice, lobby_notice
from telegram_bot.screens.switches import by_ear
from telegram_bot.screens.tips import may_get_tip, tip_for
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.timeline import reveal_delay_of
from telegram_bot.service.outbox_dedupe import drop_waiting
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import (
    Chat,
    GameTable,
    NoticeStatus,
    OutboxEntry,
    Player,
    SentMessage,
)
from telegram_bot.tables.model import Status, Table, is_person
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import hand_view, table_view

GATHERED_SECONDS: Final = 300
"""The minimum time between two messages about other people's actions."""


def host_news_slot(host: Player) -> str:
    """Return the slot of the message to the host about other people's changes of the lobby."""
    return f"lobby_news:{host.id}"


def earliest_host_news(session: Session, table: int, host: Player) -> float:
    """Return when the host may be told of the next change; 0 means now."""
    last_told = select(func.max(func.coalesce(OutboxEntry.done_at, OutboxEntry.created_at))).where(
        OutboxEntry.table_id == table,
        OutboxEntry.slot == host_news_slot(host),
        col(OutboxEntry.status).not_in((NoticeStatus.PENDING, NoticeStatus.SUPERSEDED)),
    )
    last = session.exec(last_told).one()
    return 0 if last is None else float(last) + GATHERED_SECONDS


def drop_host_news(session: Session, table: int, host: Player, now: float) -> None:
    """Drop the gathered messages to the host: a newer one is sent, or the lobby is over."""
    drop_waiting(session, table, col(OutboxEntry.slot) == host_news_slot(host), now)


def table_for_one(table: Table, seat: int | None) -> n.TableNotice:
    """Return the state of a game, for one person."""
    playing = seat is not None and table.in_play(seat)
    may_calza = playing and hand_view(table, seat or 0).may_calza
    return n.TableNotice(view=table_view(table), shared=False, unreachable=False, seat=seat, may_calza=may_calza)


OFFER_SLOT = "next_game"
"""The slot of the offer to spectators."""


class TableOutbox:
    """Puts the notices of one table into the outbox: a method for each kind of message."""

    def __init__(self, uow: UnitOfWork, row: GameTable, chat: Chat) -> None:
        self.uow = uow
        self.table_id = row.id
        self.row = row
        self.chat = chat
        self.shared = uow.traits(chat.channel).shared_chats
        self.lane = chat.lane
        self.delay: Final = reveal_delay_of(uow, row, self.lane) if self.shared else None
        """How private notices wait for the dice in the table's chat, or None if it has seen them."""
        self.opened_reveals: list[Callable[[], None]] = []
        """The words below the animations of this step: they are sent after all else, when the animations have ended."""
        self._facts: Facts | None = None

    @cached_property
    def routes(self) -> Routes:
        """The routes of private messages about this table."""
        return Routes.about(self.uow, self.chat)

    def facts(self, table: Table) -> Facts:
        """Return the facts about the table, read once for all notices of a step, without the ends of its rounds."""
        if self._facts is None or self._facts.table is not table:
            self._facts = facts_about(self.uow, self.row, table, routes=self.routes)
        return self._facts

    def send_lobby(self, table: Table, *, news: bool = False) -> None:
        """Show the lobby in the chat, and in private to a host who does not see the chat.

        `news`: another person changed it. A host whose messages cost money gets one message in several minutes.
        """
        self.uow.mark_table(self.table_id)
        host = self.uow.player_by_id(table.host)
        route = self.routes.to(host)
        if route.has_menus or not route.is_remote or route.kept is not None:
            return
        notice = lobby_notice(self.facts(table)).model_copy(update={"to_host": True, "asks_name": host.nameless})
        drop_host_news(self.uow.session, self.table_id, host, self.uow.now)
        if route.to is None:
            return
        if news and self.uow.is_paid(host):
            not_before = earliest_host_news(self.uow.session, self.table_id, host)
            say(self.uow, host, notice, about=self, at=route, slot=host_news_slot(host), not_before=not_before)
        else:
            say(self.uow, host, notice, about=self, at=route, slot=menu_slot(table.host))

    def show_menu_again(self, host: Player) -> None:
        """Have the menu in the host's private chat become a new message."""
        if self.routes.to(host).has_menus:
            self.uow.mark_table(self.table_id)
            self._show_anew(menu_slot(host.id))

    def send_hand(
        self,
        table: Table,
        seat: int,
        *,
        previous: RevealView | None = None,
        news: bool = False,
        on_board: bool = False,
    ) -> bool:
        """Show a player their dice, and on their turn their legal bids; False when no private route works.

        The message before it loses its buttons. `previous`: the end of the last round, for a player who saw no reveal.
        `news`: it announces the turn, and the clock waits for it.
        `on_board`: the player's board need not become a new message, if it is the newest one.
        """
        if table.is_computer(seat):
            return False
        player = self.uow.player_by_id(table.seats[seat].player)
        route, facts = self.routes.to(player), self.facts(table)
        if route.to is None:
            return False
        if may_get_tip(player, calza=table.rules.calza):
            tip_for(self.uow, player, hand_view(table, seat, facts.view))
        turn = table.step if news and table.begun_game.turn == seat else None
        hears = by_ear(player, self.uow.config)
        if route.kept is not None:
            self.uow.mark_table(self.table_id)
            if hears or not on_board:
                self._show_anew(hand_slot(player.id))
            if hears:
                say(self.uow, player, hand_notice(facts, seat, player), about=self, at=route, is_shown=True)
            return True
        told = {"previous": previous if route.reads_messages else None}
        key, slot = (table.deals, table.step), hand_slot(player.id)
        told_here = hand_notice(facts, seat, player).model_copy(update=told)
        say(self.uow, player, told_here, about=self, at=route, key=key, slot=slot, turn=turn)
        return True

    def repost_at_bottom(self) -> None:
        """Show the table's message again, as a new message at the end of the chat."""
        self.uow.mark_table(self.table_id)
        self._show_anew(LOBBY_SLOT, deal_slot(self.row.state.get("deals", 0)))
        if self.uow.session.get(SentMessage, (self.table_id, LOBBY_SLOT)) is not None:
            end_mentions(self.uow, self.table_id)
            self._facts = None

    def show_at_bottom(self, table: Table) -> None:
        """Show the table's message again at the end of the chat."""
        self.repost_at_bottom()
        if table.status is Status.LOBBY:
            self.send_lobby(table)

    def enqueue(self, notification: Notification) -> None:
        """Put a notice into the outbox; a table's chat without readers gets none, and a page what its chat reads.

        Private notices wait until the chat has seen the reveal, and so do pages, unless the notification has its own
        time. A message of the chat fills its slot; on pages the slot of its card is enough.
        """
        envelope, uow = notification.envelope, self.uow
        notice, in_chat, on_pages = envelope.notice, envelope.lane == self.lane, envelope.channel == uow.channels.rooms
        if in_chat and not (self.shared and (notice.is_public or not on_pages)):
            return
        slot = notification.slot if in_chat or not on_pages else None
        uow.enqueue(replace(self._held(notification), table=self.table_id, slot=slot))
        if in_chat and notice.is_public and has_pages(uow, self.chat):
            to_pages = envelope_to(uow, self.chat, notice, at=room_of(self.chat, uow.channels))
            self.enqueue(replace(notification, envelope=to_pages, turn=None))

    def _show_anew(self, *slots: str) -> None:
        """Let the messages in these slots become new ones, unless they are history."""
        here = col(SentMessage.table_id) == self.table_id, col(SentMessage.slot).in_(slots)
        self.uow.session.execute(update(SentMessage).where(*here).values(again=True))
        for slot in slots:
            self.uow.given_up.pop((self.table_id, slot), None)

    def _held(self, notification: Notification) -> Notification:
        return notification if self.delay is None or notification.held else self.delay.hold(notification)

    def say_elsewhere(self, players: Iterable[int], notice: n.Notice) -> None:
        """Say in private what the chat reads to the people who may be elsewhere: a linked address may be, too."""
        for number in filter(is_person, players):
            player = self.uow.player_by_id(number)
            route = self.routes.to(player)
            if route.way is Way.LINKED or (route.is_remote and route.to is not None):
                say(self.uow, player, notice, about=self, at=route)

    def send_probe(self) -> None:
        """Try to write that the bot can write here again: if the message gets through, it can."""
        if not self.uow.is_enqueued(envelope_to(self.uow, self.chat, n.ResumedNotice())):
            say(self.uow, self.chat, n.ResumedNotice(), about=self)

    def send_reminder(self, table: Table, seat: int) -> None:
        """Remind the player whose turn it is: in private if possible, otherwise by name in the group."""
        ends = table.running.ends
        assert ends is not None  # noqa: S101 - a reminder precedes the end of a clock
        player = self.uow.player_by_id(table.seats[seat].player)
        route = self.routes.to(player)
        direct = route.is_own_chat
        notice = n.ReminderNotice(
            name=table.seats[seat].name,
            address=player.address,
            clock_ends=ends,
            direct=direct,
            view=hand_view(table, seat) if direct else None,
        )
        key = (table.step,)
        if direct:
            say(self.uow, player, notice, about=self, at=route, key=key, slot=note_slot(player.id), until=ends)
        else:
            say(self.uow, self.chat, notice, about=self, key=key, slot=chat_note_slot(player.id), until=ends)
