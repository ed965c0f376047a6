"""Turn the events of a step into notices: who is told what."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from perudo_core import BidMade, Event, RoundStarted
from telegram_bot.service.members import ephemeral_unreachable_in
from telegram_bot.service.notices import (
    AwayNotice,
    ClosedNotice,
    Envelope,
    GameOverNotice,
    HandNotice,
    HostNotice,
    LobbyNotice,
    Notice,
    PausedNotice,
    ReminderNotice,
    RemoveKeyboardNotice,
    ResumedNotice,
    RevealNotice,
    SendMode,
    StartedNotice,
    TableNotice,
)
from telegram_bot.service.private_routes import PrivateRoute, is_remote, needs_start_link, route_to
from telegram_bot.service.seating import quiet_hours_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import SMS_CHANNEL, Chat, GameTable, Player, SentMessage
from telegram_bot.tables.events import (
    ClaimsVoided,
    ClockRanOut,
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
    TableResumed,
    TurnReminder,
    TurnUndelivered,
)
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.views import RevealView, game_over_view, hand_view, lobby_view, reveal_view, table_view

LOBBY_SLOT = "lobby"
OVER_SLOT = "over"


def deal_slot(table: Table) -> str:
    """The slot of the running round's message."""
    return f"deal:{table.deals}"


def hand_slot(player: int) -> str:
    """The slot of a player's newest private message."""
    return f"hand:{player}"


def table_for_one(table: Table, seat: int | None) -> TableNotice:
    """How a game stands, for one person alone."""
    playing = seat is not None and table.in_play(seat)
    may_calza = playing and hand_view(table, seat or 0).may_calza
    return TableNotice(view=table_view(table), shared=False, unreachable=False, seat=seat, may_calza=may_calza)


