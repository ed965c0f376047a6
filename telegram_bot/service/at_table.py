"""One intent at one table: asks the pure step, saves, announces, answers."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, check
from telegram_bot.service.announce import OVER_SLOT, Announcer, deal_slot, own_table
from telegram_bot.service.chats import finish
from telegram_bot.service.intents import (
    BidHere,
    BrowseBids,
    ChangeOption,
    ChooseClock,
    ChooseOnTimeout,
    ChooseRulebook,
    ComeBack,
    Intent,
    Join,
    Kick,
    KickNamed,
    Leave,
    MakeBid,
    SayCalza,
    SayDudo,
    SeeDice,
    SeeRecord,
    SeeStatus,
    Start,
    StirDice,
    Stop,
    TurnMenu,
)
from telegram_bot.service.members import deaf_in
from telegram_bot.service.notices import (
    ConfirmLeaveNotice,
    DiceNotice,
    Done,
    DoneNotice,
    Envelope,
    HandNotice,
    KeyboardNotice,
    LobbyNotice,
    Mode,
    Notice,
    TableNotice,
    Toast,
)
from telegram_bot.service.private import PREFERRED, Way, wants_link
from telegram_bot.service.records import game_record
from telegram_bot.service.replies import answer, denied_notice, say
from telegram_bot.service.seating import nights_of, seat_for
from telegram_bot.service.work import Work, read
from telegram_bot.storage.rows import (
    TEXTING,
    DirectMessages,
    GameTable,
    Outbox,
    Player,
    PrivateView,
    Sending,
    SentMessage,
)
from telegram_bot.tables import lobby, play
from telegram_bot.tables.happenings import Denial, DeniedError, Step
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.views import BidView, hand_view, lobby_view, table_view

QUERY_SECONDS = 12
"""How long after a tap an ephemeral answer is worth trying; Telegram allows 15."""

STALE_AFTER_SECONDS = 2
"""A typed call sent this much before the turn began was meant for an earlier state (clocks differ a little)."""


CONFIRMED = (Done.BID, Done.DUDO, Done.CALZA, Done.CLAIMED)
"""What is confirmed where it was typed in private: the table's message is elsewhere."""

RECORD_SECONDS = 600
"""How long the record of a game is not sent again to where it was sent."""

RECORD_SLOT = "record"


WHILE_SUSPENDED = (Leave, Stop, SeeDice, SeeRecord)
"""What can be done at a table while the bot cannot write where it stands."""


