"""Handle the wish to leave a table or to close it: a running game asks first."""

from __future__ import annotations

from sqlmodel import select

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import Stop
from telegram_bot.service.notices import (
    Confirmation,
    ConfirmationNotice,
    ConfirmLeaveNotice,
    ConfirmStopNotice,
    Envelope,
    OutdatedNotice,
    SendMode,
    Toast,
)
from telegram_bot.service.replies import say
from telegram_bot.storage.models import SentMessage
from telegram_bot.tables import lobby, play
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.model import Status


def leave(context: TableContext, *, confirmed: bool, asked: int | None = None) -> Toast | None:
    """Leave the lobby, or the game after a confirmation; the lobby too if it is not known who speaks.

    `asked`: the player whom the button was made for.
    """
    _require_asked(context, asked)
    seat = context.seat()
    now, rng, timings = context.uow.now, context.uow.rng, context.uow.timings
    done = ConfirmationNotice(done=Confirmation.LEFT, title=context.chat.title)
    if context.table.status is Status.LOBBY and (confirmed or context.intent.sender_proof):
        toast = context.save_and_answer(lobby.leave(context.table, context.player_id, now=now, timings=timings), done)
        if context.intent.where is None and context.intent.answered_by == "message":
            say(context.uow, context.intent, context.player, done)  # the lobby, which shows it, is in another chat
        return toast
    lobby_only = context.table.status is Status.LOBBY
    if not lobby_only and not context.table.in_play(seat):
        if confirmed and (step := lobby.hand_over_host(context.table, context.player_id)).events:
            return context.save_and_answer(step, done)
        raise RejectedError(RejectionReason.OUT)
    if not confirmed:
        question = ConfirmLeaveNotice(
            table=context.table.id,
            title=context.chat.title,
            player=context.player_id,
            name=context.player.name,
            lobby=lobby_only,
        )
        context.save_and_answer(Step(context.table))
        say(context.uow, context.intent, context.player, question)
        return None
    _close_question(context, OutdatedNotice())
    step = play.resign(context.table, seat, now=now, rng=rng, timings=timings)
    return context.save_and_answer(step.then(lobby.hand_over_host(step.table, context.player_id)), done)


def stop(context: TableContext, what: Stop) -> Toast | None:
    """Close the table for everybody; a running game only after a confirmation."""
    _require_asked(context, what.asked)
    step = lobby.stop(context.table, context.player_id, is_admin=what.is_admin)
    if what.confirmed:
        _close_question(context, OutdatedNotice())
    if what.confirmed or not _asks_before_closing(context):
        return context.save_and_answer(step)
    question = ConfirmStopNotice(
        table=context.table.id, title=context.chat.title, player=context.player_id, name=context.player.name
    )
    context.save_and_answer(Step(context.table))
    say(context.uow, context.intent, context.player, question)
    return None


def _asks_before_closing(context: TableContext) -> bool:
    """Whether closing is asked first: in a game, and of who types it where no button shows what it is about.

    A lobby in which nobody else sits is closed at once.
    """
    if context.table.status is not Status.LOBBY:
        return True
    typed_blindly = not context.uow.traits(context.intent.who.channel).buttons
    return typed_blindly and len(context.table.seats) > 1


def play_on(context: TableContext, asked: int | None) -> Toast | None:
    """Keep everything as it is: the question that was tapped says so, and loses its buttons."""
    _require_asked(context, asked)
    done = ConfirmationNotice(done=Confirmation.PLAYS_ON)
    _close_question(context, done)
    return context.save_and_answer(Step(context.table), done)


def _close_question(context: TableContext, notice: OutdatedNotice | ConfirmationNotice) -> None:
    """Take the buttons of the tapped question away, or write the answer in its place."""
    uow, tapped, where = context.uow, context.intent.tapped, context.intent.where
    if tapped is None:
        return
    reader, chat = (context.player, context.intent.who.address) if where is None else (context.chat, where.address)
    shows_a_table = select(SentMessage.slot).where(SentMessage.chat == chat, SentMessage.message == tapped.message)
    if uow.session.exec(shows_a_table.limit(1)).first() is not None:
        return  # a forged button: no question, but the message of a table
    envelope = Envelope(
        channel=context.intent.who.channel,
        chat=chat,
        receiver=tapped.receiver,
        language=uow.language_for(context.player) if where is None else uow.language_of(context.chat),
        dice_style=uow.dice_style_for(reader),
        mode=SendMode.TARGET,
        target=tapped,
        notice=notice,
    )
    uow.enqueue(envelope, table=context.table.id)


def _require_asked(context: TableContext, asked: int | None) -> None:
    """Make sure that a question in the group is answered by whom it was asked."""
    if asked not in (None, context.player_id):
        raise RejectedError(RejectionReason.NOT_YOURS)
