"""Turn the events of a step into notices."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, assert_never

from sqlmodel import select

from perudo_core import Event
from telegram_bot import notices as n
from telegram_bot.intents.slots import OF_AN_ANSWER, PAUSED_SLOT, answered_in, chat_note_slot, deal_slot, note_slot
from telegram_bot.registry import Registry
from telegram_bot.screens.surface_notices import closed_notice
from telegram_bot.service.announcing import ends_by_ear
from telegram_bot.service.announcing.asking import Asking, asking_of
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox, drop_host_news
from telegram_bot.service.announcing.timeline import RevealDelay
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import RoundEnd, SentMessage
from telegram_bot.tables.events import (
    CalzaClaimed,
    ClaimsVoided,
    ClockRanOut,
    GameEvents,
    Handover,
    HostChanged,
    PlainEvent,
    SeatHandover,
    SeatReturned,
    TableChange,
    TableEvent,
    TableRestored,
    TurnReminder,
)
from telegram_bot.tables.handovers import goes_back
from telegram_bot.tables.lobby_rules import others_changed
from telegram_bot.tables.model import Seat, Status, Table
from telegram_bot.tables.play import dice_lost_away
from telegram_bot.tables.result_views import GameOverView, RevealView, game_over_view, reaction_to, reveal_view

REACTION_SECONDS: Final = 20
"""A reaction that is delayed by more than this after the reveal is left out."""


ANNOUNCED_BY_FEATURES: Final = Registry[str, Callable[[TableOutbox, CommittedStep], None]](
    "the announcements of features"
)
"""Functions of features, by feature. Each runs after the announcement of a step; its notices wait until the dice were
shown.
"""


def announce(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Put what a step says into the outbox, and have the surfaces of its table compared."""
    before, step = committed.before, committed.step
    if step.events or (before is not None and before.seats != step.table.seats):  # another name or face
        uow.mark_table(committed.row.id)
    if not step.events:
        return
    table, events, chat = step.table, step.game_events, uow.chat_of(committed.row)
    announcement = _Announcement(uow, committed.row, chat)
    if before is not None and before.status is Status.LOBBY:
        if table.status is not Status.LOBBY:
            drop_host_news(uow.session, table.id, uow.player_by_id(before.host), uow.now)
        if (before.host, before.status) != (table.host, table.status):
            committed.row.menu = None
    if PlainEvent.TABLE_CLOSED in step.events:
        announcement.announce_closed(table)
    for player in (set() if before is None else noted_players(before)) - noted_players(table):
        withdraw(uow, uow.player_by_id(player), note_slot(player), about=announcement)
        withdraw(uow, chat, chat_note_slot(player), about=announcement)
    if before is not None and before.paused and not table.paused:
        withdraw(uow, chat, PAUSED_SLOT, about=table.id)
    if table.status is Status.LOBBY and any(
        h is PlainEvent.LOBBY_CHANGED or isinstance(h, HostChanged) for h in step.events
    ):
        announcement.send_lobby(table, news=others_changed(before, table))
    reveal = announcement.announce_game(before, table, events) if events else None
    if before is not None and before.game is not None:
        announcement.tell_absent(before, step)
    announcement.ask(table, asking_of(before, step, uow.now), reveal)
    for event in step.events:
        announcement.announce_other(table, event)
    if before is not None and before.game is not None:
        announcement.announce_new_players(before, table, reveal)
    for name, announce_more in ANNOUNCED_BY_FEATURES.items():
        call_hook(uow, name, table.id, partial(announce_more, announcement, committed), None)
    for show_words in announcement.opened_reveals:
        show_words()


def noted_players(table: Table) -> set[int]:
    """Return the people who have been told that their time is nearly up, or that others play for them."""
    clock, noted = table.running, set[int]()
    for index, seat in enumerate(table.seats) if table.status is Status.PLAYING else ():
        on_turn = table.game is not None and table.game.turn == index
        is_reminded = on_turn and clock.ends is not None and clock.reminder_at is None
        if seat.computer is None and table.in_play(index) and (seat.away or is_reminded):
            noted.add(seat.player)
        if seat.owner is not None and table.in_play(index) and not goes_back(seat):
            noted.add(seat.owner.player)
    return noted