class Announcer:
    """Tells everybody what one step means for them."""

    def __init__(self, uow: UnitOfWork, row: GameTable, chat: Chat) -> None:
        assert row.id is not None  # noqa: S101 - flushed
        self.uow = uow
        self.table_id = row.id
        self.chat = chat

    @cached_property
    def ephemeral_unreachable(self) -> frozenset[int]:
        """Players whom ephemeral messages do not reach in this chat; where there are none anyway, nobody looks."""
        return ephemeral_unreachable_in(self.uow, self.chat) if self.chat.ephemeral else frozenset()

    def announce(self, before: Table | None, step: Step) -> None:
        """Put every notice of a step into the outbox, in the order people should read them."""
        table = step.table
        events = tuple(
            game_event for event in step.events if isinstance(event, GameEvents) for game_event in event.events
        )
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

    def send_lobby(self, table: Table) -> None:
        """Show the lobby as it is now; of those who do not see it there to its host alone."""
        notice = LobbyNotice(view=lobby_view(table), numbers=self.uow.config.numbers)
        self.to_group(notice, LOBBY_SLOT, supersedable=True)
        if is_remote(self.uow.player_by_id(table.host), self.chat):
            self.to_remote([table.host], notice, slot=f"{LOBBY_SLOT}:{table.host}")

    def send_round(self, table: Table, previous: RevealView | None = None, *, news: bool = False) -> None:
        """Show the running round as it is now; `news`: it tells whose turn it is, and the clock waits for it."""
        assert table.game is not None  # noqa: S101 - a round is part of a game
        players = self.uow.players_by_id(seat.player for seat in table.seats)
        turn = table.game.turn
        on_turn = None if turn is None else players[table.seats[turn].player]
        notice = TableNotice(
            view=table_view(table),
            shared=on_turn is not None and route_to(on_turn, self.chat, self.ephemeral_unreachable) is None,
            unreachable=any(
                needs_start_link(players[table.seats[seat].player], self.chat, self.ephemeral_unreachable)
                for seat in table.game.active_seats
            ),
            previous=previous,
        )
        self.to_group(notice, deal_slot(table), supersedable=True, turn=table.step if news else None)

    def send_hand(
        self, table: Table, seat: int, *, fresh: bool, previous: RevealView | None = None, news: bool = False
    ) -> bool:
        """Show a player their dice, with a keyboard on their turn; False when no private way works.

        `news`: it tells the player that it is their turn, and the clock waits for it.
        """
        player = self.uow.player_by_id(table.seats[seat].player)
        way = route_to(player, self.chat, self.ephemeral_unreachable)
        if way is None:
            return False
        view = hand_view(table, seat)
        notice = HandNotice(
            view=view, player=self._id(player), title=self.chat.title, deal=table.deals, previous=previous
        )
        envelope = self.private_envelope(player, way, notice, mode=SendMode.REPLACE if fresh else SendMode.SEND)
        envelope = envelope.model_copy(update={"silent": not view.on_turn})
        self.to_player(
            player, envelope, slot=hand_slot(self._id(player)), turn=table.step if news and view.on_turn else None
        )
        return True

    def send_round_again(self, table: Table) -> None:
        """Tell of the running round and show everybody their dice, as if it had just begun."""
        assert table.game is not None  # noqa: S101 - a round is part of a game
        self.send_round(table, news=True)
        for seat in table.game.active_seats:
            if not table.seats[seat].away:
                self.send_hand(table, seat, fresh=True, news=True)

    def repost_at_bottom(self, table: Table) -> None:
        """Have the table's message written anew at the end of the chat: the old one gives its slot up."""
        slot = LOBBY_SLOT if table.status is Status.LOBBY else deal_slot(table)
        sent = self.uow.session.get(SentMessage, (self.table_id, slot))
        if sent is not None:
            self.to_room(self.group_envelope(RemoveKeyboardNotice(message=sent.message), SendMode.TARGET))
            self.uow.session.delete(sent)
            self.uow.session.flush()

    def to_player(
        self,
        player: Player,
        envelope: Envelope,
        *,
        slot: str | None = None,
        expires_at: float | None = None,
        turn: int | None = None,
    ) -> None:
        """Send a private notice: a text not before the player's quiet hours are over."""
        asleep = envelope.channel == SMS_CHANNEL and player.awake_until <= self.uow.now
        quiet = quiet_hours_of(player) if asleep else None
        self.uow.enqueue(
            envelope,
            table=self.table_id,
            slot=slot,
            supersedable=envelope.channel == SMS_CHANNEL,
            expires_at=expires_at,
            not_before=0 if quiet is None else quiet.ends_at(self.uow.now),
            turn=turn,
        )

    def to_remote(self, players: Iterable[int], notice: Notice, *, slot: str | None = None) -> None:
        """Tell in private what others see in the table's chat; who plays by text may be far from it."""
        for number in players:
            player = self.uow.player_by_id(number)
            way = route_to(player, self.chat, self.ephemeral_unreachable)
            if way is PrivateRoute.TEXT or (way is not None and is_remote(player, self.chat)):
                self.to_player(player, self.private_envelope(player, way, notice), slot=slot)

    def private_envelope(
        self, player: Player, way: PrivateRoute, notice: Notice, *, mode: SendMode = SendMode.SEND
    ) -> Envelope:
        """A notice that one player sees."""
        language = self.uow.language_for(player)
        if way is PrivateRoute.EPHEMERAL:
            return Envelope(
                channel=self.chat.channel,
                chat=self.chat.address,
                topic=self.chat.topic,
                receiver=player.address,
                language=language,
                mode=mode,
                notice=notice,
            )
        if way is PrivateRoute.TEXT:
            phone = player.address if player.phone is None else player.phone
            return Envelope(channel=SMS_CHANNEL, chat=phone, language=language, mode=mode, notice=notice)
        return Envelope(channel=player.channel, chat=player.address, language=language, mode=mode, notice=notice)

    def announce_game(self, before: Table | None, table: Table, events: tuple[Event, ...]) -> None:
        """Tell of calls, reveals and new rounds."""
        reveal = reveal_view(before, table, events) if before is not None and before.game is not None else None
        if reveal is not None and before is not None:
            self.to_group(RevealNotice(view=reveal), deal_slot(before))
        over = game_over_view(table, events)
        if over is not None:
            self.to_group(GameOverNotice(view=over), OVER_SLOT)
            self.to_remote([seat.player for seat in table.seats], GameOverNotice(view=over, previous=reveal))
            self.remove_hand_keyboards(table)
            return
        if reveal is not None:
            out = [table.seats[seat].player for seat in reveal.out]
            self.to_remote(out, RevealNotice(view=reveal))
            self.remove_hand_keyboards(table, out)
        assert table.game is not None  # noqa: S101 - events come from a game
        self.send_round(table, reveal, news=True)
        if any(isinstance(event, RoundStarted) for event in events):
            for seat in table.game.active_seats:
                if not table.seats[seat].away:
                    self.send_hand(table, seat, fresh=True, previous=reveal, news=True)
            return
        turn = table.game.turn
        if turn is not None and not table.seats[turn].away and any(isinstance(event, BidMade) for event in events):
            self.send_hand(table, turn, fresh=False, news=True)
        self.tell_bid_to_verbose(table, events)

    def tell_bid_to_verbose(self, table: Table, events: tuple[Event, ...]) -> None:
        """Tell a bid to those who want to hear of each by text; the bidder and the next know already."""
        assert table.game is not None  # noqa: S101 - events come from a game
        for bid in (event.bid for event in events if isinstance(event, BidMade)):
            for seat in table.game.active_seats:
                player = table.seats[seat].player
                if seat not in (bid.seat, table.game.turn) and self.uow.player_by_id(player).verbose:
                    self.to_remote([player], table_for_one(table, seat), slot="bids")

    def announce_other(  # noqa: C901, PLR0912 - one case per event
        self, table: Table, event: object, *, told: bool
    ) -> None:
        """Tell of what is not the game's own."""
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
                # A new message each time: an edit of an old one would tell nobody.
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
            case _:
                pass

    def send_probe(self) -> None:
        """Try to say that the bot can write here again: if that gets through, it is so."""
        envelope = self.group_envelope(ResumedNotice(), SendMode.SEND)
        if not self.uow.is_enqueued(envelope):
            self.to_room(envelope)

    def send_reminder(self, table: Table, seat: int) -> None:
        """Nudge the player on turn: in private if they read that, else by name in the group."""
        assert table.clock_ends is not None  # noqa: S101 - a reminder precedes the end of a clock
        player = self.uow.player_by_id(table.seats[seat].player)
        way = route_to(player, self.chat, self.ephemeral_unreachable)
        direct = way in (PrivateRoute.DIRECT, PrivateRoute.TEXT)
        notice = ReminderNotice(
            name=table.seats[seat].name, address=player.address, clock_ends=table.clock_ends, direct=direct
        )
        if way is not None and direct:
            self.to_player(player, self.private_envelope(player, way, notice), expires_at=table.clock_ends)
        else:
            self.to_room(self.group_envelope(notice, SendMode.SEND), expires_at=table.clock_ends)

    def announce_closed(self, before: Table | None, table: Table, why: CloseReason) -> None:
        """Say that the table is over, in the place of its last message."""
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
                self.group_envelope(RemoveKeyboardNotice(message=stripped.message), SendMode.TARGET),
                table=self.table_id,
            )
        self.to_group(notice, "closed")
        self.remove_hand_keyboards(table)

    def remove_hand_keyboards(self, table: Table, players: Iterable[int] | None = None) -> None:
        """Take the keyboards off the last private message of these players, or of all."""
        for player in [seat.player for seat in table.seats] if players is None else players:
            sent = self.uow.session.get(SentMessage, (self.table_id, hand_slot(player)))
            if sent is None or not sent.keyboard:
                continue
            sent.keyboard = False
            envelope = Envelope(
                channel=self.uow.player_by_id(player).channel,
                chat=sent.chat,
                topic=self.chat.topic if sent.receiver else 0,
                receiver=sent.receiver,
                mode=SendMode.TARGET,
                notice=RemoveKeyboardNotice(message=sent.message),
            )
            self.uow.enqueue(envelope, table=self.table_id)

    def group_envelope(self, notice: Notice, mode: SendMode) -> Envelope:
        """A notice that the whole group sees."""
        return Envelope(
            channel=self.chat.channel,
            chat=self.chat.address,
            topic=self.chat.topic,
            language=self.uow.language_of(self.chat),
            mode=mode,
            notice=notice,
        )

    def to_group(self, notice: Notice, slot: str, *, supersedable: bool = False, turn: int | None = None) -> None:
        """Fill one of the table's slots in the group."""
        self.to_room(self.group_envelope(notice, SendMode.EDIT), slot=slot, supersedable=supersedable, turn=turn)

    def to_room(
        self,
        envelope: Envelope,
        *,
        slot: str | None = None,
        supersedable: bool = False,
        expires_at: float | None = None,
        turn: int | None = None,
    ) -> None:
        """Send a notice to the table's chat, where it stands in one."""
        if self.chat.channel != SMS_CHANNEL:
            self.uow.enqueue(
                envelope,
                table=self.table_id,
                slot=slot,
                supersedable=supersedable,
                expires_at=expires_at,
                turn=turn,
            )

    @staticmethod
    def _id(player: Player) -> int:
        assert player.id is not None  # noqa: S101 - flushed
        return player.id
