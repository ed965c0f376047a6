"""What happened at a table -> who is told what."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from perudo_core import BidMade, Event, RoundStarted
from telegram_bot.service.members import deaf_in
from telegram_bot.service.notices import (
    AwayNotice,
    ClosedNotice,
    Envelope,
    GameOverNotice,
    HandNotice,
    HostNotice,
    LobbyNotice,
    Mode,
    Notice,
    PausedNotice,
    ReminderNotice,
    ResumedNotice,
    RevealNotice,
    StartedNotice,
    StripNotice,
    TableNotice,
)
from telegram_bot.service.private import Way, is_remote, wants_link, way_to
from telegram_bot.service.seating import quiet_of
from telegram_bot.service.work import Work
from telegram_bot.storage.rows import TEXTING, Chat, GameTable, Player, SentMessage
from telegram_bot.tables.happenings import (
    ClaimsVoided,
    ClockRanOut,
    Closing,
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
    TurnUntold,
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


def own_table(table: Table, seat: int | None) -> TableNotice:
    """How a game stands, for one person alone."""
    playing = seat is not None and table.in_play(seat)
    may_calza = playing and hand_view(table, seat or 0).may_calza
    return TableNotice(view=table_view(table), shared=False, unreachable=False, seat=seat, may_calza=may_calza)


class Announcer:
    """Tells everybody what one step means for them."""

    def __init__(self, work: Work, row: GameTable, chat: Chat) -> None:
        assert row.id is not None  # noqa: S101 - flushed
        self.work = work
        self.table_id = row.id
        self.chat = chat

    @cached_property
    def deaf(self) -> frozenset[int]:
        """Players whom ephemeral messages do not reach in this chat; where there are none anyway, nobody looks."""
        return deaf_in(self.work, self.chat) if self.chat.ephemeral else frozenset()

    def announce(self, before: Table | None, step: Step) -> None:
        """Put every notice of a step into the outbox, in the order people should read them."""
        table = step.table
        events = tuple(
            event for happening in step.happenings if isinstance(happening, GameEvents) for event in happening.events
        )
        for happening in step.happenings:
            match happening:
                case GameStarted():
                    self.to_group(StartedNotice(view=lobby_view(table)), LOBBY_SLOT)
                case TableClosed(why=why):
                    self.closed(before, table, why)
                case _:
                    continue
        if table.status is Status.LOBBY and any(isinstance(h, LobbyChanged | HostChanged) for h in step.happenings):
            self.lobby(table)
        if events:
            self.game(before, table, events)
        for happening in step.happenings:
            self.aside(table, happening, told=bool(events))

    def lobby(self, table: Table) -> None:
        """Show the lobby as it is now; of those who do not see it there to its host alone."""
        notice = LobbyNotice(view=lobby_view(table), numbers=self.work.house.numbers)
        self.to_group(notice, LOBBY_SLOT, supersedable=True)
        if is_remote(self.work.player_by_id(table.host), self.chat):
            self.to_remote([table.host], notice, slot=f"{LOBBY_SLOT}:{table.host}")

    def round(self, table: Table, previous: RevealView | None = None, *, news: bool = False) -> None:
        """Show the running round as it is now; `news`: it tells whose turn it is, and the clock waits for it."""
        assert table.game is not None  # noqa: S101 - a round is part of a game
        players = self.work.people(seat.player for seat in table.seats)
        turn = table.game.turn
        on_turn = None if turn is None else players[table.seats[turn].player]
        notice = TableNotice(
            view=table_view(table),
            shared=on_turn is not None and way_to(on_turn, self.chat, self.deaf) is None,
            unreachable=any(
                wants_link(players[table.seats[seat].player], self.chat, self.deaf) for seat in table.game.active_seats
            ),
            previous=previous,
        )
        self.to_group(notice, deal_slot(table), supersedable=True, turn=table.step if news else None)

    def hand(
        self, table: Table, seat: int, *, fresh: bool, previous: RevealView | None = None, news: bool = False
    ) -> bool:
        """Show a player their dice, with a keyboard on their turn; False when no private way works.

        `news`: it tells the player that it is their turn, and the clock waits for it.
        """
        player = self.work.player_by_id(table.seats[seat].player)
        way = way_to(player, self.chat, self.deaf)
        if way is None:
            return False
        view = hand_view(table, seat)
        notice = HandNotice(
            view=view, player=self._id(player), title=self.chat.title, deal=table.deals, previous=previous
        )
        envelope = self.private(player, way, notice, mode=Mode.REPLACE if fresh else Mode.SEND)
        envelope = envelope.model_copy(update={"silent": not view.on_turn})
        self.to_player(
            player, envelope, slot=hand_slot(self._id(player)), turn=table.step if news and view.on_turn else None
        )
        return True

    def deal_anew(self, table: Table) -> None:
        """Tell of the running round and show everybody their dice, as if it had just begun."""
        assert table.game is not None  # noqa: S101 - a round is part of a game
        self.round(table, news=True)
        for seat in table.game.active_seats:
            if not table.seats[seat].away:
                self.hand(table, seat, fresh=True, news=True)

    def bring_down(self, table: Table) -> None:
        """Have the table's message written anew at the end of the chat: the old one gives its slot up."""
        slot = LOBBY_SLOT if table.status is Status.LOBBY else deal_slot(table)
        sent = self.work.session.get(SentMessage, (self.table_id, slot))
        if sent is not None:
            self.to_room(self.group_envelope(StripNotice(message=sent.message), Mode.TARGET))
            self.work.session.delete(sent)
            self.work.session.flush()

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
        asleep = envelope.channel == TEXTING and player.awake_until <= self.work.now
        quiet = quiet_of(player) if asleep else None
        self.work.send(
            envelope,
            table=self.table_id,
            slot=slot,
            supersedable=envelope.channel == TEXTING,
            expires_at=expires_at,
            not_before=0 if quiet is None else quiet.ends_at(self.work.now),
            turn=turn,
        )

    def to_remote(self, players: Iterable[int], notice: Notice, *, slot: str | None = None) -> None:
        """Tell in private what others see in the table's chat; who plays by text may be far from it."""
        for number in players:
            player = self.work.player_by_id(number)
            way = way_to(player, self.chat, self.deaf)
            if way is Way.TEXT or (way is not None and is_remote(player, self.chat)):
                self.to_player(player, self.private(player, way, notice), slot=slot)

    def private(self, player: Player, way: Way, notice: Notice, *, mode: Mode = Mode.SEND) -> Envelope:
        """A notice that one player sees."""
        language = self.work.language_for(player)
        if way is Way.EPHEMERAL:
            return Envelope(
                channel=self.chat.channel,
                chat=self.chat.address,
                topic=self.chat.topic,
                receiver=player.address,
                language=language,
                mode=mode,
                notice=notice,
            )
        if way is Way.TEXT:
            phone = player.address if player.phone is None else player.phone
            return Envelope(channel=TEXTING, chat=phone, language=language, mode=mode, notice=notice)
        return Envelope(channel=player.channel, chat=player.address, language=language, mode=mode, notice=notice)

    def game(self, before: Table | None, table: Table, events: tuple[Event, ...]) -> None:
        """Tell of calls, reveals and new rounds."""
        reveal = reveal_view(before, table, events) if before is not None and before.game is not None else None
        if reveal is not None and before is not None:
            self.to_group(RevealNotice(view=reveal), deal_slot(before))
        over = game_over_view(table, events)
        if over is not None:
            self.to_group(GameOverNotice(view=over), OVER_SLOT)
            self.to_remote([seat.player for seat in table.seats], GameOverNotice(view=over, previous=reveal))
            self.strip_hands(table)
            return
        if reveal is not None:
            out = [table.seats[seat].player for seat in reveal.out]
            self.to_remote(out, RevealNotice(view=reveal))
            self.strip_hands(table, out)
        assert table.game is not None  # noqa: S101 - events come from a game
        self.round(table, reveal, news=True)
        if any(isinstance(event, RoundStarted) for event in events):
            for seat in table.game.active_seats:
                if not table.seats[seat].away:
                    self.hand(table, seat, fresh=True, previous=reveal, news=True)
            return
        turn = table.game.turn
        if turn is not None and not table.seats[turn].away and any(isinstance(event, BidMade) for event in events):
            self.hand(table, turn, fresh=False, news=True)
        self.told_all(table, events)

    def told_all(self, table: Table, events: tuple[Event, ...]) -> None:
        """Tell a bid to those who want to hear of each by text; the bidder and the next know already."""
        assert table.game is not None  # noqa: S101 - events come from a game
        for bid in (event.bid for event in events if isinstance(event, BidMade)):
            for seat in table.game.active_seats:
                player = table.seats[seat].player
                if seat not in (bid.seat, table.game.turn) and self.work.player_by_id(player).verbose:
                    self.to_remote([player], own_table(table, seat), slot="bids")

    def aside(  # noqa: C901, PLR0912 - one case per happening
        self, table: Table, happening: object, *, told: bool
    ) -> None:
        """Tell of what is not the game's own."""
        match happening:
            case TurnReminder(seat=seat):
                self.remind(table, seat)
            case ClockRanOut(seat=seat) if table.in_play(seat) and table.seats[seat].away:
                player = self.work.player_by_id(table.seats[seat].player)
                way = way_to(player, self.chat, self.deaf)
                if way is not None and table.seats[seat].misses == 1:
                    notice = AwayNotice(table=self.table_id, title=self.chat.title)
                    self.to_player(player, self.private(player, way, notice))
            case GamePaused():
                # A new message each time: an edit of an old one would tell nobody.
                pause = self.group_envelope(PausedNotice(table=self.table_id), Mode.REPLACE)
                self.to_room(pause, slot="paused")
            case SeatReturned(seat=seat) if not told and table.status is Status.PLAYING:
                self.round(table, news=True)
                self.hand(table, seat, fresh=True, news=True)
            case TurnUntold() if table.game is not None and table.game.turn is not None:
                self.bring_down(table)
                self.round(table, news=True)
                if not table.seats[table.game.turn].away:
                    self.hand(table, table.game.turn, fresh=True, news=True)
            case ProbeDue():
                self.probe()
            case TableResumed():
                self.bring_down(table)
                if table.status is Status.PLAYING:
                    self.deal_anew(table)
                else:
                    self.lobby(table)
            case HostChanged(player=host) if table.status is Status.PLAYING:
                name = next(seat.name for seat in table.seats if seat.player == host)
                self.to_room(self.group_envelope(HostNotice(name=name), Mode.SEND))
            case ClaimsVoided() if not told and table.status is Status.PLAYING:
                self.round(table)
            case _:
                pass

    def probe(self) -> None:
        """Try to say that the bot can write here again: if that gets through, it is so."""
        envelope = self.group_envelope(ResumedNotice(), Mode.SEND)
        if not self.work.waits(envelope):
            self.to_room(envelope)

    def remind(self, table: Table, seat: int) -> None:
        """Nudge the player on turn: in private if they read that, else by name in the group."""
        assert table.clock_ends is not None  # noqa: S101 - a reminder precedes the end of a clock
        player = self.work.player_by_id(table.seats[seat].player)
        way = way_to(player, self.chat, self.deaf)
        direct = way in (Way.DIRECT, Way.TEXT)
        notice = ReminderNotice(
            name=table.seats[seat].name, address=player.address, clock_ends=table.clock_ends, direct=direct
        )
        if way is not None and direct:
            self.to_player(player, self.private(player, way, notice), expires_at=table.clock_ends)
        else:
            self.to_room(self.group_envelope(notice, Mode.SEND), expires_at=table.clock_ends)

    def closed(self, before: Table | None, table: Table, why: Closing) -> None:
        """Say that the table is over, in the place of its last message."""
        if why is Closing.LOST_CHAT:
            return
        in_lobby = before is None or before.status is Status.LOBBY
        notice = ClosedNotice(why=why, names=tuple(seat.name for seat in table.seats))
        self.to_remote([seat.player for seat in table.seats], notice)
        if in_lobby:
            self.to_group(notice, LOBBY_SLOT)
            return
        stripped = self.work.session.get(SentMessage, (self.table_id, deal_slot(table)))
        if stripped is not None and stripped.keyboard:
            self.work.send(self.group_envelope(StripNotice(message=stripped.message), Mode.TARGET), table=self.table_id)
        self.to_group(notice, "closed")
        self.strip_hands(table)

    def strip_hands(self, table: Table, players: Iterable[int] | None = None) -> None:
        """Take the keyboards off the last private message of these players, or of all."""
        for player in [seat.player for seat in table.seats] if players is None else players:
            sent = self.work.session.get(SentMessage, (self.table_id, hand_slot(player)))
            if sent is None or not sent.keyboard:
                continue
            sent.keyboard = False
            envelope = Envelope(
                channel=self.work.player_by_id(player).channel,
                chat=sent.chat,
                topic=self.chat.topic if sent.receiver else 0,
                receiver=sent.receiver,
                mode=Mode.TARGET,
                notice=StripNotice(message=sent.message),
            )
            self.work.send(envelope, table=self.table_id)

    def group_envelope(self, notice: Notice, mode: Mode) -> Envelope:
        """A notice that the whole group sees."""
        return Envelope(
            channel=self.chat.channel,
            chat=self.chat.address,
            topic=self.chat.topic,
            language=self.work.language_of(self.chat),
            mode=mode,
            notice=notice,
        )

    def to_group(self, notice: Notice, slot: str, *, supersedable: bool = False, turn: int | None = None) -> None:
        """Fill one of the table's slots in the group."""
        self.to_room(self.group_envelope(notice, Mode.EDIT), slot=slot, supersedable=supersedable, turn=turn)

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
        if self.chat.channel != TEXTING:
            self.work.send(
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