class _Announcement(TableOutbox):
    """The notices of one step."""

    def announce_game(self, before: Table | None, table: Table, events: tuple[Event, ...]) -> RevealView | None:
        """Announce reveals and the end of the game; return the end of the round, if it has ended."""
        answers = select(SentMessage).where(SentMessage.table_id == self.table_id, OF_AN_ANSWER)
        for sent in self.uow.session.exec(answers).all():
            player = answered_in(sent.slot)
            reader = self.chat if player is None or sent.receiver is not None else self.uow.player_by_id(player)
            withdraw(self.uow, reader, sent.slot, about=self, keeps_words=player is not None)
        reveal = reveal_view(before, table, events) if before is not None and before.game is not None else None
        over = game_over_view(table, events)
        if before is not None and reveal is not None:
            self.show_reveal(before, reveal)
            if over is None:
                self.announce_out(table, reveal)
            self.celebrate(reveal, deal_slot(before.deals), won=over is not None)
        if over is not None:
            self.announce_over(table, over, reveal)
        return reveal

    def announce_over(self, table: Table, over: GameOverView, reveal: RevealView | None) -> None:
        """Announce the winner."""
        reached = ends_by_ear.tell_game_over(self, table, over)
        for seat, each in enumerate(table.seats):
            if each.player not in reached:
                self.say_elsewhere([each.player], n.GameOverNotice(view=over, previous=reveal, seat=seat))

    def ask(self, table: Table, asking: Asking, reveal: RevealView | None) -> None:
        """Ask the player whose turn it is, and show players their dice."""
        if asking.at_bottom:
            self.repost_at_bottom()
        for seat in asking.seats:
            played = reveal is not None and reveal.seats[seat].player == table.seats[seat].player
            previous = reveal if played else None
            self.send_hand(table, seat, previous=previous, news=True, on_board=asking.on_board)

    def announce_out(self, table: Table, reveal: RevealView) -> None:
        """Tell players that they are out."""
        for seat in reveal.out:
            if not ends_by_ear.tell_knocked_out(self, table, reveal, seat):
                self.say_elsewhere([table.seats[seat].player], n.RevealNotice(view=reveal, seat=seat))

    def show_reveal(self, before: Table, view: RevealView) -> None:
        """Let private notices wait for the call and the end of the round in the table's chat.

        In practice games the player sees the call on the board, and the reveal below it.
        """
        slot = deal_slot(before.deals)
        end = self.uow.session.get_one(RoundEnd, (self.table_id, before.deals))
        cups_lift = RevealDelay(end.cups_at, self.lane)
        if self.delay is None:
            ends_by_ear.show_reveal(self, before, view, cups_lift, cups_lift)
            return
        if self.uow.config.reactions:
            view = view.model_copy(update={"reaction": reaction_to(view)})
        if before.practice and not before.without_people:
            if not ends_by_ear.show_reveal(self, before, view, cups_lift, self.delay, slot=slot):
                end.seen_at = self.uow.now
            return
        if end.is_animated:
            opened = n.OpenedRevealNotice.model_validate({"view": view, "parts": end.reveal_parts})
            words = partial(say, self.uow, self.chat, opened, about=self, slot=slot, edit_only=True)
            self.opened_reveals.append(words)
        ends_by_ear.show_reveal(self, before, view, replace(cups_lift, deal=end.deal), self.delay)

    def celebrate(self, view: RevealView, slot: str, *, won: bool) -> None:
        """React to the reveal if there is a reason to celebrate."""
        what = n.celebration_of(view, won=won)
        if what is None or not self.uow.config.celebrate or self.delay is None:
            return
        reaction, ends = n.ReactionNotice(celebration=what), self.delay.at + REACTION_SECONDS
        say(self.uow, self.chat, reaction, about=self, edit_only=True, slot=slot, until=ends)

    def announce_new_players(self, before: Table, table: Table, reveal: RevealView | None) -> None:
        """Take the keys from players whose seat others have now; those without the chat read the end of their round."""
        for seat, (then, now) in enumerate(zip(before.seats, table.seats, strict=True)):
            if then.player != now.player:
                if reveal is not None and not then.away:
                    self.say_elsewhere([then.player], n.RevealNotice(view=reveal, seat=seat))
                if then.owner is not None and then.owner.player == now.player:
                    if lost := dice_lost_away(table, seat, then.owner):
                        back = n.BackNotice(table=self.table_id, lost=lost, by=then.name)
                        self._tell_back(now.player, back)
                    self._tell_handover(SeatHandover(seat, Handover.RETURNED, now.player, now.name, then.name), then)

    def tell_absent(self, before: Table, step: TableChange) -> None:
        """Tell players of a turn that they missed, once of dice lost while they are away, and on their return of all.

        Lost dice are a new message, because an edit notifies no phone. It waits for the dice of the round.
        """
        table = step.table
        late = {event.seat for event in step.events if isinstance(event, ClockRanOut)}
        for event in step.events:
            if isinstance(event, SeatReturned) and event.lost:
                self._tell_back(table.seats[event.seat].player, n.BackNotice(table=self.table_id, lost=event.lost))
        for seat, (then, now) in enumerate(zip(before.seats, table.seats, strict=True)):
            lost = dice_lost_away(table, seat, now)
            loses = now.away and then.player == now.player and lost and not dice_lost_away(before, seat, then)
            if not table.in_play(seat) or now.left_to_bot or not (seat in late or loses):
                continue
            player = self.uow.player_by_id(now.player)
            route = self.routes.to(player)
            if route.to is not None:
                notice = n.AwayNotice(
                    table=self.table_id,
                    title=self.chat.title if len(self.uow.live_tables_of(player)) > 1 else "",
                    missed=seat in late,
                    lost=lost,
                    misses_left=0 if now.away else table.clock.misses_allowed - now.misses,
                )
                key = (self.row.version,) if lost else ()  # a reminder has called them a moment ago
                say(self.uow, player, notice, about=self, at=route, key=key, slot=note_slot(player.id))

    def _tell_back(self, player: int, notice: n.BackNotice) -> None:
        reader = self.uow.player_by_id(player)
        route = self.routes.to(reader)
        if route.to is not None:
            say(self.uow, reader, notice, about=self, at=route)

    def _tell_handover(self, event: SeatHandover, seat: Seat) -> None:
        """Tell the player of a seat in private that another one takes it, or has taken it back."""
        player = self.uow.player_by_id(seat.player)
        route = self.routes.to(player)
        has_read = route.by_the_room and not route.is_remote and event.what is not Handover.RETURNED
        if route.to is not None and not has_read:
            notice = n.SeatHandoverNotice(
                table=self.table_id, what=event.what, name=event.name, sitting=event.sitting, yours=True
            )
            key, slot = (self.row.version,), note_slot(player.id)
            say(self.uow, player, notice, about=self, at=route, key=key, slot=slot)

    def announce_handover(self, table: Table, event: SeatHandover) -> None:
        """Say in the chat who takes a seat; players elsewhere are told of a new player, others only if it is theirs."""
        notice = n.SeatHandoverNotice(table=self.table_id, what=event.what, name=event.name, sitting=event.sitting)
        say(self.uow, self.chat, notice, about=self)
        seat = table.seats[event.seat]
        if event.what in (Handover.KEPT, Handover.LOST, Handover.GIVEN_UP):
            self.say_elsewhere([event.player], notice)
            return
        others = (other for other in table.people if other != seat.player)
        self.say_elsewhere(others, notice)
        self._tell_handover(event, seat)

    def announce_other(self, table: Table, event: TableEvent) -> None:
        """Announce events of the table that are not events of the game."""
        match event:
            case TurnReminder(seat=seat):
                self.send_reminder(table, seat)
            case PlainEvent.GAME_PAUSED:
                # A new message each time: an edit notifies no phone.
                paused, key = n.PausedNotice(table=self.table_id), (self.row.version,)
                say(self.uow, self.chat, paused, about=self, key=key, slot=PAUSED_SLOT)
            case PlainEvent.PROBE_DUE:
                self.send_probe()
            case TableRestored(at=at):
                say(self.uow, self.chat, n.RestoredNotice(at=at), about=self)
            case PlainEvent.TABLE_RESUMED if table.status is Status.LOBBY:
                self.send_lobby(table)
            case HostChanged(player=host) if table.status is Status.PLAYING:
                name = next(seat.name for seat in table.seats if seat.player == host)
                say(self.uow, self.chat, n.HostNotice(name=name), about=self)
            case SeatHandover(what=what) if table.status is Status.PLAYING or what is Handover.MOVED:
                self.announce_handover(table, event)
            case PlainEvent() | GameEvents() | HostChanged() | SeatHandover():
                pass
            case CalzaClaimed() | ClockRanOut() | SeatReturned() | ClaimsVoided():
                pass
            case _:
                assert_never(event)

    def announce_closed(self, table: Table) -> None:
        """Tell players who do not see the chat that the table was closed, but not of a lobby that no one used.

        A player of another game would take it for the end of that game.
        """
        people = table.people
        if table.game is None and table.closed_by is None:
            people = [each for each in people if not self._plays_elsewhere(each)]
        if (notice := closed_notice(self.facts(table))) is not None:
            self.say_elsewhere(people, notice)

    def _plays_elsewhere(self, player: int) -> bool:
        rows = self.uow.live_tables_of(self.uow.player_by_id(player))
        return any(row.id != self.table_id and row.status == Status.PLAYING for row in rows)
