"""One intent at one table: asks the pure step, saves, announces, answers."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, why_illegal
from telegram_bot.service import showing
from telegram_bot.service.announce import OVER_SLOT, Announcer, deal_slot
from telegram_bot.service.chats import finish
from telegram_bot.service.intents import (
    BidHere,
    BrowseBids,
    ChangeOption,
    ChooseClock,
    ChooseOnTimeout,
    ChooseRulebook,
    ComeBack,
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
from telegram_bot.service.notices import ConfirmLeaveNotice, Done, DoneNotice, Toast
from telegram_bot.service.replies import answer, denied_notice, say
from telegram_bot.service.seating import seat_for
from telegram_bot.service.visit import Visit
from telegram_bot.storage.rows import DirectMessages, SentMessage
from telegram_bot.tables import lobby, play
from telegram_bot.tables.happenings import Denial, DeniedError, Step
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import BidView

STALE_AFTER_SECONDS = 2
"""A typed call sent this much before the turn began was meant for an earlier state (clocks differ a little)."""


WHILE_SUSPENDED = (Leave, Stop, SeeDice, SeeRecord)
"""What can be done at a table while the bot cannot write where it stands."""


class AtTable(Visit):
    """Serves one intent at one table, whose row is locked."""

    def serve(self) -> Toast | None:
        """Do it; being heard from hands an away player's seat back, whatever comes of the rest."""
        returned = self.come_back()
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
        seat = self.seat()
        if self.table.game is None:
            showing.see_status(self)
        elif not self.table.in_play(seat):
            raise DeniedError(Denial.OUT)
        else:
            notice = showing.hand_notice(self, seat).model_copy(update={"unheard": True})
            say(self.work, self.intent, self.player, notice, table=self.table.id)

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
                return self.do(lobby.show_menu(self.table, self.me, menu, now=now, pace=pace))
            case ChooseRulebook(preset=preset):
                return self.do(lobby.choose_rulebook(self.table, self.me, preset, now=now, pace=pace))
            case ChangeOption(option=option):
                return self.do(lobby.change_option(self.table, self.me, option, now=now, pace=pace))
            case ChooseClock(seconds=seconds):
                return self.do(lobby.choose_clock(self.table, self.me, seconds, now=now, pace=pace))
            case ChooseOnTimeout(choice=choice):
                return self.do(lobby.choose_on_timeout(self.table, self.me, choice, now=now, pace=pace))
            case Start():
                step = lobby.start(self.table, self.me, now=now, rng=rng, pace=pace)
                return self.do(step, DoneNotice(done=Done.STARTED))
            case Stop(is_admin=is_admin):
                return self.do(lobby.stop(self.table, self.me, is_admin=is_admin))
            case MakeBid() | SayDudo() | SayCalza():
                return self._call(what)
            case ComeBack():
                if not self.table.in_play(self.seat()):
                    raise DeniedError(Denial.OUT)
                toast = self.do(Step(self.table), DoneNotice(done=Done.BACK))
                if self.texts() and not (self.returned and self.returned.happenings):
                    showing.bring_hand(self, self.seat())  # a seat that is handed back gets its dice with it
                return toast
            case SeeDice():
                return showing.see_dice(self, by_tap=what.by_tap)
            case BidHere():
                return showing.bid_here(self, what)
            case BrowseBids():
                return showing.browse(self, what)
            case StirDice(word=word):
                return self._stir(word)
            case SeeRecord():
                return showing.see_record(self)
            case SeeStatus():
                return showing.see_status(self)
            case _:
                raise AssertionError(what)

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
        toast = self.do(step)
        announcer = Announcer(self.work, self.row, self.chat)
        announcer.to_remote([player], DoneNotice(done=Done.SENT_OUT, title=self.chat.title))
        return toast

    def leave(self, *, confirmed: bool) -> Toast | None:
        """Leave the lobby, or the game once confirmed: there the dice go."""
        seat = self.seat()
        now, rng, pace = self.work.now, self.work.rng, self.work.pace
        done = DoneNotice(done=Done.LEFT, title=self.chat.title)
        if self.table.status is Status.LOBBY:
            toast = self.do(lobby.leave(self.table, self.me, now=now, pace=pace), done)
            if self.intent.where is None and self.intent.answered_by == "message":
                say(self.work, self.intent, self.player, done)  # the lobby, which shows it, is elsewhere
            return toast
        if not self.table.in_play(seat):
            if confirmed and (step := lobby.hand_over_host(self.table, self.me)).happenings:
                return self.do(step, done)
            raise DeniedError(Denial.OUT)
        if not confirmed:
            notice = ConfirmLeaveNotice(
                table=self.table.id, title=self.chat.title, player=self.me, name=self.player.name
            )
            self.do(Step(self.table))
            say(self.work, self.intent, self.player, notice)
            return None
        step = play.resign(self.table, seat, now=now, rng=rng, pace=pace)
        return self.do(step.then(lobby.hand_over_host(step.table, self.me)), done)

    def _call(self, what: MakeBid | SayDudo | SayCalza) -> Toast | None:
        seat = self.seat()
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
        return self.do(step, done)

    def _perhaps_the_other_way_round(self, what: object, denied: DeniedError) -> DeniedError:
        """Ask whether "4 5" was meant as 5x4, where only that is a bid that may be made."""
        game = self.table.game
        if not isinstance(what, MakeBid) or not what.bare or denied.denial is not Denial.ILLEGAL or game is None:
            return denied
        turned = Bid(self.seat(), what.face, what.quantity)
        return replace(denied, suggestion=turned) if why_illegal(game, turned) is None else denied

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

    def _stir(self, word: str) -> Toast | None:
        """Take a lucky word in the lobby; anything else said in reply to the bot is banter."""
        if self.table.seat_of(self.me) is None:
            return None
        if self.table.status is not Status.LOBBY:
            return self.do(Step(self.table))
        return self.do(lobby.stir(self.table, self.me, word, now=self.work.now, pace=self.work.pace))
