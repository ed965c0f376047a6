"""Handle one intent at one locked table: ask the pure step, save, announce, answer."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, why_illegal
from telegram_bot.service.announcer import OVER_SLOT, Announcer, deal_slot
from telegram_bot.service.handlers import queries
from telegram_bot.service.handlers.chats import save_and_announce
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import (
    AddLuckyWord,
    BrowseBids,
    CallCalza,
    CallDudo,
    ChangeOption,
    ChooseClock,
    ChooseOnTimeout,
    ChooseRulebook,
    Join,
    Kick,
    KickNamed,
    Leave,
    MakeBid,
    ReturnToSeat,
    SeeDice,
    SeeRecord,
    SeeStatus,
    ShowBidKeyboard,
    ShowMenu,
    Start,
    Stop,
)
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, ConfirmLeaveNotice, Toast
from telegram_bot.service.replies import answer, rejection_notice, say
from telegram_bot.service.seating import seat_for
from telegram_bot.storage.models import DirectMessages, SentMessage
from telegram_bot.tables import lobby, play
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import BidView

STALE_AFTER_SECONDS = 2
"""A typed call sent this much before the turn began was meant for an earlier state (clocks differ a little)."""


ALLOWED_WHILE_SUSPENDED = (Leave, Stop, SeeDice, SeeRecord)
"""What can be done at a table while the bot cannot write where it stands."""


class TableHandler(TableContext):
    """Serves one intent at one table, whose row is locked."""

    def serve(self) -> Toast | None:
        """Do it; being heard from hands an away player's seat back, whatever comes of the rest."""
        returned = self.return_seat()
        try:
            return self._serve()
        except RejectedError as rejected:
            if returned is None:
                raise
            # The denial must not undo the return, so it is answered here instead of raised.
            save_and_announce(self.uow, self.row, returned[0], returned[1])
            return answer(self.uow, self.intent, self.player, rejection_notice(rejected))

    def answer_unparsed(self) -> None:
        """Answer words that mean nothing, with what would: how the table stands, and what to say now."""
        if self.return_if_away():
            return
        seat = self.seat()
        if self.table.game is None:
            queries.see_status(self)
        elif not self.table.in_play(seat):
            raise RejectedError(RejectionReason.OUT)
        else:
            notice = queries.hand_notice(self, seat).model_copy(update={"unheard": True})
            say(self.uow, self.intent, self.player, notice, table=self.table.id)

    def _serve(self) -> Toast | None:  # noqa: C901, PLR0911, PLR0912 - one case per wish
        what = self.intent.what
        now, rng, timings = self.uow.now, self.uow.rng, self.uow.timings
        if self.table.suspended_at is not None and not isinstance(what, ALLOWED_WHILE_SUSPENDED):
            raise RejectedError(RejectionReason.SUSPENDED)
        match what:
            case Join():
                return self.join()
            case Leave(confirmed=confirmed, asked=asked):
                if asked not in (None, self.player_id):
                    raise RejectedError(RejectionReason.NOT_YOURS)
                return self.leave(confirmed=confirmed)
            case Kick(player=player):
                return self._kick(player)
            case KickNamed(name=name):
                return self._kick(lobby.player_named(self.table, name))
            case ShowMenu(menu=menu):
                return self.save_and_answer(lobby.show_menu(self.table, self.player_id, menu, now=now, timings=timings))
            case ChooseRulebook(preset=preset):
                return self.save_and_answer(
                    lobby.choose_rulebook(self.table, self.player_id, preset, now=now, timings=timings)
                )
            case ChangeOption(option=option):
                return self.save_and_answer(
                    lobby.change_option(self.table, self.player_id, option, now=now, timings=timings)
                )
            case ChooseClock(seconds=seconds):
                return self.save_and_answer(
                    lobby.choose_clock(self.table, self.player_id, seconds, now=now, timings=timings)
                )
            case ChooseOnTimeout(choice=choice):
                return self.save_and_answer(
                    lobby.choose_on_timeout(self.table, self.player_id, choice, now=now, timings=timings)
                )
            case Start():
                step = lobby.start(self.table, self.player_id, now=now, rng=rng, timings=timings)
                return self.save_and_answer(step, ConfirmationNotice(done=Confirmation.STARTED))
            case Stop(is_admin=is_admin):
                return self.save_and_answer(lobby.stop(self.table, self.player_id, is_admin=is_admin))
            case MakeBid() | CallDudo() | CallCalza():
                return self._call(what)
            case ReturnToSeat():
                if not self.table.in_play(self.seat()):
                    raise RejectedError(RejectionReason.OUT)
                toast = self.save_and_answer(Step(self.table), ConfirmationNotice(done=Confirmation.BACK))
                if self.is_by_text() and not (self.returned and self.returned.events):
                    queries.send_hand(self, self.seat())  # a seat that is handed back gets its dice with it
                return toast
            case SeeDice():
                return queries.see_dice(self, by_tap=what.by_tap)
            case ShowBidKeyboard():
                return queries.show_bid_keyboard(self, what)
            case BrowseBids():
                return queries.browse_bids(self, what)
            case AddLuckyWord(word=word):
                return self._add_lucky_word(word)
            case SeeRecord():
                return queries.see_record(self)
            case SeeStatus():
                return queries.see_status(self)
            case _:
                raise AssertionError(what)

    def join(self) -> Toast | None:
        """Take a seat in the lobby. Whose language is not known is spoken to in the table's."""
        if self.intent.who.language_is_guess and self.player.channel == self.intent.who.channel:
            self.player.language = self.uow.language_of(self.chat)
        step = lobby.join(self.table, seat_for(self.player), now=self.uow.now, timings=self.uow.timings)
        save_and_announce(self.uow, self.row, self.table, step)
        done = ConfirmationNotice(
            done=Confirmation.JOINED, title=self.chat.title, reachable=self.player.direct == DirectMessages.OPEN
        )
        if self.intent.where is None or self.intent.answered_by == "toast":
            return answer(self.uow, self.intent, self.player, done)
        return None

    def _kick(self, player: int) -> Toast | None:
        """Send somebody out of the lobby; who cannot see it there is told."""
        step = lobby.kick(self.table, self.player_id, player, now=self.uow.now, timings=self.uow.timings)
        toast = self.save_and_answer(step)
        announcer = Announcer(self.uow, self.row, self.chat)
        announcer.to_remote([player], ConfirmationNotice(done=Confirmation.SENT_OUT, title=self.chat.title))
        return toast

    def leave(self, *, confirmed: bool) -> Toast | None:
        """Leave the lobby, or the game once confirmed: there the dice go."""
        seat = self.seat()
        now, rng, timings = self.uow.now, self.uow.rng, self.uow.timings
        done = ConfirmationNotice(done=Confirmation.LEFT, title=self.chat.title)
        if self.table.status is Status.LOBBY:
            toast = self.save_and_answer(lobby.leave(self.table, self.player_id, now=now, timings=timings), done)
            if self.intent.where is None and self.intent.answered_by == "message":
                say(self.uow, self.intent, self.player, done)  # the lobby, which shows it, is elsewhere
            return toast
        if not self.table.in_play(seat):
            if confirmed and (step := lobby.hand_over_host(self.table, self.player_id)).events:
                return self.save_and_answer(step, done)
            raise RejectedError(RejectionReason.OUT)
        if not confirmed:
            notice = ConfirmLeaveNotice(
                table=self.table.id, title=self.chat.title, player=self.player_id, name=self.player.name
            )
            self.save_and_answer(Step(self.table))
            say(self.uow, self.intent, self.player, notice)
            return None
        step = play.resign(self.table, seat, now=now, rng=rng, timings=timings)
        return self.save_and_answer(step.then(lobby.hand_over_host(step.table, self.player_id)), done)

    def _call(self, what: MakeBid | CallDudo | CallCalza) -> Toast | None:
        seat = self.seat()
        table = self.table
        typed = self.intent.said_at
        if typed is not None and table.status is Status.PLAYING and typed < table.turn_since - STALE_AFTER_SECONDS:
            raise RejectedError(RejectionReason.STALE)
        if not isinstance(what, MakeBid) and self._answers_an_earlier_round():
            raise RejectedError(RejectionReason.STALE)
        if self.intent.round is not None and table.game is not None and self.intent.round != table.game.round:
            raise RejectedError(RejectionReason.STALE)
        call: Bid | Dudo | Calza
        match what:
            case MakeBid(quantity=quantity, face=face):
                call = Bid(seat, quantity, face)
                done = ConfirmationNotice(done=Confirmation.BID, bid=BidView(seat=seat, quantity=quantity, face=face))
            case CallDudo():
                call, done = Dudo(seat), ConfirmationNotice(done=Confirmation.DUDO)
            case CallCalza():
                call, done = Calza(seat), ConfirmationNotice(done=Confirmation.CALZA)
            case _:
                assert_never(what)
        try:
            step = play.make_call(
                table, call, step=self.intent.step, now=self.uow.now, rng=self.uow.rng, timings=self.uow.timings
            )
        except RejectedError as rejected:
            raise self._suggest_swapped_bid(what, rejected) from None
        if step.table.claims:
            done = ConfirmationNotice(done=Confirmation.CLAIMED)
        return self.save_and_answer(step, done)

    def _suggest_swapped_bid(self, what: object, rejected: RejectedError) -> RejectedError:
        """Ask whether "4 5" was meant as 5x4, where only that is a bid that may be made."""
        game = self.table.game
        if (
            not isinstance(what, MakeBid)
            or not what.bare
            or rejected.denial is not RejectionReason.ILLEGAL
            or game is None
        ):
            return rejected
        turned = Bid(self.seat(), what.face, what.quantity)
        return replace(rejected, suggestion=turned) if why_illegal(game, turned) is None else rejected

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
        return any((table, slot) != now for table, slot in self.uow.session.exec(query))

    def _add_lucky_word(self, word: str) -> Toast | None:
        """Take a lucky word in the lobby; anything else said in reply to the bot is banter."""
        if self.table.seat_of(self.player_id) is None:
            return None
        if self.table.status is not Status.LOBBY:
            return self.save_and_answer(Step(self.table))
        return self.save_and_answer(
            lobby.add_lucky_word(self.table, self.player_id, word, now=self.uow.now, timings=self.uow.timings)
        )
