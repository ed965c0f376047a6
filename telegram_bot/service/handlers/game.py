"""Handle what players do at a table: calls, coming back, lucky words."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, why_illegal
from telegram_bot.service.config import timings_in
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Toast
from telegram_bot.service.replies import answer
from telegram_bot.service.table_outbox import OVER_SLOT, deal_slot
from telegram_bot.storage.models import SentMessage
from telegram_bot.tables import lobby, play, second_tap
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.fair_dice import normalize_word
from telegram_bot.tables.model import Status
from telegram_bot.tables.play import STALE_AFTER_SECONDS
from telegram_bot.tables.views import BidView


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
    if not isinstance(what, MakeBid) and (asked := _ask_again(context, what, seat)) is not None:
        return asked
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
            timings=timings_in(context.chat, context.uow.config),
        )
    except RejectedError as rejected:
        raise _suggest_swapped_bid(context, what, rejected) from None
    if step.table.claims:
        done = ConfirmationNotice(done=Confirmation.CLAIMED)
    return context.save_and_answer(step, done)


def _ask_again(context: TableContext, what: CallDudo | CallCalza, seat: int) -> Toast | None:
    """Ask for a second tap where a slip costs a die: on buttons that all share, or where the player wants to be asked.

    None: the call counts, or the rules will say why it does not.
    """
    tapped, table = context.intent.tapped, context.table
    shared = tapped is not None and tapped.receiver is None and context.intent.where is not None
    if context.intent.answered_by != "toast" or not (shared or context.player.asks_twice):
        return None
    action = Dudo(seat) if isinstance(what, CallDudo) else Calza(seat)
    if table.game is None or context.intent.step != table.step or why_illegal(table.game, action) is not None:
        return None
    word = Confirmation.TAP_DUDO_AGAIN if isinstance(what, CallDudo) else Confirmation.TAP_CALZA_AGAIN
    step = second_tap.confirm(table, context.player_id, word, now=context.uow.now)
    return None if step is None else context.save_and_answer(step, ConfirmationNotice(done=word))


def stir_dice(context: TableContext, what: str) -> Toast | None:
    """Stir a sign or a word into the dice; words in reply to the bot are not answered, as they may be talk."""
    if context.intent.answered_by == "nothing" and context.table.status is not Status.LOBBY:
        is_seated = context.table.seat_of(context.player_id) is not None
        return context.save_and_answer(Step(context.table)) if is_seated else None
    step = lobby.stir_dice(context.table, context.player_id, what, now=context.uow.now, timings=context.uow.timings)
    if not step.events:
        return None
    context.save_and_answer(step)
    done = ConfirmationNotice(done=Confirmation.STIRRED, title=normalize_word(what))
    return answer(context.uow, context.intent, context.player, done)


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
