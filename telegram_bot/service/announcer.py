"""Turn the events of a step into notices: who is told what."""

from __future__ import annotations

from typing import assert_never

from perudo_core import BidMade, Event, RoundStarted
from telegram_bot.service.notices import (
    AwayNotice,
    ClosedNotice,
    GameOverNotice,
    HostNotice,
    OutdatedNotice,
    PausedNotice,
    RevealNotice,
    SendMode,
    StartedNotice,
)
from telegram_bot.service.private_routes import route_to
from telegram_bot.service.table_outbox import LOBBY_SLOT, OVER_SLOT, TableOutbox, deal_slot, ref_of, table_for_one
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import SentMessage
from telegram_bot.tables.events import (
    CalzaClaimed,
    ClaimsVoided,
    ClockRanOut,
    ClockRestarted,
    CloseReason,
    GameEvents,
    GamePaused,
    GameStarted,
    HostChanged,
    LobbyChanged,
    ProbeDue,
    SeatReturned,
    Step,
    TableClosed,
    TableEvent,
    TableResumed,
    TurnReminder,
    TurnUndelivered,
)
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import game_over_view, reveal_view
from telegram_bot.tables.views import lobby_view


class Announcer:
    """The subscriber that puts the notices of each step into the outbox."""

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Put every notice of the step into the outbox."""
        if not committed.step.events:
            return
        announcement = _Announcement(uow, committed.row, uow.chat_of(committed.row))
        announcement.announce(committed.before, committed.step)


class _Announcement(TableOutbox):
    """The notices of one step."""

    def announce(self, before: Table | None, step: Step) -> None:
        """Put every notice of a step into the outbox, in the order people should read them."""
        table = step.table
        events = step.game_events
        for event in step.events:
            match event:
                case GameStarted():
                    self.to_group(StartedNotice(view=lobby_view(table)), LOBBY_SLOT)
                case TableClosed(why=why):
                    self.announce_closed(before, table, why)
                case _:
                    continue
        if table.status is Status.LOBBY and any(isinstance(h, LobbyChanged | HostChanged) for h in step.events):
            self.send_lobby(table)
        if events:
            self.announce_game(before, table, events)
        for event in step.events:
            self.announce_other(table, event, told=bool(events))

    def announce_game(self, before: Table | None, table: Table, events: tuple[Event, ...]) -> None:
        """Tell of calls, reveals and new rounds."""
        reveal = reveal_view(before, table, events) if before is not None and before.game is not None else None
        if reveal is not None and before is not None:
            self.to_group(RevealNotice(view=reveal), deal_slot(before))
        over = game_over_view(table, events)
        if over is not None:
            self.to_group(GameOverNotice(view=over), OVER_SLOT)
            self.to_remote([seat.player for seat in table.seats], GameOverNotice(view=over, previous=reveal))
            self.retire_hands(table)
            return
        if reveal is not None:
            out = [table.seats[seat].player for seat in reveal.out]
            self.to_remote(out, RevealNotice(view=reveal))
            self.retire_hands(table, out)
        assert table.game is not None  # noqa: S101 - events come from a game
        # Whoever is on turn first: an ephemeral hand shares the group's limits with the round's message.
        turn = table.game.turn
        first = () if turn is None or table.seats[turn].away else (turn,)
        if any(isinstance(event, RoundStarted) for event in events):
            others = [seat for seat in table.game.active_seats if seat != turn and not table.seats[seat].away]
            for seat in first:
                self.send_hand(table, seat, fresh=True, previous=reveal, news=True)
            self.send_round(table, reveal, news=True)
            for seat in others:
                self.send_hand(table, seat, fresh=True, previous=reveal, news=True)
            return
        for seat in first if any(isinstance(event, BidMade) for event in events) else ():
            self.send_hand(table, seat, fresh=False, news=True)
        self.send_round(table, reveal, news=True)
        self.tell_bid_to_verbose(table, events)

    def tell_bid_to_verbose(self, table: Table, events: tuple[Event, ...]) -> None:
        """Tell a bid to players who chose to get every bid by text; the bidder and the player on turn know already."""
        assert table.game is not None  # noqa: S101 - events come from a game
        for bid in (event.bid for event in events if isinstance(event, BidMade)):
            for seat in table.game.active_seats:
                player = table.seats[seat].player
                if seat not in (bid.seat, table.game.turn) and self.uow.player_by_id(player).verbose:
                    self.to_remote([player], table_for_one(table, seat), slot="bids")

    def announce_other(  # noqa: C901, PLR0912 - one case per event
        self, table: Table, event: TableEvent, *, told: bool
    ) -> None:
        """Tell of events of the table that are not events of the game."""
        match event:
            case TurnReminder(seat=seat):
                self.send_reminder(table, seat)
            case ClockRanOut(seat=seat) if table.in_play(seat) and table.seats[seat].away:
                player = self.uow.player_by_id(table.seats[seat].player)
                way = route_to(player, self.chat, self.ephemeral_unreachable)
                if way is not None and table.seats[seat].misses == 1:
                    notice = AwayNotice(table=self.table_id, title=self.chat.title)
                    self.to_player(player, self.private_envelope(player, way, notice))
            case GamePaused():
                # A new message each time: nobody is notified of an edit.
                pause = self.group_envelope(PausedNotice(table=self.table_id), SendMode.REPLACE)
                self.to_room(pause, slot="paused")
            case SeatReturned(seat=seat) if not told and table.status is Status.PLAYING:
                self.send_round(table, news=True)
                self.send_hand(table, seat, fresh=True, news=True)
            case TurnUndelivered() if table.game is not None and table.game.turn is not None:
                self.repost_at_bottom(table)
                self.send_round(table, news=True)
                if not table.seats[table.game.turn].away:
                    self.send_hand(table, table.game.turn, fresh=True, news=True)
            case ProbeDue():
                self.send_probe()
            case TableResumed():
                self.repost_at_bottom(table)
                if table.status is Status.PLAYING:
                    self.send_round_again(table)
                else:
                    self.send_lobby(table)
            case HostChanged(player=host) if table.status is Status.PLAYING:
                name = next(seat.name for seat in table.seats if seat.player == host)
                self.to_room(self.group_envelope(HostNotice(name=name), SendMode.SEND))
            case ClaimsVoided() if not told and table.status is Status.PLAYING:
                self.send_round(table)
            case ClockRestarted():
                self.send_round(table, news=True)
            case LobbyChanged() | GameStarted() | TableClosed() | GameEvents() | HostChanged() | CalzaClaimed():
                pass
            case ClockRanOut() | SeatReturned() | TurnUndelivered() | ClaimsVoided():
                pass
            case _:
                assert_never(event)

    def announce_closed(self, before: Table | None, table: Table, why: CloseReason) -> None:
        """Say that the table was closed, by editing the table's last message."""
        if why is CloseReason.LOST_CHAT:
            return
        in_lobby = before is None or before.status is Status.LOBBY
        notice = ClosedNotice(why=why, names=tuple(seat.name for seat in table.seats))
        self.to_remote([seat.player for seat in table.seats], notice)
        if in_lobby:
            self.to_group(notice, LOBBY_SLOT)
            return
        stripped = self.uow.session.get(SentMessage, (self.table_id, deal_slot(table)))
        if stripped is not None and stripped.keyboard:
            self.uow.enqueue(
                self.group_envelope(OutdatedNotice(), SendMode.TARGET, target=ref_of(stripped)),
                table=self.table_id,
            )
        self.to_group(notice, "closed")
        self.retire_hands(table)