class AtTable:
    """Serves one intent at one table, whose row is locked."""

    def __init__(self, work: Work, row: GameTable, intent: Intent, player: Player) -> None:
        self.work = work
        self.row = row
        self.intent = intent
        self.player = player
        assert player.id is not None  # noqa: S101 - flushed
        self.me = player.id
        self.stored = self.table = read(row)
        self.chat = self.work.chat_of(row)

    def serve(self) -> Toast | None:
        """Do it; being heard from hands an away player's seat back, whatever comes of the rest."""
        returned = self._come_back()
        try:
            return self._serve()
        except DeniedError as denied:
            if returned is None:
                raise
            # The denial must not undo the return, so it is answered here instead of raised.
            finish(self.work, self.row, returned[0], returned[1])
            return answer(self.work, self.intent, self.player, denied_notice(denied))

    def not_understood(self) -> None:
        """Answer words that mean nothing, with what would: how the table stands, and what to say now."""
        if self.heard():
            return
        seat = self._seat()
        if self.table.game is None:
            self._see_status()
        elif not self.table.in_play(seat):
            raise DeniedError(Denial.OUT)
        else:
            notice = self._hand_notice(seat).model_copy(update={"unheard": True})
            say(self.work, self.intent, self.player, notice, table=self.table.id)

    def heard(self) -> bool:
        """Hand the seat back if it was away: its player was heard from; True if the table told of it."""
        returned = self._come_back()
        self._do(Step(self.table))
        return returned is not None

    def _come_back(self) -> tuple[Table, Step] | None:
        """The table with the player's seat handed back, when it was away."""
        before = self.table
        seat = before.seat_of(self.me)
        if seat is None:
            return None
        self.table = before.with_seat(seat, name=self.player.name, **nights_of(self.player))
        self.returned = play.come_back(self.table, seat, now=self.work.now, pace=self.work.pace)
        self.table = self.returned.table
        return (before, self.returned) if self.returned.happenings else None

    returned: Step | None = None

    def _serve(self) -> Toast | None:  # noqa: C901, PLR0911, PLR0912 - one case per wish
        what = self.intent.what
        now, rng, pace = self.work.now, self.work.rng, self.work.pace
        if self.table.suspended_at is not None and not isinstance(what, WHILE_SUSPENDED):
            raise DeniedError(Denial.SUSPENDED)
        match what:
            case Join():
                return self.join()
            case Leave(confirmed=confirmed, asked=asked):
                if asked not in (None, self.me):
                    raise DeniedError(Denial.NOT_YOURS)
                return self.leave(confirmed=confirmed)
            case Kick(player=player):
                return self._kick(player)
            case KickNamed(name=name):
                return self._kick(lobby.player_called(self.table, name))
            case TurnMenu(menu=menu):
                return self._do(lobby.show_menu(self.table, self.me, menu, now=now, pace=pace))
            case ChooseRulebook(preset=preset):
                return self._do(lobby.choose_rulebook(self.table, self.me, preset, now=now, pace=pace))
            case ChangeOption(option=option):
                return self._do(lobby.change_option(self.table, self.me, option, now=now, pace=pace))
            case ChooseClock(seconds=seconds):
                return self._do(lobby.choose_clock(self.table, self.me, seconds, now=now, pace=pace))
            case ChooseOnTimeout(choice=choice):
                return self._do(lobby.choose_on_timeout(self.table, self.me, choice, now=now, pace=pace))
            case Start():
                step = lobby.start(self.table, self.me, now=now, rng=rng, pace=pace)
                return self._do(step, DoneNotice(done=Done.STARTED))
            case Stop(is_admin=is_admin):
                return self._do(lobby.stop(self.table, self.me, is_admin=is_admin))
            case MakeBid() | SayDudo() | SayCalza():
                return self._call(what)
            case ComeBack():
                if not self.table.in_play(self._seat()):
                    raise DeniedError(Denial.OUT)
                toast = self._do(Step(self.table), DoneNotice(done=Done.BACK))
                if self._texts() and not (self.returned and self.returned.happenings):
                    self._bring_hand(self._seat())  # a seat that is handed back gets its dice with it
                return toast
            case SeeDice():
                return self._see_dice(by_tap=what.by_tap)
            case BidHere():
                return self._bid_here(what)
            case BrowseBids():
                return self._browse(what)
            case StirDice(word=word):
                return self._stir(word)
            case SeeRecord():
                return self._see_record()
            case SeeStatus():
                return self._see_status()
            case _:
                raise AssertionError(what)

    def _do(self, step: Step, toast: DoneNotice | None = None) -> Toast | None:
        """Save a step that follows the player's return, if any, and answer."""
        whole = step if self.returned is None else self.returned.then(step)
        before = self.stored
        if whole.happenings or whole.actions or whole.table != before:
            self.stored = whole.table
            finish(self.work, self.row, before, whole)
        # Words need no answer of their own where the table's message shows the result; a tap always does.
        if self.intent.answered_by == "toast":
            return toast
        if toast is not None and toast.done in CONFIRMED and self.intent.where is None and not self._texts():
            say(self.work, self.intent, self.player, toast)
        return None

    def _texts(self) -> bool:
        """Whether the words came by text message, where each answer costs money."""
        return self.intent.who.channel == TEXTING

    def _seat(self) -> int:
        seat = self.table.seat_of(self.me)
        if seat is None:
            raise DeniedError(Denial.NOT_SEATED)
        return seat

    def join(self) -> Toast | None:
        """Take a seat in the lobby. Whose language is not known is spoken to in the table's."""
        if self.intent.who.language_is_guess and self.player.channel == self.intent.who.channel:
            self.player.language = self.work.language_of(self.chat)
        step = lobby.join(self.table, seat_for(self.player), now=self.work.now, pace=self.work.pace)
        finish(self.work, self.row, self.table, step)
        done = DoneNotice(done=Done.JOINED, title=self.chat.title, reachable=self.player.direct == DirectMessages.OPEN)
        if self.intent.where is None or self.intent.answered_by == "toast":
            return answer(self.work, self.intent, self.player, done)
        return None

    def _kick(self, player: int) -> Toast | None:
        """Send somebody out of the lobby; who cannot see it there is told."""
        step = lobby.kick(self.table, self.me, player, now=self.work.now, pace=self.work.pace)
        toast = self._do(step)
        announcer = Announcer(self.work, self.row, self.chat)
        announcer.to_remote([player], DoneNotice(done=Done.SENT_OUT, title=self.chat.title))
        return toast

    def leave(self, *, confirmed: bool) -> Toast | None:
        """Leave the lobby, or the game once confirmed: there the dice go."""
        seat = self._seat()
        now, rng, pace = self.work.now, self.work.rng, self.work.pace
        done = DoneNotice(done=Done.LEFT, title=self.chat.title)
        if self.table.status is Status.LOBBY:
            return self._do(lobby.leave(self.table, self.me, now=now, pace=pace), done)
        if not self.table.in_play(seat):
            if confirmed and (step := lobby.hand_over_host(self.table, self.me)).happenings:
                return self._do(step, done)
            raise DeniedError(Denial.OUT)
        if not confirmed:
            notice = ConfirmLeaveNotice(
                table=self.table.id, title=self.chat.title, player=self.me, name=self.player.name
            )
            self._do(Step(self.table))
            say(self.work, self.intent, self.player, notice)
            return None
        step = play.resign(self.table, seat, now=now, rng=rng, pace=pace)
        return self._do(step.then(lobby.hand_over_host(step.table, self.me)), done)

    def _call(self, what: MakeBid | SayDudo | SayCalza) -> Toast | None:
        seat = self._seat()
        table = self.table
        typed = self.intent.said_at
        if typed is not None and table.status is Status.PLAYING and typed < table.turn_since - STALE_AFTER_SECONDS:
            raise DeniedError(Denial.STALE)
        if not isinstance(what, MakeBid) and self._answers_an_earlier_round():
            raise DeniedError(Denial.STALE)
        if self.intent.round is not None and table.game is not None and self.intent.round != table.game.round:
            raise DeniedError(Denial.STALE)
        call: Bid | Dudo | Calza
        match what:
            case MakeBid(quantity=quantity, face=face):
                call = Bid(seat, quantity, face)
                done = DoneNotice(done=Done.BID, bid=BidView(seat=seat, quantity=quantity, face=face))
            case SayDudo():
                call, done = Dudo(seat), DoneNotice(done=Done.DUDO)
            case SayCalza():
                call, done = Calza(seat), DoneNotice(done=Done.CALZA)
            case _:
                assert_never(what)
        try:
            step = play.call(
                table, call, step=self.intent.step, now=self.work.now, rng=self.work.rng, pace=self.work.pace
            )
        except DeniedError as denied:
            raise self._perhaps_the_other_way_round(what, denied) from None
        if step.table.claims:
            done = DoneNotice(done=Done.CLAIMED)
        return self._do(step, done)

    def _perhaps_the_other_way_round(self, what: object, denied: DeniedError) -> DeniedError:
        """Ask whether "4 5" was meant as 5x4, where only that is a bid that may be made."""
        game = self.table.game
        if not isinstance(what, MakeBid) or not what.bare or denied.denial is not Denial.ILLEGAL or game is None:
            return denied
        turned = Bid(self._seat(), what.face, what.quantity)
        return replace(denied, suggestion=turned) if check(game, turned) is None else denied

    def _answers_an_earlier_round(self) -> bool:
        """Whether words in the group reply to the message of a round that is over: "liar!" is no call there.

        A bid is meant wherever it stands: the new round's message may be on its way yet.
        """
        if self.intent.where is None or self.intent.replied_message is None:
            return False
        query = select(SentMessage.table_id, SentMessage.slot).where(
            SentMessage.chat == self.chat.address,
            SentMessage.message == self.intent.replied_message,
            col(SentMessage.receiver).is_(None),
            or_(col(SentMessage.slot).startswith("deal:"), col(SentMessage.slot) == OVER_SLOT),
        )
        now = (self.row.id, deal_slot(self.table))
        return any((table, slot) != now for table, slot in self.work.session.exec(query))

    def _see_dice(self, *, by_tap: bool) -> Toast | None:
        seat = self._seat()
        if self.table.game is None:
            raise DeniedError(Denial.NO_GAME)
        if not self.table.in_play(seat):
            raise DeniedError(Denial.OUT)
        self._do(Step(self.table))
        if by_tap:
            return DiceNotice(view=hand_view(self.table, seat))
        announcer = Announcer(self.work, self.row, self.chat)
        if self.intent.where is None:
            self._bring_hand(seat)
        elif not announcer.hand(self.table, seat, fresh=False):
            announcer.round(self.table)
            say(self.work, self.intent, self.player, DoneNotice(done=Done.VIEW_CHOSEN, view=PrivateView.ALERT))
        return None

    def _bring_hand(self, seat: int) -> None:
        """Send the dice where the player asked for them: to their private chat."""
        say(self.work, self.intent, self.player, self._hand_notice(seat), table=self.table.id)

    def _hand_notice(self, seat: int) -> HandNotice:
        return HandNotice(
            view=hand_view(self.table, seat), player=self.me, title=self.chat.title, deal=self.table.deals
        )

    def _bid_here(self, what: BidHere) -> Toast | None:
        """Open a keyboard in the group: one that only the player sees if the channel can, else the table's own."""
        seat = self._seat()
        game = self.table.game
        if game is None or not self.table.in_play(seat):
            raise DeniedError(Denial.OUT if game is not None else Denial.NO_GAME)
        if game.turn != seat:
            on_turn = None if game.turn is None else self.table.seats[game.turn].name
            raise DeniedError(Denial.ILLEGAL, on_turn=on_turn)
        announcer = Announcer(self.work, self.row, self.chat)
        if self.intent.where is None:
            self._do(Step(self.table))
            self._bring_hand(seat)
            return None
        if what.query is not None and self._may_whisper():
            self.table = self.table.but(whispered=self.table.step)
            self._do(Step(self.table))
            envelope = announcer.private(self.player, Way.EPHEMERAL, self._hand_notice(seat))
            self.work.send(
                envelope.model_copy(update={"query": what.query}),
                table=self.table.id,
                expires_at=self.work.now + QUERY_SECONDS,
            )
            return DoneNotice(done=Done.DICE_SENT)
        self._do(Step(self.table))
        notice = TableNotice(
            view=table_view(self.table), shared=True, unreachable=wants_link(self.player, self.chat, announcer.deaf)
        )
        announcer.to_group(notice, deal_slot(self.table), supersedable=True)
        return DoneNotice(done=Done.SHARED_KEYBOARD)

    def _may_whisper(self) -> bool:
        """Whether a tap can be answered with a keyboard that only the player sees; once a turn, it may not arrive."""
        wanted = Way.EPHEMERAL in PREFERRED[self.player.view]
        if not wanted or not self.chat.ephemeral_replies or self.table.whispered == self.table.step:
            return False
        return self.me not in deaf_in(self.work, self.chat)

    def _browse(self, what: BrowseBids) -> Toast | None:
        """Turn one message's keyboard to a face's quantities; the bids offered are the same for all eyes."""
        seat = self._seat()
        game = self.table.game
        if self.table.status is not Status.PLAYING or game is None:
            raise DeniedError(Denial.NO_GAME)
        if self.intent.step != self.table.step:
            raise DeniedError(Denial.STALE)
        if game.turn != seat:
            on_turn = None if game.turn is None else self.table.seats[game.turn].name
            raise DeniedError(Denial.ILLEGAL, on_turn=on_turn)
        self._do(Step(self.table))
        private = what.receiver is not None or what.chat == self.player.address
        notice = KeyboardNotice(
            view=hand_view(self.table, seat).table if private else table_view(self.table),
            seat=seat,
            face=what.face,
            message=what.message,
            private=private,
        )
        envelope = Envelope(
            channel=self.player.channel if private else self.chat.channel,
            chat=what.chat,
            receiver=what.receiver,
            language=self.work.language_for(self.player) if private else self.work.language_of(self.chat),
            mode=Mode.TARGET,
            notice=notice,
        )
        # Who leafs quickly through the pages is shown the last one: each costs the chat one of its edits.
        page = f"page:{what.receiver or 0}:{what.message}"
        self.work.send(envelope, table=self.table.id, slot=page, supersedable=True)
        return None

    def _stir(self, word: str) -> Toast | None:
        """Take a lucky word in the lobby; anything else said in reply to the bot is banter."""
        if self.table.seat_of(self.me) is None:
            return None
        if self.table.status is not Status.LOBBY:
            return self._do(Step(self.table))
        return self._do(lobby.stir(self.table, self.me, word, now=self.work.now, pace=self.work.pace))

    def _see_record(self) -> Toast | None:
        """Send the finished game as a file."""
        if self.table.status is not Status.FINISHED:
            raise DeniedError(Denial.NO_GAME)
        if self._record_is_above():
            return answer(self.work, self.intent, self.player, DoneNotice(done=Done.RECORD_ABOVE))
        record = game_record(self.work, self.table)
        say(self.work, self.intent, self.player, record, table=self.table.id, slot=RECORD_SLOT)
        return None

    def _record_is_above(self) -> bool:
        """Whether the file was sent to this chat a short while ago, or is about to be."""
        where = self.intent.who if self.intent.where is None else self.intent.where
        query = (
            select(Outbox.id)
            .where(Outbox.table_id == self.table.id, Outbox.slot == RECORD_SLOT)
            .where(Outbox.lane == f"{where.channel}:{where.address}")
            .where(col(Outbox.status).in_((Sending.PENDING, Sending.SENDING, Sending.SENT)))
            .where(Outbox.created_at > self.work.now - RECORD_SECONDS)
        )
        return self.work.session.exec(query.limit(1)).first() is not None

    def _see_status(self) -> Toast | None:
        self._do(Step(self.table))
        notice: Notice
        if self.table.status is Status.LOBBY:
            notice = LobbyNotice(view=lobby_view(self.table), numbers=self.work.house.numbers)
        elif self.table.status is Status.PLAYING:
            notice = own_table(self.table, self.table.seat_of(self.me))
        else:
            raise DeniedError(Denial.NO_TABLE)
        if self.intent.where is None:
            say(self.work, self.intent, self.player, notice)
            return None
        self.show_again()
        return None

    def show_again(self) -> None:
        """Bring the table's message down to the end of the chat."""
        announcer = Announcer(self.work, self.row, self.chat)
        announcer.bring_down(self.table)
        if self.table.status is Status.LOBBY:
            announcer.lobby(self.table)
        else:
            announcer.round(self.table)
