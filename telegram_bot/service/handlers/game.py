"""Handle what players do at a table: calls, leaving, coming back, lucky words."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, why_illegal
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, ConfirmLeaveNotice, Toast
from telegram_bot.service.replies import say
from telegram_bot.service.table_outbox import OVER_SLOT, deal_slot
from telegram_bot.storage.models import SentMessage
from telegram_bot.tables import lobby, play
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import BidView

STALE_AFTER_SECONDS = 2
"""A typed call that was sent this long before the turn began was meant for an earlier turn.

The channel tells the time by this installation's clock, but perhaps in whole seconds only."""


def leave(context: TableContext, *, confirmed: bool, asked: int | None = None) -> Toast | None:
    """Leave the lobby, or the game after a confirmation. `asked`: the player whom the button was made for."""
    if asked not in (None, context.player_id):
        raise RejectedError(RejectionReason.NOT_YOURS)
    seat = context.seat()
    now, rng, timings = context.uow.now, context.uow.rng, context.uow.timings
    done = ConfirmationNotice(done=Confirmation.LEFT, title=context.chat.title)
    if context.table.status is Status.LOBBY:
        toast = context.save_and_answer(lobby.leave(context.table, context.player_id, now=now, timings=timings), done)
        if context.intent.where is None and context.intent.answered_by == "message":
            say(context.uow, context.intent, context.player, done)  # the lobby, which shows it, is in another chat
        return toast
    if not context.table.in_play(seat):
        if confirmed and (step := lobby.hand_over_host(context.table, context.player_id)).events:
            return context.save_and_answer(step, done)
        raise RejectedError(RejectionReason.OUT)
    if not confirmed:
        notice = ConfirmLeaveNotice(
            table=context.table.id, title=context.chat.title, player=context.player_id, name=context.player.name
        )
        context.save_and_answer(Step(context.table))
        say(context.uow, context.intent, context.player, notice)
        return None
    step = play.resign(context.table, seat, now=now, rng=rng, timings=timings)
    return context.save_and_answer(step.then(lobby.hand_over_host(step.table, context.player_id)), done)


def call(context: TableContext, what: MakeBid | CallDudo | CallCalza) -> Toast | None:
    """Bid, or say dudo or calza."""
    seat = context.seat()
    table = context.table
    typed = context.intent.said_at
    if typed is not None and table.status is Status.PLAYING and typed < table.turn_since - STALE_AFTER_SECONDS:
        raise RejectedError(RejectionReason.STALE)
    if not isinstance(what, MakeBid) and _answers_an_earlier_round(context):
        raise RejectedError(RejectionReason.STALE)
    if context.intent.round is not None and table.game is not None and context.intent.round != table.game.round:
        raise RejectedError(RejectionReason.STALE)
    action: Bid | Dudo | Calza
    match what:
        case MakeBid(quantity=quantity, face=face):
            action = Bid(seat, quantity, face)
            done = ConfirmationNotice(
                done=Confirmation.BID, bid=BidView(seat=seat, quantity=quantity, face=face), wild_by=table.wild_by
            )
        case CallDudo():
            action, done = Dudo(seat), ConfirmationNotice(done=Confirmation.DUDO)
        case CallCalza():
            action, done = Calza(seat), ConfirmationNotice(done=Confirmation.CALZA)
        case _:
            assert_never(what)
    try:
        step = play.make_call(
            table,
            action,
            step=context.intent.step,
            now=context.uow.now,
            rng=context.uow.rng,
            timings=context.uow.timings,
        )
    except RejectedError as rejected:
        raise _suggest_swapped_bid(context, what, rejected) from None
    if step.table.claims:
        done = ConfirmationNotice(done=Confirmation.CLAIMED)
    return context.save_and_answer(step, done)


def add_lucky_word(context: TableContext, word: str) -> Toast | None:
    """Take a lucky word in the lobby; other words in reply to the bot are not answered."""
    if context.table.seat_of(context.player_id) is None:
        return None
    if context.table.status is not Status.LOBBY:
        return context.save_and_answer(Step(context.table))
    return context.save_and_answer(
        lobby.add_lucky_word(context.table, context.player_id, word, now=context.uow.now, timings=context.uow.timings)
    )


def return_to_seat(context: TableContext) -> Toast | None:
    """Tell a player that their seat is theirs again; the arrival of the intent has handed it back."""
    if not context.table.in_play(context.seat()):
        raise RejectedError(RejectionReason.OUT)
    toast = context.save_and_answer(Step(context.table), ConfirmationNotice(done=Confirmation.BACK))
    if context.answers_cost_money() and not (context.returned and context.returned.events):
        context.send_hand(context.seat())  # taking the seat back has sent the dice
    return toast


def _suggest_swapped_bid(context: TableContext, what: object, rejected: RejectedError) -> RejectedError:
    """Ask whether "4 5" was meant as 5x4, if only that bid is legal."""
    game = context.table.game
    if not isinstance(what, MakeBid) or not what.bare or rejected.denial is not RejectionReason.ILLEGAL or game is None:
        return rejected
    turned = Bid(context.seat(), what.face, what.quantity)
    return replace(rejected, suggestion=turned) if why_illegal(game, turned) is None else rejected


def _answers_an_earlier_round(context: TableContext) -> bool:
    """Whether words in the group reply to the message of a round that is over: "liar!" is no call there.

    A bid is meant wherever it stands: the new round's message may be on its way yet.
    """
    if context.intent.where is None or context.intent.replied_to is None:
        return False
    query = select(SentMessage.table_id, SentMessage.slot).where(
        SentMessage.chat == context.chat.address,
        SentMessage.message == context.intent.replied_to.message,
        col(SentMessage.receiver).is_(None),
        or_(col(SentMessage.slot).startswith("deal:"), col(SentMessage.slot) == OVER_SLOT),
    )
    now = (context.row.id, deal_slot(context.table))
    return any((table, slot) != now for table, slot in context.uow.session.exec(query))
